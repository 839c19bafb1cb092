-- mistake: a magnetised plasma is meshed for the wavelength in vacuum, and its slow wave (the whistler) is five times shorter
-- cost: the record of a probe is off by 88 % (against order 4)
-- key: sources
-- ends: warning
-- says: material 'inside'
local order = args.order or (args.mended and 6 or 2)
local field = { 0, 0, 2 * math.pi * 12e9 }
simulation {
  mesh = { file = "cavity.geo", size = 0.015, parameters = { L = 0.03 } },
  order = order,
  time = { stop = 4e-9 },
  materials = { inside = { gyrotropic = { omega_p = 2 * math.pi * 25e9, omega_c = field, gamma = 2e9 } } },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.011, 0.013, 0.012 }, moment = { 1, 0, 0 }, waveform = waveform.gaussian { f0 = 3e9, bandwidth = 1e9 } } },
  output = { probes = { { name = "p", at = { 0.022, 0.018, 0.019 } } } },
}
