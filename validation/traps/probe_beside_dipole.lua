-- mistake: a probe lies beside a dipole, within the size of one element, to record its near field
-- cost: the record is off by 83 % (against elements of a third of the size and order 4); other probes within 0.65 of an element are off by 10 to 200 %
-- key: output.probes
-- ends: warning
-- says: of its element's size from sources
simulation {
  mesh = { file = "cavity.geo", size = 0.4 },
  order = 3,
  time = { stop = 12e-9 },
  materials = { inside = { epsilon_r = 1 } },
  boundaries = { walls = { kind = "absorbing" } },
  sources = { { at = { 0.47, 0.52, 0.49 }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 200e6, bandwidth = 200e6 } } },
  output = { probes = { { name = "p", at = args.mended and { 0.05, 0.08, 0.06 } or { 0.47, 0.52, 0.59 } } } },
}
