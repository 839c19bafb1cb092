-- A coaxial line that an open wall cuts through: what the layer returns of a pulse, over the pulse.
--   curlew run coax.lua --trust -D n=16          -D load=absorbing: a wall, which is exact for the line's wave; -D geometry=1: flat elements
-- summary.json has it in dB: `derived.returned`, and `derived.late` behind what the port itself returns.
simulation {
  name  = "coax",
  mesh  = { file = "../../examples/04_coax/coax.geo", unit = 1e-3, geometry = args.geometry,
            parameters = { R1 = 1, R2 = 2.3, L = 30, N = args.n or 12, NZ = args.nz or 10 } },
  order = args.order or 3,
  time  = { stop = 0.35e-9 },
  materials  = { line = {} },
  boundaries = {
    feed    = { kind = "coaxial_port", waveform = waveform.differentiated_gaussian { f_peak = 10e9 } },
    load    = { kind = args.load or "open" },
    default = { kind = "pec" },
  },
  output = { ports = { every = 1 } },
  on = {
    done = function(sim)
      local port = sim.ports.feed
      local first = 1
      while port.time[first] < 160e-12 do first = first + 1 end
      local sent = port.incident:peak()
      local function decibel(value) return 20 * math.log(value / sent, 10) end
      return { returned = decibel((port.reflected:peak())), late = decibel((port.reflected:peak(first, #port.reflected))) }
    end,
  },
}
