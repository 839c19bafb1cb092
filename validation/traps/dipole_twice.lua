-- mistake: a dipole that was copied to be changed, and was not
-- cost: fields are 100 % too large, powers 300 %
-- key: sources[2]
-- ends: warning
local one = { at = { 0.4, 0.4, 0.4 }, moment = { 0, 0, 1 }, waveform = waveform.gaussian { f0 = 60e6, bandwidth = 60e6 } }
local other = { at = { 0.4, 0.4, args.mended and 0.6 or 0.4 }, moment = one.moment, waveform = one.waveform }
simulation {
  mesh = { file = "cavity.geo", size = 0.5 },
  order = 2,
  time = { stop = 200e-9 },
  materials = { inside = { epsilon_r = 1 } },
  boundaries = { walls = { kind = "pec" } },
  sources = { one, other },
  output = { probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
