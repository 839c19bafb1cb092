-- Every entry of curlew.materials against the formula or table that it is taken from, written down here once more, and
-- no gain at any frequency: run as `lua5.4 test_materials.lua`.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/../?.lua;" .. package.path
local materials = require "curlew.materials"

local count, failed = 0, 0
local function check(ok, what, ...)
  count = count + 1
  if not ok then
    failed = failed + 1
    print("FAIL: " .. string.format(what, ...))
  end
end

local pi, C0, EPSILON_0 = math.pi, 299792458, 8.8541878128e-12
local HBAR_EV = 6.582119569e-16 -- eV s

-- ---- sources: functions of f (Hz) that give eps' and eps''; e^{jwt} ----

-- (1 + (j w tau)^(1 - alpha))^-1: modulus and phase of the power, then the reciprocal.
local function cole_cole(w, tau, alpha)
  local size, angle = (w * tau) ^ (1 - alpha), pi / 2 * (1 - alpha)
  local re, im = 1 + size * math.cos(angle), size * math.sin(angle)
  return re / (re ^ 2 + im ^ 2), im / (re ^ 2 + im ^ 2)
end

local function gabriel(p)
  return function(f)
    local w = 2 * pi * f
    local re, im = p[1], p[8] / (w * EPSILON_0)
    local terms = { { p[2], p[3] * 1e-12, p[4] }, { p[5], p[6] * 1e-9, p[7] }, { p[9], p[10] * 1e-6, p[11] },
      { p[12], p[13] * 1e-3, p[14] } }
    for _, term in ipairs(terms) do
      local x, y = cole_cole(w, term[2], term[3])
      re, im = re + term[1] * x, im + term[1] * y
    end
    return re, im
  end
end

-- epsilon_inf; delta, tau (ps), alpha; delta, tau (ns), alpha; sigma; delta, tau (us), alpha; delta, tau (ms), alpha
local tissues = {
  muscle = { 4, 50, 7.234, 0.1, 7000, 353.678, 0.1, 0.2, 1.2e6, 318.310, 0.1, 2.5e7, 2.274, 0 },
  fat = { 2.5, 3, 7.958, 0.2, 15, 15.915, 0.1, 0.01, 3.3e4, 159.155, 0.05, 1e7, 7.958, 0.01 },
  blood = { 4, 56, 8.377, 0.1, 5200, 132.629, 0.1, 0.7, 0, 1, 0, 0, 1, 0 },
  skin_dry = { 4, 32, 7.234, 0, 1100, 32.481, 0.2, 0, 0, 1, 0, 0, 1, 0 },
  skin_wet = { 4, 39, 7.958, 0.1, 280, 79.577, 0, 0, 3e4, 1.592, 0.16, 3e4, 1.592, 0.2 },
  bone_cortical = { 2.5, 10, 13.263, 0.2, 180, 79.577, 0.2, 0.02, 5e3, 159.155, 0.2, 1e5, 15.915, 0 },
  bone_cancellous = { 2.5, 18, 13.263, 0.22, 300, 79.577, 0.25, 0.07, 2e4, 159.155, 0.2, 2e7, 15.915, 0 },
  grey_matter = { 4, 45, 7.958, 0.1, 400, 15.915, 0.15, 0.02, 2e5, 106.103, 0.22, 4.5e7, 5.305, 0 },
  white_matter = { 4, 32, 7.958, 0.1, 100, 7.958, 0.1, 0.02, 4e4, 53.052, 0.3, 3.5e7, 7.958, 0.02 },
  cerebellum = { 4, 40, 7.958, 0.1, 700, 15.915, 0.15, 0.04, 2e5, 106.103, 0.22, 4.5e7, 5.305, 0 },
  cerebrospinal_fluid = { 4, 65, 7.958, 0.1, 40, 1.592, 0, 2, 0, 1, 0, 0, 1, 0 },
  liver = { 4, 39, 8.842, 0.1, 6000, 530.516, 0.2, 0.02, 5e4, 22.736, 0.2, 3e7, 15.915, 0.05 },
  kidney = { 4, 47, 7.958, 0.1, 3500, 198.944, 0.22, 0.05, 2.5e5, 79.577, 0.22, 3e7, 4.547, 0 },
  heart = { 4, 50, 7.958, 0.1, 1200, 159.155, 0.05, 0.05, 4.5e5, 72.343, 0.22, 2.5e7, 4.547, 0 },
  lung_inflated = { 2.5, 18, 7.958, 0.1, 500, 63.662, 0.1, 0.03, 2.5e5, 159.155, 0.2, 4e7, 7.958, 0 },
}

-- Rakic et al. 1998: plasma frequency, then f, gamma, omega in eV; the first term is Drude's, at 0.
local metals = {
  gold = { 9.03, { 0.760, 0.053, 0 }, { 0.024, 0.241, 0.415 }, { 0.010, 0.345, 0.830 }, { 0.071, 0.870, 2.969 },
    { 0.601, 2.494, 4.304 }, { 4.384, 2.214, 13.32 } },
  silver = { 9.01, { 0.845, 0.048, 0 }, { 0.065, 3.886, 0.816 }, { 0.124, 0.452, 4.481 }, { 0.011, 0.065, 8.185 },
    { 0.840, 0.916, 9.083 }, { 5.646, 2.419, 20.29 } },
  copper = { 10.83, { 0.575, 0.030, 0 }, { 0.061, 0.378, 0.291 }, { 0.104, 1.056, 2.957 }, { 0.723, 3.213, 5.300 },
    { 0.638, 4.305, 11.18 } },
  aluminium = { 14.98, { 0.523, 0.047, 0 }, { 0.227, 0.333, 0.162 }, { 0.050, 0.312, 1.544 }, { 0.166, 1.351, 1.808 },
    { 0.030, 3.382, 3.473 } },
}
local function rakic(p)
  return function(f)
    local eV, re, im = 2 * pi * f * HBAR_EV, 1, 0
    for i = 2, #p do
      local strength, gamma, omega = table.unpack(p[i])
      local a, b = omega ^ 2 - eV ^ 2, eV * gamma -- the term is f wp^2/(a + j b)
      re, im = re + strength * p[1] ^ 2 * a / (a ^ 2 + b ^ 2), im + strength * p[1] ^ 2 * b / (a ^ 2 + b ^ 2)
    end
    return re, im
  end
end

local function malitson(f)
  local square, eps = (C0 / f * 1e6) ^ 2, 1
  for _, term in ipairs { { 0.6961663, 0.0684043 }, { 0.4079426, 0.1162414 }, { 0.8974794, 9.896161 } } do
    eps = eps + term[1] * square / (square - term[2] ^ 2)
  end
  return eps, 0
end

-- Liebe, Hufford & Manabe 1991 in the form of MPM93, eps = e0 - f [(e0 - e1)/(f - j g1) + (e1 - e2)/(f - j g2)], f in GHz.
local function liebe(celsius)
  local theta = 300 / (celsius + 273.15) - 1
  local e0, e2 = 77.66 + 103.3 * theta, 3.52 - 7.52 * theta
  local e1, g1 = 0.0671 * e0, 20.20 - 146.4 * theta + 316 * theta ^ 2
  return function(f)
    local re, im = e0, 0
    for _, term in ipairs { { e0 - e1, g1 }, { e1 - e2, 39.8 * g1 } } do
      local square = (f * 1e-9) ^ 2 + term[2] ^ 2
      re, im = re - term[1] * (f * 1e-9) ^ 2 / square, im + term[1] * f * 1e-9 * term[2] / square
    end
    return re, im
  end
end

-- The integral over Debye terms between 1 kHz and 1 THz, with a loss tangent and a permittivity at 1 GHz.
local function board(epsilon_r, tangent, at)
  local function terms(f) return 0.5 * math.log((1e24 + f ^ 2) / (1e6 + f ^ 2)), math.atan(f / 1e3) - math.atan(f / 1e12) end
  local real, loss = terms(at)
  local share = epsilon_r * tangent / loss
  return function(f)
    local x, y = terms(f)
    return epsilon_r + share * (x - real), share * y
  end
end

local function read_table(name, unit)
  local points = {}
  for line in io.lines(here .. "/../../../maxwell/fit/tests/tables/" .. name) do
    local x, n, k = line:match("^([%d.]+),([%d.]+),([%d.e-]+)$")
    if x then
      x, n, k = tonumber(x), tonumber(n), tonumber(k)
      points[#points + 1] = { C0 / (x * unit), n ^ 2 - k ^ 2, 2 * n * k }
    end
  end
  return points
end

-- ---- checks ----

local seen = {}

-- |eps - formula| <= tolerance |formula| over the range; losses within `loss` of themselves, if that is given.
local function compare(name, entry, points, tolerance, loss)
  local worst, off, at = 0, 0, 0
  seen[name] = true
  for _, point in ipairs(points) do
    local f, re, im = table.unpack(point)
    local x, y = materials.permittivity(entry, f)
    local error = math.sqrt((x - re) ^ 2 + (y - im) ^ 2) / math.sqrt(re ^ 2 + im ^ 2)
    if error > worst then worst, at = error, f end
    if loss then off = math.max(off, math.abs(y / im - 1)) end
  end
  check(#points > 20 and worst <= tolerance, "%s: off by %.3g at %.4g Hz, more than %g", name, worst, at, tolerance)
  check(not loss or off <= loss, "%s: its losses are off by %.3g", name, off)
  if arg[1] == "-v" then print(string.format("%-20s %.2e", name, worst)) end
end

local function over(entry, formula, from)
  local low, high, points = math.max(entry.valid[1], from or 0), entry.valid[2], {}
  for i = 0, 150 do
    local f = low * (high / low) ^ (i / 150)
    points[i + 1] = { f, formula(f) }
  end
  return points
end

-- No gain from 1e-6 of the range to 1e6 times it; rounding is some 1e-13 where terms cancel.
local function check_passive(name, entry)
  local low, high = math.max(entry.valid[1], 1e3) * 1e-6, entry.valid[2] * 1e6
  local worst = math.huge
  for i = 0, 4000 do
    local f = low * (high / low) ^ (i / 4000)
    local re, im = materials.permittivity(entry, f)
    worst = math.min(worst, im / (math.abs(re) + 1))
  end
  check(worst >= -1e-12, "%s: gain, %g", name, worst)
end

for name, p in pairs(metals) do compare(name, materials[name], over(materials[name], rakic(p)), 1e-12) end
for name, p in pairs(tissues) do compare(name, materials[name], over(materials[name], gabriel(p)), 0.0101) end
compare("silica", materials.silica, over(materials.silica, malitson), 1.2e-4)
compare("water", materials.water, over(materials.water, liebe(20), 1e6), 1e-12)
compare("water", materials.water_at(37), over(materials.water, liebe(37), 1e6), 1e-12)
compare("fr4", materials.fr4, over(materials.fr4, board(4.4, 0.02, 1e9)), 2e-3, 0.06)
local thin = { epsilon_r = 3.0, loss_tangent = 0.0013, at = 1e10, from = 1e9, to = 1e11 }
compare("fr4", materials.djordjevic_sarkar(thin), over(materials.djordjevic_sarkar(thin), board(3, 0.0013, 1e10)), 2e-4, 0.08)
compare("silicon", materials.silicon, read_table("silicon.csv", 1e-6), 0.0093)

-- Well-known numbers: muscle and fat at 900 MHz (55.0, 0.94 S/m; 5.46, 0.051 S/m), water at 20 C and 10 GHz.
local function siemens(im, f) return im * 2 * pi * f * EPSILON_0 end
local re, im = materials.permittivity(materials.muscle, 9e8)
check(math.abs(re - 55.0) < 0.7 and math.abs(siemens(im, 9e8) - 0.943) < 0.03, "muscle at 900 MHz: %g %g", re, im)
re, im = materials.permittivity(materials.fat, 9e8)
check(math.abs(re - 5.46) < 0.06 and math.abs(siemens(im, 9e8) - 0.051) < 0.003, "fat at 900 MHz: %g %g", re, im)

-- Entries have all that the manual says of them, and each was compared.
local entries = 0
for name, entry in pairs(materials) do
  if type(entry) == "table" then
    entries = entries + 1
    check(seen[name], "%s has no comparison with its source", name)
    check(type(entry.source) == "string" and #entry.source > 20, "%s has no source", name)
    check(#entry.valid == 2 and entry.valid[1] >= 0 and entry.valid[1] < entry.valid[2], "%s: valid", name)
    check(entry.epsilon_r >= 1, "%s: epsilon_r is below 1", name)
    local states = #(entry.debye or {}) + #(entry.drude or {}) + 2 * #(entry.lorentz or {}) + 2 * #(entry.poles or {})
    check(states <= 16, "%s has %d states, more than a material has room for", name, states)
    check_passive(name, entry)
  end
end
check(entries == 8 + 15, "%d entries", entries)

-- Wrong arguments.
local function refused(text, f, ...)
  local ok, message = pcall(f, ...)
  check(not ok and tostring(message):find(text, 1, true), "'%s' is not in '%s'", text, tostring(message))
end
refused("water_at takes a temperature from -20 to 60", materials.water_at, 100)
refused("water_at takes a temperature", materials.water_at)
refused("djordjevic_sarkar needs loss_tangent > 0", materials.djordjevic_sarkar, { epsilon_r = 4, at = 1e9 })
refused("from, at and to must rise", materials.djordjevic_sarkar, { epsilon_r = 4, loss_tangent = 0.02, at = 1e6 })
refused("from, at and to must rise", materials.djordjevic_sarkar, { epsilon_r = 4, loss_tangent = 0.02, at = 1e9, to = 1e12 })
refused("so large a loss tangent", materials.djordjevic_sarkar, { epsilon_r = 1.3, loss_tangent = 0.3, at = 1e9 })

print(string.format("%d checks, %d failed", count, failed))
os.exit(failed == 0 and 0 or 1)
