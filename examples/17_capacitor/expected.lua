-- What a run of capacitor.lua must give; examples/check.lua describes the fields.
-- Reference: a spherical capacitor (J. D. Jackson, Classical Electrodynamics, 3rd edition, section 1.11): C = 4 pi eps0 a b/(b
-- - a) = 222.530 pF, the field is radial, V a b/((b - a) r^2).
local epsilon0 = 8.8541878128e-12
local a, b, volts = 1, 2, 1000
local x, y, z = 0.9, 0.8, 0.7
local r = math.sqrt(x ^ 2 + y ^ 2 + z ^ 2)
local E = volts * a * b / ((b - a) * r ^ 2)

local function at(run, file, column, last)
  local values = run.csv(file)[column]
  return values[last and #values or 1]
end

return {
  output = "capacitor",
  summary = { name = "capacitor", order = 3, steps = 100 },
  quantities = {
    { label = "capacitance", unit = "pF", scale = 1e12, exact = 4 * math.pi * epsilon0 * a * b / (b - a), tolerance = 1e-5,
      measured = function(run) return 2 * at(run, "energy.csv", "total") / volts ^ 2 end },
    { label = "Ex at a point", unit = "V/m", exact = E * x / r, tolerance = 3e-3,
      measured = function(run) return at(run, "probes/gap.csv", "Ex") end },
    { label = "Ez at a point", unit = "V/m", exact = E * z / r, tolerance = 3e-3,
      measured = function(run) return at(run, "probes/gap.csv", "Ez") end },
    { label = "energy of H after 100 steps over that of E", unit = "", exact = 0, within = 1e-20,
      measured = function(run) return at(run, "energy.csv", "magnetic", true) / at(run, "energy.csv", "electric") end },
    { label = "energy of E that is left", unit = "", exact = 1, tolerance = 1e-12,
      measured = function(run) return at(run, "energy.csv", "electric", true) / at(run, "energy.csv", "electric") end },
  },
  snapshots = 2,
}
