-- mistake: the drawing is in millimetres, mesh.unit says so, and mesh.size is given in metres, as all else in a script.
-- cost: no answer: Gmsh would make 2.7e11 elements for 240 (the message; mesh.size is in drawing units).
-- key: mesh.size
-- ends: error
simulation {
  mesh = { file = "millimetres.geo", size = args.mended and 6 or 6e-3, unit = 1e-3 },
  order = 2, time = { steps = 10 },
  materials = { inside = {} }, boundaries = { walls = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, math.sin(math.pi * x / 22.86e-3), 0 end },
}
