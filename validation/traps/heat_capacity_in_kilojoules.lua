-- mistake: the heat capacity of tissue in kJ/(kg K), 3.5 in place of 3500 J/(kg K)
-- cost: after 600 s the middle has risen by 44 K, for 8.2 K
-- key: heat_capacity
-- ends: warning
local c = args.mended and 3500 or 3.5
simulation {
  mesh = { file = "cavity.geo", size = 0.02, parameters = { L = 0.04 } },
  order = 1,
  materials = { inside = { thermal_conductivity = 0.5, heat_capacity = c, mass_density = 1050 } },
  heat = {
    temperature = 37, order = 1,
    boundaries = { walls = { convection = 10, ambient = 37 } },
    sources = { { density = 5e4 } },
    time = { stop = 600 },
    probes = { { name = "middle", at = { 0.02, 0.02, 0.02 } } },
  },
}
