-- A sheet of current between two media: -D left=1 -D right=4 are their permittivities.
-- by hand: curlew run case.lua -D right=4
local probes = {}
for i, x in ipairs { -0.12, -1e-6, 1e-6, 0.12 } do
  probes[i] = { name = ("at%d"):format(i), at = { x, 0.0217, 0.0183 } }
end

simulation {
  name  = "current_sheet",
  mesh  = { file = "case.geo", size = args.size or 0.04 },
  order = args.order or 4,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or 4.2e-9 },
  materials  = { left = { epsilon_r = args.left or 1 }, right = { epsilon_r = args.right or 1 } },
  boundaries = { ends = { kind = "absorbing" }, magnetic = { kind = "pmc" } },
  interfaces = {
    sheet = { kind = "surface_current", profile = { 0, 0, 1 }, waveform = waveform.gaussian { tau = 0.3e-9 } },
  },
  output = { probes = probes, progress = { every = 0 } },
}
