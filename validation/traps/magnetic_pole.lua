-- mistake: the mesh is made for mu_r = 1, and a pole of the permeability makes the wave four times shorter in the pulse's band
-- cost: the record of a probe is off by 97 % (against order 4)
-- key: sources
-- ends: warning
-- says: material 'inside'
local order = args.order or (args.mended and 6 or 2)
local pole = { delta = 15, omega_0 = 2 * math.pi * 20e9, gamma = 1e9 }
simulation {
  mesh = { file = "cavity.geo", size = 0.015, parameters = { L = 0.03 } },
  order = order,
  time = { stop = 2e-9 },
  materials = { inside = { mu_r = 1, magnetic = { lorentz = { pole } } } },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.011, 0.013, 0.012 }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 4e9, bandwidth = 2e9 } } },
  output = { probes = { { name = "p", at = { 0.022, 0.018, 0.019 } } } },
}
