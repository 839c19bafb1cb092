-- What a run of horn.lua must give; examples/check.lua describes the fields.
-- Reference: the aperture theory of a pyramidal horn, Balanis, Antenna Theory, 3rd edition, section 13.4: the directivity
-- from those of the two sectoral horns, D = pi lambda^2/(32 a b) D_E D_H. It takes the field of the guide's mode on the
-- aperture, with the phase of a spherical wave, and nothing outside of it. (Written from memory of the book.)
local c0 = 299792458.0
local a, b, A, B, L = 22.86e-3, 10.16e-3, 56e-3, 42e-3, 45e-3

-- Fresnel's integrals C and S by Simpson's rule.
local function fresnel(x)
  local n, c, s = 2000, 0, 0
  for i = 0, n do
    local weight, t = (i == 0 or i == n) and 1 or (i % 2 == 1 and 4 or 2), i * x / n
    c, s = c + weight * math.cos(math.pi / 2 * t * t), s + weight * math.sin(math.pi / 2 * t * t)
  end
  return c * x / n / 3, s * x / n / 3
end

local function closed_form(f)
  local lambda = c0 / f
  local of_E, of_H = L * B / (B - b), L * A / (A - a) -- from the apex of each plane to the aperture
  local c, s = fresnel(B / math.sqrt(2 * lambda * of_E))
  local D_E = 64 * a * of_E / (math.pi * lambda * B) * (c * c + s * s)
  local q = math.sqrt(lambda * of_H)
  local cu, su = fresnel((q / A + A / q) / math.sqrt(2))
  local cv, sv = fresnel((q / A - A / q) / math.sqrt(2))
  local D_H = 4 * math.pi * b * of_H / (A * lambda) * ((cu - cv) ^ 2 + (su - sv) ^ 2)
  return 10 * math.log(math.pi * lambda ^ 2 / (32 * a * b) * D_E * D_H, 10)
end

-- A column of the pattern straight ahead, or of the powers, at the frequency f.
local function ahead(column)
  return function(run, f)
    local t = run.csv "far_field/pattern.csv"
    for k, frequency in ipairs(t.frequency) do
      if math.abs(frequency - f) < 1 and t.theta[k] == 0 and t.phi[k] == 0 then return t[column][k] end
    end
    error("pattern.csv has no line for " .. f)
  end
end

local function power(of, over)
  return function(run)
    local t = run.csv "far_field/pattern_powers.csv"
    for k, frequency in ipairs(t.frequency) do
      if math.abs(frequency - 10e9) < 1 then return t[of][k] / t[over][k] end
    end
    error("pattern_powers.csv has no line for 10 GHz")
  end
end

return {
  output = "horn",
  summary = { name = "horn", order = 3 },
  quantities = {
    { label = "radiated over accepted power, 10 GHz", unit = "", exact = 1, tolerance = 0.03,
      measured = power("radiated", "accepted") },
    { label = "integral over radiated power, 10 GHz", unit = "", exact = 1, tolerance = 0.005,
      measured = power("integral", "radiated") },
  },
  -- dB. Theory of the aperture is good to some tenths of a decibel for so small a horn.
  curves = {
    from = 8.5e9, to = 11.5e9, points = 7, x = "frequency (Hz)",
    { label = "directivity", tolerance = 0.5, exact = closed_form, measured = ahead "directivity" },
    { label = "gain", measured = ahead "gain" },
    { label = "realised gain", measured = ahead "realised_gain" },
  },
}
