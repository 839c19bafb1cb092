-- Tests of the Lua modules under share/lua: run as `lua5.4 test_lua.lua [FOLDER FOR FILES]`.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/../?.lua;" .. package.path
local spectrum = require "curlew.spectrum"
local json = require "curlew.json"
local scratch = arg[1] or os.getenv("TMPDIR") or "/tmp"

local count, failed = 0, 0
local function check(ok, what, ...)
  count = count + 1
  if not ok then
    failed = failed + 1
    print("FAIL: " .. string.format(what, ...))
  end
end

-- A signal of damped lines { frequency, amplitude, phase, decay }, sampled every `step` seconds.
local function synthesise(lines, step, samples, more)
  local time, signal = {}, {}
  for i = 1, samples do
    local t = (i - 1) * step
    local u = 0.0
    for _, line in ipairs(lines) do
      u = u + line[2] * math.exp(-(line[4] or 0) * t) * math.cos(2 * math.pi * line[1] * t + (line[3] or 0))
    end
    time[i], signal[i] = t, u + (more and more(t, i) or 0)
  end
  return time, signal
end

-- Every given line must be found to `tolerance` (relative), and no more than `extra` others.
local function expect(name, lines, tolerance, step, samples, options, more)
  local time, signal = synthesise(lines, step, samples, more)
  local found, message = spectrum.lines(time, signal, options)
  check(found, "%s: %s", name, message)
  if not found then return end
  local used = {}
  for _, line in ipairs(lines) do
    local best
    for _, candidate in ipairs(found) do
      local distance = math.abs(candidate.frequency - line[1])
      if not best or distance < math.abs(best.frequency - line[1]) then best = candidate end
    end
    local off = best and math.abs(best.frequency / line[1] - 1) or math.huge
    check(off <= tolerance and not used[best], "%s: %.6g Hz found at %.9g, relative error %.2e", name, line[1],
      best and best.frequency or 0 / 0, off)
    if best then used[best] = true end
  end
  check(#found == #lines, "%s: %d lines found, %d are there", name, #found, #lines)
  return found
end

local MHz, ns = 1e6, 1e-9

-- 53 periods, 20 samples a period.
local one = expect("one line", { { 211.985 * MHz, 1.0, 0.3 } }, 1e-9, 0.25 * ns, 1000)
check(one and math.abs(one[1].amplitude - 1) < 1e-6, "one line: amplitude")
-- 150 samples a period, thinned out inside; the amplitude is that of the original.
local fine = expect("finely sampled", { { 211.985 * MHz, 0.7, 0.3 } }, 1e-6, 0.03 * ns, 8400, { high = 500 * MHz })
check(fine and math.abs(fine[1].amplitude / 0.7 - 1) < 1e-4, "finely sampled: amplitude")
-- 9 periods only.
expect("short record", { { 211.985 * MHz, 1.0, 1.0 }, { 335.178 * MHz, 0.3, 2.0 } }, 1e-6, 0.1 * ns, 430)
-- The cube's lowest lines, one of them 1000 times weaker than the strongest, and a static part.
expect("many lines", {
  { 211.985 * MHz, 1.0, 0.1 }, { 259.628 * MHz, 0.2, 0.9 }, { 335.178 * MHz, 0.5, 2.2 }, { 367.169 * MHz, 0.05, 1.1 },
  { 423.970 * MHz, 3e-3, 0.4 }, { 449.689 * MHz, 0.3, -2.0 },
}, 1e-7, 0.2 * ns, 1500, nil, function() return 0.8 end)
-- Damped, as with upwind fluxes: the decay is found too.
local damped = expect("damped lines", { { 1.0e9, 1.0, 0.0, 2e6 }, { 1.3e9, 0.8, 1.0, 6e6 } }, 1e-8, 0.05 * ns, 2000)
check(damped and math.abs(damped[1].decay / 2e6 - 1) < 1e-4, "damped lines: first decay")
check(damped and math.abs(damped[2].decay / 6e6 - 1) < 1e-4, "damped lines: second decay")
-- Lines 2.5 and 1.5 bins apart (one bin: 1/T = 4 MHz) that show as one peak under the window.
expect("2.5 bins apart", { { 300 * MHz, 1.0, 0.2 }, { 310 * MHz, 0.6, 1.7 } }, 1e-6, 0.25 * ns, 1000)
expect("1.5 bins apart", { { 300 * MHz, 1.0, 0.2 }, { 306 * MHz, 0.6, 1.7 } }, 1e-5, 0.25 * ns, 1000)
-- A strong line outside the band must not disturb, sampled finely enough to be thinned out or not.
for _, samples in ipairs { 1000, 10000 } do
  local time, signal = synthesise({ { 212 * MHz, 1.0 }, { 1517 * MHz, 1.0, 0.7 } }, 250 * ns / samples, samples)
  local found = assert(spectrum.lines(time, signal, { high = 400 * MHz }))
  local line = spectrum.near(found, 212 * MHz)
  check(line and math.abs(line.frequency / (212 * MHz) - 1) < 1e-5, "%d samples: out-of-band line disturbs: %.9g",
    samples, line and line.frequency or 0 / 0)
end
-- Noise of 1e-3: 53 periods still give 1e-5.
local seed = 12345
local noisy = function()
  seed = (1103515245 * seed + 12345) % 2147483648
  return 2e-3 * (seed / 2147483648 - 0.5)
end
expect("noise", { { 211.985 * MHz, 1.0, 0.3 }, { 259.628 * MHz, 0.4, 0.3 } }, 1e-5, 0.25 * ns, 1000,
  { threshold = 0.01 }, noisy)
-- Nothing there, and bad input.
local time, silence = synthesise({}, ns, 100)
check(#assert(spectrum.lines(time, silence)) == 0, "silence has no lines")
check(not spectrum.lines({ 0, 1 }, { 0, 1 }), "two samples are an error")
time[50] = time[50] + 0.1 * ns
local nothing, message = spectrum.lines(time, silence)
check(not nothing and message:find("sample 50"), "uneven sampling names the sample: %s", message)
time[50] = 49 * ns
silence[10] = 0 / 0
check(not spectrum.lines(time, silence), "NaN is an error")
check(spectrum.near({ { frequency = 100, amplitude = 1 }, { frequency = 101, amplitude = 2 } }, 100).frequency == 101,
  "near takes the strongest")
check(not spectrum.near({ { frequency = 100, amplitude = 1 } }, 103), "near keeps to its width")
-- Published values of the two boxes (the 1 m cube, MHz; 5 x 2 x 6 cm, GHz).
local box = spectrum.box_resonance
for _, case in ipairs {
  { 211.985e6, 1, 1, 0, 1, 1, 1 }, { 259.628e6, 1, 1, 1, 1, 1, 1 }, { 335.178e6, 2, 1, 0, 1, 1, 1 },
  { 3.90242e9, 1, 0, 1, 0.05, 0.02, 0.06 }, { 5.82692e9, 1, 0, 2, 0.05, 0.02, 0.06 },
  { 6.49550e9, 2, 0, 1, 0.05, 0.02, 0.06 }, { 8.07216e9, 1, 1, 0, 0.05, 0.02, 0.06 },
} do
  local value = box(table.unpack(case, 2))
  check(math.abs(value / case[1] - 1) < 5e-6, "box resonance %.9g instead of %.9g", value, case[1])
end
check(math.abs(box(1, 1, 0, 1, 1, 1, 4) / 105.9926e6 - 1) < 1e-6, "filled box")

-- Files.
-- The transform of a Gaussian that is centred at t0: sqrt(pi) tau exp(-(pi tau f)^2) exp(-2 pi i f t0).
do
  local tau, t0, f = 1e-9, 6e-9, 0.4e9
  local time, signal = {}, {}
  for i = 1, 1201 do
    time[i] = (i - 1) * 1e-11
    signal[i] = math.exp(-((time[i] - t0) / tau) ^ 2)
  end
  local re, im = spectrum.fourier(time, signal, f)
  local size = math.sqrt(math.pi) * tau * math.exp(-(math.pi * tau * f) ^ 2)
  check(math.abs(re - size * math.cos(2 * math.pi * f * t0)) < 1e-9 * tau, "transform of a Gaussian: real part %g", re)
  check(math.abs(im + size * math.sin(2 * math.pi * f * t0)) < 1e-9 * tau, "transform of a Gaussian: imaginary %g", im)
end

local function write(name, text)
  local path = scratch .. "/" .. name
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end
local path = write("probe.csv", "time,Ex,Ey,Ez,Hx,Hy,Hz\n0,1,2,3,4,5,6\n1e-9,-1,-2,-3.5e-1,-4,-5,-6\n")
local record = assert(spectrum.read_probe(path))
check(#record.time == 2 and record.Ez[2] == -0.35 and record.Hz[1] == 6, "read_probe")
local function bad_csv(text, where)
  local ok, why = spectrum.read_probe(write("probe.csv", text))
  check(not ok and why:find(where, 1, true), "bad CSV: %s", why)
end
bad_csv("", "empty")
bad_csv("time,Ex\n0,1\n", ":1:")
bad_csv("time,Ex,Ey,Ez,Hx,Hy,Hz\n0,1,2,3,4,5,6\n1,2,3\n", ":3: 3 columns")
bad_csv("time,Ex,Ey,Ez,Hx,Hy,Hz\n0,1,2,x,4,5,6\n", ":2: column 4")
bad_csv("time,Ex,Ey,Ez,Hx,Hy,Hz\n0,1,2,3,4,5,6,7\n", ":2: column 8")
os.remove(path)
check(not spectrum.read_probe(scratch .. "/no-such-file.csv"), "a missing file is an error")

local value = assert(json.decode(
  ' {"a": [1, -2.5e3, 0.25], "b": {"c": true, "d": null, "e": false}, ' ..
  '"s": "q\\"\\u00e9\\ud83d\\ude00\\n", "o": {}, "l": []} '))
check(#value.a == 3 and value.a[2] == -2500 and value.a[3] == 0.25, "json: array")
check(value.b.c == true and value.b.d == json.null and value.b.e == false, "json: words")
check(value.s == 'q"é😀\n' and next(value.o) == nil and #value.l == 0, "json: string, empty object and array")
for _, text in ipairs {
  "", "{", "[1,]", '{"a":1,}', '{"a" 1}', "nan", "01", "1.", "+1", ".5", "[1 2]", "{} {}", '"a', '"\\x"', "tru",
  '{"a":1,"a":2}',
  '"\\ud800"', "1e", '"a\nb"', "{a:1}",
} do
  local result, why = json.decode(text)
  check(result == nil and type(why) == "string", "json: %q must be an error", text)
end
local _, why = json.decode('{\n"a": 1,\n"b": ?}')
check(why and why:find("line 3", 1, true), "json: the message names the line: %s", why)

print(string.format("%d checks, %d failed", count, failed))
os.exit(failed == 0)
