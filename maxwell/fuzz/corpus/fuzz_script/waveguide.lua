-- S-parameters of a piece of WR-90 waveguide, 22.86 x 10.16 mm, with a dielectric slab of epsilon_r 2.55, 10 mm long,
-- that fills its section; from 8 to 12 GHz.
-- -D epsilon=9.8 and -D d=3 (mm) make another slab; -D epsilon=1 the empty guide.
simulation {
  name  = "waveguide",
  mesh  = { file = "waveguide.geo", unit = 1e-3, size = args.size or 9, parameters = { D = args.d or 10 } },
  order = args.order or 3,
  time  = { stop = args.stop or 4e-9 },

  materials  = { air = {}, slab = { epsilon_r = args.epsilon or 2.55 } },
  boundaries = {
    port1   = { kind = "waveguide_port", mode = "TE10", number = 1,
                waveform = waveform.gaussian { f0 = 10e9, bandwidth = 4.5e9 } },
    port2   = { kind = "waveguide_port", mode = "TE10", number = 2 },
    default = { kind = "pec" },
  },

  output = {
    ports = { every = 10 },
    s_parameters = { from = 8e9, to = 12e9, points = 41 },
    fields = { every = 500, quantities = { "E" } },
  },
}
