-- What a run of runaway.lua must give; examples/check.lua describes the fields.
-- Reference: the load and its T are the same along y, so that E has a y component alone, of x and z:
--   E_y = sum of E_m(z) sin(m pi x/a), m = 1, 3, 5,   E_m'' = sum over n of ((m pi/a)^2 delta_mn - (w/c)^2 eps_mn(z)) E_n,
-- where eps_mn are the matrix elements of eps' - j sigma(T)/(w eps0). At z = 0 the modes go on into the empty guide, through
-- which TE10 of 1 W comes in; at z = L is the short circuit. The temperature is 20 + sum of u_n(z, t) cos(2 n pi x/a), n = 0..3,
--   du/dt = kappa (d2u/dz2 - (2 n pi/a)^2 u) + q_n/(rho c), k du/dz = h u at z = 0, u = 0 at z = L,
-- heated by q = 1/2 sigma(T) |E|^2. Finite differences on N intervals; in time Crank-Nicolson, with q by the rule of Adams and
-- Bashforth, so that no field is of another time than its temperature.
local c0, epsilon0, mu0, pi = 299792458.0, 8.8541878128e-12, 1.25663706212e-6, math.pi
local a, b, L, f, watts = 0.08636, 0.04318, 0.06, 2.45e9, 100
local epsilon, sigma, change = 10, 0.15, 0.03
local rho, c, k, h, stop = 1100, 2800, 0.4, 10, 120

local N, steps, modes, harmonics, across = 240, 60, 3, 4, 16 -- across: points in half of the guide
local dz, dt = L / N, stop / steps
local w = 2 * pi * f
local beta = math.sqrt((w / c0) ^ 2 - (pi / a) ^ 2)
local incident = math.sqrt(4 * w * mu0 / (beta * a * b)) -- V/m of 1 W

local sine, cosine = {}, {}
for i = 1, across do
  local x = (i - 0.5) * a / 2 / across
  sine[i], cosine[i] = {}, {}
  for m = 1, modes do sine[i][m] = math.sin((2 * m - 1) * pi * x / a) end
  for n = 1, harmonics do cosine[i][n] = math.cos(2 * (n - 1) * pi * x / a) end
end

-- The rise at a point across, from u[n][j] at z = j dz.
local function rise(u, i, j)
  local sum = 0
  for n = 1, harmonics do sum = sum + u[n][j] * cosine[i][n] end
  return sum
end

-- Solves A X = B for complex matrices of size `modes`, B of `columns`: rows of { re, im }, which change.
local function solve(A, B, columns)
  for p = 1, modes do -- |diagonal| is large here: no pivots
    local d = A[p][p]
    local square = d[1] ^ 2 + d[2] ^ 2
    local inverse = { d[1] / square, -d[2] / square }
    for r = 1, modes do
      if r ~= p then
        local g = { A[r][p][1] * inverse[1] - A[r][p][2] * inverse[2], A[r][p][1] * inverse[2] + A[r][p][2] * inverse[1] }
        for q = p, modes do
          A[r][q] = { A[r][q][1] - g[1] * A[p][q][1] + g[2] * A[p][q][2], A[r][q][2] - g[1] * A[p][q][2] - g[2] * A[p][q][1] }
        end
        for q = 1, columns do
          B[r][q] = { B[r][q][1] - g[1] * B[p][q][1] + g[2] * B[p][q][2], B[r][q][2] - g[1] * B[p][q][2] - g[2] * B[p][q][1] }
        end
      end
    end
  end
  for p = 1, modes do
    local d = A[p][p]
    local square = d[1] ^ 2 + d[2] ^ 2
    for q = 1, columns do
      local v = B[p][q]
      B[p][q] = { (v[1] * d[1] + v[2] * d[2]) / square, (v[2] * d[1] - v[1] * d[2]) / square }
    end
  end
  return B
end

-- dz^2 times the matrix of E'' = M E at z = j dz.
local function matrix(u, j)
  local M = {}
  for m = 1, modes do
    M[m] = {}
    for n = 1, modes do
      local sum = 0
      for i = 1, across do sum = sum + sine[i][m] * sine[i][n] * sigma * (1 + change * rise(u, i, j)) end
      local loss = 2 / across * sum / (w * epsilon0)
      M[m][n] = { m == n and dz ^ 2 * (((2 * m - 1) * pi / a) ^ 2 - (w / c0) ^ 2 * epsilon) or 0, dz ^ 2 * (w / c0) ^ 2 * loss }
    end
  end
  return M
end

-- E[j][m] of 1 W at the temperature u, j = 0..N. At z = 0 the value beyond is E_1 - 2 dz E'(0), where E' = j beta (E - 2 incident) of
-- TE10 and g E of the others, which fade into the guide. From there each E_j = R_j E_(j+1) + S_j.
local function field(u)
  local R, S, E = {}, {}, {}
  for j = 0, N - 1 do
    local A, B, M = {}, {}, matrix(u, j)
    for m = 1, modes do
      A[m], B[m] = {}, {}
      for n = 1, modes do
        A[m][n] = { M[m][n][1] + (m == n and 2 or 0), M[m][n][2] }
        B[m][n] = { m == n and (j == 0 and 2 or 1) or 0, 0 }
        if j > 0 then A[m][n] = { A[m][n][1] - R[j - 1][m][n][1], A[m][n][2] - R[j - 1][m][n][2] } end
      end
      B[m][modes + 1] = j > 0 and S[j - 1][m] or { 0, 0 }
      if j == 0 and m == 1 then
        A[1][1][2] = A[1][1][2] + 2 * dz * beta
        B[1][modes + 1] = { 0, 4 * dz * beta * incident }
      elseif j == 0 then
        A[m][m][1] = A[m][m][1] + 2 * dz * math.sqrt(((2 * m - 1) * pi / a) ^ 2 - (w / c0) ^ 2)
      end
    end
    solve(A, B, modes + 1)
    R[j], S[j] = B, {}
    for m = 1, modes do S[j][m] = B[m][modes + 1] end
  end
  E[N] = {}
  for m = 1, modes do E[N][m] = { 0, 0 } end
  for j = N - 1, 0, -1 do
    E[j] = {}
    for m = 1, modes do
      local re, im = S[j][m][1], S[j][m][2]
      for n = 1, modes do
        local r, e = R[j][m][n], E[j + 1][n]
        re, im = re + r[1] * e[1] - r[2] * e[2], im + r[1] * e[2] + r[2] * e[1]
      end
      E[j][m] = { re, im }
    end
  end
  return E
end

-- q[n][j], W/m^3, and the power in the load, W.
local function heating(u)
  local E, q, power = field(u), {}, 0
  for n = 1, harmonics do q[n] = {} end
  for j = 0, N do
    for n = 1, harmonics do q[n][j] = 0 end
    for i = 1, across do
      local re, im = 0, 0
      for m = 1, modes do re, im = re + E[j][m][1] * sine[i][m], im + E[j][m][2] * sine[i][m] end
      local density = watts * 0.5 * sigma * (1 + change * rise(u, i, j)) * (re ^ 2 + im ^ 2)
      for n = 1, harmonics do q[n][j] = q[n][j] + (n == 1 and 1 or 2) * density * cosine[i][n] / across end
    end
    power = power + q[1][j] * ((j == 0 or j == N) and 0.5 or 1) * dz * a * b
  end
  return q, power
end

-- A step of u[n], heated by q.
local function step(u, n, q)
  local kappa = k / (rho * c)
  local lambda, decay = kappa * dt / (2 * dz ^ 2), kappa * dt / 2 * (2 * (n - 1) * pi / a) ^ 2
  local upper, r, new = {}, {}, { [N] = 0 }
  for j = 0, N - 1 do
    local slope = j == 0 and 2 * u[1] - (2 + 2 * dz * h / k) * u[0] or u[j - 1] - 2 * u[j] + u[j + 1]
    local diagonal = 1 + decay + 2 * lambda + (j == 0 and 2 * lambda * dz * h / k or 0)
    r[j] = u[j] + lambda * slope - decay * u[j] + q[j] * dt / (rho * c)
    if j > 0 then
      diagonal = diagonal + lambda * upper[j - 1]
      r[j] = r[j] + lambda * r[j - 1]
    end
    upper[j], r[j] = (j == 0 and -2 or -1) * lambda / diagonal, r[j] / diagonal
  end
  for j = N - 1, 0, -1 do new[j] = r[j] - upper[j] * new[j + 1] end
  return new
end

local found
local function reference()
  if found then return found end
  local u, before = {}, nil
  found = {}
  for n = 1, harmonics do
    u[n] = {}
    for j = 0, N do u[n][j] = 0 end
  end
  for s = 1, steps do
    local q, power = heating(u)
    found.first = found.first or power
    for n = 1, harmonics do
      local middle = {}
      for j = 0, N do middle[j] = before and 1.5 * q[n][j] - 0.5 * before[n][j] or q[n][j] end
      u[n] = step(u[n], n, middle)
    end
    before = q
  end
  local _, power = heating(u)
  found.u, found.last = u, power
  return found
end

local function at(x, z)
  local u, sum, j = reference().u, 0, math.min(math.floor(z / dz), N - 1)
  for n = 1, harmonics do
    sum = sum + (u[n][j] + (z / dz - j) * (u[n][j + 1] - u[n][j])) * math.cos(2 * (n - 1) * pi * x / a)
  end
  return sum
end

local function column(run, file, name) return run.csv(file)[name] end

local function last(run, file, name)
  local values = column(run, file, name)
  return values[#values]
end

local function probe(name, x, z, tolerance)
  return { label = "rise at " .. name, unit = "K", exact = at(x, z), within = tolerance,
           measured = function(run) return last(run, "heat/temperature.csv", "at_" .. name) - 20 end }
end

return {
  output = "runaway",
  summary = { name = "runaway", order = 2 },
  quantities = {
    { label = "power in the load at first", unit = "W", exact = reference().first, tolerance = 0.01,
      measured = function(run) return column(run, "heat/coupling.csv", "losses_load")[1] end },
    { label = "power in the load at last", unit = "W", exact = reference().last, tolerance = 0.015,
      measured = function(run) return last(run, "heat/coupling.csv", "losses_load") end },
    { label = "what is missing in the balance", unit = "J", exact = 0, within = 1e-8 * stop,
      measured = function(run) return last(run, "heat/balance.csv", "missing") end },
    probe("first", 0.04318, 0.0105, 0.5),
    probe("second", 0.04318, 0.0305, 0.5),
    probe("side", 0.02, 0.0105, 0.5),
    probe("cold", 0.04318, 0.0205, 0.5),
  },
}
