-- Faraday rotation: a pulse, E along x, goes through a plate whose charges turn about a magnetic field along z. The two
-- circular waves of which it is made have different velocities, and E turns about z as the pulse goes on.
-- -D turning=-0.15 turns the magnetic field round, -D turning=0 takes it away.
local c0 = 299792458.0
local f1 = c0 / 1e-3 -- Hz: the wavelength in vacuum is 1 mm
local unit = 2 * math.pi * f1
local periodic = function(other) return { kind = "periodic", with = other } end

simulation {
  name  = "faraday",
  mesh  = { file = "faraday.geo", unit = 1e-3, size = args.size or 0.22 },
  order = args.order or 3,
  time  = { stop = args.stop or 1.3e-10 },

  materials = {
    vacuum = {},
    garnet = { epsilon_r = 1.5, gyrotropic = { omega_p = math.sqrt(0.1) * unit, omega_0 = unit, gamma = 1e-6 * unit,
                                               omega_c = { 0, 0, (args.turning or 0.15) * unit } } },
  },
  boundaries = {
    left = periodic "right", right = periodic "left", front = periodic "back", back = periodic "front",
    ["in"] = { kind = "plane_wave", direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 },
               waveform = waveform.gaussian { f0 = 0.6 * f1, bandwidth = 0.4 * f1 } },
    out = { kind = "absorbing" },
  },

  output = {
    probes = {
      { name = "first", at = { 0.2e-3, 0.3e-3, 0.3e-3 }, every = 4 },
      { name = "second", at = { 0.2e-3, 0.3e-3, 1e-3 }, every = 4 },
      { name = "third", at = { 0.2e-3, 0.3e-3, 1.7e-3 }, every = 4 },
      { name = "behind", at = { 0.2e-3, 0.3e-3, 2.25e-3 }, every = 4 },
    },
  },
}
