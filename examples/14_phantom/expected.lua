-- What a run of phantom.lua must give; examples/check.lua describes the fields.
-- Reference: Mie's series of a ball of index m (Bohren and Huffman, Absorption and Scattering of Light by Small Particles,
-- section 4.8), with exp(-iwt) as there: D_n is the logarithmic derivative of psi_n at m x, x = k a,
--   a_n = ((D_n/m + n/x) psi_n - psi_n-1)/((D_n/m + n/x) xi_n - xi_n-1), b_n the same with m D_n,
--   sigma_ext = 2 pi/k^2 sum (2n + 1) Re(a_n + b_n), sigma_sca = 2 pi/k^2 sum (2n + 1) (|a_n|^2 + |b_n|^2).
local materials = require "curlew.materials"
local c0, radius = 299792458.0, 0.05

-- Complex numbers are pairs { re, im }.
local function add(a, b) return { a[1] + b[1], a[2] + b[2] } end
local function times(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end
local function over(a, b)
  local square = b[1] ^ 2 + b[2] ^ 2
  return { (a[1] * b[1] + a[2] * b[2]) / square, (a[2] * b[1] - a[1] * b[2]) / square }
end

-- psi_n(x) and chi_n(x), n = 0 .. order: the first by downward recurrence, the second by upward; xi_n = psi_n + i chi_n.
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

-- D_n(z), n = 1 .. order, by downward recurrence.
local function derivative(order, z)
  local D, here = {}, { 0, 0 }
  for n = order + 30, 2, -1 do
    local ratio = over({ n, 0 }, z)
    local inverse = over({ -1, 0 }, add(here, ratio))
    here = add(ratio, inverse)
    if n - 1 <= order then D[n - 1] = here end
  end
  return D
end

-- Cross-sections of extinction and scattering over pi a^2.
local function mie(x, m)
  local order = math.ceil(x + 4 * x ^ (1 / 3) + 8)
  local psi, chi = riccati(order, x)
  local D = derivative(order, times({ x, 0 }, m))
  local extinction, scattering = 0, 0
  for n = 1, order do
    for _, D_m in ipairs { over(D[n], m), times(D[n], m) } do
      local f = add(D_m, { n / x, 0 })
      local top = add(times(f, { psi[n], 0 }), { -psi[n - 1], 0 })
      local bottom = add(times(f, { psi[n], chi[n] }), { -psi[n - 1], -chi[n - 1] })
      local c = over(top, bottom)
      extinction = extinction + (2 * n + 1) * c[1]
      scattering = scattering + (2 * n + 1) * (c[1] ^ 2 + c[2] ^ 2)
    end
  end
  return 2 * extinction / x ^ 2, 2 * scattering / x ^ 2
end

local function exact(f)
  local re, im = materials.permittivity(materials.muscle, f) -- eps' and eps''
  local size = math.sqrt((math.sqrt(re ^ 2 + im ^ 2) + re) / 2)
  return mie(2 * math.pi * f / c0 * radius, { size, math.abs(im) / (2 * size) })
end

-- The same from far_field/power_powers.csv, at the frequency of the table that is next to f.
local function measured(run, f)
  local t, area = run.csv "far_field/power_powers.csv", math.pi * radius ^ 2
  for k, frequency in ipairs(t.frequency) do
    if math.abs(frequency - f) < 1 then return t.extinction[k] / area, t.scattering[k] / area end
  end
  error("power_powers.csv has no line for " .. f)
end

-- The absorption from spectra/tissue_losses.csv: what the computed quarter takes up, W, over 1/2 (1 V/m)^2/eta0.
local function lost(run, f)
  local t, area, eta0 = run.csv "spectra/tissue_losses.csv", math.pi * radius ^ 2, 376.730313
  for k, frequency in ipairs(t.frequency) do
    if math.abs(frequency - f) < 1 then return 4 * t.power[k] * 2 * eta0 / area end
  end
  error("tissue_losses.csv has no line for " .. f)
end

local function absorbed(extinction, scattering) return extinction - scattering end

return {
  output = "phantom",
  summary = { name = "phantom", order = 3 },
  curves = {
    from = 0.5e9, to = 1.5e9, points = 21, x = "frequency (Hz)",
    { label = "absorption", tolerance = 0.01, exact = function(f) return absorbed(exact(f)) end,
      measured = function(run, f) return absorbed(measured(run, f)) end },
    { label = "losses", tolerance = 0.025, exact = function(f) return absorbed(exact(f)) end, measured = lost },
    { label = "scattering", tolerance = 0.01, exact = function(f) return select(2, exact(f)) end,
      measured = function(run, f) return select(2, measured(run, f)) end },
  },
}
