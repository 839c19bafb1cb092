-- What a run of discharge.lua must give; examples/check.lua describes the fields.
local ohm, volts = 330, 4000

-- The charge that has flowed through the arc, and the voltage that is left, at the end.
local function flowed(run)
  local arc = run.csv "ports/arc.csv"
  local sum = 0
  for i = 2, #arc.time do sum = sum - 0.5 * (arc.current[i] + arc.current[i - 1]) * (arc.time[i] - arc.time[i - 1]) end
  return sum, -arc.current[#arc.time] * ohm
end

-- The energy of the static field is half the charge times the voltage.
local function charge(run) return 2 * run.csv("energy.csv").electric[1] / volts end

-- Later the body is a capacitor that empties through the resistor: the time constant between two currents.
local function constant(run)
  local arc = run.csv "ports/arc.csv"
  local function at(t)
    local i = 1
    while arc.time[i] < t do i = i + 1 end
    return -arc.current[i]
  end
  return 20e-9 / math.log(at(15e-9) / at(35e-9))
end

return {
  output = "discharge",
  summary = { name = "discharge", order = 2 },
  quantities = {
    -- Charge is conserved: what flowed and what is left add to what was there.
    { label = "charge that flowed and that is left, over all", unit = "", exact = 1, tolerance = 1e-3,
      measured = function(run)
        local through, left = flowed(run)
        return (through + charge(run) / volts * left) / charge(run)
      end },
    { label = "time constant over R C", unit = "", exact = 1, tolerance = 0.05,
      measured = function(run) return constant(run) / (ohm * charge(run) / volts) end },
  },
  snapshots = 4,
}
