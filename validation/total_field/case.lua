-- An oblique plane wave in an empty cube: total fields inside, scattered ones, that is none, outside.
-- validate.py chooses size, order, integrator and the steps; by hand: curlew run case.lua -D order=3 -D size=0.25
local tau = (args.width or 1) / const.c0 -- width in m: half that of the pulse where it is 1/e of its largest
local middle = 4.8 * tau + 5 / 6 / const.c0 -- when its largest value is at the origin; 5/6 m before is the first corner

local probes = {}
for i, at in ipairs {
  { 0.62, 0.04, 0.03 }, { -0.62, 0.03, 0.05 }, { 0.03, 0.63, -0.04 }, { 0.05, -0.63, 0.02 }, { -0.04, 0.05, 0.62 },
  { 0.02, 0.07, -0.62 }, { 0.61, 0.63, 0.62 }, { -0.63, -0.61, -0.62 }, { 0.62, -0.61, 0.05 }, { 0.04, 0.62, 0.61 },
  { 0.52, 0.21, -0.32 }, { -0.22, -0.52, 0.31 },
} do probes[i] = { name = ("p%02d"):format(i), at = at } end

simulation {
  name  = "total_field",
  mesh  = { file = "case.geo", size = args.size or 0.25 },
  order = args.order or 3,
  time  = { integrator = args.integrator or "leapfrog", steps = args.steps, step = args.step or "auto",
            stop = not args.steps and 2 * middle or nil },
  materials = { inside = {}, outside = {} },
  boundaries = { walls = { kind = "absorbing" } },
  interfaces = {
    surface = { kind = "total_field", region = "inside", direction = { 1, 2, 2 }, polarisation = { 2, 1, -2 },
                origin = { 0, 0, 0 }, waveform = waveform.gaussian { tau = tau, t0 = middle } },
  },
  output = {
    probes = args.probes and probes or nil,
    fields = { every = args.every or 1000000 },
    progress = { every = 0 },
  },
}
