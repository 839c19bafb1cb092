-- The snapshot that picture.py draws: E = (0, 0, x) V/m in a ball, at t = 0. It is a polynomial in the elements, curved as
-- they are, so every value is known.
simulation {
  name = "ball",
  mesh = { file = "ball.geo", geometry = args.order or 3 },
  order = args.order or 3,
  time = { steps = 1 },
  materials = { inside = {} },
  boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, x end },
  output = { fields = { every = 10, format = "vtkhdf", quantities = { "E" } } },
}
