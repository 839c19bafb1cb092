-- mistake: a pulse whose band lies far above what the elements hold
-- cost: the field at a probe is off by 100 % and more
-- key: sources
-- ends: warning
-- says: of the energy of its waveform lies above
local f = args.mended and 60e6 or 1200e6
simulation {
  mesh = { file = "cavity.geo", size = 0.5 },
  order = 2,
  time = { stop = 200e-9 },
  materials = { inside = { epsilon_r = 1 } },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.4, 0.4, 0.4 }, moment = { 0, 0, 1 },
                waveform = waveform.gaussian { f0 = f, bandwidth = f } } },
  output = { probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
