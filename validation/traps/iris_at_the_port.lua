-- mistake: ports 2 mm beside an iris, to save elements, where fields below their cut-off end on the faces
-- cost: |S11| is 0.46 for 0.58 and |S21| 0.66 for 0.81 at 9 GHz: 20 % off, and a third of the power is missing
-- key: S-parameters
-- ends: warning
-- says: do not keep the power
-- command: run -q
local room = args.mended and 12 or 2
local absorb = args.mended and { "TE20" }
local pulse = waveform.gaussian { f0 = 10e9, bandwidth = 4e9 }
simulation {
  mesh = { file = "guide.geo", unit = 1e-3, size = 8, parameters = { L = 2 * room, IRIS = room } },
  order = 3, time = { stop = 3e-9 },
  materials = { air = {} }, interfaces = { iris = { kind = "pec" } },
  boundaries = {
    left = { kind = "waveguide_port", absorb = absorb, waveform = pulse }, right = { kind = "waveguide_port", absorb = absorb },
  },
  output = { s_parameters = { from = 9e9, to = 10.5e9, points = 5 } },
}
