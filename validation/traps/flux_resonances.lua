-- mistake: the centred flux for resonances, because it conserves energy
-- cost: in a box of 5 x 4 x 3 cm, order 3, 44 lines are found between 3 and 9 GHz where there are 8; Q of some is 130
--          to 400 where nothing is lost
-- key: flux
-- ends: warning
-- says: output.resonances finds it
simulation {
  mesh = { file = "cavity.geo", size = 0.4 },
  order = 3,
  flux = args.mended and "damped" or "centered",
  time = { stop = 100e-9 },
  materials = { inside = {} },
  boundaries = { walls = { kind = "pec" } },
  sources = { { at = { 0.31, 0.33, 0.37 }, moment = { 0.3, 0.5, 0.8 },
                waveform = waveform.gaussian { f0 = 250e6, bandwidth = 200e6 } } },
  output = {
    probes = { { name = "p", at = { 0.7, 0.61, 0.54 } } },
    resonances = { { name = "modes", probe = "p", from = 180e6, to = 350e6 } },
  },
}
