-- mistake: an open wall is to return -120 dB, with two elements to do so
-- cost: 0.0012 of a mode comes back at 42 degrees, 13 times as much as from ten elements
-- key: boundaries.end
-- ends: warning
-- says: reflection = -120 is asked
simulation {
  mesh = { file = "matched.geo", size = 0.01 }, order = 2, time = { stop = 4e-9 }, materials = { default = {} },
  boundaries = { port = { kind = "waveguide_port", waveform = waveform.gaussian { f0 = 10e9, bandwidth = 2.4e9 } },
                 ["end"] = { kind = "open", reflection = -120, elements = not args.mended and 2 or nil } },
  output = { s_parameters = { 9.836e9 } },
}
