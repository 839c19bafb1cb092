-- mistake: a probe writes a row every so many steps that its rows do not show the pulse; a transform of them gives other frequencies
-- cost: the largest value of the record is 0.05 of the true one
-- key: output.probes
-- ends: warning
-- says: rows
simulation {
  mesh = { file = "cavity.geo", size = 0.4 },
  order = 3,
  time = { stop = 20e-9 },
  materials = { inside = { epsilon_r = 1 } },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.4, 0.4, 0.4 }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 200e6, bandwidth = 200e6 } } },
  output = { probes = { { name = "p", at = { 0.8, 0.7, 0.6 }, every = args.every or (args.mended and 5 or 150) } } },
}
