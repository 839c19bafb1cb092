-- A plane wave meets a slab of a plasma, of a Lorentz medium, of a magnetic medium, or of a mixture.
-- by hand: curlew run case.lua -D medium=lorentz -D integrator=lsrk
local pi = math.pi
local media = {
  plasma  = { unit = 1e-3, size = 1.6, band = 70e9, stop = 3e-9,
              slab = { drude = { { omega_p = 2 * pi * 28.7e9, gamma = 2e10 } } } },
  lorentz = { unit = 50e-9 / 15, size = 2, band = 5e15, stop = 3e-15,
              slab = { lorentz = { { delta = 1.25, omega_0 = 4e16, gamma = 5.6e15 } } } },
  magnetic = { unit = 1e-3, size = 2, band = 70e9, stop = 1.5e-9,
               slab = { epsilon_r = 2, drude = { { omega_p = 5e10, gamma = 2e10 } },
                        magnetic = { lorentz = { { delta = 1.25, omega_0 = 2.5e11, gamma = 4e10 } },
                                     drude = { { omega_p = 8e10, gamma = 3e10 } } } } },
  mixture = { unit = 1e-3, size = 2, band = 70e9, stop = 1.5e-9,
              slab = { epsilon_r = 2, sigma = 0.2, drude = { { omega_p = 1e11, gamma = 4e10 } },
                       debye = { { delta = 1, tau = 5e-12 }, { delta = 2, tau = 2e-11 } },
                       lorentz = { { delta = 0.5, omega_0 = 2.5e11, gamma = 5e10 } } } },
}
local medium = media[args.medium or "plasma"]
local size = args.size or medium.size
simulation {
  name  = "dispersive",
  mesh  = { file = "case.geo", size = size, unit = medium.unit, parameters = { W = size } },
  order = args.order or 4,
  time  = { integrator = args.integrator or "leapfrog", stop = args.stop or medium.stop },
  materials = { air = {}, slab = medium.slab },
  boundaries = {
    left = { kind = "plane_wave", direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 },
             origin = { -15 * medium.unit, 0, 0 }, waveform = waveform.gaussian { bandwidth = medium.band } },
    right = { kind = "absorbing" },
    magnetic = { kind = "pmc" },
  },
  output = { probes = { { name = "front", at = { -3.1 * medium.unit, 0.35 * medium.unit, 0.55 * medium.unit } },
                        { name = "behind", at = { 16.9 * medium.unit, 0.35 * medium.unit, 0.55 * medium.unit } } },
             energy = { every = 20 }, progress = { every = 0 } },
}
