-- What a run of resonator.lua must give; examples/check.lua describes the fields. The frequencies are the zeros of the
-- denominators of Mie's coefficients: k a = 0.5120396 - 0.0059307 i for TE1.
return {
  output = "resonator",
  summary = { name = "resonator", precision = "double", order = 2 },
  resonances = {
    { label = "TE1", set = "modes", exact = 0.5120396 * 299792458.0 / (2 * math.pi * 10e-3), tolerance = 2e-4,
      q = 43.169, q_tolerance = 5e-3 },
  },
}
