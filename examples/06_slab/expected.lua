-- What a run of slab.lua must give; examples/check.lua describes the fields.
-- Reference: Airy's formulas for a plane-parallel plate at normal incidence (Born and Wolf, Principles of Optics, 7th
-- edition, section 7.6.1, eqs. 8 to 10). r is the amplitude that one face reflects, r = (1 - n)/(1 + n), and
-- R = F sin^2(k n d) / (1 + F sin^2(k n d)), F = 4 r^2 / (1 - r^2)^2, T = 1 - R.
local c0 = 299792458.0
local eta0 = 1.25663706212e-6 * c0
local n, d = 2, 10e-3

local function airy(f)
  local r = (1 - n) / (1 + n)
  local x = 4 * r ^ 2 / (1 - r ^ 2) ^ 2 * math.sin(2 * math.pi * f / c0 * n * d) ^ 2
  return x / (1 + x)
end

-- Squared amplitudes of the waves that travel along +z and along -z: Ex +- eta0 Hy.
local function powers(run, probe, f)
  local file = "probes/" .. probe .. ".csv"
  local er, ei = run.fourier(file, "Ex", f)
  local hr, hi = run.fourier(file, "Hy", f)
  hr, hi = eta0 * hr, eta0 * hi
  return (er + hr) ^ 2 + (ei + hi) ^ 2, (er - hr) ^ 2 + (ei - hi) ^ 2
end

return {
  output = "slab",
  summary = { name = "slab", order = 3 },
  -- Phases are off by (2 pi f dt)^2/24 = 1e-5 from leapfrog and as much from the mesh, some 6 rad into the plate; what
  -- is left of the echoes at the end (9^-8 of the first) adds 1e-5. -D order=4 is an order of magnitude closer.
  curves = {
    from = 2e9, to = 14e9, points = 49, x = "frequency (Hz)",
    { label = "R", tolerance = 3e-4, exact = airy,
      measured = function(run, f)
        local incident, reflected = powers(run, "front", f)
        return reflected / incident
      end },
    { label = "T", tolerance = 3e-4, exact = function(f) return 1 - airy(f) end,
      measured = function(run, f) return (powers(run, "back", f)) / (powers(run, "front", f)) end },
  },
  snapshots = 5,
}
