-- The unit cube with perfectly conducting walls; energy.csv is what counts.
--   -D field=mode    mode (1,1,0) in E, nothing in H
--   -D field=noise   another random number at every node of every element: nothing is resolved, everything jumps
-- by hand: curlew run case.lua -D field=noise -D flux=0 -D steps=20000
local pi, sin = math.pi, math.sin
local noise = args.field == "noise"

-- Drawn beforehand: in a function numbers belong to a place, and elements that touch there may find the same.
local numbers, used = {}, 0
for i = 1, noise and 100000 or 0 do numbers[i] = 2 * math.random() - 1 end

local function random_vector()
  used = used + 3
  return numbers[used - 2], numbers[used - 1], numbers[used]
end

local function scaled_random_vector() -- as much energy as in E
  local x, y, z = random_vector()
  return x / const.eta0, y / const.eta0, z / const.eta0
end

simulation {
  name  = "energy",
  mesh  = { file = "case.geo", size = args.size or 0.4 },
  order = args.order or 3,
  flux  = args.flux or 1,
  time  = { integrator = args.integrator or "leapfrog", steps = args.steps, stop = args.stop, cfl = args.cfl or 0.95 },
  materials  = { inside = { sigma = args.sigma or 0 } },
  boundaries = { walls = { kind = "pec" } },
  initial = {
    E = noise and random_vector or function(x, y, z) return 0, 0, sin(pi * x) * sin(pi * y) end,
    H = noise and scaled_random_vector or nil,
  },
  output = { energy = { every = args.every or 10 }, progress = { every = 0 } },
}
