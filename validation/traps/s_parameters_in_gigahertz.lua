-- mistake: frequencies of S in GHz beside a waveform in Hz
-- cost: S21 of a line of 24 mm is 1 at what was meant as 1 to 6 GHz, for a phase of -29 to -173 degrees: 50 to 200 % off
-- key: output.s_parameters
-- ends: warning
-- says: ends at 6 Hz, and waveforms reach up to
local unit = args.mended and 1e9 or 1
simulation {
  mesh = { file = "guide.geo", unit = 1e-3, size = 12 }, order = 3, time = { stop = 2e-9 },
  materials = { air = {} },
  boundaries = {
    left = { kind = "tem_port", number = 1, waveform = waveform.gaussian { bandwidth = 6e9 } }, right = { kind = "tem_port", number = 2 },
    narrow = { kind = "pmc" }, wide = { kind = "pec" },
  },
  output = { s_parameters = { from = 1 * unit, to = 6 * unit, points = 6 } },
}
