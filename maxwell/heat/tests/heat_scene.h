/* Boxes in which heat flows, for tests of the host and of cards. Behind cmocka.h. */
#pragma once

#include "maxwell/heat/heat_step.h"
#include "maxwell/tests/box.h"

static inline void ok(int status, const struct dg_error *err)
{
  if (status != 0) fail_msg("%s", err->message);
}

/* A scene: a box of one material with k, rho and c of its own, its walls and its sources. */
struct scene {
  struct box box;
  struct mx_heat_config heat;
  struct mx_heat_wall wall[6];
  struct mx_heat_source source;
  struct mx_heat_body body;
  struct mx_heat_problem problem;
  struct mx_heat_march march;
};

static const double unit[3] = {1, 1, 1};
static const struct dg_device_ops *scene_device; /* NULL: the host solves */

static inline void prepare(struct scene *scene, int cells, double shake)
{
  const int grid[3] = {cells, cells, cells};
  *scene = (struct scene){0};
  box_random_state = 1;
  box_mesh(&scene->box, grid, unit, shake, NULL);
  scene->box.material[0] = (struct mx_material_config){
      .where.is_default = true, .mass_density = 1, .thermal = {.conductivity = 1, .capacity = 1}};
  scene->box.config = (struct mx_config){.materials = 1, .material = scene->box.material, .heat = &scene->heat};
  scene->heat =
      (struct mx_heat_config){.order = 2, .wall = scene->wall, .source = &scene->source, .theta = 0.5, .solve = 1e-13};
}

static inline void begin(struct scene *scene)
{
  struct dg_error err = {0};
  const struct mx_heat_place place = {.config = &scene->box.config, .mesh = &scene->box.mesh};
  ok(mx_heat_body_init(&scene->body, &place, &err), &err);
  ok(mx_heat_problem_init(&scene->problem, &scene->box.config, &scene->body, &err), &err);
  ok(mx_heat_march_init(&scene->march, &scene->problem, NULL, &err), &err);
  ok(mx_heat_solver_move(&scene->march.solver, scene_device, DG_UNKNOWN, &err), &err);
}

/* What `begin` made, which may then be called again. */
static inline void forget(struct scene *scene)
{
  mx_heat_march_release(&scene->march);
  mx_heat_problem_release(&scene->problem);
  mx_heat_body_release(&scene->body);
}

static inline void end(struct scene *scene)
{
  forget(scene);
  dg_geometry_release(&scene->box.geometry);
  dg_mesh_release(&scene->box.mesh);
}

static inline void run(struct scene *scene)
{
  struct dg_error err = {0};
  while (scene->march.t < scene->heat.stop * (1 - 1e-12))
    ok(mx_heat_advance(&scene->march, scene->heat.stop, &err), &err);
}

/* Functions of position and time, for scripts in C. */
typedef double formula(const double x[3], double t);
static int call(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  formula *const *of = self;
  (void)err;
  for (size_t i = 0; i < at->count; i++) value[i] = (*of)(at->x[i], *at->t);
  return 0;
}
#define FUNCTION(name, of)                                                                                             \
  static formula *name##_formula = of;                                                                                 \
  static const struct mx_function name = {.values = call, .self = &name##_formula}

static inline double T(const struct scene *scene, size_t i) { return mx_heat_temperature(&scene->march, i); }

static inline double worst(const struct scene *scene, formula *exact)
{
  double most = 0;
  for (size_t i = 0; i < scene->problem.space.count; i++)
    most = fmax(most, fabs(T(scene, i) - exact(scene->problem.x[i], scene->march.t)));
  return most;
}

static double polynomial(const double x[3], double t) { return 1 + x[0] * x[0] + 3 * x[1] * x[1] + 1.3 * t; }
FUNCTION(polynomial_function, polynomial);

static double warm(const double x[3], double t) { return 37 + 5 * polynomial(x, t); }
static double warming(const double x[3], double t)
{
  return 4 * (warm(x, t) - 37) - 5 * (2 + 6) + (t > 0 ? 5 * 1.3 : 0);
}
static double around(const double x[3], double t) { return warm(x, t) + 5 * 2.0 / 3; }
FUNCTION(warm_function, warm);
FUNCTION(warming_function, warming);
FUNCTION(around_function, around);

/* With blood, a wall that holds its temperature and one with convection: T = 37 + 5 (1 + x^2 + 3 y^2 + 1.3 t). */
static inline void prepare_stiff(struct scene *scene)
{
  prepare(scene, 3, 0.2);
  scene->box.material[0].thermal.perfusion = 4;
  scene->heat.order = 5;
  scene->heat.blood = 37;
  scene->heat.walls = 2;
  scene->wall[0] =
      (struct mx_heat_wall){.where.is_default = true, .kind = MX_HEAT_HELD, .value.function = &warm_function};
  scene->wall[1] = (struct mx_heat_wall){
      .where.tag = 2, .kind = MX_HEAT_CONVECTION, .value.function = &around_function, .coefficient = 3};
  scene->heat.sources = 1;
  scene->source.density.function = &warming_function;
  scene->heat.start.function = &warm_function;
}
