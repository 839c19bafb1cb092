-- Checks the output of an example against its expected.lua:
--
--   lua5.4 examples/check.lua examples/01_cavity OUTPUT_FOLDER [CURVES.csv]
--
-- writes the curves, measured and exact, if the third argument is there, prints a table and exits with 0 only if
-- everything is within its tolerance. expected.lua returns
--   output       name of the output folder
--   summary      keys of summary.json with their values; the status must be that of a run that ended well
--   resonances   list of { label, exact (Hz), tolerance (relative), set: name of an entry of output.resonances; q and
--                q_tolerance (relative): its Q; doubt: true if the program may doubt it } or, fitted here, of { label,
--                probe, field, exact, tolerance, low and high: band to search (Hz, default 0 to 4 exact), after: where
--                the record begins (s) }
--   waveforms    list of { probe, at, exact = function(x, y, z, t) -> Ex, Ey, Ez, Hx, Hy, Hz,
--                  tolerance (fraction of the maximum) }
--   energy       { initial (J), tolerance (relative), growth: largest relative rise over any earlier value,
--                  kept: least fraction of the first value that is left at the end }
--   quantities   list of { label, unit, scale (of the print, default 1), measured = function(run) -> number or nil and
--                a message, exact, tolerance (relative) or within (absolute) }
--   curves       { from, to, points, x = name of the abscissa, then a list of { label, measured = function(run, x),
--                exact = function(x), tolerance (absolute, of the largest difference) }; without exact it is only
--                written }
--   snapshots    least number of fields_NNNNNN.silo
-- where run.csv(FILE) is the table of a CSV file's columns, and run.fourier(FILE, COLUMN, f) the real and imaginary
-- part of the Fourier transform of a column; run.summary() is summary.json. Only output is required. The keys that the output contract promises are
-- always checked.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/../share/lua/?.lua;" .. package.path
local json = require "curlew.json"
local spectrum = require "curlew.spectrum"

local contract = {
  name = "string", backend = "string", precision = "string", order = "number", elements = "number", unknowns = "number",
  ranks = "number", threads = "number", time_step = "number", stability_limit = "number", steps = "number",
  simulated_time = "number", loop_seconds = "number", dof_per_second = "number", evaluations_per_second = "number",
  seconds = "table", peak_memory_bytes = "number", versions = "table", status = "string",
}
local phases = { "meshing", "setup", "stepping", "halo", "sources", "output" }
local status_of_success = "done"

local failures = 0
local function verdict(ok, format, ...)
  if not ok then failures = failures + 1 end
  print((ok and "  ok    " or "  FAIL  ") .. string.format(format, ...))
  return ok
end

local function near(value, exact, tolerance) return math.abs(value - exact) <= tolerance * math.abs(exact) end

local function check_summary(folder, wanted)
  local summary, message = json.read(folder .. "/summary.json")
  if not verdict(summary, "summary.json can be read%s", summary and "" or ": " .. tostring(message)) then return end
  local missing = {}
  for key, kind in pairs(contract) do
    if type(summary[key]) ~= kind then missing[#missing + 1] = key end
  end
  for _, phase in ipairs(phases) do
    if type((summary.seconds or {})[phase]) ~= "number" then missing[#missing + 1] = "seconds." .. phase end
  end
  table.sort(missing)
  local lacking = #missing == 0 and "" or ", but not " .. table.concat(missing, ", ")
  verdict(#missing == 0, "summary.json has its keys%s", lacking)
  verdict(summary.status == status_of_success, "status is '%s'", tostring(summary.status))
  local keys = {}
  for key in pairs(wanted or {}) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    verdict(summary[key] == wanted[key], "%s is %s (expected %s)", key, tostring(summary[key]), tostring(wanted[key]))
  end
  if #missing > 0 then return end
  local p = summary.order
  verdict(summary.unknowns == summary.elements * (p + 1) * (p + 2) * (p + 3), "%d unknowns in %d elements of order %d",
    summary.unknowns, summary.elements, p)
  verdict(summary.time_step <= summary.stability_limit, "step %.4g s, stability limit %.4g s", summary.time_step,
    summary.stability_limit)
  return summary
end

-- Records by probe, read once; nil after a failure that has been reported.
local function probes_of(folder)
  local records = {}
  return function(name)
    if records[name] == nil then
      local record, message = spectrum.read_probe(folder .. "/probes/" .. name .. ".csv")
      if not record then verdict(false, "probe: %s", message) end
      records[name] = record or false
    end
    return records[name] or nil
  end
end

-- A resonance that the program has found itself: the nearest one of the set.
local function check_found(wanted, summary)
  local line
  for _, one in ipairs(summary and summary.resonances or {}) do
    local nearer = not line or math.abs(one.frequency - wanted.exact) < math.abs(line.frequency - wanted.exact)
    if one.name == wanted.set and nearer then line = one end
  end
  if not line then return verdict(false, "resonance %s: '%s' has found none", wanted.label, wanted.set) end
  local off = line.frequency / wanted.exact - 1
  verdict(math.abs(off) <= wanted.tolerance,
    "resonance %s: measured %.4f MHz, exact %.4f MHz, relative error %+.1e (tolerance %.1e)", wanted.label,
    line.frequency / 1e6, wanted.exact / 1e6, off, wanted.tolerance)
  if not wanted.q then return end
  local off_q = line.Q / wanted.q - 1
  verdict(math.abs(off_q) <= wanted.q_tolerance, "Q of %s: measured %.5g, exact %.5g, relative error %+.1e (tolerance %.1e)",
    wanted.label, line.Q, wanted.q, off_q, wanted.q_tolerance)
  verdict(wanted.doubt or type(line.doubt) ~= "string", "%s: %s", wanted.label,
    type(line.doubt) == "string" and line.doubt or "nothing is known against it")
end

local function check_resonances(list, probe, summary)
  for _, wanted in ipairs(list) do
    local record = wanted.probe and probe(wanted.probe)
    if wanted.set then check_found(wanted, summary) end
    local lines, message
    if record then
      local first = 1
      while (record.time[first] or math.huge) < (wanted.after or 0) do first = first + 1 end
      local time = table.move(record.time, first, #record.time, 1, {})
      local signal = table.move(record[wanted.field], first, #record.time, 1, {})
      lines, message = spectrum.lines(time, signal, { low = wanted.low, high = wanted.high or 4 * wanted.exact })
    end
    if record and not lines then
      verdict(false, "lines of %s at %s: %s", wanted.field, wanted.probe, message)
    elseif record then
      local line = spectrum.near(lines, wanted.exact)
      if line then
        local off = line.frequency / wanted.exact - 1
        verdict(math.abs(off) <= wanted.tolerance,
          "resonance %s: measured %.4f MHz, exact %.4f MHz, relative error %+.1e (tolerance %.1e)", wanted.label,
          line.frequency / 1e6, wanted.exact / 1e6, off, wanted.tolerance)
      else
        verdict(false, "resonance %s: no line near %.4f MHz", wanted.label, wanted.exact / 1e6)
      end
    end
  end
end

local columns = { "Ex", "Ey", "Ez", "Hx", "Hy", "Hz" }

local function check_waveform(wanted, record)
  local error_, size = { 0, 0 }, { 0, 0 } -- of E, of H
  for i, t in ipairs(record.time) do
    local exact = { wanted.exact(wanted.at[1], wanted.at[2], wanted.at[3], t) }
    for k, column in ipairs(columns) do
      local field = k <= 3 and 1 or 2
      local off = math.abs(record[column][i] - exact[k])
      if not (off <= error_[field]) then error_[field] = off end -- NaN counts as larger
      size[field] = math.max(size[field], math.abs(exact[k]))
    end
  end
  for field, name in ipairs { "E", "H" } do
    local off = error_[field] / size[field]
    verdict(#record.time > 1 and off <= wanted.tolerance,
      "%s at %s over %d samples: largest error %.2g of the maximum (tolerance %.2g)", name, wanted.probe,
      #record.time, off, wanted.tolerance)
  end
end

-- What quantities and curves get: the files of the run, each read once.
local function access_to(folder)
  local files = {}
  local run = {}
  function run.csv(file)
    files[file] = files[file] or assert(spectrum.read_csv(folder .. "/" .. file))
    return files[file]
  end
  function run.summary() return assert(json.read(folder .. "/summary.json")) end
  function run.fourier(file, column, f)
    local record = run.csv(file)
    return spectrum.fourier(record.time, assert(record[column], file .. " has no column " .. column), f)
  end
  return run
end

local function check_quantity(wanted, run)
  local fine, value, message = pcall(wanted.measured, run)
  if not (fine and type(value) == "number") then
    return verdict(false, "%s: %s", wanted.label, tostring(fine and message or value))
  end
  local off, scale = value - wanted.exact, wanted.scale or 1
  local within = wanted.within or wanted.tolerance * math.abs(wanted.exact)
  verdict(math.abs(off) <= within, "%s: measured %.5g %s, expected %.5g, off by %+.2g (tolerance %.2g)", wanted.label,
    value * scale, wanted.unit or "", wanted.exact * scale, off * scale, within * scale)
end

local function check_curves(curves, run, path)
  local file = path and assert(io.open(path, "w"))
  local row, worst = { curves.x or "x" }, {}
  for _, curve in ipairs(curves) do
    row[#row + 1] = curve.label
    if curve.exact then row[#row + 1] = curve.label .. " exact" end
  end
  if file then file:write(table.concat(row, ","), "\n") end
  for i = 0, curves.points - 1 do
    local x = curves.from + (curves.to - curves.from) * i / (curves.points - 1)
    row = { x }
    for k, curve in ipairs(curves) do
      local fine, value = pcall(curve.measured, run, x)
      if not fine then return verdict(false, "%s: %s", curve.label, tostring(value)) end
      local exact = curve.exact and curve.exact(x)
      local off = math.abs(value - (exact or value))
      if i == 0 or not (off <= worst[k].off) then worst[k] = { off = off, x = x } end
      row[#row + 1] = value
      if exact then row[#row + 1] = exact end
    end
    for k, value in ipairs(row) do row[k] = string.format("%.8g", value) end
    if file then file:write(table.concat(row, ","), "\n") end
  end
  if file then file:close() end
  for k, curve in ipairs(curves) do
    local ok = not curve.exact or worst[k].off <= curve.tolerance
    verdict(ok, "%s at %d points%s", curve.label, curves.points, not curve.exact and "" or
      (": off by %.2g at most, at %s = %.4g (tolerance %.2g)"):format(worst[k].off, curves.x or "x", worst[k].x,
      curve.tolerance))
  end
end

local function check_energy(wanted, folder)
  local record, message = spectrum.read_csv(folder .. "/energy.csv")
  if not verdict(record, "energy.csv can be read%s", record and "" or ": " .. tostring(message)) then return end
  local header = table.concat(record.names, ",")
  if not verdict(header == "step,time,electric,magnetic,total", "columns of energy.csv: %s", header) then return end
  local total = record.total
  if not verdict(#total > 1, "%d energies", #total) then return end
  if wanted.initial then
    verdict(near(total[1], wanted.initial, wanted.tolerance), "first energy %.6g J, exact %.6g J (tolerance %.1e)",
      total[1], wanted.initial, wanted.tolerance)
  end
  local growth, least = 0, total[1]
  for _, value in ipairs(total) do
    if not (value / least - 1 <= growth) then growth = value / least - 1 end
    if value < least then least = value end
  end
  verdict(growth <= wanted.growth, "energy rises by %.1e at most (tolerance %.1e)", growth, wanted.growth)
  verdict(total[#total] >= wanted.kept * total[1], "%.4f of the energy is left (least %.2f)", total[#total] / total[1],
    wanted.kept)
  return record
end

local function snapshots_of(folder)
  local names = {}
  local list = assert(io.popen("ls -1 '" .. folder:gsub("'", "'\\''") .. "'"))
  for name in list:lines() do
    if name:find("^fields_%d+%.silo$") then names[#names + 1] = name end
  end
  list:close()
  table.sort(names)
  return names
end

-- The snapshot to look at: the one, other than the start, with the largest share of electric energy.
local function picture_of(names, energy)
  local best, share = names[#names], -1
  for i = 1, energy and #energy.step or 0 do
    for _, name in ipairs(names) do
      local step = tonumber(name:match("%d+"))
      local here_ = energy.electric[i] / energy.total[i]
      if step > 0 and step == energy.step[i] and here_ > share then best, share = name, here_ end
    end
  end
  return best
end

local example, folder, curves_file = arg[1], arg[2], arg[3]
if not folder then
  io.stderr:write("usage: lua5.4 check.lua EXAMPLE_FOLDER OUTPUT_FOLDER [CURVES.csv]\n")
  os.exit(2)
end
local expected = dofile(example .. "/expected.lua")
print(folder .. ":")
local summary = check_summary(folder, expected.summary)
local probe = probes_of(folder)
check_resonances(expected.resonances or {}, probe, summary)
for _, wanted in ipairs(expected.waveforms or {}) do
  local record = probe(wanted.probe)
  if record then check_waveform(wanted, record) end
end
local run = access_to(folder)
for _, wanted in ipairs(expected.quantities or {}) do check_quantity(wanted, run) end
if expected.curves then check_curves(expected.curves, run, curves_file) end
local energy = expected.energy and check_energy(expected.energy, folder)
if expected.snapshots then
  local names = snapshots_of(folder)
  verdict(#names >= expected.snapshots, "%d snapshots (least %d)", #names, expected.snapshots)
  if #names > 0 then print("snapshot: " .. folder .. "/" .. picture_of(names, energy)) end
end
print(failures == 0 and "all within tolerance" or failures .. " out of tolerance")
os.exit(failures == 0)
