-- The radar cross-section of a metal sphere of 100 mm radius from 0.5 to 1.5 GHz: of what comes back, and of what goes
-- everywhere. E is along x, the wave travels along z. A quarter of the room is computed: at x = 0 E is across the plane
-- (pec), at y = 0 it is along (pmc).
simulation {
  name  = "sphere",
  mesh  = { file = "sphere.geo", unit = 1e-3, parameters = { H = args.H or 135, R = args.R or 165, S = args.size or 50,
                                                             C = args.metal or 35 } },
  order = args.order or 3,
  time  = { stop = args.stop or 7.5e-9 },

  materials  = { total = {}, scattered = {} },
  boundaries = {
    metal = { kind = "pec" },
    x     = { kind = "pec" },
    y     = { kind = "pmc" },
    outer = { kind = args.wall or "open" },
  },
  interfaces = {
    huygens = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                waveform = waveform.gaussian { f0 = 1e9, bandwidth = 1.8e9 } },
  },

  output = {
    far_field = {
      { name = "rcs", surface = "huygens", frequencies = { from = 0.5e9, to = 1.5e9, points = 41 },
        theta = { from = 0, to = 180, points = 37 }, phi = { 0, 90 },
        images = { { axis = "x", wall = "pec" }, { axis = "y", wall = "pmc" } } },
    },
  },
}
