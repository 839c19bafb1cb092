simulation { mesh = { file = 'a.geo' }, order = 3, time = { steps = 1 }, materials = { default = {} },
name = 'a', output = { probes = { { name = 'a', at = { 0, 0, 0 } } },
lines = { { name = 'a', from = { 0, 0, 0 }, to = { 0, 0, 1 } } },
planes = { { name = 'a', origin = { 0, 0, 0 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } } },
fluxes = { { name = 'a', surface = 1 } },
voltages = { { name = 'a', from = { 0, 0, 0 }, to = { 0, 0, 1 } } },
currents = { { name = 'a', circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = 1 } } },
losses = { { name = 'x/', region = 1 } } }
}
