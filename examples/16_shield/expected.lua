-- What a run of shield.lua must give; examples/check.lua describes the fields.
-- Reference: a plane wave at normal incidence on a slab of a good conductor in air (S. A. Schelkunoff, Electromagnetic
-- Waves, 1943, section 8.18). With Z = sqrt(j w mu0/sigma) and g = sqrt(j w mu0 sigma),
-- 1/T = cosh(g d) + (Z/eta0 + eta0/Z)/2 sinh(g d), and the shielding is -20 log10 |T|.
local mu0, c0 = 1.25663706212e-6, 299792458.0
local eta0 = mu0 * c0
local sigma, d = 5.8e7, 10e-6

-- |a + j b| of 1/T, with g d = (1 + j) x: Z/eta0 is smaller than 1e-4 and drops out beside its inverse.
local function shielding(f)
  local x = d * math.sqrt(math.pi * f * mu0 * sigma)
  local z = math.sqrt(math.pi * f * mu0 / sigma) -- Z = (1 + j) z
  local e, s = math.exp(x), math.exp(-x)
  local ch, sh = (e + s) / 2, (e - s) / 2
  local sinh_re, sinh_im = sh * math.cos(x), ch * math.sin(x)
  local re, im = ch * math.cos(x), sh * math.sin(x) -- cosh
  local k = eta0 / (4 * z)                          -- eta0/(2 Z) = k (1 - j)
  re, im = re + k * (sinh_re + sinh_im), im + k * (sinh_im - sinh_re)
  return 10 * math.log(re ^ 2 + im ^ 2, 10)
end

-- Squared amplitude of the wave that travels along +z.
local function power(run, probe, f)
  local file = "probes/" .. probe .. ".csv"
  local er, ei = run.fourier(file, "Ex", f)
  local hr, hi = run.fourier(file, "Hy", f)
  return (er + eta0 * hr) ^ 2 + (ei + eta0 * hi) ^ 2
end

return {
  output = "shield",
  summary = { name = "shield", order = 4 },
  curves = {
    from = 1e6, to = 1e9, points = 112, x = "frequency (Hz)",
    { label = "shielding (dB)", tolerance = 0.05, exact = shielding,
      measured = function(run, f) return 10 * math.log(power(run, "front", f) / power(run, "back", f), 10) end },
  },
}
