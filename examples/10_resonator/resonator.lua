-- A ball of a ceramic, epsilon_r = 36, that rings in open space and leaks. An eighth of it is drawn; which modes the
-- eighth has depends on the walls in the planes of symmetry: -D bottom=pec has TE2 instead of TE1.
local a = 10e-3
local bottom = args.bottom or "pmc"
local quiet = args.quiet -- dB: stop when the probe p rings so much more softly than it did
local function hertz(ka) return ka * const.c0 / (2 * const.pi * a) end

simulation {
  name  = "resonator",
  mesh  = { file = "resonator.geo", unit = 1e-3,
            parameters = { inside = args.inside or 4, outside = args.outside or 8 } },
  order = args.order or 2,
  time  = { stop = args.stop or 7e-9 },

  materials  = { ball = { epsilon_r = 36 }, air = {} },
  boundaries = { sides = { kind = "pec" }, bottom = { kind = bottom }, outer = { kind = "open" } },
  -- A pulse from 1 to 5 GHz, without a constant part: no charges stay behind.
  sources = { { at = { 3.1e-3, 3.7e-3, 2.3e-3 }, moment = { 1e-3, 0.7e-3, 1.3e-3 },
                waveform = waveform.gaussian { f0 = 3e9, bandwidth = 4e9 } } },

  output = {
    probes = { { name = "p", at = { 2e-3, 4e-3, 5e-3 }, every = 10 }, { name = "q", at = { 5e-3, 3e-3, 4e-3 }, every = 10 } },
    resonances = { { name = "modes", probe = { "p", "q" }, from = hertz(0.45), to = hertz(0.8) } },
  },

  on = quiet and {
    interval = 0.2e-9,
    output = function(sim)
      local Ex = sim.probes.p.Ex -- a sample every 10 steps
      local late, most = Ex:peak(#Ex - 99), Ex:peak()
      if most > 0 and late < 10 ^ (-quiet / 20) * most then sim.stop(string.format("p is %g dB quieter", quiet)) end
    end,
  },
}
