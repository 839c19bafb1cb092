-- Resonances of a recorded signal.
--
--   local spectrum = require "curlew.spectrum"
--   local record = assert(spectrum.read_probe "cavity/probes/centre.csv")
--   for _, line in ipairs(spectrum.lines(record.time, record.Ez)) do
--     print(line.frequency, line.amplitude, line.decay)
--   end
--
-- Method: the signal is low-passed and thinned out if it is much finer than the highest frequency of interest (a
-- linear filter changes amplitudes, never frequencies), the peaks of a Hann-windowed Fourier transform give a first
-- guess, and a weighted least-squares fit of
--
--   u(t) = c + sum_k exp(-d_k t) (a_k cos w_k t + b_k sin w_k t)
--
-- in all parameters at once (Levenberg-Marquardt, weight: the Hann window) refines them. What the fit leaves over is
-- searched for further peaks, which separates lines about 1.5/T apart (T: length of the record). Lines closer than
-- that are found as one.

local spectrum = {}

local pi, sin, cos, sqrt, exp, abs = math.pi, math.sin, math.cos, math.sqrt, math.exp, math.abs
local floor, max, min = math.floor, math.max, math.min

-- Reads a CSV file with a header of names: { names = { ... }, time = { ... }, Ex = { ... }, ... }; nil, message on
-- error.
function spectrum.read_csv(path)
  local file, message = io.open(path, "r")
  if not file then return nil, message end
  local table_ = { names = {} }
  local number = 0
  for text in file:lines() do
    number = number + 1
    local column = 0
    for cell in (text:gsub("\r$", "") .. ","):gmatch("([^,]*),") do
      column = column + 1
      if number == 1 then
        table_.names[column] = cell
        table_[cell] = {}
      else
        local name = table_.names[column]
        local value = tonumber(cell) or (cell == "nan" and 0 / 0) -- what has no value
        if not name or not value then
          file:close()
          local why = name and "no number" or "one too many"
          return nil, string.format("%s:%d: column %d is %s", path, number, column, why)
        end
        table_[name][number - 1] = value
      end
    end
    if column ~= #table_.names then
      file:close()
      return nil, string.format("%s:%d: %d columns instead of %d", path, number, column, #table_.names)
    end
  end
  file:close()
  if number == 0 then return nil, path .. ": empty" end
  return table_
end

-- A probe's record, checked: the seven columns of the output contract.
function spectrum.read_probe(path)
  local record, message = spectrum.read_csv(path)
  if not record then return nil, message end
  local header = table.concat(record.names, ",")
  if header ~= "time,Ex,Ey,Ez,Hx,Hy,Hz" then return nil, path .. ":1: this is no probe's header: " .. header end
  return record
end

-- The step of an evenly sampled record; nil, message if a sample is more than a thousandth of the step off.
local function sample_step(time)
  local n = #time
  if n < 16 then return nil, string.format("%d samples are too few, 16 is the least", n) end
  local step = (time[n] - time[1]) / (n - 1)
  if not (step > 0) then return nil, "time does not grow" end
  for i = 1, n do
    local drift = abs(time[i] - time[1] - (i - 1) * step)
    if not (drift <= 1e-3 * step) then return nil, string.format("sample %d is not evenly spaced", i) end
  end
  return step
end

-- Thins the signal to every `factor`-th value of itself averaged four times over `factor` samples.
local function thin(signal, factor)
  if factor == 1 then return signal end
  for _ = 1, 4 do
    local out, sum = {}, 0
    for i = 1, #signal do
      sum = sum + signal[i]
      if i > factor then sum = sum - signal[i - factor] end
      if i >= factor then out[i - factor + 1] = sum / factor end
    end
    signal = out
  end
  local out = {}
  for i = 1, #signal, factor do out[#out + 1] = signal[i] end
  return out
end

-- In-place radix-2 Fourier transform of re + i im; the length is a power of two.
local function transform(re, im)
  local n = #re
  local j = 1
  for i = 1, n - 1 do
    if i < j then re[i], re[j], im[i], im[j] = re[j], re[i], im[j], im[i] end
    local m = n // 2
    while m >= 1 and j > m do
      j, m = j - m, m // 2
    end
    j = j + m
  end
  local half = 1
  while half < n do
    for k = 0, half - 1 do
      local wr, wi = cos(pi * k / half), -sin(pi * k / half)
      for i = k + 1, n, 2 * half do
        local o = i + half
        local xr, xi = wr * re[o] - wi * im[o], wr * im[o] + wi * re[o]
        re[o], im[o], re[i], im[i] = re[i] - xr, im[i] - xi, re[i] + xr, im[i] + xi
      end
    end
    half = 2 * half
  end
end

local function hann(n)
  local window = {}
  for i = 1, n do window[i] = 0.5 - 0.5 * cos(2 * pi * (i - 0.5) / n) end
  return window
end

-- Amplitudes of the Hann-windowed, mean-free signal at k / (size * step), k = 0, 1, ...: a line of amplitude A peaks
-- at A.
local function amplitudes(signal, window)
  local n, size = #signal, 16
  while size < 8 * n do size = 2 * size end
  local mean, total = 0, 0
  for i = 1, n do mean, total = mean + window[i] * signal[i], total + window[i] end
  mean = mean / total
  local re, im = {}, {}
  for i = 1, size do re[i], im[i] = i <= n and window[i] * (signal[i] - mean) or 0.0, 0.0 end
  transform(re, im)
  local out = {}
  for k = 0, size // 2 do out[k] = 2 / total * sqrt(re[k + 1] ^ 2 + im[k + 1] ^ 2) end
  return out, size
end

-- Local maxima within [low, high] (Hz) above `floor_`, strongest first.
local function peaks(signal, window, step, low, high, floor_)
  local value, size = amplitudes(signal, window)
  local unit = 1 / (size * step)
  local found = {}
  for k = max(1, floor(low / unit)), min(size // 2 - 1, floor(high / unit) + 1) do
    local a, b, c = value[k - 1], value[k], value[k + 1]
    if b > floor_ and b >= a and b > c then
      local shift = 0.5 * (a - c) / (a - 2 * b + c)
      local frequency = (k + shift) * unit
      if frequency >= low and frequency <= high then found[#found + 1] = { frequency = frequency, amplitude = b } end
    end
  end
  table.sort(found, function(p, q) return p.amplitude > q.amplitude end)
  return found
end

-- Solves the symmetric positive definite system A x = b (Cholesky, A is overwritten); nil if A is not definite.
local function solve(A, b)
  local n = #b
  for j = 1, n do
    local row = A[j]
    local d = row[j]
    for k = 1, j - 1 do d = d - row[k] * row[k] end
    if not (d > 0) then return nil end
    d = sqrt(d)
    row[j] = d
    for i = j + 1, n do
      local other = A[i]
      local s = other[j]
      for k = 1, j - 1 do s = s - other[k] * row[k] end
      other[j] = s / d
    end
  end
  local x = {}
  for i = 1, n do
    local s = b[i]
    for k = 1, i - 1 do s = s - A[i][k] * x[k] end
    x[i] = s / A[i][i]
  end
  for i = n, 1, -1 do
    local s = x[i]
    for k = i + 1, n do s = s - A[k][i] * x[k] end
    x[i] = s / A[i][i]
  end
  return x
end

-- Parameters p = { c, then a, b, w, d of every line } in the dimensionless time tau in [-1, 1]. Calls visit(i,
-- residual, gradient) for every sample and returns the weighted sum of squares; gradient is reused.
local function evaluate(p, signal, window, visit)
  local n, lines = #signal, (#p - 1) // 4
  local gradient = { 1 }
  local sum = 0
  for i = 1, n do
    local tau = (2 * i - 1 - n) / n
    local model = p[1]
    for k = 0, lines - 1 do
      local a, b, w, d = p[4 * k + 2], p[4 * k + 3], p[4 * k + 4], p[4 * k + 5]
      local e = exp(-d * tau)
      local ec, es = e * cos(w * tau), e * sin(w * tau)
      local u = a * ec + b * es
      model = model + u
      if visit then
        gradient[4 * k + 2], gradient[4 * k + 3] = ec, es
        gradient[4 * k + 4], gradient[4 * k + 5] = tau * (b * ec - a * es), -tau * u
      end
    end
    local residual = signal[i] - model
    sum = sum + window[i] * residual * residual
    if visit then visit(i, residual, gradient) end
  end
  return sum
end

-- Normal equations of the linearised fit.
local function normal_equations(p, signal, window)
  local m = #p
  local A, b = {}, {}
  for i = 1, m do
    A[i], b[i] = {}, 0.0
    for j = 1, i do A[i][j] = 0.0 end
  end
  local sum = evaluate(p, signal, window, function(i, residual, gradient)
    local weight = window[i]
    for r = 1, m do
      local g = weight * gradient[r]
      local row = A[r]
      b[r] = b[r] + g * residual
      for s = 1, r do row[s] = row[s] + g * gradient[s] end
    end
  end)
  return A, b, sum
end

-- One damped step: (A + lambda diag A) x = b, on a copy of A scaled to a unit diagonal.
local function damped_step(A, b, lambda)
  local m = #b
  local scale, S, t = {}, {}, {}
  for i = 1, m do scale[i] = A[i][i] > 0 and 1 / sqrt(A[i][i]) or 1.0 end
  for i = 1, m do
    S[i], t[i] = {}, b[i] * scale[i]
    for j = 1, i do S[i][j] = A[i][j] * scale[i] * scale[j] end
    S[i][i] = 1 + lambda
  end
  local x = solve(S, t)
  if x then
    for i = 1, m do x[i] = x[i] * scale[i] end
  end
  return x
end

-- Levenberg-Marquardt; p is improved in place. Returns the weighted sum of squares that is left.
local function fit(p, signal, window)
  local lambda = 1e-6
  local A, b, sum = normal_equations(p, signal, window)
  for _ = 1, 60 do
    local x = damped_step(A, b, lambda)
    local trial, largest = {}, 0
    for i = 1, x and #p or 0 do
      trial[i] = p[i] + x[i]
      if i > 1 and i % 4 == 0 then largest = max(largest, abs(x[i])) end
    end
    local better = x and evaluate(trial, signal, window)
    if better and better <= sum then
      for i = 1, #p do p[i] = trial[i] end
      if largest < 1e-11 or better == sum then return better end
      A, b, sum = normal_equations(p, signal, window)
      lambda = max(lambda / 10, 1e-12)
    else
      if x and largest < 1e-11 then return sum end
      lambda = lambda * 10
      if lambda > 1e6 then return sum end
    end
  end
  return sum
end

-- Linear fit of the amplitudes with the frequencies held, as the start of the full one.
local function start(p, signal, window)
  local A, b = normal_equations(p, signal, window)
  local keep = { 1 }
  for i = 2, #p do
    if (i - 2) % 4 < 2 then keep[#keep + 1] = i end
  end
  local S, t = {}, {}
  for i, row in ipairs(keep) do
    S[i], t[i] = {}, b[row]
    for j = 1, i do S[i][j] = A[row][keep[j]] end
    S[i][i] = S[i][i] * (1 + 1e-9)
  end
  local x = solve(S, t)
  for i, row in ipairs(x and keep or {}) do p[row] = p[row] + x[i] end
end

local function copy(list) return table.move(list, 1, #list, 1, {}) end

-- The spectral lines of an evenly sampled signal, by rising frequency: { frequency (Hz), amplitude (at the middle of
-- the record), decay (1/s, positive when it dies out) }; nil, message on error. options, all optional:
--   low, high   the band to search, Hz (default: 2 periods in the record; an eighth of the sampling rate)
--   threshold   weakest line, as a fraction of the strongest (default 1e-3)
--   lines       most lines to return (default 12)
function spectrum.lines(time, signal, options)
  options = options or {}
  local step, message = sample_step(time)
  if not step then return nil, message end
  if #signal ~= #time then return nil, "time and signal differ in length" end
  local low = options.low or 2 / (step * #time)
  local high = options.high or 1 / (8 * step)
  if not (low < high) then return nil, "the record is too short for this band" end
  -- Eight samples a period or more are left at the band's upper end, and enough samples for the fit.
  local factor = max(1, min(floor(1 / (8 * high * step)), #signal // 64))
  signal = thin(signal, factor)
  step = step * factor
  local n = #signal
  local window = hann(n)
  local scale = 0
  for i = 1, n do
    if signal[i] ~= signal[i] or abs(signal[i]) == math.huge then return nil, "the signal is not finite" end
    scale = max(scale, abs(signal[i]))
  end
  if scale == 0 then return {} end

  local half = 0.5 * n * step -- of the record, in seconds: t = half * tau
  local p, rest, strongest = { 0.0 }, signal, nil
  while (#p - 1) // 4 < (options.lines or 12) do
    local candidates = peaks(rest, window, step, low, high, (options.threshold or 1e-3) * (strongest or 0))
    -- Peaks that may belong to a stronger one of the same pass, as part of its main lobe (2 bins) or as a side lobe
    -- (0.027 of it), are judged again when that one is gone.
    local lobe = 3 / (n * step)
    local first = candidates[1] and candidates[1].amplitude or 0
    local floor_ = max((options.threshold or 1e-3) * (strongest or 0), 0.1 * first)
    local added = {}
    for _, peak in ipairs(candidates) do
      strongest = strongest or peak.amplitude
      local free = peak.amplitude > floor_
      for _, other in ipairs(added) do free = free and abs(other - peak.frequency) > lobe end
      if free and (#p - 1) // 4 + #added < (options.lines or 12) then added[#added + 1] = peak.frequency end
    end
    if #added == 0 then break end
    local trial = copy(p)
    for _, frequency in ipairs(added) do
      for _, value in ipairs { 0.0, 0.0, 2 * pi * frequency * half, 0.0 } do trial[#trial + 1] = value end
    end
    start(trial, signal, window)
    local before = evaluate(p, signal, window)
    local after = fit(trial, signal, window)
    if not (after < 0.999 * before) then break end
    p = trial
    rest = {}
    evaluate(p, signal, window, function(i, residual) rest[i] = residual end)
  end

  local found = {}
  for k = 2, #p, 4 do
    local frequency = p[k + 2] / (2 * pi * half)
    local gain = (sin(pi * frequency * step) / (factor * sin(pi * frequency * step / factor))) ^ 4 -- of thin()
    local amplitude = sqrt(p[k] ^ 2 + p[k + 1] ^ 2) / gain
    if frequency >= low and frequency <= high and amplitude > 0 then
      found[#found + 1] = { frequency = frequency, amplitude = amplitude, decay = p[k + 3] / half }
    end
  end
  table.sort(found, function(a, b) return a.frequency < b.frequency end)
  return found
end

-- The strongest line within a fraction `width` (default 0.02) of a frequency; nil if there is none.
function spectrum.near(lines, frequency, width)
  local best
  for _, line in ipairs(lines) do
    if abs(line.frequency - frequency) <= (width or 0.02) * frequency and
        (not best or line.amplitude > best.amplitude) then
      best = line
    end
  end
  return best
end

-- Real and imaginary part of the integral of u(t) exp(-2 pi i f t) dt over an evenly sampled record (trapezoidal rule; a
-- record that begins and ends near zero is what it is for).
function spectrum.fourier(time, signal, f)
  local n, w = #time, 2 * pi * f
  local re, im = 0.0, 0.0
  for i = 1, n do
    local u = (i == 1 or i == n) and 0.5 * signal[i] or signal[i]
    re, im = re + u * cos(w * time[i]), im - u * sin(w * time[i])
  end
  local step = (time[n] - time[1]) / (n - 1)
  return re * step, im * step
end

-- Resonance (m, n, p) of a box with perfectly conducting walls, sides a, b, d in metres, filled with epsilon_r and
-- mu_r.
function spectrum.box_resonance(m, n, p, a, b, d, epsilon_r, mu_r)
  local c0 = 299792458.0
  return 0.5 * c0 / sqrt((epsilon_r or 1) * (mu_r or 1)) * sqrt((m / a) ^ 2 + (n / b) ^ 2 + (p / d) ^ 2)
end

return spectrum
