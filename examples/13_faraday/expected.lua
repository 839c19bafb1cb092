-- What a run of faraday.lua must give; examples/check.lua describes the fields.
-- Reference: a charge that is bound with omega_0 and turns with omega_c about z gives the circular waves along z, E ~ (1,
-- -j) and (1, j) with e^{jwt}, the permittivities
--   eps = eps_inf + omega_p^2/(omega_0^2 - w^2 -+ w omega_c)
-- (P. A. Sturrock, Plasma Physics (1994), chapter 6, with omega_0). Each is an isotropic medium for its wave: behind the
-- plate it has the amplitude (1 - r^2) e^{-jkD}/(1 - r^2 e^{-2jkD}), r = (1 - n)/(1 + n) (Born and Wolf, Principles of
-- Optics, 7th edition, section 7.6.1), and E has turned by half the angle between the two. Inside it turns by half the
-- difference of their wave numbers for each unit of length: with the numbers of the script 0.194537 rad/mm at a
-- wavelength of 1.25 mm.
local f1 = 299792458.0 / 1e-3
local D, d = 2e-3, 0.7e-3 -- the plate, and between the probes

local function index(f, side)
  local w = f / f1
  return math.sqrt(1.5 + 0.1 / (1 - w ^ 2 - side * w * 0.15))
end

-- The phase of a circular wave behind the plate.
local function phase(f, side)
  local n = index(f, side)
  local kd, r = 2 * math.pi * f / 299792458.0 * n * D, (1 - n) / (1 + n)
  return -kd - math.atan(r ^ 2 * math.sin(2 * kd), 1 - r ^ 2 * math.cos(2 * kd))
end

local function rotation(f) return (phase(f, -1) - phase(f, 1)) / 2 end

-- The circular wave at a probe: Ex +- j Ey.
local function circular(run, probe, f, side)
  local file = "probes/" .. probe .. ".csv"
  local xr, xi = run.fourier(file, "Ex", f)
  local yr, yi = run.fourier(file, "Ey", f)
  return xr - side * yi, xi + side * yr
end

local function measured_rotation(run, f)
  local ar, ai = circular(run, "behind", f, -1)
  local br, bi = circular(run, "behind", f, 1)
  return math.atan(ai * br - ar * bi, ar * br + ai * bi) / 2
end

-- Whatever goes on and comes back, u(z - d) + u(z + d) = 2 cos(k d) u(z); k d is between pi and 2 pi.
local function wave_number(run, f, side)
  local ar, ai = circular(run, "first", f, side)
  local br, bi = circular(run, "second", f, side)
  local cr, ci = circular(run, "third", f, side)
  return (2 * math.pi - math.acos(((ar + cr) * br + (ai + ci) * bi) / (2 * (br ^ 2 + bi ^ 2)))) / d
end

return {
  output = "faraday",
  summary = { name = "faraday", order = 3 },
  quantities = {
    { label = "rotation at a wavelength of 1.25 mm", unit = "rad/mm", exact = 0.194537, tolerance = 5e-3,
      measured = function(run)
        return 1e-3 * (wave_number(run, 0.8 * f1, 1) - wave_number(run, 0.8 * f1, -1)) / 2
      end },
    { label = "rotation behind 2 mm of it", unit = "rad", exact = rotation(0.8 * f1), tolerance = 5e-3,
      measured = function(run) return measured_rotation(run, 0.8 * f1) end },
  },
  curves = {
    from = 0.45 * f1, to = 0.8 * f1, points = 36, x = "frequency (Hz)",
    { label = "rotation", tolerance = 2e-3, exact = rotation, measured = measured_rotation },
  },
}
