-- How much of a plane wave does a slab let through? A pulse from 2 to 14 GHz meets a slab of epsilon_r 4, 10 mm thick;
-- two probes, one in front and one behind, see it come, return and pass.
-- -D epsilon=2.25 -D sigma=0.5 -D d=5 (mm) make another slab.
local d = args.d or 10

simulation {
  name  = "slab",
  mesh  = { file = "slab.geo", unit = 1e-3, size = args.size or 4, parameters = { D = d } },
  order = args.order or 3,
  time  = { stop = args.stop or 1.6e-9 },

  materials  = { vacuum = {}, slab = { epsilon_r = args.epsilon or 4, sigma = args.sigma or 0 } },
  boundaries = {
    left     = { kind = "plane_wave", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                 waveform = waveform.gaussian { f0 = 8e9, bandwidth = 14e9 } },
    right    = { kind = "absorbing" },
    magnetic = { kind = "pmc" },
    default  = { kind = "pec" },
  },

  output = {
    probes = {
      { name = "front", at = { 2e-3, 2e-3, -10e-3 }, every = 4 },
      { name = "back", at = { 2e-3, 2e-3, d * 1e-3 + 10e-3 }, every = 4 },
    },
    fields = { every = 500, quantities = { "E" } },
  },
}
