-- A half-wave dipole, 150 mm long and 5 mm thick, fed in the middle: its input impedance from 0.6 to 1.4 GHz.
-- An eighth of the room is computed: x = 0 and y = 0 are planes of symmetry (pmc), z = 0 is the one that the currents
-- cross (pec).
-- -D length=300 (mm), -D radius=1 (mm): other dipoles.
local length, radius = args.length or 150, args.radius or 2.5

simulation {
  name  = "dipole_antenna",
  mesh  = { file = "dipole_antenna.geo", unit = 1e-3,
            parameters = { L = length, A = radius, S = args.size or 80, E = args.metal or 3.5 } },
  order = args.order or 2,
  time  = { stop = args.stop or 6e-9 },

  materials  = { room = {} },
  boundaries = {
    -- The gap is a ring, of which the eighth has half the length and a quarter of the width: its 146 ohm are 73 of the
    -- whole.
    gap      = { kind = "lumped_port", resistance = 146, direction = { 0, 0, 1 }, number = 1,
                 waveform = waveform.differentiated_gaussian { f_peak = 1e9 } },
    metal    = { kind = "pec" },
    middle   = { kind = "pec" },
    symmetry = { kind = "pmc" },
    -- Open space: a layer grows from the sphere. -40 dB are enough for an impedance.
    sphere   = { kind = "open", reflection = -40 },
  },

  output = {
    ports = { every = 4 },
    s_parameters = { from = 0.6e9, to = 1.4e9, points = 81 },
    fields = { every = 2000, quantities = { "E", "H" } },
  },
}
