/* The solver as a library: a simulation whose medium, initial field and sources are functions of this program, without
 * a script. share/doc/design/library.md explains it step by step; test_solver_closure sees to it that Lua and Gmsh are
 * not linked.
 *
 * In a box with conducting walls Ez = sin(kx x) sin(ky y) cos(w t) is a mode where w is the mode's own. With any other
 * w and any medium epsilon(x), it solves the equations with the current Jz = (epsilon epsilon0 w - (kx^2 + ky^2)/(mu0
 * w)) sin(kx x) sin(ky y) sin(w t).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "maxwell/limit/stability.h"
#include "maxwell/problem/initial.h"
#include "maxwell/step/stepper.h"
#include "maxwell/tests/box.h"

static const double pi = 3.14159265358979323846;
static const double size[3] = {1, 0.8, 0.3};

/* What the functions know. */
struct world {
  double k[2], w;
  double epsilon[2]; /* where x is below and beyond the middle */
  bool spoilt;       /* the medium is nan beyond the middle */
};

static double medium_at(const struct world *world, double x) { return world->epsilon[2 * x > size[0]]; }

static int medium(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  const struct world *world = self;
  (void)err;
  for (size_t i = 0; i < at->count; i++)
    value[i] = world->spoilt && 2 * at->x[i][0] > size[0] ? NAN : medium_at(world, at->x[i][0]);
  return 0;
}

static double shape(const struct world *world, const double x[3])
{
  return sin(world->k[0] * x[0]) * sin(world->k[1] * x[1]);
}

static int initial(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  (void)err;
  for (size_t i = 0; i < at->count; i++) {
    value[3 * i] = value[3 * i + 1] = 0;
    value[3 * i + 2] = shape(self, at->x[i]);
  }
  return 0;
}

/* The current but for its time, A/m^2. */
static int profile(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  const struct world *world = self;
  const double curl = (world->k[0] * world->k[0] + world->k[1] * world->k[1]) / (MX_MU0 * world->w);
  if (initial(self, at, value, err) != 0) return err->code;
  for (size_t i = 0; i < at->count; i++)
    value[3 * i + 2] *= medium_at(world, at->x[i][0]) * MX_EPSILON0 * world->w - curl;
  return 0;
}

static int pulse(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  const struct world *world = self;
  (void)err;
  for (size_t i = 0; i < at->count; i++) value[i] = sin(world->w * at->t[i]);
  return 0;
}

static int current(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  const struct world *world = self;
  if (profile(self, at, value, err) != 0) return err->code;
  for (size_t i = 0; i < 3 * at->count; i++) value[i] *= sin(world->w * *at->t);
  return 0;
}

/* Both fields as they should be, H times eta0. */
static void exact(const struct box *box, const struct world *world, double t, double *E, double *H)
{
  const size_t Np = (size_t)box->ref.Np;
  const double factor = sin(world->w * t) * MX_C0 / world->w;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < Np; i++) {
      double x[3];
      dg_geometry_point(&box->mesh, e, box->ref.r[i], box->ref.s[i], box->ref.t[i], x);
      const double *k = world->k;
      E[(3 * e + 2) * Np + i] = shape(world, x) * cos(world->w * t);
      H[3 * e * Np + i] = -factor * k[1] * sin(k[0] * x[0]) * cos(k[1] * x[1]);
      H[(3 * e + 1) * Np + i] = factor * k[0] * cos(k[0] * x[0]) * sin(k[1] * x[1]);
    }
}

/* How the current is given: not at all, by its function of place and time, or by a profile and a function of time. */
enum drive_kind { NONE, GENERAL, SEPARATE };

static void set_sources(struct box *box, struct mx_source_config source[2], enum drive_kind kind,
                        const struct mx_function *general, const struct mx_function *separate[2])
{
  if (kind == NONE) return;
  for (int i = 0; i < 2; i++) { /* a volume each */
    source[i] = (struct mx_source_config){.shape = MX_REGION, .where = {.tag = i + 1}};
    if (kind == GENERAL) source[i].drive.general = general;
    else
      source[i].drive = (struct mx_drive){
          .profile = separate[0], .waveform = {.kind = MX_FUNCTION_WAVEFORM, .amplitude = 1, .function = separate[1]}};
  }
  box->config.source = source;
  box->config.sources = 2;
}

/* From t = 0 to `steps` steps; the fields of that time. */
static int simulate(const struct box *box, struct mx_sources *sources, const struct mx_backend_ops *ops, double step,
                    long steps, double *E, double *H, struct dg_error *err)
{
  const struct mx_backend_options options = {.integrator = sources->integrator, .step = step * MX_C0};
  struct mx_stepper stepper = {0};
  struct mx_backend *backend = NULL;
  if (ops->create(&backend, &box->problem, &options, err) != 0 || ops->upload(backend, E, H, err) != 0) goto fail;
  stepper = mx_stepper_of(ops, backend, &box->problem, sources->integrator);
  if (mx_stepper_drive(&stepper, sources, step, steps, err) != 0) goto fail;
  for (long n = 0; n < steps; n++)
    if (mx_stepper_advance(&stepper, false, err) != 0) goto fail;
  if (mx_stepper_look(&stepper, err) == 0) (void)!ops->download(backend, E, H, err);
fail:
  mx_stepper_release(&stepper);
  ops->destroy(backend);
  return err->code;
}

/* The largest relative error of E and H behind a little more than a period. */
static void check_fields(struct world *world, enum drive_kind kind, const struct mx_backend_ops *ops,
                         enum mx_integrator integrator, double allowed)
{
  static const int cells[3] = {4, 3, 1};
  const struct mx_function epsilon = {.values = medium, .self = world}, start = {.values = initial, .self = world};
  const struct mx_function general = {.values = current, .self = world}, part = {.values = profile, .self = world};
  const struct mx_function time = {.values = pulse, .self = world}, *separate[2] = {&part, &time};
  struct box box = {0};
  struct mx_source_config source[2];
  struct mx_sources sources;
  struct mx_stability limit;
  struct dg_error err = {0};
  double *E = NULL, *H = NULL;
  box_mesh(&box, cells, size, 0.1, NULL);
  box_material(&box, 0, 1, 1, 0);
  box.material[0].epsilon_r.function = &epsilon;
  box.config.initial.E = &start;
  box.config.time.integrator = integrator;
  set_sources(&box, source, kind, &general, separate);
  box_problem(&box, 5, 1);
  if (mx_sources_init(&sources, &box.problem, &box.assignment, &box.config, &box.mesh, &err) != 0 ||
      mx_stability_limit(&limit, &box.problem, integrator, 0, &err) != 0 ||
      mx_initial_fields(&box.config, &box.mesh, &box.ref, &E, &H, &err) != 0)
    fail_msg("%s", err.message);
  const double step = 0.7 * limit.limit / MX_C0;
  const long steps = (long)(1.1 * 2 * pi / world->w / step);
  assert_null(H);
  assert_int_equal(dg_alloc(&H, 3 * (size_t)box.ref.Np * box.mesh.K, sizeof *H, &err), 0);
  if (mx_sources_prepare(&sources, step, steps, &err) != 0 ||
      simulate(&box, &sources, ops, step, steps, E, H, &err) != 0)
    fail_msg("%s", err.message);
  double *right[2] = {box_field(&box), box_field(&box)};
  exact(&box, world, step * (double)steps, right[0], right[1]);
  const double norm = sqrt(box_product(&box, NULL, right[0], right[0]) + box_product(&box, NULL, right[1], right[1]));
  const double error = hypot(box_distance(&box, E, right[0]), box_distance(&box, H, right[1])) / norm;
  print_message("%s, %s, current %d: %ld steps, the fields are wrong by %.2g\n", ops->name,
                mx_integrator_names[integrator], kind, steps, error);
  assert_true(error < allowed);
  free(right[0]), free(right[1]);
  dg_free(E);
  dg_free(H);
  mx_sources_release(&sources);
  box_release(&box);
}

/* Which backend and integrator makes no difference to who gives the functions. */
static void runs_with_functions_of_its_own(void **state)
{
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK};
  static const double allowed[] = {5e-4, 2e-4}; /* leapfrog is of order two in the step */
  (void)state;
  for (int b = 0; mx_backends[b] != NULL; b++) {
    struct dg_error err = {0};
    if (mx_backends[b]->available(&err) != 0) continue;
    for (int i = 0; i < 2; i++) {
      struct world mode = {.k = {2 * pi / size[0], pi / size[1]}, .epsilon = {2.25, 2.25}};
      mode.w = MX_C0 * hypot(mode.k[0], mode.k[1]) / 1.5;
      check_fields(&mode, NONE, mx_backends[b], integrators[i], allowed[i]);
      struct world driven = {.k = {2 * pi / size[0], pi / size[1]}, .w = 1.3e9, .epsilon = {1, 3}};
      check_fields(&driven, GENERAL, mx_backends[b], integrators[i], allowed[i]);
      check_fields(&driven, SEPARATE, mx_backends[b], integrators[i], allowed[i]);
    }
  }
}

/* Errors of a function come back as they are; what it must not give is one that names it. */
static int refuse(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  (void)self, (void)value;
  return dg_fail(err, DG_ENVIRONMENT, "no data for %s", at->what);
}

static int count_calls(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  long *calls = self;
  (void)err;
  for (size_t i = 0; i < at->count; i++) value[i] = (double)++*calls;
  return 0;
}

static void says_what_is_wrong_with_a_function(void **state)
{
  static const int cells[3] = {2, 1, 1};
  struct world spoilt = {.epsilon = {1, 1}, .spoilt = true};
  long calls = 0;
  const struct {
    struct mx_function function;
    enum dg_code code;
    const char *says;
  } cases[] = {
      {{.values = medium, .self = &spoilt}, DG_INPUT, "materials.default.epsilon_r returned nan at (x, y, z) = (0."},
      {{.values = refuse}, DG_ENVIRONMENT, "no data for materials.default.epsilon_r"},
      {{.values = count_calls, .self = &calls, .place = "scene.c:7"},
       DG_INPUT,
       "scene.c:7: materials.default.epsilon_r does not give the same whenever it is called with the same numbers (12, "
       "then 13), but must depend on its arguments alone, at (x, y, z) = (0."},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct box box = {0};
    struct dg_error err = {0};
    box_mesh(&box, cells, size, 0, NULL);
    box_material(&box, 0, 1, 1, 0);
    box.material[0].epsilon_r.function = &cases[i].function;
    assert_int_equal(dg_reference_init(&box.ref, 1, &err), 0);
    assert_int_equal(
        mx_problem_init(&box.problem, &box.assignment, &box.config, &box.mesh, &box.geometry, &box.ref, NULL, &err),
        cases[i].code);
    if (strncmp(err.message, cases[i].says, strlen(cases[i].says)) != 0)
      assert_string_equal(err.message, cases[i].says);
    box_release(&box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_with_functions_of_its_own),
      cmocka_unit_test(says_what_is_wrong_with_a_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
