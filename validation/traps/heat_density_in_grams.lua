-- mistake: the density of tissue in g/cm^3, 1.05 in place of 1050 kg/m^3
-- cost: after 600 s the middle has risen by 44 K, for 8.2 K
-- key: mass_density
-- ends: warning
local rho = args.mended and 1050 or 1.05
simulation {
  mesh = { file = "cavity.geo", size = 0.02, parameters = { L = 0.04 } },
  order = 1,
  materials = { inside = { thermal_conductivity = 0.5, heat_capacity = 3500, mass_density = rho } },
  heat = {
    temperature = 37, order = 1,
    boundaries = { walls = { convection = 10, ambient = 37 } },
    sources = { { density = 5e4 } },
    time = { stop = 600 },
    probes = { { name = "middle", at = { 0.02, 0.02, 0.02 } } },
  },
}
