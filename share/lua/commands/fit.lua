-- `curlew fit TABLE`: poles for a table of optical constants or permittivity. maxwell/app/commands.c runs this file.
--
-- Cells are separated by commas, semicolons, tabs or blanks. Empty lines and lines that begin with # are left out. The first
-- line may name the columns; other columns than those that are needed are left out. Known names, in any case and with a
-- unit behind them, as in "wavelength_um" or "f (GHz)":
--   frequency, freq, f, nu; omega; wavelength, wl, lambda; wavenumber; energy
--   n and k; or eps_re (eps', eps1) and eps_im (eps'', eps2); or eps (permittivity, dk) and tan_delta (loss_tangent, df)
-- eps'', k and loss tangent are positive for losses. A table that has n in one block and k in a second one behind it, each
-- with its line of names, is read as well.
local curlew, words = ...

local TWO_PI <const>, C0 <const>, EPS0 <const> = 6.283185307179586, 299792458, 8.8541878128e-12
local MOST_POLES <const>, MOST_POINTS <const>, MOST_COLUMNS <const>, LONGEST <const> = 16, 5000, 64, 4094
local huge <const> = math.huge

local function fail(form, ...) curlew.fail("input", string.format(form, ...)) end

---- units and names

local eV <const> = 4.135667696e-15 -- h/e, V s
-- Name, plain name as simplify() makes it, factor to Hz or m, kind of axis.
local UNITS <const> = {
  { "Hz", "hz", 1, "frequency" }, { "kHz", "khz", 1e3, "frequency" }, { "MHz", "mhz", 1e6, "frequency" },
  { "GHz", "ghz", 1e9, "frequency" }, { "THz", "thz", 1e12, "frequency" }, { "PHz", "phz", 1e15, "frequency" },
  { "rad/s", "rad_s", 1 / TWO_PI, "angular frequency" },
  { "m", "m", 1, "wavelength" }, { "cm", "cm", 1e-2, "wavelength" }, { "mm", "mm", 1e-3, "wavelength" },
  { "um", "um", 1e-6, "wavelength" }, { "nm", "nm", 1e-9, "wavelength" }, { "angstrom", "angstrom", 1e-10, "wavelength" },
  { "meV", "mev", 1e-3 / eV, "energy" }, { "eV", "ev", 1 / eV, "energy" }, { "keV", "kev", 1e3 / eV, "energy" },
  { "1/cm", "1_cm", 299792458e2, "wavenumber" }, { "1/cm", "cm_1", 299792458e2, "wavenumber" },
  { "1/m", "1_m", 299792458, "wavenumber" }, { "1/m", "m_1", 299792458, "wavenumber" },
}
local unit_named, unit_plain = {}, {}
for _, unit in ipairs(UNITS) do
  local made = { name = unit[1], factor = unit[3], kind = unit[4] }
  unit_plain[unit[2]] = made
  unit_named[unit[1]] = unit_named[unit[1]] or made
end

-- Words of an axis.
local AXES <const> = {
  wavelength = "wavelength", wl = "wavelength", lambda = "wavelength", lam = "wavelength", frequency = "frequency",
  freq = "frequency", f = "frequency", nu = "frequency", energy = "energy", ev = "energy", mev = "energy", photon = "energy",
  omega = "angular frequency", angular = "angular frequency", wavenumber = "wavenumber", wavenumbers = "wavenumber",
}
local USUAL <const> = { frequency = "Hz", ["angular frequency"] = "rad/s", energy = "eV" }

-- Writes a name plainly: lower case, primes as 1 and 2, the micro sign as u, all else that is no letter or digit as one '_'
-- between words.
local function simplify(cell)
  local name, primes = cell:gsub("\xc2\xb5", "u"):gsub("\xce\xbc", "u"):gsub("\xce\xbb", "wl"):gsub("'", "")
  name = name:gsub('"', ""):gsub("%W+", "_"):gsub("^_", ""):lower():sub(1, 61):gsub("_$", "")
  return primes > 0 and name .. (primes == 1 and "1" or "2") or name
end

local function begins(name, with) return name:sub(1, #with) == with end
local function is_word(name, word) return name == word or begins(name, word .. "_") end

-- What a column is, by its plain name: axis (and which one), n, k, tan, im, re, or nil.
local function role_of(name)
  local axis = AXES[name:match("^[^_]*")]
  if axis then return "axis", axis end
  if is_word(name, "n") or is_word(name, "index") then return "n" end
  if is_word(name, "k") or is_word(name, "kappa") or begins(name, "extinction") then return "k" end
  if name:find("tan", 1, true) or is_word(name, "df") or begins(name, "loss") then return "tan" end
  if not (begins(name, "eps") or begins(name, "permittivity") or is_word(name, "dk") or is_word(name, "er") or
    is_word(name, "e1") or is_word(name, "e2")) then return nil end
  return (name:find("im", 1, true) or name:sub(-1) == "2") and "im" or "re"
end

---- lines

local path, number -- of the table, and of its line

local function complain(form, ...) fail("%s:%d: " .. form, path, number, ...) end

-- Cuts a line into cells. Blanks separate them where there is no comma, semicolon or tab.
local function cut(line)
  local mark, cells = line:match(",") or line:match(";") or line:match("\t") or " ", {}
  for cell in (line .. mark):gmatch("([^" .. mark .. "]*)" .. mark) do
    cell = cell:match("^[ \t]*(.-)[ \t]*$")
    if cell ~= "" or mark ~= " " then
      if #cells == MOST_COLUMNS then complain("more than 64 columns") end
      cells[#cells + 1] = cell
    end
  end
  return cells
end

-- Finds the unit that stands behind the name of an axis: its last words. Names without one may go on as these do.
local MORE <const> = { frequency = 1, energy = 1, vacuum = 1, vac = 1, air = 1, axis = 1, photon = 1, ["in"] = 1 }
local function unit_behind(cell, name)
  local last, two = name:match("_([^_]*)$"), name:match("([^_]*_[^_]*)$")
  local unit = unit_plain[two] or unit_plain[last] or unit_plain[name] -- also a column that is named by its unit: eV
  if unit or (not last and not cell:find("[%(%[/]")) or MORE[last] then return unit end
  complain("the unit of '%.60s' is not known: it must be Hz to PHz, rad/s, m to nm, angstrom, meV, eV, keV or 1/cm", cell)
end

-- Numbers of a column that its name says to be scaled would be read as they stand.
local function check_scale(cell)
  for _, mark in ipairs { "%", "ppm", "10^", "1e-", "1e+", "e-3", "e-4", "x1" } do
    if cell:find(mark, 1, true) then complain("the column '%.60s' is scaled: give it in plain numbers", cell) end
  end
end

-- Is the unit one of such an axis? A frequency in eV or in 1/cm is understood; an omega in Hz may be 2 pi off.
local function is_unit_of(unit, kind)
  if kind == "wavenumber" or kind == "wavelength" or unit.kind == "wavelength" then return unit.kind == kind end
  return kind ~= "angular frequency" or unit.kind ~= "frequency"
end

-- The unit of the axis, by its name and by --unit, which must not contradict each other.
local function check_unit(options, layout)
  local given, kind = unit_named[options.unit], layout.kind
  if given and layout.unit and given.name ~= layout.unit.name then
    complain("the line of names says %s, and --unit says %s", layout.unit.name, given.name)
  end
  if not given and not layout.unit and not USUAL[kind] then
    complain("the %s has no unit: name it, as in %s, or give --unit %s", kind,
      kind == "wavelength" and "wavelength_um" or "wavenumber_1/cm", kind == "wavelength" and "um" or "1/cm")
  end
  layout.unit = given or layout.unit or unit_named[USUAL[kind]]
  if not is_unit_of(layout.unit, kind) then
    complain("%s is no unit of the %s that the line of names has", layout.unit.name, kind)
  end
end

-- Reads a line of names: for each role its column. Names that the table has twice count where they stand first.
local function read_names(cells, options)
  local layout = { cells = #cells }
  for column, cell in ipairs(cells) do
    local name = simplify(cell)
    local role, kind = role_of(name)
    if role and not layout[role] then
      layout[role] = column
      if role ~= "axis" then check_scale(cell) else layout.kind, layout.unit = kind, unit_behind(cell, name) end
    end
  end
  if not layout.axis then
    complain("no column is a frequency, wavelength or energy; name one, as in frequency_GHz or wavelength_um")
  end
  check_unit(options, layout)
  return layout
end

-- Takes the columns as they stand: --unit and --columns.
local function assume_names(cells, options)
  if not options.unit or not options.columns then
    complain("no line of names, as in wavelength_um,n,k: say what the columns are by --unit and --columns")
  end
  return { cells = #cells, axis = 1, unit = unit_named[options.unit] }
end

-- --columns says what stands behind the axis. Names that say something else are an error; others say nothing.
local CHOSEN <const> = { nk = { "n", "k" }, eps = { "re", "im" }, tan = { "re", "tan" } }
local function choose_columns(cells, columns, layout)
  local chosen = CHOSEN[columns]
  if not chosen then return end
  for _, role in ipairs { "n", "k", "re", "im", "tan" } do
    local column = layout[role]
    local place = column and column - layout.axis
    if (place == 1 or place == 2) and chosen[place] ~= role then
      complain("the line of names has '%.40s' in column %d, and --columns %s another", cells[column], column, columns)
    end
    layout[role] = nil
  end
  layout[chosen[1]], layout[chosen[2]] = layout.axis + 1, layout.axis + 2
end

---- points

-- Reads the number of a column; a table without losses has none.
local function read_cell(cells, column)
  if not column then return 0.0 end
  if column > #cells then complain("%d columns, and column %d is needed", #cells, column) end
  local value = tonumber(cells[column])
  if not value or value ~= value or math.abs(value) == huge then complain("'%.40s' is no number", cells[column]) end
  return value + 0.0
end

-- More cells than there are names come from numbers that were cut.
local function check_cells(cells, count)
  for column = count + 1, #cells do
    if cells[column] ~= "" then
      complain("%d cells where the first line has %d: '%.40s' belongs to no column (numbers have no separators of " ..
        "thousands, and a decimal point)", #cells, count, cells[column])
    end
  end
end

local function check_order(rows, x)
  if not (x > 0) then complain("%g must be > 0", x) end
  local last = #rows > 0 and rows[#rows].x
  if last == x then complain("%g is given twice", x) end
  if #rows > 1 and (x > last) ~= (rows[2].x > rows[1].x) then complain("%g follows %g: the table is not sorted", x, last) end
end

-- A row of the second block belongs to that of the same place in the first one.
local function fill_row(cells, layout, rows, x)
  local row = rows[rows.filled + 1]
  if not row or row.x ~= x then complain("%g is not where the first block of the table has it", x) end
  row.second, rows.filled = read_cell(cells, layout.k or layout.im), rows.filled + 1
end

local function add_row(cells, layout, rows)
  check_cells(cells, layout.cells)
  local x = read_cell(cells, layout.axis)
  if rows.filled then return fill_row(cells, layout, rows, x) end
  check_order(rows, x)
  rows[#rows + 1] = { x = x, line = number, first = read_cell(cells, layout[rows.columns[1]]),
    second = read_cell(cells, layout[rows.columns[2]]) }
end

-- The first line, which has names or numbers.
local function begin(cells, options, rows)
  local named = not tonumber(cells[1])
  local layout = (named and read_names or assume_names)(cells, options)
  choose_columns(cells, options.columns, layout)
  rows.columns = layout.n and CHOSEN.nk or layout.tan and CHOSEN.tan or CHOSEN.eps
  if not layout[rows.columns[1]] then
    complain("no columns n and k, eps_re and eps_im, or eps and tan_delta; say what they are by --columns")
  end
  return layout, named
end

-- A second line of names begins the block of losses.
local function begin_second(cells, options, rows, layout)
  local losses = rows.columns == CHOSEN.nk and "k" or "im"
  if #rows == 0 or rows.filled or rows.columns == CHOSEN.tan or layout[losses] then complain("a second line of names") end
  local second = read_names(cells, options)
  if not second[losses] then complain("the second block of a table has k, or eps_im") end
  rows.filled = 0
  return second
end

local function read_rows(file, options)
  local rows, layout = {}, nil
  number = 0
  for line in function() return file:read("L") end do
    number = number + 1
    line = line:gsub("\n$", "")
    if #line > LONGEST or line:find("\0", 1, true) then complain("the line is too long, or not text") end
    if number == 1 then line = line:gsub("^\xef\xbb\xbf", "") end
    line = line:gsub("[\1-\8\10-\31]", " ")
    if line:find("^[ \t]*[^ \t#]") then
      local cells, named = cut(line), nil
      if not layout then
        layout, named = begin(cells, options, rows)
      elseif cells[layout.axis] and not cells[layout.axis]:find("^[-+.0-9]") and cells[layout.axis] ~= "" then
        -- a word; a number with a slip of the pen begins like one
        layout, named = begin_second(cells, options, rows, layout), true
      end
      if not named then add_row(cells, layout, rows) end
    end
  end
  if not layout then fail("'%s' has no line with numbers", path) end
  if rows.filled and rows.filled ~= #rows then complain("the second block of the table is shorter than the first") end
  rows.unit = layout.unit
  return rows
end

local function permittivity(row, columns)
  local first, second = row.first, -row.second
  if columns == CHOSEN.nk then return first * first - second * second, first * second + second * first end
  return first, columns == CHOSEN.tan and second * first or second
end

-- Takes the rows in the range, by rising frequency: { omega (rad/s), re, im (negative for losses), x, line }.
local function take(rows, options)
  local low, high, unit, points = options.from or 0, options.to or huge, rows.unit, {}
  local waves = unit.kind == "wavelength"
  local rises = #rows > 1 and (rows[2].x > rows[1].x) ~= waves
  for i = rises and 1 or #rows, rises and #rows or 1, rises and 1 or -1 do
    local row = rows[i]
    if row.x >= low and row.x <= high then
      local value = row.x * unit.factor
      local omega, re, im = TWO_PI * (waves and C0 / value or value), permittivity(row, rows.columns)
      local size = math.max(math.abs(re), math.abs(im), omega)
      if (re == 0 and im == 0) or not (size < huge) or re ~= re or im ~= im then
        fail("%s:%d: a permittivity of 0 or beyond all numbers", path, row.line)
      end
      points[#points + 1] = { omega = omega, re = re, im = im, x = row.x, line = row.line }
    end
  end
  local many = #points < 3 and "3 at least" or #points > MOST_POINTS and MOST_POINTS .. " at most"
  if many then
    fail("'%s' has %d points from %g to %g %s; a fit takes %s", path, #points, low, high, unit.name, many)
  end
  points.unit = unit.name
  return points
end

local function read_table(options)
  local file, reason = io.open(path, "rb")
  if not file then fail("cannot open the table '%s': %s", path, reason:sub(#path + 3)) end
  local _, cause, code = file:read(0)
  if code then fail("cannot read '%s': %s", path, cause) end
  local points = take(read_rows(file, options), options)
  file:close()
  return points
end

---- the command line

local VALUES <const> = {} -- options that take a value: how it is read

local function read_number(name, text)
  local value = tonumber(text)
  if not value or not (value > 0 and value < huge) then fail("%s needs a number > 0, not '%s'", name, text) end
  return value + 0.0
end
local function choice(list, choices)
  return function(name, text)
    return choices[text] and text or fail("%s is %s, not '%s'", name, list, text)
  end
end
local function file_name(name, text)
  if text == "" then fail("%s needs the name of a file", name) end
  return text
end
VALUES["--from"], VALUES["--to"], VALUES["--tolerance"] = read_number, read_number, read_number
VALUES["--csv"], VALUES["--json"], VALUES["--plot"] = file_name, file_name, file_name
VALUES["--columns"], VALUES["--weight"] = choice("nk, eps or tan", CHOSEN), choice("relative or absolute", { relative = 1, absolute = 1 })
VALUES["--unit"] = function(name, text)
  if unit_named[text] then return text end
  fail("%s is Hz, kHz, MHz, GHz, THz, PHz, rad/s, m, cm, mm, um, nm, angstrom, meV, eV, keV, 1/cm or 1/m, not '%s'", name, text)
end
VALUES["--poles"] = function(name, text)
  local value = text:find("^%s*[-+]?%d+$") and math.tointeger(tonumber(text))
  if not value or value < 1 or value > MOST_POLES then
    fail("%s needs an integer from 1 to %d, not '%s'", name, MOST_POLES, text)
  end
  return value
end
local NAMES <const> = { "--from", "--to", "--unit", "--columns", "--poles", "--tolerance", "--weight", "--no-sigma", "--csv",
  "--json", "--plot", "--quiet" }

local function read_options()
  local options, i = { poles = 8, tolerance = 0.01, weight = "relative" }, 1
  while i <= #words do
    local word = words[i]
    if word:sub(1, 1) == "-" and word ~= "-" then
      local name, value = (word == "-q" and "--quiet" or word):match("^([^=]*)=?(.*)$")
      local glued = word:find("=", 1, true)
      if VALUES[name] then
        if not glued then
          i = i + 1
          value = words[i] or fail("%s needs a value; see curlew --help", name)
        end
        options[name:sub(3)] = VALUES[name](name, value)
      elseif name == "--no-sigma" or name == "--quiet" then
        if glued then fail("%s takes no value", name) end
        options[name:sub(3)] = true
      else
        local nearest = curlew.nearest(word, NAMES)
        fail("unknown option '%s' of fit%s; see curlew --help", word, nearest and " (nearest: '" .. nearest .. "')" or "")
      end
    elseif options.table then
      fail("unexpected argument '%s'; see curlew --help", word)
    else
      options.table = word
    end
    i = i + 1
  end
  if not options.table then fail("curlew fit needs a table; see curlew --help") end
  if (options.from or 0) >= (options.to or huge) then
    fail("--from %g is not below --to %g", options.from, options.to)
  end
  return options
end

---- the fit

local function size_of(re, im)
  local a, b = math.max(math.abs(re), math.abs(im)), math.min(math.abs(re), math.abs(im))
  return a > 0 and a * math.sqrt(1 + (b / a) ^ 2) or 0.0
end

-- Gain beyond the tolerance is no error of measurement. If all points have it, the sign is the other one's.
local function refuse_gain(options, points)
  local most, worst, with = -huge, points[1], 0
  for _, point in ipairs(points) do
    local gain = point.im / (options.weight == "absolute" and 1 or size_of(point.re, point.im))
    with = with + (gain > 0 and 1 or 0)
    if gain > most then most, worst = gain, point end
  end
  if most <= options.tolerance then return end
  fail("%s:%d: gain: the loss (k, eps'' or tan delta) is negative, eps'' = %.4g; %s", path, worst.line, -worst.im,
    with == #points and "losses are positive in a table: change the sign of the column" or
    "only media that do not amplify are fitted: leave such points out by --from and --to")
end

-- Nothing that is there is lost: neither the table, nor what the other options write.
local function check_outputs(options)
  local taken = {}
  for _, name in ipairs { "csv", "json", "plot" } do
    local file = options[name]
    if file then
      curlew.check_output("--" .. name, file, path)
      if taken[file] then fail("--%s and --%s both write '%s'", taken[file], name, file) end
      taken[file] = name
    end
  end
end

-- The fit, as maxwell/app/commands.c tells it.
local function find_fit(options, points)
  local numbers = { options.poles, options.tolerance, options.weight == "absolute" and 1 or 0, options["no-sigma"] and 1 or 0 }
  for _, name in ipairs { "omega", "re", "im" } do
    for _, point in ipairs(points) do numbers[#numbers + 1] = point[name] end
  end
  local told, next = curlew.fit(numbers), 0
  local function take_number()
    next = next + 1
    return told[next]
  end
  local fit = { drude = {}, poles = {} }
  for _, name in ipairs { "states", "max", "rms", "real", "loss", "free_max", "free_rms", "worst", "epsilon_r", "sigma" } do
    fit[name] = take_number()
  end
  local all = {}
  for p = 1, take_number() do all[p] = { take_number(), take_number(), take_number(), take_number() } end
  -- -K/(s + gamma) + (K + rest)/s is rest/s + K gamma/(s (s + gamma)): a Drude term with wp^2 = K gamma
  for _, pole in ipairs(all) do
    local taken, gamma = -pole[1] * EPS0, -pole[3]
    if pole[4] > 0 or not (taken > 0) or taken > fit.sigma * (1 + 1e-9) then
      fit.poles[#fit.poles + 1] = pole
    else
      fit.sigma = math.max(fit.sigma - taken, 0.0)
      if fit.sigma < 1e-9 * taken then fit.sigma = 0.0 end -- rounding of the two
      fit.drude[#fit.drude + 1] = { omega_p = math.sqrt(-pole[1] * gamma), gamma = gamma }
    end
  end
  for _, point in ipairs(points) do point.fit_re, point.fit_im = take_number(), take_number() end
  return fit
end

-- The name of the table as a name in Lua: "Johnson Au.csv" is Johnson_Au.
local function material_name()
  local name = path:match("[^/]*$")
  name = (name:match("^(.+)%.[^.]*$") or name):gsub("%W", "_")
  return (name:gsub("^%d", "_%0"):sub(1, 63))
end

---- what is told

local out = {}
local function put(form, ...) out[#out + 1] = string.format(form, ...) end
local function all_out()
  local text = table.concat(out)
  out = {}
  return text
end

local function put_remarks(options, points, fit)
  local absolute, first, last = options.weight == "absolute", points[1], points[#points]
  local kind, unit = absolute and "" or " %", absolute and 1 or 100
  put("-- curlew fit %s: %d points, %.5g to %.5g Hz (%g to %g %s)\n", path, #points, first.omega / TWO_PI,
    last.omega / TWO_PI, first.x, last.x, points.unit)
  put("-- %d state%s; error of epsilon_r: largest %.3g%s at %.5g Hz, rms %.3g%s; no gain at any frequency\n", fit.states,
    fit.states == 1 and "" or "s", fit.max * unit, kind, fit.worst / TWO_PI, fit.rms * unit, kind)
  put("-- largest error of the real part %.3g%s of |epsilon_r|, of the loss %.3g%s%s\n", fit.real * unit, kind,
    fit.loss * unit, kind, absolute and "" or " of itself")
  if fit.max > 1.05 * fit.free_max and fit.max > 1e-9 then
    put("-- as many states, if they might amplify: largest %.3g%s, rms %.3g%s\n", fit.free_max * unit, kind,
      fit.free_rms * unit, kind)
  end
end

local function put_lua(options, points, fit, name)
  put_remarks(options, points, fit)
  put("%s = {\n  epsilon_r = %.13g,\n", name, fit.epsilon_r)
  if fit.sigma > 0 then put("  sigma = %.13g, -- S/m\n", fit.sigma) end
  if #fit.drude > 0 then
    put("  drude = { -- -omega_p^2/(w (w - j gamma)), rad/s\n")
    for _, term in ipairs(fit.drude) do put("    { omega_p = %.13g, gamma = %.13g },\n", term.omega_p, term.gamma) end
    put("  },\n")
  end
  if #fit.poles > 0 then
    put("  poles = { -- c/(jw - a), and the conjugate pair where a is not real; rad/s\n")
    for _, pole in ipairs(fit.poles) do
      if pole[4] > 0 then put("    { c = { %.13g, %.13g }, a = { %.13g, %.13g } },\n", table.unpack(pole))
      else put("    { c = %.13g, a = %.13g },\n", pole[1], pole[3]) end
    end
    put("  },\n")
  end
  put("},\n")
end

local function put_json(options, points, fit, name)
  local json = curlew.json
  put('{\n  "table": %s,\n  "name": %s,\n  "error": "%s",\n  "states": %d,\n  ', json(path), json(name), options.weight, fit.states)
  for _, pair in ipairs { { "tolerance", options.tolerance }, { "max_error", fit.max }, { "rms_error", fit.rms },
    { "real_error", fit.real }, { "loss_error", fit.loss }, { "max_error_with_gain", fit.free_max },
    { "rms_error_with_gain", fit.free_rms }, { "epsilon_r", fit.epsilon_r }, { "sigma", fit.sigma } } do
    put('"%s": %s,\n  ', pair[1], json(pair[2]))
  end
  put('"drude": [')
  for i, term in ipairs(fit.drude) do
    put('%s{"omega_p": %s, "gamma": %s}', i > 1 and ", " or "", json(term.omega_p), json(term.gamma))
  end
  put('],\n  "poles": [')
  for i, pole in ipairs(fit.poles) do
    put('%s\n    {"c": [%s, %s], "a": [%s, %s]}', i > 1 and "," or "", json(pole[1]), json(pole[2]), json(pole[3]), json(pole[4]))
  end
  put('],\n  "points": [\n')
  for i, point in ipairs(points) do
    put('    {"frequency": %s, "epsilon_r": [%s, %s], "fit": [%s, %s]}%s\n', json(point.omega / TWO_PI), json(point.re),
      json(point.im), json(point.fit_re), json(point.fit_im), i < #points and "," or "")
  end
  put("  ]\n}\n")
end

local function put_csv(options, points)
  put("frequency,eps_re,eps_im,fit_re,fit_im,error\n")
  for _, point in ipairs(points) do
    local error = size_of(point.fit_re - point.re, point.fit_im - point.im)
    if options.weight ~= "absolute" then error = error / size_of(point.re, point.im) end
    -- losses are positive, as in tables that are read
    put("%.17g,%.17g,%.17g,%.17g,%.17g,%.3g\n", point.omega / TWO_PI, point.re, -point.im, point.fit_re, -point.fit_im, error)
  end
end

local options = read_options()
path = options.table
local model = options.plot and curlew.picture()
local points = read_table(options)
check_outputs(options)
refuse_gain(options, points)
local fit, name = find_fit(options, points), material_name()
if options.csv then
  put_csv(options, points)
  curlew.write(options.csv, all_out())
end
put_json(options, points, fit, name)
local json = all_out()
if options.json then curlew.write(options.json, json) end
if model then curlew.write(model, json) end
if not options.quiet then
  put_lua(options, points, fit, name)
  io.write(all_out())
end
if fit.max > options.tolerance then
  io.stderr:write(string.format("curlew: warning: the largest error is %.3g, more than the tolerance %g, with the best %d " ..
    "states: allow more --poles, a larger --tolerance or a narrower band (of the real part it is %.3g, of the loss %.3g)\n",
    fit.max, options.tolerance, fit.states, fit.real, fit.loss))
end
if model then curlew.draw(options.plot) end
