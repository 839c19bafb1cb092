-- A Hertzian dipole of 1 A m along z, slightly off the middle of any element; the walls absorb what comes at them
-- upright, so their echo bounds the time for which the closed form holds.
-- by hand: curlew run case.lua -D order=4
simulation {
  name  = "dipole",
  mesh  = { file = "case.geo", parameters = { N = args.near or 0.045, S = args.size or 0.09, O = args.outer or 0.15 } },
  order = args.order or 3,
  flux  = args.flux or 1,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 3e-9 },
  materials  = { air = {} },
  boundaries = { outer = { kind = "absorbing" } },
  sources = { { at = { 0.011, -0.007, 0.005 }, moment = { 0, 0, 1 },
                waveform = waveform.differentiated_gaussian { f_peak = 0.9e9 } } },
  output = {
    probes = { { name = "side", at = { 0.3, 0, 0 } }, { name = "slant", at = { 0.15, 0.2, 0.15 } },
               { name = "above", at = { 0.05, -0.1, 0.28 } } },
    progress = { every = 0 },
  },
}
