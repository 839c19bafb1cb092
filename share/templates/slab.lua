-- @NAME@: a plane wave meets a dielectric slab: what comes back, and what passes?
--
--   curlew run @NAME@.lua                 a second; results in the folder @NAME@
--   curlew plot @NAME@                    pictures in @NAME@/plots
--   curlew run @NAME@.lua -D epsilon=2.25 -D d=5
local d = args.d or 10                        -- mm

simulation {
  mesh = {
    file = "@NAME@.geo",
    unit = 1e-3,                              -- the geometry is in millimetres
    size = args.size or 4,
    parameters = { D = d },
  },
  order = args.order or 3,
  time  = { stop = args.stop or 1.6e-9 },

  materials = {
    vacuum = {},
    slab   = { epsilon_r = args.epsilon or 4, sigma = args.sigma or 0 },
  },

  boundaries = {
    -- The wave comes in here; what comes back leaves here, too.
    left     = { kind = "plane_wave", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                 waveform = waveform.gaussian { f0 = 8e9, bandwidth = 14e9 } },
    right    = { kind = "absorbing" },
    magnetic = { kind = "pmc" },              -- sides along E
    default  = { kind = "pec" },              -- sides across E
  },

  output = {
    -- Fields in time at two points, and their spectra at some frequencies.
    probes = {
      { name = "front", at = { 2e-3, 2e-3, -10e-3 }, every = 4, frequencies = { from = 2e9, to = 14e9, points = 61 } },
      { name = "back", at = { 2e-3, 2e-3, d * 1e-3 + 10e-3 }, every = 4,
        frequencies = { from = 2e9, to = 14e9, points = 61 } },
    },
    energy = { every = 10 },
    fields = { every = 4000, quantities = { "E" } },
  },
}
