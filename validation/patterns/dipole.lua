-- A thick dipole with a port in a sleeve that may have losses. An eighth of the room is computed.
-- By hand: curlew run dipole.lua -D sigma=0.05
local images = { { axis = "x", wall = "pmc" }, { axis = "y", wall = "pmc" }, { axis = "z", wall = "pec" } }

simulation {
  name  = "dipole",
  mesh  = { file = "dipole.geo", unit = 1e-3, parameters = { E = args.metal or 12, S = args.size or 50 } },
  order = args.order or 2,
  flux  = args.flux,
  time  = { stop = args.stop or 11e-9, integrator = args.integrator },
  materials  = { room = {}, sleeve = { sigma = args.sigma or 0 } },
  boundaries = {
    -- The ring's eighth has half the voltage and a quarter of the current: 146 ohm are 73 of the whole.
    gap   = { kind = "lumped_port", resistance = 146, direction = { 0, 0, 1 },
              waveform = waveform.gaussian { f0 = 0.95e9, bandwidth = 0.9e9 } },
    metal = { kind = "pec" }, x = { kind = "pmc" }, y = { kind = "pmc" }, z = { kind = "pec" },
    wall  = { kind = "open", reflection = args.reflection or -50 },
  },
  output = {
    ports = { every = 1 },
    losses = { { name = "sleeve", region = "sleeve", every = 1 } },
    far_field = {
      { name = "pattern", surface = "huygens", frequencies = { from = 0.3e9, to = 1.6e9, points = 27 },
        theta = { from = 0, to = 90, points = 46 }, phi = { 0 }, images = images },
    },
    progress = { every = 0 },
  },
}
