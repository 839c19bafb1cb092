-- What a run of crystal.lua must give; examples/check.lua describes the fields. The frequencies of the bands at X, in
-- c0/a, are those of a plane-wave expansion: 1089 waves, the last change from 625 was 6e-6 and 1.3e-5 of them.
local unit = 299792458.0 / 1e-2
return {
  output = "crystal",
  summary = { name = "crystal", precision = "double", order = 3 },
  resonances = {
    { label = "X, first band", set = "bands", exact = 0.274707 * unit, tolerance = 1e-3 },
    { label = "X, second band", set = "bands", exact = 0.442523 * unit, tolerance = 1e-3 },
  },
}
