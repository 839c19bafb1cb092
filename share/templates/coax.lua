-- @NAME@: how much does a dielectric bead in a coaxial line of 50 ohm reflect? S-parameters from 2 to 15 GHz.
--
--   curlew run @NAME@.lua                 some seconds; S-parameters in @NAME@/@NAME@.s2p and sparameters.csv
--   curlew plot @NAME@                    pictures of them in @NAME@/plots
--   curlew run @NAME@.lua -D epsilon=4    another bead
local pulse = waveform.gaussian { f0 = 8e9, bandwidth = 15e9 }

simulation {
  mesh = {
    file = "@NAME@.geo",
    unit = 1e-3,                              -- the geometry is in millimetres
    geometry = args.geometry or 2,            -- curved elements follow the circles; straight ones lose 1 % of the power
    -- D: the bead's length. N and H: elements around the line, and their length along it (mm).
    parameters = { D = args.d or 5, N = args.n or 12, H = args.h or 4 },
  },
  order = args.order or 2,
  -- It ends when the energy is 60 dB below its maximum, and at the latest after `stop` seconds.
  time  = { stop = args.stop or 3e-9, decay = 60 },

  materials = {
    air  = {},
    bead = { epsilon_r = args.epsilon or 2.1 }, -- PTFE
  },

  boundaries = {
    -- Coaxial ports carry TEM. Those with a waveform drive, one after the other: there are two runs, and S has all four
    -- entries.
    port1   = { kind = "coaxial_port", number = 1, waveform = pulse },
    port2   = { kind = "coaxial_port", number = 2, waveform = pulse },
    default = { kind = "pec" },               -- the conductors
  },

  output = {
    ports = { every = 2 },                    -- what comes and goes in time: @NAME@/ports
    s_parameters = { from = 2e9, to = 15e9, points = 53 },
    energy = { every = 100 },
  },
}
