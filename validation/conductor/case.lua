-- A plane wave meets a conductor: -D epsilon=4 -D sigma=0.2. The pulse has no constant part, which would stay for long.
-- With -D sigma_m=ohm/m it has magnetic losses as well. By hand: curlew run case.lua -D sigma=1
local probes = {}
for i, depth in ipairs { 0.02, 0.05, 0.08 } do
  probes[i] = { name = ("depth%d"):format(i), at = { depth, 0.0107, 0.0093 } }
end

simulation {
  name  = "conductor",
  mesh  = { file = "case.geo", size = args.size or 0.03 },
  order = args.order or 3,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 12e-9 },
  materials = { front = {}, conductor = { epsilon_r = args.epsilon or 1, sigma = args.sigma or 1, sigma_m = args.sigma_m or 0 } },
  boundaries = {
    left = { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 },
             waveform = waveform.ricker { f_peak = 0.6e9 } },
    right = { kind = "absorbing" },
    magnetic = { kind = "pmc" },
  },
  output = { probes = probes, progress = { every = 0 } },
}
