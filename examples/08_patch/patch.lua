-- A microstrip patch antenna that has been built and measured: a patch of 19.5 x 29.5 mm on a substrate of epsilon_r
-- 2.33, 3.175 mm thick, fed by a probe, over a ground plane. Where does it resonate, and what does it radiate? Half of
-- it is computed: y = 0 is a plane of symmetry.
-- -D feed=5 (mm): the feed's distance from the edge of the patch. -D tangent=0.02: a substrate with losses.
local epsilon, tangent = args.epsilon or 2.33, args.tangent or 0
local feed = args.feed or 5
local axis = (feed - 19.5 / 2) * 1e-3 -- of the coaxial line

simulation {
  name  = "patch",
  mesh  = { file = "patch.geo", unit = 1e-3,
            parameters = { F = feed, S = args.size or 18, E = args.patch or 7 } },
  order = args.order or 2,
  time  = { stop = args.stop or 3.6e-9 },

  materials  = {
    substrate = { epsilon_r = epsilon, sigma = 2 * math.pi * 4.2e9 * const.epsilon0 * epsilon * tangent },
    air = {},
  },
  interfaces = { patch = { kind = "pec" } },
  boundaries = {
    -- The half of a coaxial line in air, 50 ohm, 5 mm below the ground: its wave is that between two cylinders.
    feed     = { kind = "modal_port", family = "TEM", number = 1,
                 profile = function(x, y, z)
                   local u = x - axis
                   return u / (u * u + y * y), y / (u * u + y * y), 0
                 end,
                 waveform = waveform.gaussian { f0 = 4.3e9, bandwidth = 4.5e9 } },
    symmetry = { kind = "pmc" },
    wall     = { kind = "open", reflection = args.reflection or -40 },
    default  = { kind = "pec" }, -- ground, post and line
  },

  output = {
    ports = { every = 2 },
    s_parameters = { from = 3.4e9, to = 5.2e9, points = 91 },
    probes = { { name = "edge", at = { 9.4e-3, 0.4e-3, 1.6e-3 }, every = 2 } },
    far_field = {
      { name = "pattern", surface = "huygens", frequencies = { from = 3.8e9, to = 4.6e9, points = 9 },
        theta = { from = 0, to = 90, points = 46 }, phi = { from = 0, to = 350, points = 36 },
        images = { { axis = "z", wall = "pec", use = "ground" }, { axis = "y", wall = "pmc" } } },
    },
    fields = { every = 2500, quantities = { "E" } },
  },

  -- How well is it matched, and where? The answer stands in summary.json, and in the table of a sweep over -D feed.
  on = {
    done = function(sim)
      local s, least, at = sim.s_parameters, math.huge, nil
      for k = 1, #s.frequency do
        local size = math.sqrt(s.S11_re[k] ^ 2 + s.S11_im[k] ^ 2)
        if size < least then least, at = size, s.frequency[k] end
      end
      return { S11_decibel = 20 * math.log(least, 10), matched_at = at }
    end,
  },
}
