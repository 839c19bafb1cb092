-- A dipole strikes a box without losses, or with -D can=1 a can of poor metal; output.resonances says what rings.
--   curlew run case.lua -D can=1 -D order=4 -D flux=0
local can = (args.can or 0) == 1
local box = { { 0.037, 0.011, 0.021 }, { 0.021, 0.029, 0.013 }, { 0.031, 0.017, 0.008 } }
local round = { { 0.017, 0.006, 0.021 }, { -0.008, 0.011, 0.013 }, { -0.011, -0.017, 0.008 } }
local at = can and round or box

simulation {
  name  = "resonances",
  mesh  = { file = "case.geo", size = args.size or 0.02, parameters = { can = can and 1 or 0 } },
  order = args.order or 3,
  flux  = args.flux or 1,
  time  = { stop = args.stop or 12e-9 },
  materials  = { air = {} },
  boundaries = { walls = can and { kind = "metal", conductivity = args.sigma } or { kind = "pec" } },
  sources = { { at = can and { 0.0031, 0.0043, 0.0137 } or { 0.0131, 0.0123, 0.0097 }, moment = { 0.3, 0.5, 0.8 },
                waveform = waveform.gaussian { f0 = can and 4.5e9 or 6e9, bandwidth = can and 4e9 or 6e9 } } },
  output = {
    probes = { { name = "a", at = at[1] }, { name = "b", at = at[2] }, { name = "c", at = at[3] } },
    resonances = { { name = "modes", probe = { "a", "b", "c" }, from = can and 3e9 or 4e9, to = can and 6.2e9 or 8.2e9 } },
    progress = { every = 0 },
  },
}
