-- mistake: time.stop in nanoseconds, where seconds are meant
-- cost: there is never an answer: the run would take some months
-- key: time.stop
-- ends: warning
simulation {
  mesh = { file = "cavity.geo", size = 0.5 },
  order = 1,
  time = { stop = args.mended and 50e-9 or 50 },
  materials = { inside = { epsilon_r = 1 } },
  boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, math.sin(math.pi * x) * math.sin(math.pi * y) end },
  output = { probes = { { name = "p", at = { 0.7, 0.6, 0.5 } } } },
}
