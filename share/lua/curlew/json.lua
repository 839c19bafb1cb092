-- Reads JSON text (RFC 8259) into Lua values. `json.null` stands for null, so that a key that is there stays there.
--
--   local json = require "curlew.json"
--   local summary = json.read "cavity/summary.json"    -- nil, message on error

local json = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local escapes = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function fail(text, position, message)
  local _, lines = text:sub(1, position - 1):gsub("\n", "")
  error({ json = string.format("line %d: %s", lines + 1, message) }, 0)
end

local function skip(text, position) return text:find("[^ \t\r\n]", position) or #text + 1 end

local function code_unit(text, position)
  local digits = text:match("^%x%x%x%x", position)
  if not digits then fail(text, position, "\\u needs four hexadecimal digits") end
  return tonumber(digits, 16)
end

-- The character behind a \u escape whose digits start at `position`; a surrogate pair takes two escapes.
local function unicode(text, position)
  local unit = code_unit(text, position)
  if unit >= 0xDC00 and unit <= 0xDFFF then fail(text, position, "a low surrogate without its high one") end
  if unit < 0xD800 or unit > 0xDBFF then return utf8.char(unit), position + 4 end
  if text:sub(position + 4, position + 5) ~= "\\u" then fail(text, position, "a high surrogate without its low one") end
  local low = code_unit(text, position + 6)
  if low < 0xDC00 or low > 0xDFFF then fail(text, position, "a high surrogate without its low one") end
  return utf8.char(0x10000 + (unit - 0xD800) * 0x400 + (low - 0xDC00)), position + 10
end

local function read_string(text, position) -- position: behind the opening quote
  local parts = {}
  while true do
    local stop = text:find('["\\%c]', position)
    if not stop then fail(text, position, "a string without its closing quote") end
    parts[#parts + 1] = text:sub(position, stop - 1)
    local found = text:sub(stop, stop)
    if found == '"' then return table.concat(parts), stop + 1 end
    if found ~= "\\" then fail(text, stop, "a control character in a string") end
    local letter = text:sub(stop + 1, stop + 1)
    if letter == "u" then
      parts[#parts + 1], position = unicode(text, stop + 2)
    else
      if not escapes[letter] then fail(text, stop, "unknown escape \\" .. letter) end
      parts[#parts + 1], position = escapes[letter], stop + 2
    end
  end
end

local function read_number(text, position)
  local whole = text:match("^-?0", position)
  if not whole or text:find("^%d", position + #whole) then whole = text:match("^-?[1-9]%d*", position) end
  if not whole then fail(text, position, "this is no value") end
  local stop = position + #whole
  stop = stop + #(text:match("^%.%d+", stop) or "")
  stop = stop + #(text:match("^[eE][+-]?%d+", stop) or "")
  if text:find("^[%w.+-]", stop) then fail(text, position, "this is no number") end
  return tonumber(text:sub(position, stop - 1)), stop
end

local read_value

local function read_array(text, position)
  local array = {}
  position = skip(text, position)
  if text:sub(position, position) == "]" then return array, position + 1 end
  while true do
    array[#array + 1], position = read_value(text, position)
    position = skip(text, position)
    local mark = text:sub(position, position)
    if mark == "]" then return array, position + 1 end
    if mark ~= "," then fail(text, position, "expected ',' or ']'") end
    position = position + 1
  end
end

local function read_object(text, position)
  local object = {}
  position = skip(text, position)
  if text:sub(position, position) == "}" then return object, position + 1 end
  while true do
    position = skip(text, position)
    if text:sub(position, position) ~= '"' then fail(text, position, "expected a key in quotes") end
    local key
    key, position = read_string(text, position + 1)
    if object[key] ~= nil then fail(text, position, "the key '" .. key .. "' is there twice") end
    position = skip(text, position)
    if text:sub(position, position) ~= ":" then fail(text, position, "expected ':'") end
    object[key], position = read_value(text, position + 1)
    position = skip(text, position)
    local mark = text:sub(position, position)
    if mark == "}" then return object, position + 1 end
    if mark ~= "," then fail(text, position, "expected ',' or '}'") end
    position = position + 1
  end
end

local words = { ["true"] = true, ["false"] = false, ["null"] = json.null }

function read_value(text, position)
  position = skip(text, position)
  local mark = text:sub(position, position)
  if mark == "{" then return read_object(text, position + 1) end
  if mark == "[" then return read_array(text, position + 1) end
  if mark == '"' then return read_string(text, position + 1) end
  local word = text:match("^%a+", position)
  if word and words[word] ~= nil then return words[word], position + #word end
  return read_number(text, position)
end

-- The value that the text holds, or nil and a message with the line.
function json.decode(text)
  local ok, value, position = pcall(read_value, text, 1)
  if ok then
    position = skip(text, position)
    if position > #text then return value end
    ok, value = pcall(fail, text, position, "more text behind the value")
  end
  if type(value) == "table" and value.json then return nil, value.json end
  error(value, 0)
end

-- As decode, of a file; the message starts with the file's name.
function json.read(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text = file:read("a")
  file:close()
  local value, why = json.decode(text or "")
  if value == nil then return nil, path .. ": " .. why end
  return value
end

return json
