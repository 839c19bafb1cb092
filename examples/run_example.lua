-- Runs one example and checks what it wrote; ctest calls it:
--
--   lua5.4 run_example.lua PROGRAM EXAMPLE_FOLDER WORK_FOLDER
--
-- The output goes to WORK_FOLDER/<output of expected.lua>; the folder is emptied first.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local program, example, work = arg[1], arg[2], arg[3]
if not work then
  io.stderr:write("usage: lua5.4 run_example.lua PROGRAM EXAMPLE_FOLDER WORK_FOLDER\n")
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

local expected = dofile(example .. "/expected.lua")
local name = example:gsub("/+$", ""):match("[^/]*$"):gsub("^%d+_", "")
local output = work .. "/" .. expected.output
must("preparing", "rm -rf " .. quote(output) .. " && mkdir -p " .. quote(work))
local script = example .. "/" .. name .. ".lua"
must(name, string.format("%s run %s --output %s", quote(program), quote(script), quote(output)))
local check = here .. "/check.lua"
must("the check", string.format("%s %s %s %s", quote(arg[-1]), quote(check), quote(example), quote(output)))
