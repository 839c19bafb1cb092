-- What a ball of muscle, 50 mm in radius, takes out of a plane wave from 0.5 to 1.5 GHz: the power that warms it, and what
-- it scatters. E is along x, the wave travels along z. A quarter of the room is computed: at x = 0 E is across the plane
-- (pec), at y = 0 it is along (pmc).
local materials = require "curlew.materials"

local tissue = { mass_density = 1090 } -- kg/m^3, muscle
for key, value in pairs(materials[args.of or "muscle"]) do tissue[key] = value end

simulation {
  name  = "phantom",
  mesh  = { file = "phantom.geo", unit = 1e-3, parameters = { H = args.H or 90, R = args.R or 120, S = args.size or 45,
                                                              C = args.tissue or 22 } },
  order = args.order or 3,
  time  = { stop = args.stop or 10e-9 },

  materials  = { default = {}, tissue = tissue },
  boundaries = {
    x     = { kind = "pec" },
    y     = { kind = "pmc" },
    outer = { kind = "open", reflection = args.reflection or -50 },
  },
  interfaces = {
    huygens = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                waveform = waveform.gaussian { f0 = 1e9, bandwidth = 1.6e9 } },
  },

  output = {
    spectra = {
      { name = "tissue", region = "tissue", fields = { "E" }, normalise = "source", losses = true, sar = true,
        frequencies = { from = 0.5e9, to = 1.5e9, points = 21 } },
    },
    far_field = {
      { name = "power", surface = "huygens", frequencies = { from = 0.5e9, to = 1.5e9, points = 21 },
        theta = { from = 0, to = 180, points = 37 }, phi = { 0, 90 },
        images = { { axis = "x", wall = "pec" }, { axis = "y", wall = "pmc" } } },
    },
  },
}
