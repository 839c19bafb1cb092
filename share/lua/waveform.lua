-- Functions of time that drive sources: waveform.gaussian { f0 = 1e9, bandwidth = 1e9 } and so on.
--
-- A waveform has `kind` and the numbers of its formula, which cannot be changed; w(t) evaluates it, so that a script can
-- print or plot what it will send. The program reads the numbers and evaluates the same formulas without Lua (waveform.c).
-- All times are seconds, all frequencies hertz. Each waveform is below 1e-9 of its largest value for t <= 0.
--
-- Spectra are W(f) = integral of w(t) exp(-2 pi i f t) dt; |W| is given for amplitude 1.

-- From the program: nearest(name, table) is the nearest key of the table or nil; the metatable by which it knows a
-- waveform; the script's folder with its slash, or ""; a function that opens a file of that folder, which scripts do not
-- have. Names are those of Lua's libraries as they were before the script, and so are methods of strings.
local nearest, metatable, folder, open = ...

local pi, exp, sin, cos, sqrt, log = math.pi, math.exp, math.sin, math.cos, math.sqrt, math.log
local START = 5.0     -- t0 / tau of every Gaussian: exp(-25) = 1.4e-11
local START_MIN = 4.6 -- the least that a script may ask for: exp(-21.16) = 6.5e-10
local TENTH = sqrt(log(10)) -- exp(-TENTH^2) = 0.1, that is -20 dB

-- ---- evaluation: w(t)

local function fade_in(t, rise)
  if t <= 0 then return 0.0 end
  return t >= rise and 1.0 or 0.5 * (1 - cos(pi * t / rise))
end

local function interpolate(times, values, t)
  local low, high = 1, #times
  if not (t >= times[1] and t <= times[high]) then return 0.0 end
  while high - low > 1 do
    local middle = (low + high) // 2
    if times[middle] <= t then low = middle else high = middle end
  end
  local s = (t - times[low]) / (times[high] - times[low])
  return (1 - s) * values[low] + s * values[high]
end

local shapes = {
  gaussian = function(w, t)
    local u = (t - w.t0) / w.tau
    return exp(-u * u)
  end,
  modulated_gaussian = function(w, t)
    local u = (t - w.t0) / w.tau
    return exp(-u * u) * sin(2 * pi * w.f0 * (t - w.t0))
  end,
  differentiated_gaussian = function(w, t)
    local u = (t - w.t0) / w.tau
    return -sqrt(2 * exp(1)) * u * exp(-u * u)
  end,
  ricker = function(w, t)
    local u = (t - w.t0) / w.tau
    return (1 - 2 * u * u) * exp(-u * u)
  end,
  sine = function(w, t) return fade_in(t, w.rise) * sin(2 * pi * w.f0 * t) end,
  step = function(w, t) return fade_in(t, w.rise) end,
  double_exponential = function(w, t)
    if t <= 0 then return 0.0 end
    local rise, fall = w.rise, w.fall
    local at = log(fall / rise) * rise * fall / (fall - rise) -- where it is largest
    return (exp(-t / fall) - exp(-t / rise)) / (exp(-at / fall) - exp(-at / rise))
  end,
  table = function(w, t) return interpolate(w.times, w.values, t) end,
}

-- ---- the waveform: an empty table in front of that of its numbers, which it keeps under the key `false`

local function numbers_of(w) return rawget(w, false) end

-- A list that can be read and not changed.
local function read_only(list)
  return setmetatable({}, {
    __index = list,
    __len = function() return #list end,
    __pairs = function() return next, table.move(list, 1, #list, 1, {}) end,
    __newindex = function() error("the points of a waveform cannot be changed: make another waveform", 2) end,
    __metatable = "waveform points",
  })
end

metatable.__metatable = "waveform"
metatable.__call = function(w, t)
  if type(t) ~= "number" then error("a waveform is called with one number, the time in seconds", 2) end
  local numbers = numbers_of(w)
  return numbers.amplitude * shapes[numbers.kind](numbers, t + 0.0)
end
metatable.__index = function(w, key)
  local numbers = numbers_of(w)
  local value = numbers[key]
  if type(value) == "table" then return read_only(value) end
  if value ~= nil then return value end
  local near = nearest(tostring(key), numbers)
  error(("a waveform of kind %s has no '%s'%s"):format(numbers.kind, tostring(key),
    near and (" (nearest: '%s')"):format(near) or ""), 2)
end
metatable.__newindex = function(_, key)
  error(("'%s' of a waveform cannot be set: make another waveform"):format(tostring(key)), 2)
end
metatable.__pairs = function(w)
  local copy = {}
  for key in next, numbers_of(w) do copy[key] = w[key] end
  return next, copy
end

-- ---- checking what a script gives

local function describe(value)
  if type(value) == "string" then return ('the string "%s"'):format(value) end
  if value ~= value then return "nan" end
  if type(value) == "number" then return ("%.14g"):format(value) end
  if type(value) == "boolean" then return tostring(value) end
  return value == nil and "nothing" or "a " .. type(value)
end

local function is_finite(value) return type(value) == "number" and value - value == 0 end
local function is_positive(value) return is_finite(value) and value > 0 end

-- What a key takes: a test, and how to say it.
local number = { is_finite, "a number" }
local frequency = { is_positive, "a number > 0 (Hz)" }
local duration = { is_positive, "a number > 0 (s)" }
local list = { function(value) return type(value) == "table" end, "a list of numbers" }
local file_name = { function(value) return type(value) == "string" and value ~= "" end, "a file name" }

-- nil if the options are what the keys say, otherwise the message.
local function fault(options, keys)
  if type(options) ~= "table" then return "takes one table, not " .. describe(options) end
  local given = {}
  for key in next, options do
    if type(key) ~= "string" then return ("has keys with names only, and item %s has none"):format(tostring(key)) end
    given[#given + 1] = key
  end
  table.sort(given)
  for _, key in ipairs(given) do
    if not keys[key] then
      local near = nearest(key, keys)
      local known = {}
      for name in next, keys do known[#known + 1] = name end
      table.sort(known)
      return ("has no key '%s' (%s)"):format(key, near and ("nearest: '%s'"):format(near)
        or "known: " .. table.concat(known, ", "))
    end
  end
  for _, key in ipairs(given) do
    local test, expected = keys[key][1], keys[key][2]
    if not test(options[key]) then return ("%s must be %s, not %s"):format(key, expected, describe(options[key])) end
  end
end

local constructors = {}

-- Adds waveform.NAME { keys }; make(options) returns the waveform's fields, or nil and a message.
local function define(name, example, keys, make)
  keys.amplitude = number
  constructors[name] = function(...)
    local options, fields, message = ..., nil, nil
    if select("#", ...) ~= 1 then message = "takes one table"
    else message = fault(options, keys) end
    if not message then fields, message = make(options) end
    if not fields then
      local colon = message:find "^takes one table" or message:find "^has " and true or false
      error(("waveform.%s%s %s (for example: waveform.%s { %s })"):format(name, colon and "" or ":", message, name,
        example), 2)
    end
    for key, value in next, fields do
      if type(value) == "number" then fields[key] = value + 0.0 end
    end
    fields.amplitude = (options.amplitude or 1) + 0.0
    return setmetatable({ [false] = fields }, metatable)
  end
end

-- ---- gaussian { bandwidth or tau, t0 }: w = exp(-((t - t0)/tau)^2)
-- |W| = sqrt(pi) tau exp(-(pi tau f)^2), largest at f = 0. `bandwidth` is the frequency where it is 20 dB below that:
-- pi tau bandwidth = sqrt(ln 10).
-- gaussian { f0, bandwidth or tau, t0 }: w = exp(-((t - t0)/tau)^2) sin(2 pi f0 (t - t0))
-- |W| = sqrt(pi)/2 tau |exp(-(pi tau (f - f0))^2) - exp(-(pi tau (f + f0))^2)|, nothing at f = 0. `bandwidth` is the
-- full width of the band around f0 where it is at most 20 dB below its value at f0: pi tau bandwidth/2 = sqrt(ln 10).
define("gaussian", "f0 = 1e9, bandwidth = 1e9",
  { f0 = frequency, bandwidth = frequency, tau = duration, t0 = duration },
  function(o)
    if o.bandwidth and o.tau then return nil, "takes 'bandwidth' or 'tau', not both" end
    if not o.bandwidth and not o.tau then return nil, "'bandwidth' is missing" end
    local tau = o.tau or (o.f0 and 2 or 1) * TENTH / (pi * o.bandwidth)
    if o.f0 and pi * tau * o.f0 < TENTH * (1 - 1e-9) then
      if o.bandwidth then
        return nil, ("bandwidth must be at most 2 f0, or the band reaches zero; it is %s f0"):format(
          describe(o.bandwidth / o.f0))
      end
      return nil, ("tau must be at least sqrt(ln 10)/(pi f0) = %.6g s, or the band reaches zero"):format(
        TENTH / (pi * o.f0))
    end
    local t0 = o.t0 or START * tau
    if t0 < START_MIN * tau * (1 - 1e-9) then
      return nil, ("t0 must be at least %g tau = %.6g s, so that the waveform starts from zero, not %s"):format(
        START_MIN, START_MIN * tau, describe(t0))
    end
    return { kind = o.f0 and "modulated_gaussian" or "gaussian", f0 = o.f0, tau = tau, t0 = t0 }
  end)

-- ---- differentiated_gaussian { f_peak }: w = -sqrt(2 e) u exp(-u^2), u = (t - t0)/tau, tau = 1/(sqrt(2) pi f_peak)
-- The first derivative of a Gaussian, first up and then down. |W| grows as f and is largest at f_peak:
-- |W(f)|/|W(f_peak)| = f/f_peak exp((1 - (f/f_peak)^2)/2).
define("differentiated_gaussian", "f_peak = 1e9", { f_peak = frequency }, function(o)
  if not o.f_peak then return nil, "'f_peak' is missing" end
  local tau = 1 / (sqrt(2) * pi * o.f_peak)
  return { kind = "differentiated_gaussian", tau = tau, t0 = START * tau }
end)

-- ---- ricker { f_peak }: w = (1 - 2 u^2) exp(-u^2), u = (t - t0)/tau, tau = 1/(pi f_peak)
-- The negative second derivative of a Gaussian. |W| grows as f^2 and is largest at f_peak:
-- |W(f)|/|W(f_peak)| = (f/f_peak)^2 exp(1 - (f/f_peak)^2).
define("ricker", "f_peak = 1e9", { f_peak = frequency }, function(o)
  if not o.f_peak then return nil, "'f_peak' is missing" end
  local tau = 1 / (pi * o.f_peak)
  return { kind = "ricker", tau = tau, t0 = START * tau }
end)

-- ---- sine { f0, rise = 3/f0 }: w = sin(2 pi f0 t), faded in over `rise` by (1 - cos(pi t/rise))/2
-- A line at f0 once it is in; the fade spreads it by about 1/rise.
define("sine", "f0 = 1e9", { f0 = frequency, rise = duration }, function(o)
  if not o.f0 then return nil, "'f0' is missing" end
  return { kind = "sine", f0 = o.f0, rise = o.rise or 3 / o.f0 }
end)

-- ---- step { rise }: w = (1 - cos(pi t/rise))/2 up to t = rise, then 1
-- |W| = |cos(pi f rise)| / (2 pi f |1 - (2 f rise)^2|): 1/f as of a sharp step up to f = 1/(2 rise), then 1/f^3.
define("step", "rise = 1e-9", { rise = duration }, function(o)
  if not o.rise then return nil, "'rise' is missing" end
  return { kind = "step", rise = o.rise }
end)

-- ---- double_exponential { rise, fall }: w = (exp(-t/fall) - exp(-t/rise)) / its largest value, rise < fall
-- |W(f)|/|W(0)| = 1/sqrt((1 + (2 pi f fall)^2) (1 + (2 pi f rise)^2)): flat up to 1/(2 pi fall), then 1/f, and 1/f^2
-- from 1/(2 pi rise). The early pulse of IEC 61000-2-9 (high-altitude EMP), 1.3 x 50 kV/m (exp(-4e7 t) - exp(-6e8 t)),
-- is amplitude = 50e3, rise = 1/6e8, fall = 1/4e7.
define("double_exponential", "rise = 1/6e8, fall = 1/4e7", { rise = duration, fall = duration }, function(o)
  if not o.rise then return nil, "'rise' is missing" end
  if not o.fall then return nil, "'fall' is missing" end
  if o.rise >= o.fall then
    return nil, ("rise must be less than fall, not %s and %s"):format(describe(o.rise), describe(o.fall))
  end
  return { kind = "double_exponential", rise = o.rise, fall = o.fall }
end)

-- ---- table { times, values }, csv { file }: straight lines between the points, zero before and after them
-- |W| is that of the points. Each kink adds a tail that falls as 1/f^2, a last value that is not zero one of 1/f.

local function copy_list(name, from)
  local to = {}
  for i = 1, #from do
    local value = from[i] -- once: a table can give something else each time
    if not is_finite(value) then return nil, ("%s[%d] must be a number, not %s"):format(name, i, describe(value)) end
    to[i] = value + 0.0
  end
  for key in next, from do
    if math.type(key) ~= "integer" or key < 1 or key > #from then
      return nil, ("%s must be a list of numbers; it has the key '%s'"):format(name, tostring(key))
    end
  end
  return to
end

-- The waveform of two lists of finite numbers; place(i) names a point in messages.
local function tabulate(times, values, place)
  if #times < 2 then return nil, ("at least 2 points are needed, not %d"):format(#times) end
  if times[1] < 0 then return nil, ("%s: the first time must be >= 0, not %s"):format(place(1), describe(times[1])) end
  local largest = 0.0
  for i = 1, #times do
    if i > 1 and times[i] <= times[i - 1] then
      return nil, ("%s: times must increase, but %s follows %s"):format(place(i), describe(times[i]),
        describe(times[i - 1]))
    end
    largest = math.max(largest, math.abs(values[i]))
  end
  if math.abs(values[1]) > 1e-9 * largest then
    return nil, ("%s: the first value must be 0, as the waveform is before, not %s"):format(place(1),
      describe(values[1]))
  end
  return { kind = "table", times = times, values = values }
end

define("table", "times = { 0, 1e-9, 2e-9 }, values = { 0, 1, 0 }", { times = list, values = list }, function(o)
  if not o.times then return nil, "'times' is missing" end
  if not o.values then return nil, "'values' is missing" end
  local times, message = copy_list("times", o.times)
  if not times then return nil, message end
  local values
  values, message = copy_list("values", o.values)
  if not values then return nil, message end
  if #times ~= #values then
    return nil, ("there are %d times and %d values; there must be as many"):format(#times, #values)
  end
  return tabulate(times, values, function(i) return ("point %d"):format(i) end)
end)

-- The two columns of a file: times and values, separated by a comma, a semicolon or blanks. Empty lines and what
-- follows a '#' are skipped; the first line may hold names.
local function read_columns(path)
  local file, message = open(path)
  if not file then return nil, ("cannot open %s"):format(message) end
  local times, values, lines, n, header = {}, {}, {}, 0, false
  for line in file:lines() do
    n = n + 1
    local fields = {}
    line = line:gsub("#.*", ""):gsub("^\xef\xbb\xbf", "")
    for field in line:gmatch "[^,;%s]+" do fields[#fields + 1] = field end
    local time, value = tonumber(fields[1]), tonumber(fields[2])
    if #fields == 2 and is_finite(time) and is_finite(value) then
      times[#times + 1], values[#values + 1], lines[#lines + 1] = time + 0.0, value + 0.0, n
    elseif #fields > 0 then
      if #times > 0 or header or time or value then
        file:close()
        return nil, ("%s:%d: a line must hold two numbers, the time (s) and the value"):format(path, n)
      end
      header = true
    end
  end
  file:close()
  return times, values, lines
end

define("csv", "file = \"pulse.csv\"", { file = file_name }, function(o)
  if not o.file then return nil, "'file' is missing" end
  local path = o.file:sub(1, 1) == "/" and o.file or folder .. o.file
  local times, values, lines = read_columns(path)
  if not times then return nil, values end
  local object, message = tabulate(times, values, function(i) return ("%s:%d"):format(path, lines[i]) end)
  if not object then return nil, message:find(path, 1, true) == 1 and message or ("%s: %s"):format(path, message) end
  return object
end)

-- ---- the global

setmetatable(constructors, {
  __index = function(_, key)
    local near = nearest(tostring(key), constructors)
    local names = {}
    for name in next, constructors do names[#names + 1] = name end
    table.sort(names)
    error(("waveform has no '%s' (%s)"):format(tostring(key), near and ("nearest: '%s'"):format(near)
      or "it has " .. table.concat(names, ", ")), 2)
  end,
})

_G.waveform = setmetatable({}, {
  __index = constructors,
  __pairs = function() return next, constructors end,
  __newindex = function(_, key)
    error(("waveform.%s cannot be set: waveform is read-only"):format(tostring(key)), 2)
  end,
})
