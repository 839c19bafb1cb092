-- The extinction of a gold sphere of 50 nm radius in vacuum, for light from 350 to 900 nm: what it takes from a plane wave.
-- E is along x, the wave travels along z. A quarter of the room is computed: at x = 0 E is across the plane (pec), at
-- y = 0 it is along (pmc).
local materials = require "curlew.materials"

simulation {
  name  = "nanosphere",
  mesh  = { file = "nanosphere.geo", unit = 1e-9,
            parameters = { A = args.radius or 50, H = args.H or 80, R = args.R or 130, S = args.size or 60, C = args.gold or 25 } },
  order = args.order or 3,
  flux  = args.flux or 0,
  time  = { stop = args.stop or 20e-15 },

  materials  = { gold = materials.gold, default = {} },
  boundaries = {
    x     = { kind = "pec" },
    y     = { kind = "pmc" },
    outer = { kind = "open", reflection = -50 },
  },
  interfaces = {
    huygens = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                waveform = waveform.gaussian { f0 = 600e12, bandwidth = 700e12 } },
  },

  output = {
    far_field = {
      { name = "far", surface = "huygens", frequencies = { from = 335e12, to = 855e12, points = 53 },
        theta = { from = 0, to = 180, points = 19 }, phi = { 0, 90 },
        images = { { axis = "x", wall = "pec" }, { axis = "y", wall = "pmc" } } },
    },
    losses = { { name = "gold", region = "gold", every = 50 } },
  },
}
