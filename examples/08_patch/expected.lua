-- What a run of patch.lua must give; examples/check.lua describes the fields.
-- Reference: measured by E. Chang, S. A. Long and W. F. Richards, An experimental investigation of electrically thick
-- rectangular microstrip antennas, IEEE Trans. Antennas Propagation 34 (1986), 767-772: 4.24 GHz for this patch, on a
-- substrate that is 0.045 wavelengths thick. (The cavity model with Hammerstad's extension of the length, meant for
-- thin substrates, gives 4.55 GHz; README.md has the formula.)
-- The measured value was not checked against a copy of the paper.
local f0 = 4.24e9

-- Input impedance at row k of sparameters.csv: that of the half, 100 ohm (1 + S11)/(1 - S11), is twice the antenna's.
local function impedance(t, k)
  local re, im = t.S11_re[k], t.S11_im[k]
  local below = (1 - re) ^ 2 + im ^ 2
  return 50 * (1 - re ^ 2 - im ^ 2) / below, 50 * 2 * im / below
end

local function row(t, f)
  for k, frequency in ipairs(t.frequency) do
    if math.abs(frequency - f) < 1 then return k end
  end
  error("sparameters.csv has no line for " .. f)
end

-- Where the resistance is largest: the feed's own inductance does not move that. A parabola through three points.
local function resonance(run)
  local t = run.csv "sparameters.csv"
  local best, largest = 1, -math.huge
  for k = 1, #t.frequency do
    local r = impedance(t, k)
    if r > largest then best, largest = k, r end
  end
  if best == 1 or best == #t.frequency then error("the resistance has no maximum within the band") end
  local a, b, c = (impedance(t, best - 1)), largest, (impedance(t, best + 1))
  return t.frequency[best] + 0.5 * (a - c) / (a - 2 * b + c) * (t.frequency[2] - t.frequency[1])
end

return {
  output = "patch",
  summary = { name = "patch", order = 2 },
  -- The mesh is coarse at the patch's edges, where fields are singular: 4.12 GHz at order 2, 4.18 at order 3, 4.21 at
  -- order 4; absorbing walls at 30 mm move that by -0.3 %.
  quantities = {
    { label = "resonance", unit = "GHz", scale = 1e-9, exact = f0, tolerance = 0.04, measured = resonance },
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
  snapshots = 5,
}
