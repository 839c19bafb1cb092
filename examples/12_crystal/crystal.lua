-- A photonic crystal: a square lattice of rods, epsilon_r = 8.9 and 0.2 a in radius, and its bands of Ez at one wave
-- vector k of the Brillouin zone, -D kx=0.5 -D ky=0 in units of 2 pi/a (the point X). The plates above and below are
-- conducting; Ez ends on them, so the cell is the one of rods without end.
local a = 1e-2
local kx, ky = args.kx or 0.5, args.ky or 0
local unit = const.c0 / a -- Hz: frequencies of crystals are given in c0/a
local turn = 2 * const.pi / a

simulation {
  name  = "crystal",
  mesh  = { file = "crystal.geo", unit = a, geometry = 3, parameters = { around = args.around or 8 } },
  order = args.order or 3,
  flux  = "damped",
  time  = { stop = (args.stop or 60) / unit },

  materials  = { rod = { epsilon_r = 8.9 }, air = {} },
  bloch = { kx * turn, ky * turn, 0 },
  boundaries = {
    left  = { kind = "periodic", with = "right" }, right = { kind = "periodic", with = "left" },
    front = { kind = "periodic", with = "back" },  back  = { kind = "periodic", with = "front" },
    plates = { kind = "pec" },
  },
  -- A heap of Ez off all planes of symmetry has a part of every mode; Ez alone leaves no charges behind.
  initial = {
    E = function(x, y, z)
      local dx, dy = x / a - 0.13, y / a - 0.21
      return 0, 0, math.exp(-(dx * dx + dy * dy) / 0.04)
    end,
  },

  output = {
    probes = { { name = "p", at = { 0.17 * a, 0.31 * a, 0.1 * a }, every = 8 },
               { name = "q", at = { 0.05 * a, -0.23 * a, 0.1 * a }, every = 8 } },
    energy = { every = 50 },
    resonances = { { name = "bands", probe = { "p", "q" }, component = { "Ez" }, from = 0.1 * unit, to = 0.62 * unit } },
  },

  -- The bands in c0/a: derived values, which `curlew sweep` puts into its table.
  on = { done = function(sim)
    local band = {}
    for i = 1, sim.resonances and #sim.resonances.frequency or 0 do
      band["band" .. i] = sim.resonances.frequency[i] / unit
    end
    return band
  end },
}
