-- A ferrite turns a wave: a pulse, E along x, goes through a plate of a garnet that a field along z has saturated. The
-- two circular waves of which it is made see different permeabilities, and E turns about z as the pulse goes on.
-- -D bias=-4e4 turns the static field round, -D linewidth=4e3 gives the ferrite losses.
local f0 = 13e9
local periodic = function(other) return { kind = "periodic", with = other } end

simulation {
  name  = "ferrite",
  mesh  = { file = "ferrite.geo", unit = 1e-3, size = args.size or 1.3 },
  order = args.order or 3,
  time  = { stop = args.stop or 2e-9 },

  materials = {
    vacuum = {},
    garnet = { epsilon_r = 15, ferrite = { saturation = 1.42e5, bias = { 0, 0, args.bias or 4e4 },
                                           linewidth = args.linewidth or 0, at = 10e9 } },
  },
  boundaries = {
    left = periodic "right", right = periodic "left", front = periodic "back", back = periodic "front",
    ["in"] = { kind = "plane_wave", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
               waveform = waveform.gaussian { f0 = f0, bandwidth = 8e9 } },
    out = { kind = "absorbing" },
  },

  output = {
    probes = { { name = "behind", at = { 1.4e-3, 1.2e-3, 5.8e-3 }, every = 8 } },
    energy = { every = 500 },
  },
}
