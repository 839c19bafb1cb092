-- A plane wave loses power in a block: -D fill=0.5 -D epsilon=4 -D sigma=0.05. The pulse has no constant part, which
-- would charge the block for long.
-- by hand: curlew run case.lua -D fill=0.5
simulation {
  name  = "power",
  mesh  = { file = "case.geo", size = args.size or 0.04, parameters = { F = args.fill or 1 } },
  order = args.order or 3,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 7e-9 },
  materials = { air = {}, block = { epsilon_r = args.epsilon or 4, sigma = args.sigma or 0.05 } },
  boundaries = {
    left = { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 },
             waveform = waveform.ricker { f_peak = 0.6e9 } },
    right = { kind = "absorbing" },
    magnetic = { kind = "pmc" },
  },
  output = {
    energy = { every = 1 },
    fluxes = { { name = "left", surface = "left", direction = { 1, 0, 0 } },
               { name = "in", surface = "in", direction = { 1, 0, 0 } },
               { name = "out", surface = "out", direction = { 1, 0, 0 } },
               { name = "right", surface = "right", direction = { 1, 0, 0 } } },
    losses = { { name = "block", region = "block" } },
    progress = { every = 0 },
  },
}
