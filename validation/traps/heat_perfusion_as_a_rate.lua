-- mistake: the perfusion of muscle as a rate, 0.009 1/s, in place of 3.4e4 W/(m^3 K)
-- cost: after 600 s the middle has risen by 8.2 K, for 1.5 K
-- key: perfusion
-- ends: warning
local W = args.mended and 0.009 * 3.8e6 or 0.009
simulation {
  mesh = { file = "cavity.geo", size = 0.02, parameters = { L = 0.04 } },
  order = 1,
  materials = { inside = { thermal_conductivity = 0.5, heat_capacity = 3500, mass_density = 1050, perfusion = W } },
  heat = {
    temperature = 37, order = 1, blood = 37,
    boundaries = { walls = { convection = 10, ambient = 37 } },
    sources = { { density = 5e4 } },
    time = { stop = 600 },
    probes = { { name = "middle", at = { 0.02, 0.02, 0.02 } } },
  },
}
