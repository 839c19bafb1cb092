-- What a run of nanosphere.lua must give; examples/check.lua describes the fields.
-- Reference: Mie's series of a sphere (Bohren and Huffman, Absorption and Scattering of Light by Small Particles, section
-- 4.4, fields e^{-iwt} there): Q_ext = 2/x^2 sum (2n + 1) Re (a_n + b_n), x = k a, with the logarithmic derivative D_n of
-- psi_n(m x) by downward recurrence. The permittivity is that of the model which curlew.materials has: Rakic and others,
-- Appl. Opt. 37, 5271 (1998), Lorentz-Drude model of gold, electronvolts.
local c0, radius = 299792458.0, 50e-9
local EV = 1 / 6.582119569e-16 -- rad/s of an electronvolt
local PLASMA = 9.03
local DRUDE = { 0.760, 0.053 }
local LORENTZ = { { 0.024, 0.241, 0.415 }, { 0.010, 0.345, 0.830 }, { 0.071, 0.870, 2.969 }, { 0.601, 2.494, 4.304 },
                  { 4.384, 2.214, 13.32 } }

-- Complex numbers as { re, im }.
local function complex(re, im) return { re, im or 0 } end
local function add(a, b) return { a[1] + b[1], a[2] + b[2] } end
local function sub(a, b) return { a[1] - b[1], a[2] - b[2] } end
local function mul(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end
local function div(a, b)
  local size = b[1] ^ 2 + b[2] ^ 2
  return { (a[1] * b[1] + a[2] * b[2]) / size, (a[2] * b[1] - a[1] * b[2]) / size }
end
local function root(a) -- with an imaginary part >= 0
  local size = math.sqrt(a[1] ^ 2 + a[2] ^ 2)
  return { (a[2] < 0 and -1 or 1) * math.sqrt(math.max(size + a[1], 0) / 2), math.sqrt(math.max(size - a[1], 0) / 2) }
end

-- For e^{-iwt}: the imaginary part of what absorbs is above zero.
local function permittivity(f)
  local w = 2 * math.pi * f / EV
  local sum = sub(complex(1), div(complex(DRUDE[1] * PLASMA ^ 2), complex(w ^ 2, w * DRUDE[2])))
  for _, term in ipairs(LORENTZ) do
    sum = add(sum, div(complex(term[1] * PLASMA ^ 2), complex(term[3] ^ 2 - w ^ 2, -w * term[2])))
  end
  return sum
end

-- psi_n(x) and x y_n(x), n = 0 .. order, x real: the first by downward recurrence, the second by upward.
local function riccati(order, x)
  local psi, chi, above, here = {}, { [0] = -math.cos(x), -math.cos(x) / x - math.sin(x) }, 0, 1e-30
  for n = order + 30, 1, -1 do
    above, here = here, (2 * n + 1) / x * here - above
    if n - 1 <= order then psi[n - 1] = here end
  end
  local scale = math.sin(x) / psi[0]
  for n = 0, order do psi[n] = psi[n] * scale end
  for n = 2, order do chi[n] = (2 * n - 1) / x * chi[n - 1] - chi[n - 2] end
  return psi, chi
end

local function extinction(f)
  local x = 2 * math.pi * f / c0 * radius
  local m, order = root(permittivity(f)), math.ceil(x + 4 * x ^ (1 / 3) + 4)
  local mx = mul(m, complex(x))
  local D = { [order + 40] = complex(0) }
  for n = order + 40, 1, -1 do
    local q = div(complex(n), mx)
    D[n - 1] = sub(q, div(complex(1), add(D[n], q)))
  end
  local psi, chi = riccati(order, x)
  local sum = 0
  for n = 1, order do
    local xi, before = complex(psi[n], chi[n]), complex(psi[n - 1], chi[n - 1])
    for _, factor in ipairs { div(D[n], m), mul(D[n], m) } do -- of a_n and of b_n
      local g = add(factor, complex(n / x))
      local one = div(sub(mul(g, complex(psi[n])), complex(psi[n - 1])), sub(mul(g, xi), before))
      sum = sum + (2 * n + 1) * one[1]
    end
  end
  return 2 / x ^ 2 * sum
end

-- The extinction over pi a^2 at the frequency of the table that is next to f.
local function measured(run, f)
  local t = run.csv "far_field/far_powers.csv"
  for k, frequency in ipairs(t.frequency) do
    if math.abs(frequency - f) < 1e6 then return t.extinction[k] / (math.pi * radius ^ 2) end
  end
  error("far_powers.csv has no line for " .. f)
end

return {
  output = "nanosphere",
  summary = { name = "nanosphere", order = 3 },
  -- Q_ext. The largest error of the run is 0.09, 2.2 % of the peak: the elements of the sphere are half its radius.
  curves = {
    from = 335e12, to = 855e12, points = 53, x = "frequency (Hz)",
    { label = "Q_ext", tolerance = 0.1, exact = extinction, measured = measured },
  },
}
