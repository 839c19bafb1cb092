-- Runs one example and checks what it wrote; ctest calls it:
--
--   lua5.4 run_example.lua PROGRAM EXAMPLE_FOLDER WORK_FOLDER [RANKS]
--
-- RANKS: the number of processes, which mpirun then starts.
-- The output goes to WORK_FOLDER/<output of expected.lua>; the folder is emptied first.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local program, example, work, ranks = arg[1], arg[2], arg[3], arg[4]
if not work then
  io.stderr:write("usage: lua5.4 run_example.lua PROGRAM EXAMPLE_FOLDER WORK_FOLDER [RANKS]\n")
  os.exit(2)
end

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function must(what, command)
  local ok, _, status = os.execute(command)
  if not ok then
    io.stderr:write(string.format("%s failed with exit code %d: %s\n", what, status, command))
    os.exit(1)
  end
end

package.path = here .. "/../share/lua/?.lua;" .. package.path -- as check.lua has it
local expected = dofile(example .. "/expected.lua")
local name = example:gsub("/+$", ""):match("[^/]*$"):gsub("^%d+_", "")
local output = work .. "/" .. expected.output
must("preparing", "rm -rf " .. quote(output) .. " && mkdir -p " .. quote(work))
local script = example .. "/" .. name .. ".lua"
local launcher = ranks and string.format("mpirun -n %d ", ranks) or ""
must(name, string.format("%s%s run %s --output %s </dev/null", launcher, quote(program), quote(script), quote(output)))
must("a run on that many ranks", string.format("grep -q '\"ranks\": %d,' %s/summary.json", ranks or 1, quote(output)))
local check = here .. "/check.lua"
must("the check", string.format("%s %s %s %s", quote(arg[-1]), quote(check), quote(example), quote(output)))
