-- What a microwave oven does: 100 W at 2.45 GHz in a WR-340 waveguide, 86.36 x 43.18 mm, meet 60 mm of dough in front of a
-- short circuit. The wave that comes back makes spots that are hot, 20 mm apart.
-- -D watts=50, -D seconds=600 and -D sigma=0.5 (S/m) make other dishes.
local watts = args.watts or 100

simulation {
  name  = "hotspot",
  mesh  = { file = "hotspot.geo", unit = 1e-3, parameters = { N = args.layers or 5 } },
  order = args.order or 3,
  time  = { stop = args.stop or 9e-9 },

  materials = {
    air  = {},
    load = { epsilon_r = 10, sigma = args.sigma or 0.15, mass_density = 1100, heat_capacity = 2800, thermal_conductivity = 0.4 },
  },
  boundaries = {
    port    = { kind = "waveguide_port", mode = "TE10", waveform = waveform.gaussian { f0 = 2.7e9, bandwidth = 1.8e9 } },
    default = { kind = "pec" },
  },

  output = {
    spectra = {
      { name = "load", region = "load", fields = { "E" }, frequencies = { 2.45e9 }, normalise = "power", losses = true },
    },
  },

  heat = {
    order   = args.heat or 4,
    regions = { "load" },
    temperature = 20,
    boundaries  = { front = { convection = 10, ambient = 20 }, back = { temperature = 20 } },
    sources = { { losses = "load", amplitude = math.sqrt(watts) } },
    time    = { stop = args.seconds or 60 },
    probes  = {
      { name = "hot",  at = { 0.04318, 0.02, 0.0105 } },
      { name = "side", at = { 0.02,    0.02, 0.0105 } },
      { name = "cold", at = { 0.04318, 0.02, 0.0205 } },
    },
    snapshots = { interval = 20 },
  },
}
