-- Mode (1,1,0) of the unit cube with perfectly conducting walls, from the exact fields at a time when both are there:
--   Ez = sin(pi x) sin(pi y) cos(w t + phase), and H from Faraday's law.
-- validate.py chooses size, order, flux and the steps; by hand: curlew run case.lua -D order=3 -D size=0.25
local pi, sin, cos = math.pi, math.sin, math.cos
local phase = args.phase or 0.6
local w = const.c0 * pi * math.sqrt(2)
local steps = args.steps or 100

simulation {
  name  = "convergence",
  mesh  = { file = "case.geo", size = args.size or 0.25 },
  order = args.order or 3,
  flux  = args.flux or 1,
  time  = { integrator = "lsrk", steps = steps, step = args.step },
  materials  = { inside = {} },
  boundaries = { walls = { kind = "pec" } },
  initial = {
    E = function(x, y, z) return 0, 0, sin(pi * x) * sin(pi * y) * cos(phase) end,
    H = function(x, y, z)
      local scale = pi * sin(phase) / (w * const.mu0)
      return -scale * sin(pi * x) * cos(pi * y), scale * cos(pi * x) * sin(pi * y), 0
    end,
  },
  output = { fields = { every = steps }, progress = { every = 0 } },
}
