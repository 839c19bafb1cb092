-- What a run of microstrip.lua must give; examples/check.lua describes the fields.
-- Reference: E. Hammerstad, O. Jensen, Accurate models for microstrip computer-aided design, MTT-S 1980, p. 407: impedance
-- and epsilon_eff of an open line within 0.2 %. The box around this one takes 0.3 % of both. The model is half of the line.
local w_over_h, epsilon, length = 3 / 1.6, 4.4, 12e-3
local c0, eta0 = 299792458.0, 376.730313668

local function in_air(u)
  local f = 6 + (2 * math.pi - 6) * math.exp(-(30.666 / u) ^ 0.7528)
  return eta0 / (2 * math.pi) * math.log(f / u + math.sqrt(1 + 4 / u ^ 2))
end
local function effective(u, e)
  local a = 1 + math.log((u ^ 4 + (u / 52) ^ 2) / (u ^ 4 + 0.432)) / 49 + math.log(1 + (u / 18.1) ^ 3) / 18.7
  local b = 0.564 * ((e - 0.9) / (e + 3)) ^ 0.053
  return (e + 1) / 2 + (e - 1) / 2 * (1 + 10 / u) ^ (-a * b)
end
local e_eff = effective(w_over_h, epsilon)
-- Of the substrate: C' depends on its permittivity as epsilon_eff does, and so G' = sigma dC'/d epsilon.
local tangent, slope = 0.02, (effective(w_over_h, epsilon + 1e-3) - effective(w_over_h, epsilon - 1e-3)) / 2e-3
local attenuation = 20 / math.log(10) * math.pi * 2.5e9 / c0 * tangent * epsilon * slope / math.sqrt(e_eff)
-- Of the port: what goes in less what comes back, over the current, at the top of the pulse.
local function impedance(run)
  local record, top = run.csv "ports/in.csv", 1
  for i, v in ipairs(record.incident) do
    if v > record.incident[top] then top = i end
  end
  return (record.incident[top] - record.reflected[top]) / record.current[top]
end
local function S(run, name, i)
  local t = run.csv "sparameters.csv"
  return t[name .. "_re"][i], t[name .. "_im"][i], t.frequency[i]
end

return {
  output = "microstrip",
  summary = { name = "microstrip", order = 2 },
  quantities = {
    { label = "impedance of the whole line", unit = "ohm", exact = in_air(w_over_h) / math.sqrt(e_eff), tolerance = 5e-3,
      measured = function(run) return impedance(run) / 2 end },
    { label = "attenuation", unit = "dB/m", exact = attenuation, tolerance = 1e-2,
      measured = function(run) return run.summary().ports[1].losses.media_db_per_m end },
    { label = "|S11| from 0.5 to 2.5 GHz, at most", unit = "", exact = 0, within = 0.02,
      measured = function(run)
        local most = 0
        for i = 1, 5 do
          local re, im = S(run, "S11", i)
          most = math.max(most, math.sqrt(re ^ 2 + im ^ 2))
        end
        return most
      end },
    { label = "|S21| at 0.5 GHz", unit = "", exact = 10 ^ (-attenuation * length / 20), within = 4e-3,
      measured = function(run)
        local re, im = S(run, "S21", 1)
        return math.sqrt(re ^ 2 + im ^ 2)
      end },
    -- Elements of 1 mm at the edge of the strip make the waves 3 % slower than they are.
    { label = "delay at 0.5 GHz", unit = "ps", scale = 1e12, exact = length * math.sqrt(e_eff) / c0, tolerance = 0.04,
      measured = function(run)
        local re, im, f = S(run, "S21", 1)
        return -math.atan(im, re) / (2 * math.pi * f)
      end },
  },
}
