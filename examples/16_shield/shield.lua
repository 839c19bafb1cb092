-- How well does a foil of copper shield? A pulse from 0 to 1 GHz meets a foil that is 10 um thick, five skin depths at
-- the upper end and a sixth of one at 1 MHz; two probes see what comes and what passes.
-- -D thickness=35 (um) and -D metal=aluminium make another foil.
local metal = args.metal or "copper"
local thickness = (args.thickness or 10) * 1e-6

simulation {
  name  = "shield",
  mesh  = { file = "shield.geo", unit = 1e-3, size = args.size or 100 },
  order = args.order or 4,
  time  = { stop = args.stop or 16e-9 },

  materials  = { air = {} },
  boundaries = {
    left     = { kind = "plane_wave", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
                 waveform = waveform.gaussian { bandwidth = 1e9 } },
    right    = { kind = "absorbing" },
    magnetic = { kind = "pmc" },
    default  = { kind = "pec" },
  },
  interfaces = {
    foil = { kind = "metal_sheet", metal = metal, thickness = thickness, band = { 1e6, 2e9 } },
  },

  output = {
    probes = {
      { name = "front", at = { 0.05, 0.05, -0.15 } },
      { name = "back", at = { 0.05, 0.05, 0.15 } },
    },
  },
}
