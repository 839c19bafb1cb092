-- What a run of cavity.lua must give; examples/check.lua describes the fields. All of it is known in closed form.
local pi, sin, cos = math.pi, math.sin, math.cos
local c0, mu0 = 299792458.0, 1.25663706212e-6
local epsilon0 = 1 / (mu0 * c0 * c0)
local f110 = 0.5 * c0 * math.sqrt(2)
local f210 = 0.5 * c0 * math.sqrt(5)

-- Ez = a sin(m pi x) sin(n pi y) cos(w t) and the magnetic field that Faraday's law gives it.
local function mode(a, m, n, f, x, y, t)
  local kx, ky, w = m * pi, n * pi, 2 * pi * f
  local scale = a * sin(w * t) / (w * mu0)
  return a * sin(kx * x) * sin(ky * y) * cos(w * t), -scale * ky * sin(kx * x) * cos(ky * y),
    scale * kx * cos(kx * x) * sin(ky * y)
end

return {
  output = "cavity",
  summary = { name = "cavity", precision = "double", order = 4 },
  -- Leapfrog sets the error: (w dt)^2 / 24 = 1.9e-5 and 4.8e-5 for the two at the step of 16 ps; the mesh adds little.
  resonances = {
    { label = "(1,1,0)", set = "modes", exact = f110, tolerance = 1e-4 },
    { label = "(2,1,0)", set = "modes", exact = f210, tolerance = 1e-4 },
  },
  -- The whole record against the two modes; the tolerance is a fraction of the largest value of E and of H.
  waveforms = {
    { probe = "corner", at = { 0.3, 0.4, 0.6 }, tolerance = 0.01,
      exact = function(x, y, _, t)
        local e1, hx1, hy1 = mode(1.0, 1, 1, f110, x, y, t)
        local e2, hx2, hy2 = mode(0.5, 2, 1, f210, x, y, t)
        return 0, 0, e1 + e2, hx1 + hx2, hy1 + hy2, 0
      end },
  },
  -- Upwind fluxes may lose energy, slowly on fields that the mesh resolves, and never make any.
  energy = { initial = epsilon0 / 8 * (1 + 0.25), tolerance = 5e-4, growth = 1e-12, kept = 0.999 },
  snapshots = 10,
}
