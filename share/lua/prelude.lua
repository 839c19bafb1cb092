-- What every script finds ready: the constants of nature in SI units.
--
-- Names here are those of Lua's libraries as they were before the script; the script's own names are in _G.

local c0 = 299792458         -- speed of light in vacuum, m/s (exact, SI 2019)
local mu0 = 1.25663706212e-6 -- magnetic constant, H/m (CODATA 2018)

local values = {
  c0 = c0,
  mu0 = mu0,
  epsilon0 = 1 / (mu0 * c0 * c0), -- electric constant, F/m
  eta0 = mu0 * c0,                -- impedance of vacuum, ohm
  pi = math.pi,
}

-- A mistyped constant is an error where it is read: as nil it would make a key of the simulation vanish.
setmetatable(values, {
  __index = function(_, key)
    local names = {}
    for name in next, values do names[#names + 1] = name end
    table.sort(names)
    error(("const has no '%s' (it has %s)"):format(tostring(key), table.concat(names, ", ")), 2)
  end,
})

_G.const = setmetatable({}, {
  __index = values,
  __pairs = function() return next, values end,
  __newindex = function(_, key)
    error(("const.%s cannot be set: const is read-only"):format(tostring(key)), 2)
  end,
})
