-- `curlew new NAME [--kind KIND]`: a first script and its geometry, with comments, to be changed. maxwell/app/commands.c runs
-- this file.
--
-- They are copies of KIND.lua and KIND.geo in share/templates, in which @NAME@ is the name. A template is whatever stands
-- there: a new pair of files is a new kind.
local curlew, words = ...

local LONGEST <const> = 100 -- bytes of a name

local function fail(form, ...) curlew.fail("input", string.format(form, ...)) end

-- " (nearest: 'X')", or nothing.
local function hint(word, names)
  local nearest = curlew.nearest(word, names)
  return nearest and " (nearest: '" .. nearest .. "')" or ""
end

local function read_options()
  local options, i = { kind = "cavity" }, 1
  while i <= #words do
    local word = words[i]
    if word == "-q" or word == "--quiet" then
      options.quiet = true
    elseif word:find("^%-%-kind=") then
      options.kind = word:sub(8)
    elseif word == "--kind" then
      i = i + 1
      options.kind = words[i] or fail("--kind needs a value; see curlew --help")
    elseif word:sub(1, 1) == "-" then
      fail("unknown option '%s' of new%s; see curlew --help", word, hint(word, { "--kind", "--quiet" }))
    elseif options.name then
      fail("unexpected argument '%s'; see curlew --help", word)
    else
      options.name = word
    end
    i = i + 1
  end
  if not options.name then fail("curlew new needs a name; see curlew --help") end
  return options
end

local function check_kind(kind)
  local kinds = {}
  for _, name in ipairs(curlew.list(curlew.share .. "/templates") or
    curlew.fail("environment", "templates were not found in '" .. curlew.share .. "'" .. curlew.share_hint)) do
    kinds[#kinds + 1] = name:match("^([^.].*)%.lua$")
  end
  for _, name in ipairs(kinds) do
    if name == kind then return end
  end
  fail("--kind: unknown '%s'%s; there is %s", kind, hint(kind, kinds), table.concat(kinds, ", "))
end

-- The name stands in a string of Lua and in commands for a shell.
local function check_name(base)
  if #base > LONGEST or not base:find("^[%w\x80-\xff_+][%w\x80-\xff._+-]*$") then
    fail("'%s' is no name for a new script: it takes letters, digits, '_', '-', '+' and '.' inside, at most %d bytes", base, LONGEST)
  end
end

local function read(path)
  local file, reason = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text or curlew.fail("environment", "cannot read '" .. path .. "': " .. (reason or ""):sub(#path + 3))
end

-- A pair of files from a pair of templates: both, or none.
local function write_pair(options, stem, base)
  local text, ends = {}, { ".lua", ".geo" }
  for i, tail in ipairs(ends) do
    text[i] = read(curlew.share .. "/templates/" .. options.kind .. tail):gsub("@NAME@", (base:gsub("%%", "%%%%")))
  end
  for i, tail in ipairs(ends) do
    local kind, message = curlew.create(stem .. tail, text[i])
    if kind then
      if i > 1 then os.remove(stem .. ends[1]) end
      curlew.fail(kind, message)
    end
  end
end

local options = read_options()
local stem = options.name:match("^(.+)%.lua$") or options.name
local base = stem:match("[^/]*$")
check_name(base)
check_kind(options.kind)
write_pair(options, stem, base)
if not options.quiet then
  io.write(stem, ".lua and ", stem, ".geo are written: a first ", options.kind, "\n",
    "  curlew check ", stem, ".lua    what a run would take\n",
    "  curlew run ", stem, ".lua      the run: some seconds\n",
    "  curlew plot ", base, "         pictures of it in ", base, "/plots\n")
end
