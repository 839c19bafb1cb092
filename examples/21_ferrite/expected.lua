-- What a run of ferrite.lua must give; examples/check.lua describes the fields.
-- Reference: D. M. Pozar, Microwave Engineering, 4th edition (2012), section 9.1: the circular waves along the static
-- field, E ~ (1, -j) and (1, j) with e^{jwt}, see the permeabilities 1 + w_m/(w_0 -+ w), w_0 = gamma mu0 H0 and w_m =
-- gamma mu0 Ms. Each is an isotropic medium for its wave: behind the plate it has the amplitude
-- (1 - r^2) e^{-jkD}/(1 - r^2 e^{-2jkD}), r = (eta - 1)/(eta + 1) (Born and Wolf, Principles of Optics, 7th edition,
-- section 7.6.1), and E has turned by half the angle between the two.
local c0, D = 299792458.0, 5e-3
local gamma = 2 * 8.79410005384e10 * 1.25663706212e-6 -- rad/s for each A/m
local w0, wm = gamma * 4e4, gamma * 1.42e5

-- Amplitude and phase of a circular wave behind the plate.
local function wave(f, side)
  local w = 2 * math.pi * f
  local mu = 1 + wm / (w0 - side * w)
  local kd, eta = w / c0 * math.sqrt(15 * mu) * D, math.sqrt(mu / 15)
  local r2 = ((eta - 1) / (eta + 1)) ^ 2
  local re, im = 1 - r2 * math.cos(2 * kd), r2 * math.sin(2 * kd)
  return (1 - r2) / math.sqrt(re ^ 2 + im ^ 2), -kd - math.atan(im, re)
end

-- Half the angle between the waves, from -pi/2 to pi/2.
local function half(angle) return math.atan(math.sin(angle), math.cos(angle)) / 2 end

local function rotation(f)
  local _, a = wave(f, -1)
  local _, b = wave(f, 1)
  return half(a - b)
end

-- The circular wave at the probe: Ex +- j Ey.
local function circular(run, f, side)
  local xr, xi = run.fourier("probes/behind.csv", "Ex", f)
  local yr, yi = run.fourier("probes/behind.csv", "Ey", f)
  return xr - side * yi, xi + side * yr
end

local function measured_rotation(run, f)
  local ar, ai = circular(run, f, -1)
  local br, bi = circular(run, f, 1)
  return math.atan(ai * br - ar * bi, ar * br + ai * bi) / 2
end

local function ratio(f)
  local a = wave(f, -1)
  local b = wave(f, 1)
  return a / b
end

local function measured_ratio(run, f)
  local ar, ai = circular(run, f, -1)
  local br, bi = circular(run, f, 1)
  return math.sqrt((ar ^ 2 + ai ^ 2) / (br ^ 2 + bi ^ 2))
end

return {
  output = "ferrite",
  summary = { name = "ferrite", order = 3 },
  quantities = {
    { label = "rotation behind 5 mm of it at 13 GHz", unit = "rad", exact = rotation(13e9), tolerance = 5e-3,
      measured = function(run) return measured_rotation(run, 13e9) end },
  },
  curves = {
    from = 10.5e9, to = 16e9, points = 23, x = "frequency (Hz)",
    { label = "rotation", tolerance = 5e-3, exact = rotation, measured = measured_rotation },
    { label = "ratio", tolerance = 5e-3, exact = ratio, measured = measured_ratio },
  },
}
