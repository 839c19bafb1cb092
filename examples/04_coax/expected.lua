-- What a run of coax.lua must give; examples/check.lua describes the fields.
-- Reference: Pozar, Microwave Engineering, sections 2.2 and 2.3: Z0 = eta0/(2 pi) ln(r2/r1) = 49.94 ohm, reflection
-- (R - Z0)/(R + Z0).
local eta0 = 1.25663706212e-6 * 299792458.0
local z0 = eta0 / (2 * math.pi) * math.log(2.3)
local load = 25
local round_trip = 2 * 30e-3 / 299792458.0

-- Mean of a column between two times (s).
local function mean(record, column, from, to)
  local sum, n = 0, 0
  for i, t in ipairs(record.time) do
    if t >= from and t <= to then sum, n = sum + record[column][i], n + 1 end
  end
  if n == 0 then error("no samples") end
  return sum / n
end

return {
  output = "coax",
  summary = { name = "coax", order = 2 },
  quantities = {
    -- In the time before the echo arrives the line is what is seen: voltage over current at the port, once the step of
    -- 60 ps has risen. Straight elements make prisms of 12 sides of the conductors, and 0.7 % less of the impedance;
    -- curved ones 2e-5 less.
    { label = "impedance of the line", unit = "ohm", exact = z0, tolerance = 1e-4,
      measured = function(run)
        local port = run.csv "ports/feed.csv"
        local from, to = 80e-12, round_trip - 20e-12
        return mean(port, "voltage", from, to) / mean(port, "current", from, to)
      end },
    -- Behind the echo: what came back, over what went in.
    { label = "reflection of the load", exact = (load - z0) / (load + z0), tolerance = 5e-4,
      measured = function(run)
        local port = run.csv "ports/feed.csv"
        local from, to = round_trip + 90e-12, 330e-12
        return mean(port, "reflected", from, to) / mean(port, "incident", from, to)
      end },
  },
  snapshots = 5,
}
