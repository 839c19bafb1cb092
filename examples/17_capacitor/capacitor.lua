-- A spherical capacitor at 1000 V: the run begins with its static field, which must stand still.
-- See README.md beside this file.
simulation {
  mesh = { file = "capacitor.geo", size = 0.4, geometry = 4 },
  order = 3,
  materials = { gap = {} },
  boundaries = {
    inner = { kind = "pec" },
    outer = { kind = "pec" },
  },
  initial = { statics = { potentials = { inner = 1000, outer = 0 }, capacitance = true } },
  time = { steps = 100 },
  output = {
    energy = { every = 10 },
    probes = { { name = "gap", at = { 0.9, 0.8, 0.7 } } },
    fields = { every = 100, quantities = { "E" } },
  },
}
