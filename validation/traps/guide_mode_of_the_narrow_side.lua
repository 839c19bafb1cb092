-- mistake: TE01 for the dominant mode of a WR-90 guide, whose field varies across the wide side
-- cost: |S21| is below 0.01 for 1: the mode is cut off up to 14.75 GHz
-- key: boundaries.left
-- ends: warning
-- says: lies below the mode's cut-off
local mode = args.mended and "TE10" or "TE01"
local pulse = waveform.gaussian { f0 = 10e9, bandwidth = 4e9 }
simulation {
  mesh = { file = "guide.geo", unit = 1e-3, size = 12 }, order = 3, time = { stop = 2.5e-9 },
  materials = { air = {} },
  boundaries = { left = { kind = "waveguide_port", mode = mode, waveform = pulse }, right = { kind = "waveguide_port", mode = mode } },
  output = { s_parameters = { from = 9e9, to = 11e9, points = 5 } },
}
