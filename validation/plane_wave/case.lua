-- A plane wave meets a slab: -D epsilon=4 -D sigma=0 of the slab, -D behind=1 of the medium behind it.
-- by hand: curlew run case.lua -D epsilon=4 -D behind=4
local behind = args.behind or 1

simulation {
  name  = "plane_wave",
  mesh  = { file = "case.geo", size = args.size or 0.08 },
  order = args.order or 3,
  flux  = args.flux or 1,
  time  = { integrator = args.integrator or "leapfrog", steps = args.steps, step = args.step or "auto",
            stop = not args.steps and 20e-9 or nil },
  materials = {
    front = {},
    slab  = { epsilon_r = args.epsilon or 1, sigma = args.sigma or 0 },
    back  = { epsilon_r = behind },
  },
  boundaries = {
    left = { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 },
             waveform = waveform.gaussian { tau = 0.6e-9, t0 = 3e-9 } },
    right = { kind = "absorbing" },
    magnetic = { kind = "pmc" },
  },
  output = {
    probes = { { name = "front", at = { -0.5, 0.041, 0.037 } }, { name = "back", at = { 0.6, 0.041, 0.037 } } },
    progress = { every = 0 },
  },
}
