-- A pyramidal horn on a WR-90 guide: an aperture of 56 x 42 mm, 45 mm before the throat. What does it radiate from 8.5 to
-- 11.5 GHz? Half of it is computed: y = 0, which E crosses, is a plane of symmetry (pec).
simulation {
  name  = "horn",
  mesh  = { file = "horn.geo", unit = 1e-3,
            parameters = { S = args.size or 12, T = args.throat or 10, L = args.length or 45 } },
  order = args.order or 3,
  time  = { stop = args.stop or 2.4e-9 },

  materials  = { air = {} },
  interfaces = { horn = { kind = "pec" } },
  boundaries = {
    port   = { kind = "waveguide_port", mode = "TE10", axis = { 1, 0, 0 }, number = 1,
               waveform = waveform.gaussian { f0 = 10e9, bandwidth = 4.5e9 } },
    block  = { kind = "pec" },
    mirror = { kind = "pec" },
    wall   = { kind = "open", reflection = -40 },
  },

  output = {
    ports = { every = 10 },
    s_parameters = { from = 8e9, to = 12e9, points = 41 },
    far_field = {
      { name = "pattern", surface = "huygens", frequencies = { from = 8.5e9, to = 11.5e9, points = 7 },
        theta = { from = 0, to = 180, points = 91 }, phi = { from = 0, to = 350, points = 36 },
        images = { { axis = "y", wall = "pec" } } },
    },
    fields = { every = 1000, quantities = { "E" } },
  },
}
