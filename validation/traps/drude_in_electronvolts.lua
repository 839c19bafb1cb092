-- mistake: the plasma frequency of gold in electronvolts, 9.03 in place of 1.37e16 rad/s
-- cost: the field at the probe is 12 times too large: there is no metal
-- key: drude
-- ends: warning
local eV = args.mended and 1.602176634e-19 / 1.054571817e-34 or 1
simulation {
  mesh = { file = "cavity.geo", size = 6e-8, parameters = { L = 1.2e-7 } },
  order = 2,
  time = { stop = 2e-14 },
  materials = { inside = { epsilon_r = 1, drude = { { omega_p = 9.03 * eV, gamma = 0.053 * eV } } } },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 5e-8, 5e-8, 5e-8 }, moment = { 0, 0, 1e-20 },
                waveform = waveform.gaussian { f0 = 4e14, bandwidth = 2e14 } } },
  output = { probes = { { name = "p", at = { 7e-8, 6e-8, 5e-8 } } } },
}
