-- mistake: 3 W as a density, in place of 3 W by the volume of 64 cm^3
-- cost: after 600 s the middle has risen by 0.0005 K, for 7.7 K
-- key: heat.sources
-- ends: warning
local q = args.mended and 3 / 64e-6 or 3
simulation {
  mesh = { file = "cavity.geo", size = 0.02, parameters = { L = 0.04 } },
  order = 1,
  materials = { inside = { thermal_conductivity = 0.5, heat_capacity = 3500, mass_density = 1050 } },
  heat = {
    temperature = 37, order = 1,
    boundaries = { walls = { convection = 10, ambient = 37 } },
    sources = { { density = q } },
    time = { stop = 600 },
    probes = { { name = "middle", at = { 0.02, 0.02, 0.02 } } },
  },
}
