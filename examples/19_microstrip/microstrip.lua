-- A microstrip line of 50 ohm between two ports that find its mode by themselves: what comes back, what goes through, and
-- how fast. -D edge=0.5: smaller elements at the edge of the strip; -D order=3; -D tangent=0: no losses.
simulation {
  name = "microstrip",
  mesh = { file = "microstrip.geo", unit = 1e-3,
           parameters = { W = args.w or 3, L = args.length or 12, SIZE = args.size or 8, EDGE = args.edge or 1 } },
  order = args.order or 2,
  time = { stop = args.stop or 0.9e-9 },

  materials = { substrate = { epsilon_r = args.epsilon or 4.4, loss_tangent = args.tangent or 0.02, at = 2.5e9 }, air = {} },
  interfaces = { strip = { kind = "pec" } },
  boundaries = {
    ["in"] = { kind = "tem_port", number = 1, waveform = waveform.gaussian { bandwidth = 5e9 } },
    out = { kind = "tem_port", number = 2 },
    symmetry = { kind = "pmc" },
    default = { kind = "pec" },
  },
  output = {
    s_parameters = { from = 0.5e9, to = 5e9, points = 10 },
    fields = { every = 2000, quantities = { "E" } },
  },
}
