-- What a run of loaded_cavity.lua must give; examples/check.lua describes the fields.
-- Reference: the modes of a box with a layer across z, transverse to the layer's normal (Harrington, Time-Harmonic
-- Electromagnetic Fields, section 4.6; Collin, Field Theory of Guided Waves, section 6.1): with k_i^2 = epsilon_i
-- (2 pi f / c0)^2 - (m pi / a)^2 - (n pi / b)^2 in the layers i of heights h_i, S_i = sin(k_i h_i)/k_i,
-- C_i = cos(k_i h_i),
--   LSE (no Ez):  S_1 C_2 + C_1 S_2 = 0
--   LSM (no Hz):  k_1^2 S_1 C_2 / epsilon_1 + k_2^2 S_2 C_1 / epsilon_2 = 0
-- The first is k_1 cot(k_1 h_1) + k_2 cot(k_2 h_2) = 0 without its poles, and so is the second for k tan.
local c0 = 299792458.0
local a, b = 50e-3, 40e-3
local layers = { { epsilon = 9.8, height = 10e-3 }, { epsilon = 1, height = 40e-3 } }

-- sin(sqrt(q) h)/sqrt(q) and cos(sqrt(q) h) for q of either sign.
local function waves(q, h)
  local k = math.sqrt(math.abs(q))
  if q > 0 then return math.sin(k * h) / k, math.cos(k * h) end
  return (math.exp(k * h) - math.exp(-k * h)) / (2 * k), (math.exp(k * h) + math.exp(-k * h)) / 2
end

local function determinant(family, m, n, f)
  local across = (m * math.pi / a) ^ 2 + (n * math.pi / b) ^ 2
  local q, S, C = {}, {}, {}
  for i, layer in ipairs(layers) do
    q[i] = layer.epsilon * (2 * math.pi * f / c0) ^ 2 - across
    S[i], C[i] = waves(q[i], layer.height)
  end
  if family == "LSE" then return S[1] * C[2] + C[1] * S[2] end
  return q[1] * S[1] * C[2] / layers[1].epsilon + q[2] * S[2] * C[1] / layers[2].epsilon
end

-- The lowest root, by a walk of 5 MHz and bisection.
local function resonance(family, m, n)
  local step, low = 5e6, 0.5e9
  while determinant(family, m, n, low) * determinant(family, m, n, low + step) > 0 do low = low + step end
  local high, sign = low + step, determinant(family, m, n, low)
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if determinant(family, m, n, middle) * sign > 0 then low = middle else high = middle end
  end
  return (low + high) / 2
end

-- Leapfrog shifts them by (2 pi f dt)^2/24 = 3e-5; the coarse mesh (4 points of the longest edge per wavelength in the
-- dielectric) sets the rest.
local resonances = {}
for _, mode in ipairs { { "LSM", 1, 1 }, { "LSE", 1, 0 }, { "LSE", 0, 1 },
                         { "LSM", 2, 1 }, { "LSE", 1, 1 }, { "LSM", 1, 2 } } do
  local family, m, n = table.unpack(mode)
  resonances[#resonances + 1] = { label = ("%s (%d,%d)"):format(family, m, n), probe = "inside",
    field = family == "LSM" and "Ez" or "Hz", exact = resonance(family, m, n), tolerance = 1e-4,
    low = 2.3e9, high = 4e9, after = 5e-9 }
end

return {
  output = "loaded_cavity",
  summary = { name = "loaded_cavity", order = 3 },
  resonances = resonances,
  snapshots = 5,
}
