-- mistake: two boxes that touch are drawn without Coherence (BooleanFragments), so that each has a face of its own there.
-- cost: two closed cavities instead of one, whose first mode is at 212.0 MHz for 167.6 MHz (closed forms; one box of each): 26 %.
-- key: Coherence
-- ends: error
simulation {
  mesh = { file = args.mended and "joined.geo" or "apart.geo", size = 0.6 },
  order = 2, time = { steps = 10 },
  materials = { default = {} }, boundaries = { default = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, math.sin(math.pi * x) * math.sin(math.pi * z / 2), 0 end },
}
