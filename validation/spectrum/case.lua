-- A box with perfectly conducting walls, struck off-centre by a bump of electric field; probes listen.
--   curlew run case.lua                                                 the unit cube
--   curlew run case.lua -D a=0.05 -D b=0.02 -D c=0.06 -D size=0.02      the small box
-- The bump points along (ex, ey, ez). Its divergence is a static field that stays; the rest rings.
local a, b, c = args.a or 1, args.b or 1, args.c or 1
local ex, ey, ez = args.ex or 1, args.ey or 1, args.ez or 1
local width = args.width or 0.15
local x0, y0, z0 = 0.37 * a, 0.41 * b, 0.29 * c

simulation {
  name  = "spectrum",
  mesh  = { file = "case.geo", size = args.size or 0.35, parameters = { a = a, b = b, c = c } },
  order = args.order or 4,
  flux  = args.flux or 1,
  time  = { stop = args.stop or 200e-9, cfl = args.cfl or 0.95, integrator = "leapfrog" },
  materials  = { inside = {} },
  boundaries = { walls = { kind = "pec" } },
  initial = {
    E = function(x, y, z)
      local g = math.exp(-(((x - x0) / a) ^ 2 + ((y - y0) / b) ^ 2 + ((z - z0) / c) ^ 2) / width ^ 2)
      return ex * g, ey * g, ez * g
    end,
  },
  output = {
    probes = {
      { name = "one",   at = { 0.23 * a, 0.31 * b, 0.17 * c } },
      { name = "two",   at = { 0.61 * a, 0.27 * b, 0.83 * c } },
      { name = "three", at = { 0.79 * a, 0.63 * b, 0.39 * c } },
    },
    progress = { every = 0 },
  },
}
