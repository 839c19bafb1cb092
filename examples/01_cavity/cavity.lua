-- A cubic cavity with perfectly conducting walls, 1 m wide. Two of its modes, (1,1,0) and (2,1,0), are set ringing at
-- 212 and 335 MHz by a start field; a probe listens.
local L = args.L or 1.0 -- metres; `curlew run cavity.lua -D L=0.5` makes a smaller cavity
local pi = math.pi

simulation {
  name  = "cavity",
  mesh  = { file = "cavity.geo", size = 0.35 * L, parameters = { L = L } },
  order = 4,
  flux  = "upwind",
  time  = { integrator = "leapfrog", stop = 60e-9 * L, cfl = 0.95 },

  materials  = { inside = { epsilon_r = 1, mu_r = 1 } },
  boundaries = { walls = { kind = "pec" } },

  -- Ez in V/m. It vanishes on the four walls that it is parallel to, and does not depend on z.
  initial = {
    E = function(x, y, z)
      local mode110 = math.sin(pi * x / L) * math.sin(pi * y / L)
      local mode210 = math.sin(2 * pi * x / L) * math.sin(pi * y / L)
      return 0, 0, mode110 + 0.5 * mode210
    end,
  },

  output = {
    probes = { { name = "corner", at = { 0.3 * L, 0.4 * L, 0.6 * L } } },
    resonances = { { name = "modes", probe = "corner", from = 150e6 / L, to = 400e6 / L } },
    energy = { every = 10 },
    fields = { every = 250, quantities = { "E", "H" } }, -- format = "vtkhdf" for ParaView
  },
}
