-- mistake: the width of a WR-90 guide taken for half of it: 45.72 mm for 22.86
-- cost: S21 over 24 mm is turned by 48 to 64 degrees (81 to 106 % off), and what goes into the second mode is in no S
-- key: output.s_parameters
-- ends: warning
-- says: the mode TE20 of this guide propagates from
local pulse = waveform.gaussian { f0 = 10e9, bandwidth = 4e9 }
simulation {
  mesh = { file = "guide.geo", unit = 1e-3, size = 12, parameters = { A = args.mended and 22.86 or 45.72 } },
  order = 3, time = { stop = 2.5e-9 },
  materials = { air = {} },
  boundaries = { left = { kind = "waveguide_port", waveform = pulse }, right = { kind = "waveguide_port" } },
  output = { s_parameters = { from = 9e9, to = 11e9, points = 5 } },
}
