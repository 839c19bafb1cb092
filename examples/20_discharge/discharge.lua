-- A body charged to 4 kV discharges through an arc of 330 ohm into a grounded block.
-- See README.md beside this file. -D ohm=... is another arc.
simulation {
  name = "discharge",
  mesh = { file = "discharge.geo" },
  order = args.order or 2,
  time = { stop = 40e-9 },
  materials = { room = {} },
  boundaries = {
    body  = { kind = "pec" },
    block = { kind = "pec" },
    far   = { kind = "absorbing" },
    arc   = { kind = "lumped_port", resistance = args.ohm or 330, direction = { 0, 0, 1 } },
  },
  -- The static field of the charged body. The arc closes at t = 0. The ground and the far walls are at 0 V.
  initial = { statics = { potentials = { body = 4000, default = 0 }, capacitance = true } },
  output = {
    ports = { every = 1 },
    energy = { every = 10 },
    probes = { { name = "near", at = { 0.2, 0.05, 0.3 }, every = 1 } },
    fields = { every = 2000, quantities = { "E", "H" } },
  },
}
