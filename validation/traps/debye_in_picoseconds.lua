-- mistake: the relaxation time of water in picoseconds, 8.27 in place of 8.27e-12 s
-- cost: the field at the probe is 8 times too large, and rings where water takes it
-- key: debye
-- ends: warning
local tau = args.mended and 8.27e-12 or 8.27
simulation {
  mesh = { file = "cavity.geo", size = 0.004, parameters = { L = 0.01 } },
  order = 2,
  time = { stop = 3e-9 },
  materials = { inside = { epsilon_r = 5.2, debye = { { delta = 73.2, tau = tau } } } },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.004, 0.004, 0.004 }, moment = { 0, 0, 1 },
                waveform = waveform.gaussian { f0 = 1.5e9, bandwidth = 1e9 } } },
  output = { probes = { { name = "p", at = { 0.007, 0.006, 0.005 } } } },
}
