-- What curlew-scaling runs unless it is given a script: a mode of a box between conducting walls, without output.
local lx, ly, lz = args.lx or 1, args.ly or 1, args.lz or 1 -- metres
local pi = math.pi

simulation {
  mesh  = { file = "cavity.geo", size = args.size or 0.2, parameters = { LX = lx, LY = ly, LZ = lz } },
  order = 3,
  time  = { steps = 100 },
  materials  = { inside = { epsilon_r = 1 } },
  boundaries = { walls = { kind = "pec" } },
  initial = {
    E = function(x, y) return 0, 0, math.sin(pi * x / lx) * math.sin(pi * y / ly) end,
  },
}
