-- @NAME@: S-parameters of an iris in a rectangular waveguide (WR-90), 8 to 12 GHz.
--
--   curlew run @NAME@.lua                 some seconds; S-parameters in @NAME@/@NAME@.s2p and sparameters.csv
--   curlew plot @NAME@                    pictures of them in @NAME@/plots
--   curlew run @NAME@.lua -D width=9      a narrower iris (mm)
local pulse = waveform.gaussian { f0 = 10e9, bandwidth = 4.5e9 }

simulation {
  mesh = {
    file = "@NAME@.geo",
    unit = 1e-3,                              -- the geometry is in millimetres
    parameters = { W = args.width or 12 },
  },
  order = args.order or 3,
  -- It ends when the energy is 60 dB below its maximum, and at the latest after `stop` seconds.
  time  = { stop = args.stop or 10e-9, decay = 60 },

  materials = { guide = {} },                 -- vacuum; { epsilon_r = 2.1 } would fill it

  boundaries = {
    -- A port absorbs its mode. Those with a waveform drive, one after the other: there are two runs, and S has all four
    -- entries.
    port1   = { kind = "waveguide_port", mode = "TE10", number = 1, waveform = pulse },
    port2   = { kind = "waveguide_port", mode = "TE10", number = 2, waveform = pulse },
    default = { kind = "pec" },               -- all other outer surfaces are metal
  },

  output = {
    ports = { every = 5 },                    -- what comes and goes in time: @NAME@/ports
    s_parameters = { from = 8e9, to = 12e9, points = 41 },
    energy = { every = 20 },
    fields = { every = 2500, quantities = { "E" } },
  },
}
