-- A cavity with perfectly conducting walls, vacuum for x < d and another medium behind, from an exact mode:
--   polarisation "Ez":  Ez = X(x) sin(pi y / b) cos(w t),  uniform along z; Hx jumps where mu does
--   polarisation "Hz":  Hz = X(x) cos(pi y / b) cos(w t),  uniform along z; Ex jumps where epsilon does
-- validate.py gives the angular frequency w, the root of the transcendental equation of README.md, and the time t0
-- (as a phase) at which the start fields are taken.
local pi, sin, cos, sqrt = math.pi, math.sin, math.cos, math.sqrt
local a, b, c, d = 1, 0.8, 0.6, 0.45
local epsilon2, mu2 = args.epsilon or 4, args.mu or 1
local w = args.omega or error "give -D omega=..., or run validate.py"
local phase = args.phase or 0
local electric = (args.polarisation or "Ez") == "Ez"
local steps = args.steps
local ky = pi / b

-- sin, cos of sqrt(k2) x, also for negative k2; the sine is divided by the root
local function wave(k2, x)
  local k = sqrt(math.abs(k2))
  if k2 >= 0 then return sin(k * x) / k, cos(k * x) end
  local e = math.exp(k * x)
  return (e - 1 / e) / (2 * k), (e + 1 / e) / 2
end

-- X and dX/dx; X(d) = 1
local function profile(x)
  local epsilon, mu, depth, sign, from_wall = 1, 1, d, 1, x
  if x > d then epsilon, mu, depth, sign, from_wall = epsilon2, mu2, a - d, -1, a - x end
  local k2 = epsilon * mu * (w / const.c0) ^ 2 - ky ^ 2
  local s, co = wave(k2, from_wall)
  local sd, cd = wave(k2, depth)
  if electric then return s / sd, sign * co / sd, epsilon, mu end
  return co / cd, -sign * k2 * s / cd, epsilon, mu
end

-- Nodes on the surface between the media belong to both sides, and the functions only know where a node is: for
-- fields that jump there, validate.py sets `side` so that ... see nudge().
local middle = 0

simulation {
  name  = "material_jump",
  mesh  = { file = "case.geo", size = args.size or 0.3 },
  order = args.order or 3,
}
