-- One step, of which only the automatic size is looked at (time_step in summary.json).
--   curlew run case.lua -D mesh=graded.geo -D order=3 -D integrator=rk4 -D flux=0
simulation {
  name  = "step_limit",
  mesh  = { file = args.mesh or "cube.geo" },
  order = args.order or 2,
  flux  = args.flux or 1,
  time  = { integrator = args.integrator or "leapfrog", steps = 1 },
  materials  = { default = {} },
  boundaries = { default = { kind = "pec" } },
  output = { progress = { every = 0 } },
}
