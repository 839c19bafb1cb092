-- A cavity with vacuum for x < d and another medium behind, from an exact mode that is uniform along z:
--   polarisation "Ez": Ez = X(x) sin(pi y / b) cos(w t) between perfectly conducting walls; Hx jumps where mu does
--   polarisation "Hz": Hz = X(x) cos(pi y / b) cos(w t) with magnetic walls at both ends; Ex jumps where epsilon does
-- At t = 0 only the component along z is there, which is continuous: nodes on the surface between the media, which
-- belong to both, have one value. The angular frequency w is the root of the equation in README.md; validate.py gives
-- it. By hand: curlew run case.lua -D omega=848422896.684 (the lowest Ez mode for epsilon 4)
local pi, sin, cos, sqrt = math.pi, math.sin, math.cos, math.sqrt
local a, b, d = 1, 0.8, 0.45
local epsilon2, mu2 = args.epsilon or 4, args.mu or 1
local w = args.omega or error "give -D omega=..., or run validate.py"
local electric = (args.polarisation or "Ez") == "Ez"

-- sin(k x) / k and cos(k x) for k^2 = k2 of either sign
local function waves(k2, x)
  local k = sqrt(math.abs(k2))
  if k2 >= 0 then return sin(k * x) / k, cos(k * x) end
  local e = math.exp(k * x)
  return (e - 1 / e) / (2 * k), (e + 1 / e) / 2
end

-- X, scaled to 1 at x = d
local function profile(x)
  local medium, depth, from_wall = 1, d, x
  if x > d then medium, depth, from_wall = epsilon2 * mu2, a - d, a - x end
  local k2 = medium * (w / const.c0) ^ 2 - (pi / b) ^ 2
  local s, c = waves(k2, from_wall)
  local s_at_d, c_at_d = waves(k2, depth)
  if electric then return s / s_at_d end
  return c / c_at_d
end

simulation {
  name  = "material_jump",
  mesh  = { file = "case.geo", size = args.size or 0.3 },
  order = args.order or 3,
  flux  = args.flux or 1,
  time  = { integrator = args.integrator or "lsrk", step = args.step, stop = args.stop,
            steps = args.steps or not args.stop and 100 or nil },
  materials  = { left = {}, right = { epsilon_r = epsilon2, mu_r = mu2 } },
  boundaries = { ends = { kind = electric and "pec" or "pmc" }, default = { kind = "pec" } },
  initial = {
    E = electric and function(x, y, z) return 0, 0, profile(x) * sin(pi * y / b) end or nil,
    H = not electric and function(x, y, z) return 0, 0, profile(x) * cos(pi * y / b) / const.eta0 end or nil,
  },
  output = {
    probes = args.stop and {
      { name = "left",  at = { 0.21, 0.33, 0.23 } },
      { name = "right", at = { 0.83, 0.19, 0.41 } },
    } or nil,
    fields = args.steps and { every = args.steps } or nil,
    progress = { every = 0 },
  },
}
