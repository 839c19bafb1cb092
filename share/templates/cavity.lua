-- @NAME@: at which frequencies does a metal box with a block of ceramic ring, and for how long?
--
--   curlew check @NAME@.lua                what a run would take
--   curlew run @NAME@.lua                  the run: some seconds; results in the folder @NAME@
--   curlew plot @NAME@                     pictures in @NAME@/plots
--   curlew run @NAME@.lua -D epsilon=20    another ceramic
--
-- Units are SI; here lengths of the geometry are millimetres, so mesh.unit is 1e-3.
local epsilon = args.epsilon or 10 -- of the block; -D epsilon=20 changes it

simulation {
  mesh = {
    file = "@NAME@.geo",
    unit = 1e-3,                              -- metres in a unit of the geometry
    size = args.size or 20,                   -- edges of the tetrahedra: half of it is a finer mesh
    parameters = { A = 100, B = 80, H = 60 }, -- values for DefineConstant in the geometry
  },
  order = args.order or 3,                    -- polynomials in each tetrahedron, 1 to 8: higher is more accurate
  time  = { stop = args.stop or 30e-9 },      -- s; the time step is found for you

  -- Every volume needs a material. The names are those of Physical Volume in the geometry.
  materials = {
    air   = {},                               -- vacuum
    block = { epsilon_r = epsilon, sigma = 2e-3 }, -- sigma in S/m makes it lossy
  },
  -- Outer surfaces: "pec" is a perfect conductor. `default` would mean all that have no entry.
  boundaries = { walls = { kind = "pec" } },

  -- What drives: a small current in the air, with a pulse around 1.8 GHz. It points across all symmetries of the box, so
  -- that it strikes every mode.
  sources = {
    { at = { 0.011, 0.013, 0.047 }, moment = { 1e-3, 0.8e-3, 1.2e-3 }, -- metres; ampere metres
      waveform = waveform.gaussian { f0 = 1.8e9, bandwidth = 1e9 } },
  },

  output = {
    -- E and H in time at a point: @NAME@/probes/corner.csv
    probes = { { name = "corner", at = { 0.08, 0.021, 0.04 }, every = 4 } },
    -- Frequencies and Q of what rings there: @NAME@/resonances.csv
    resonances = { { name = "modes", probe = "corner", from = 1.3e9, to = 2.2e9 } },
    energy = { every = 10 },                  -- @NAME@/energy.csv
    fields = { every = 10000 },                -- snapshots for VisIt; format = "vtkhdf" for ParaView
  },
}
