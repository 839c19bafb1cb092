-- mistake: a waveguide ends in an absorbing wall
-- cost: |S11| is 0.146 in a matched guide, at 1.5 times its cut-off
-- key: boundaries.end
-- ends: warning
-- says: the absorbing wall
simulation {
  mesh = { file = "matched.geo", size = 0.01 }, order = 3, time = { stop = 4e-9 }, materials = { default = {} },
  boundaries = { port = { kind = "waveguide_port", waveform = waveform.gaussian { f0 = 10e9, bandwidth = 2.4e9 } },
                 ["end"] = { kind = args.mended and "waveguide_port" or "absorbing" } },
  output = { s_parameters = { 9.836e9 } },
}
