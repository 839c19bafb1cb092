-- @NAME@: the radar cross-section of a metal block from 0.5 to 1.5 GHz.
--
--   curlew run @NAME@.lua                 some seconds; results in the folder @NAME@
--   curlew plot @NAME@                    pictures in @NAME@/plots
--   curlew run @NAME@.lua -D order=3      more accurate, and slower
simulation {
  mesh = {
    file = "@NAME@.geo",
    unit = 1e-3,                              -- the geometry is in millimetres
    parameters = { fine = args.fine or 40, coarse = args.coarse or 50 },
  },
  order = args.order or 2,
  -- It ends when the energy is 60 dB below its maximum, and at the latest after `stop` seconds.
  time  = { stop = args.stop or 20e-9, decay = 60 },

  materials  = { total = {}, scattered = {} }, -- vacuum
  boundaries = {
    metal = { kind = "pec" },
    outer = { kind = "open", reflection = -40 }, -- open space: a layer grows behind the surface
  },

  -- A plane wave that travels along z with E along x, in the volume "total" only.
  interfaces = {
    huygens = { kind = "total_field", region = "total", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                waveform = waveform.gaussian { f0 = 1e9, bandwidth = 1.8e9 } },
  },

  output = {
    far_field = {
      { name = "rcs", surface = "huygens", frequencies = { from = 0.5e9, to = 1.5e9, points = 21 },
        theta = { from = 0, to = 180, points = 37 }, phi = { 0, 90 } },
    },
    energy = { every = 10 },
  },
}
