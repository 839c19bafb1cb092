-- Time-domain reflectometry on a coaxial line, radii 1.00 and 2.30 mm: a step of 1 V goes in, and what comes back tells
-- what is at the end.
-- -D load=R (ohm), default 25; -D load=open, -D load=short.
local r1, r2, length = 1.00e-3, 2.30e-3, 30e-3
local load = args.load or 25

-- A resistor that fills the end between the conductors: a sheet of Z ohm per square has the resistance
-- Z ln(r2/r1) / (2 pi).
local ends = {
  open  = { kind = "pmc" },
  short = { kind = "pec" },
}
local function resistor(ohms) return { kind = "impedance", impedance = ohms * 2 * const.pi / math.log(r2 / r1) } end

simulation {
  name  = "coax",
  mesh  = { file = "coax.geo", unit = 1e-3,
            parameters = { R1 = r1 * 1e3, R2 = r2 * 1e3, L = length * 1e3, N = args.n or 12, NZ = args.nz or 6 } },
  order = args.order or 2,
  time  = { stop = args.stop or 0.33e-9 },

  materials  = { line = {} },
  boundaries = {
    feed    = { kind = "coaxial_port", waveform = waveform.step { rise = 60e-12 } },
    load    = ends[load] or resistor(load),
    default = { kind = "pec" },
  },

  output = {
    ports = { every = 2 },
    fields = { every = 200, quantities = { "E", "H" } },
  },
}
