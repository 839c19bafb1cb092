-- What a run of hotspot.lua must give; examples/check.lua describes the fields.
-- Reference: TE10 in a guide whose section the load fills (D. M. Pozar, Microwave Engineering, 4th edition, sections 3.3 and
-- 2.3): E_y = A sinh(g (L - z)) sin(pi x/a) in the load, with g^2 = (pi/a)^2 - (w/c)^2 (eps' - j sigma/(w eps0)), and A from
-- E and its derivative at z = 0, where a wave of 1 W comes in. It heats with 1/2 sigma |E|^2, and as sin^2 = (1 - cos 2)/2
-- the temperature is u0(z, t) - u2(z, t) cos(2 pi x/a) above the start, each with an equation along z alone:
--   du/dt = kappa (d2u/dz2 - m^2 u) + q(z)/(2 rho c), m = 0 and 2 pi/a, k du/dz = h u at z = 0, u = 0 at z = L,
-- solved here by Crank-Nicolson on 1200 intervals.
local c0, epsilon0, mu0 = 299792458.0, 8.8541878128e-12, 1.25663706212e-6
local a, b, L, f, watts = 0.08636, 0.04318, 0.06, 2.45e9, 100
local epsilon, sigma = 10, 0.15
local rho, c, k, h, stop = 1100, 2800, 0.4, 10, 60

-- Complex numbers are pairs { re, im }.
local function times(p, q) return { p[1] * q[1] - p[2] * q[2], p[1] * q[2] + p[2] * q[1] } end
local function over(p, q)
  local square = q[1] ^ 2 + q[2] ^ 2
  return { (p[1] * q[1] + p[2] * q[2]) / square, (p[2] * q[1] - p[1] * q[2]) / square }
end
local function root(p)
  local size = math.sqrt(p[1] ^ 2 + p[2] ^ 2)
  return { math.sqrt((size + p[1]) / 2), (p[2] < 0 and -1 or 1) * math.sqrt((size - p[1]) / 2) }
end
local function sinh(p) return { (math.exp(p[1]) - math.exp(-p[1])) / 2 * math.cos(p[2]), (math.exp(p[1]) + math.exp(-p[1])) / 2 * math.sin(p[2]) } end
local function cosh(p) return { (math.exp(p[1]) + math.exp(-p[1])) / 2 * math.cos(p[2]), (math.exp(p[1]) - math.exp(-p[1])) / 2 * math.sin(p[2]) } end

local w, cutoff = 2 * math.pi * f, math.pi / a
local beta = math.sqrt((w / c0) ^ 2 - cutoff ^ 2)
local g = root { cutoff ^ 2 - epsilon * (w / c0) ^ 2, sigma * w * mu0 }
local incident = math.sqrt(4 * watts * w * mu0 / (beta * a * b)) -- V/m
local s, t = sinh { g[1] * L, g[2] * L }, times(over(g, { 0, beta }), cosh { g[1] * L, g[2] * L })
local A = over({ 2 * incident, 0 }, { s[1] + t[1], s[2] + t[2] })

-- 1/2 sigma |E|^2 in the middle of the guide, W/m^3.
local function density(z)
  local e = times(A, sinh { g[1] * (L - z), g[2] * (L - z) })
  return 0.5 * sigma * (e[1] ^ 2 + e[2] ^ 2)
end

local N, steps = 1200, 600
local dz = L / N

local function absorbed()
  local sum = 0
  for i = 1, N do sum = sum + density((i - 0.5) * dz) end
  return sum * dz * a * b / 2
end

-- u[0..N] at the end for m.
local function solve(m)
  local kappa, dt = k / (rho * c), stop / steps
  local lambda, decay = kappa * dt / (2 * dz ^ 2), kappa * dt / 2 * m ^ 2
  local u, q = {}, {}
  for i = 0, N do u[i], q[i] = 0, density(i * dz) / (2 * rho * c) * dt end
  -- At z = 0 the value beyond the wall is u[1] - 2 dz h/k u[0].
  local function slope(v, i)
    if i == 0 then return 2 * v[1] - (2 + 2 * dz * h / k) * v[0] end
    return v[i - 1] - 2 * v[i] + v[i + 1]
  end
  for _ = 1, steps do
    local r, upper, new = {}, {}, { [N] = 0 }
    for i = 0, N - 1 do
      r[i] = u[i] + lambda * slope(u, i) - decay * u[i] + q[i]
      local diagonal = 1 + decay + 2 * lambda + (i == 0 and 2 * lambda * dz * h / k or 0)
      local right = i == 0 and -2 * lambda or -lambda
      if i > 0 then
        diagonal = diagonal + lambda * upper[i - 1]
        r[i] = r[i] + lambda * r[i - 1]
      end
      upper[i], r[i] = right / diagonal, r[i] / diagonal
    end
    for i = N - 1, 0, -1 do new[i] = r[i] - upper[i] * new[i + 1] end
    u = new
  end
  return u
end

local profile
local function rise(x, z)
  profile = profile or { solve(0), solve(2 * math.pi / a) }
  local i = math.min(math.floor(z / dz), N - 1)
  local part = z / dz - i
  local function at(u) return (1 - part) * u[i] + part * u[i + 1] end
  return at(profile[1]) - at(profile[2]) * math.cos(2 * math.pi * x / a)
end

local function last(run, file, column)
  local values = run.csv(file)[column]
  return values[#values]
end

local function probe(name, x, z, tolerance)
  return { label = "rise at " .. name, unit = "K", exact = rise(x, z), within = tolerance,
           measured = function(run) return last(run, "heat/temperature.csv", "at_" .. name) - 20 end }
end

return {
  output = "hotspot",
  summary = { name = "hotspot", order = 3 },
  quantities = {
    { label = "power in the load", unit = "W", exact = absorbed(), tolerance = 3e-3,
      measured = function(run) return watts * last(run, "spectra/load_losses.csv", "power") end },
    { label = "heat put in over that power", unit = "", exact = 1, tolerance = 1e-10,
      measured = function(run)
        return last(run, "heat/balance.csv", "sources") / (stop * watts * last(run, "spectra/load_losses.csv", "power"))
      end },
    { label = "what is missing in the balance", unit = "J", exact = 0, within = 1e-8 * stop,
      measured = function(run) return last(run, "heat/balance.csv", "missing") end },
    probe("hot", 0.04318, 0.0105, 0.05),
    probe("side", 0.02, 0.0105, 0.05),
    probe("cold", 0.04318, 0.0205, 0.06),
  },
}
