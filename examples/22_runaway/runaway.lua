-- Example 18 with salt water in the dough: its conductivity grows by 3 % with every degree. The hot spots take more and more
-- of the wave, so that they heat faster and faster, and shade what is behind them.
-- -D change=0 is example 18; -D change=-0.01 (1/K) falls with the temperature; -D watts=50 and -D seconds=240 make other dishes.
local watts = args.watts or 100

simulation {
  name  = "runaway",
  mesh  = { file = "runaway.geo", unit = 1e-3, parameters = { N = args.layers or 8 } },
  order = args.order or 2,
  time  = { stop = args.stop or 7.5e-9 },

  materials = {
    air  = {},
    load = {
      epsilon_r = 10, sigma = 0.15, mass_density = 1100, heat_capacity = 2800, thermal_conductivity = 0.4,
      with_temperature = { sigma = args.change or 0.03, reference = 20 },
    },
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
    order   = args.heat or 3,
    regions = { "load" },
    temperature = 20,
    boundaries  = { front = { convection = 10, ambient = 20 }, back = { temperature = 20 } },
    sources  = { { losses = "load", amplitude = math.sqrt(watts) } },
    time     = { stop = args.seconds or 120, tolerance = 0.01 },
    coupling = { tolerance = args.tolerance or 0.2, settled = args.settled or 0.5 },
    probes   = {
      { name = "first",  at = { 0.04318, 0.02, 0.0105 } },
      { name = "second", at = { 0.04318, 0.02, 0.0305 } },
      { name = "side",   at = { 0.02,    0.02, 0.0105 } },
      { name = "cold",   at = { 0.04318, 0.02, 0.0205 } },
    },
    snapshots = {},
  },
}
