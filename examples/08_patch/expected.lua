-- What a run of patch.lua must give; examples/check.lua describes the fields.
-- Reference: measured by E. Chang, S. A. Long and W. F. Richards, An experimental investigation of electrically thick
-- rectangular microstrip antennas, IEEE Trans. Antennas Propagation 34 (1986), 767-772: 4.24 GHz for this patch, on a
-- substrate that is 0.045 wavelengths thick. (The cavity model with Hammerstad's extension of the length, meant for
-- thin substrates, gives 4.55 GHz; README.md has the formula.)
-- The measured value was not checked against a copy of the paper.
local f0, c0 = 4.24e9, 299792458.0

-- Input impedance at row k of sparameters.csv, at the ground: the port is 5 mm of a line in air below.
local function impedance(t, k)
  local angle = 2 * 2 * math.pi * t.frequency[k] / c0 * 5e-3
  local c, s = math.cos(angle), math.sin(angle)
  local re, im = t.S11_re[k] * c - t.S11_im[k] * s, t.S11_re[k] * s + t.S11_im[k] * c
  local below = (1 - re) ^ 2 + im ^ 2
  return 50 * (1 - re ^ 2 - im ^ 2) / below, 50 * 2 * im / below
end

local function row(t, f)
  for k, frequency in ipairs(t.frequency) do
    if math.abs(frequency - f) < 1 then return k end
  end
  error("the table has no line for " .. f)
end

-- Where the resistance is largest: the feed's own inductance does not move that. A parabola through three points.
local function resonance(run)
  local t = run.csv "sparameters.csv"
  local best, largest = 1, -math.huge
  for k = 1, #t.frequency do
    local r = impedance(t, k)
    if r > largest and t.frequency[k] < 4.8e9 then best, largest = k, r end
  end
  if best == 1 or best == #t.frequency then error("the resistance has no maximum within the band") end
  local a, b, c = (impedance(t, best - 1)), largest, (impedance(t, best + 1))
  return t.frequency[best] + 0.5 * (a - c) / (a - 2 * b + c) * (t.frequency[2] - t.frequency[1])
end

local function powers(run, column)
  local t = run.csv "far_field/pattern_powers.csv"
  return t[column][row(t, 4.2e9)]
end

-- The two edges of the patch as slots on a ground, at the distance of its effective length (Balanis, Antenna Theory,
-- section 14.2): D = (k W)^2/I 2/(1 + g), I = int (sin(k W/2 cos t)/cos t)^2 sin(t)^3 dt over 0..pi, g the same
-- integral with J0(k L sin t), over I.
local function two_slots(f)
  local k, W, L, n = 2 * math.pi * f / c0, 29.5e-3, 22.72e-3, 400
  local function J0(x)
    local sum = 0
    for i = 1, n do sum = sum + math.cos(x * math.sin((i - 0.5) * math.pi / n)) / n end
    return sum
  end
  local own, mutual = 0, 0
  for i = 1, n do
    local t = (i - 0.5) * math.pi / n
    local value = (math.sin(k * W / 2 * math.cos(t)) / math.cos(t)) ^ 2 * math.sin(t) ^ 3 * math.pi / n
    own, mutual = own + value, mutual + value * J0(k * L * math.sin(t))
  end
  return 10 * math.log((k * W) ^ 2 / own * 2 / (1 + mutual / own), 10)
end

return {
  output = "patch",
  summary = { name = "patch", order = 2 },
  quantities = {
    { label = "resonance", unit = "GHz", scale = 1e-9, exact = f0, tolerance = 0.04, measured = resonance },
    -- The model of two slots knows no substrate and no feed.
    { label = "directivity at 4.2 GHz", unit = "dBi", exact = two_slots(4.2e9), within = 0.5,
      measured = function(run) return powers(run, "directivity") end },
    { label = "integral of the pattern over radiated power", unit = "", exact = 1, tolerance = 0.01,
      measured = function(run) return powers(run, "integral") / powers(run, "radiated") end },
    -- 0.90: README.md says where the rest is.
    { label = "efficiency, no losses", unit = "", exact = 1, tolerance = 0.13,
      measured = function(run) return powers(run, "efficiency") end },
  },
  curves = {
    from = 3.4e9, to = 5.2e9, points = 91, x = "frequency (Hz)",
    { label = "R", measured = function(run, f)
      local t = run.csv "sparameters.csv"
      return (impedance(t, row(t, f)))
    end },
    { label = "X", measured = function(run, f)
      local t = run.csv "sparameters.csv"
      return (select(2, impedance(t, row(t, f))))
    end },
    { label = "|S11|", measured = function(run, f)
      local t = run.csv "sparameters.csv"
      local k = row(t, f)
      return math.sqrt(t.S11_re[k] ^ 2 + t.S11_im[k] ^ 2)
    end },
  },
  snapshots = 9,
}
