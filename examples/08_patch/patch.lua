-- A microstrip patch antenna that has been built and measured: a patch of 19.5 x 29.5 mm on a substrate of epsilon_r
-- 2.33, 3.175 mm thick, fed by a probe. Where does it resonate? Half of it is computed: y = 0 is a plane of symmetry.
-- -D feed=5 (mm): the feed's distance from the edge of the patch.
local epsilon = args.epsilon or 2.33

simulation {
  name  = "patch",
  mesh  = { file = "patch.geo", unit = 1e-3, 
            parameters = { F = args.feed or 5, S = args.size or 18, E = args.patch or 7 } },
  order = args.order or 2,
  time  = { stop = args.stop or 2.6e-9 },

  materials  = { substrate = { epsilon_r = epsilon }, air = {} },
  interfaces = { patch = { kind = "pec" } },
  boundaries = {
    -- The feed is a post whose four sides are the port: 50 ohm, of which the half has 100.
    feed     = { kind = "lumped_port", resistance = 100, direction = { 0, 0, 1 }, number = 1,
                 waveform = waveform.gaussian { f0 = 4.3e9, bandwidth = 4.5e9 } },
    roof     = { kind = "pec" }, -- top of the post, a part of the patch
    ground   = { kind = "pec" },
    symmetry = { kind = "pmc" },
    default  = { kind = "absorbing" },
  },

  output = {
    ports = { every = 2 },
    s_parameters = { from = 3.4e9, to = 5.2e9, points = 91 },
    probes = { { name = "edge", at = { 9.4e-3, 0.4e-3, 1.6e-3 }, every = 2 } },
    fields = { every = 500, quantities = { "E" } },
  },
}
