-- mistake: a steady state with a source that is on for a tenth of each second, which it takes as it is at t = 0: on
-- cost: the middle is 44 K above the ambient, for 4.4 K
-- key: heat.steady
-- ends: warning
local function pulse(x, y, z, t) return t % 1 < 0.1 and 5e4 or 0 end
simulation {
  mesh = { file = "cavity.geo", size = 0.02, parameters = { L = 0.04 } },
  order = 1,
  materials = { inside = { thermal_conductivity = 0.5 } },
  heat = {
    steady = true, order = 1,
    boundaries = { walls = { convection = 10, ambient = 37 } },
    sources = { { density = args.mended and 0.1 * 5e4 or pulse } },
    probes = { { name = "middle", at = { 0.02, 0.02, 0.02 } } },
  },
}
