-- A plane wave meets water, a Debye medium.
-- by hand: curlew run case.lua -D integrator=lsrk
simulation {
  name  = "debye",
  mesh  = { file = "case.geo", size = args.size or 0.0006 },
  order = args.order or 4,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 0.3e-9 },
  materials = { front = {}, water = { epsilon_r = 1.8, debye = { { delta = 79.2, tau = 9.4e-12 } } } },
  boundaries = {
    left = { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 }, origin = { -0.005, 0, 0 },
             waveform = waveform.gaussian { bandwidth = 60e9 } },
    magnetic = { kind = "pmc" },
  },
  output = { probes = { { name = "front", at = { -0.0021, 0.00021, 0.00033 } } }, energy = { every = 20 },
             progress = { every = 0 } },
}
