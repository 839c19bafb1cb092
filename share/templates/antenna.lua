-- @NAME@: a flat half-wave dipole: S11, input impedance and radiation pattern around 1 GHz.
--
--   curlew run @NAME@.lua                 some seconds; results in the folder @NAME@
--   curlew plot @NAME@                    pictures in @NAME@/plots: S11, Smith chart, pattern
--   curlew run @NAME@.lua -D length=110   a shorter dipole (mm)
--
-- Half of the room is computed. The dipole lies in the plane x = 0; its fields are mirrored there as in a magnetic wall.
simulation {
  mesh = {
    file = "@NAME@.geo",
    unit = 1e-3,                              -- the geometry is in millimetres
    parameters = { L = args.length or 130, fine = args.fine or 12, coarse = args.coarse or 60 },
  },
  order = args.order or 3,
  -- It ends when the energy is 50 dB below its maximum, and at the latest after `stop` seconds.
  time  = { stop = args.stop or 20e-9, decay = 50 },

  materials = { inner = {}, outer = {} },     -- vacuum

  boundaries = {
    metal  = { kind = "pec" },
    mirror = { kind = "pmc" },
    -- A source with an inner resistance. Half of the current flows in this half of the room: 146 ohm here are 73 ohm in
    -- the whole.
    gap    = { kind = "lumped_port", resistance = 146, direction = { 0, 0, 1 }, number = 1,
               waveform = waveform.differentiated_gaussian { f_peak = 1e9 } },
    sphere = { kind = "open", reflection = -40 }, -- open space: a layer grows behind the surface
  },

  output = {
    ports = { every = 4 },
    s_parameters = { from = 0.7e9, to = 1.3e9, points = 61 },
    -- Pattern, directivity and gain at some frequencies, from the fields on the surface "near".
    far_field = {
      { name = "pattern", surface = "near", frequencies = { 0.9e9, 1.0e9, 1.1e9 },
        theta = { from = 0, to = 180, points = 37 }, phi = { 0, 90 },
        images = { { axis = "x", wall = "pmc" } } },
    },
    energy = { every = 20 },
  },
}
