/* Scenes with everything that a backend must know, run on one backend and compared with another's results. A scene is
 * a script on a box (box.h) or on a ring (ring.h); include this first, with script_fixture's enter_folder and
 * leave_folder as group set-up and tear-down. */
#pragma once

#include "maxwell/tests/script_fixture.h"

#include "maxwell/sources/sources.h"
#include "maxwell/tests/box.h"
#include "maxwell/problem/curved.h"
#include "maxwell/terms/skins.h"
#include "maxwell/tests/drive.h"
#include "maxwell/sources/tests/ring.h"
#include "maxwell/limit/stability.h"
#include "maxwell/measure/kinds.h"

struct scene {
  struct box box;
  struct mx_script *script;
  struct mx_sources sources;
  enum mx_integrator integrator;
  size_t functional; /* the first of two */
  double step;       /* s */
  long steps;
  double *E, *H; /* at t = 0: noise */
};

struct scene_wanted {
  const char *text; /* boundaries, interfaces and sources */
  int cells[3];     /* of the box; all 0: a ring */
  int order;
  double alpha;
  enum mx_integrator integrator;
  long steps;
};

/* Losses here and there (of H at even orders) and other media, with the fluxes between them. Behind the sources, which
 * want one medium. */
static inline void scene_mix(struct mx_problem *problem, double alpha)
{
  for (size_t e = 0; e < problem->K; e++) {
    if (e % 3 == 0) problem->sigma[e] = 0.5 * box_random();
    if (e % 4 == 1 && problem->ref->order % 2 == 0) problem->sigma_m[e] = 0.5 * box_random();
    if (e % 5 == 0) problem->epsilon[e] *= 1.5;
    if (e % 7 == 0) problem->mu[e] *= 0.7;
  }
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      int32_t code = problem->neighbour[e][f];
      if (code < 0) continue;
      size_t other = (size_t)code / 4;
      const double own = sqrt(problem->mu[e] / problem->epsilon[e]),
                   beyond = sqrt(problem->mu[other] / problem->epsilon[other]);
      problem->flux[e][f] =
          problem->skin[e][f] != 0 ? mx_skins[MX_SKIN_FILM]->flux(NULL, own, beyond) : mx_face_flux(own, beyond, alpha);
    }
}

static inline void scene_functionals(struct scene *scene)
{
  struct mx_problem *problem = &scene->box.problem;
  struct mx_functional *functional;
  struct dg_error err = {0};
  scene->functional = problem->functionals;
  for (int magnetic = 0; magnetic < 2; magnetic++) {
    size_t numbers = 3 * (size_t)problem->ref->Np * problem->K, count = 20;
    assert_int_equal(mx_problem_add_functional(problem, magnetic, count, &functional, &err), 0);
    for (size_t i = 0; i < count; i++) {
      functional->index[i] = (size_t)((double)numbers * box_random());
      functional->weight[i] = box_random() - 0.5;
    }
  }
}

/* One medium, and waves of 300 MHz that rise at once. */
static inline void scene_read(struct scene *scene, const char *text)
{
  char script[4096];
  struct dg_error err = {0};
  snprintf(script, sizeof script,
           "local sin, cos, pi = math.sin, math.cos, math.pi\n"
           "local wave = waveform.sine { f0 = 3e8, rise = 2e-11 }\n"
           "simulation { mesh = { file = 'a.geo' }, order = 1, time = { steps = 1 },\n"
           "materials = { default = { epsilon_r = 2, mu_r = 1.5 } },\n%s }\n",
           text);
  scene->script = load_text(script, 0, NULL, 0, NULL, &err);
  if (scene->script == NULL ||
      mx_config_read(&scene->box.config, mx_measure_kinds, mx_script_origin(scene->script), &err) != 0)
    fail_msg("%s", err.message);
}

static const double scene_size[3] = {1, 0.6, 0.5};

/* On a mesh that is there; the rest is zero. */
static inline void scene_build_on(struct scene *scene, const struct scene_wanted *wanted)
{
  struct box *box = &scene->box;
  struct dg_error err = {0};
  struct mx_stability stability;
  bool euler = wanted->integrator == MX_EULER;
  scene->integrator = wanted->integrator;
  scene->steps = wanted->steps;
  scene_read(scene, wanted->text);
  box->config.time.integrator = wanted->integrator;
  box_problem(box, wanted->order, wanted->alpha);
  if (mx_sources_init(&scene->sources, &box->problem, &box->assignment, &box->config, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  scene_mix(&box->problem, wanted->alpha);
  scene_functionals(scene);
  /* euler has no limit: a step so short that nothing grows by much */
  if (mx_stability_limit(&stability, &box->problem, euler ? MX_LEAPFROG : wanted->integrator, 0, &err) != 0)
    fail_msg("%s", err.message);
  scene->step = (euler ? 0.05 : 0.9) * stability.limit / MX_C0;
  if (mx_sources_prepare(&scene->sources, scene->step, scene->steps, &err) != 0) fail_msg("%s", err.message);
  scene->E = box_field(box);
  scene->H = box_field(box);
  box_noise(box, scene->E);
  box_noise(box, scene->H);
}

static inline void scene_build(struct scene *scene, const struct scene_wanted *wanted)
{
  *scene = (struct scene){0};
  if (wanted->cells[0] > 0) box_mesh(&scene->box, wanted->cells, scene_size, 0.2, NULL);
  else ring_mesh(&scene->box, 1);
  scene_build_on(scene, wanted);
}

static inline void scene_release(struct scene *scene)
{
  struct mx_config config = scene->box.config;
  free(scene->E), free(scene->H);
  mx_sources_release(&scene->sources);
  box_release(&scene->box);
  mx_config_release(&config);
  mx_script_free(scene->script);
}

/* What one backend makes of it. */
struct scene_result {
  double *E, *H, functional[2], raw[2], energy[2], loss, sample[2][6];
  struct mx_field_check check;
  int threads;
};

static inline void scene_observe(const struct scene *scene, const struct drive *drive, struct scene_result *result)
{
  const struct mx_backend_ops *ops = drive->ops;
  const struct box *box = &scene->box;
  struct dg_error err = {0};
  double weight[DG_NP_MAX];
  for (int i = 0; i < box->ref.Np; i++) weight[i] = sin(i + 1.0);
  static const double place[3] = {-0.4, -0.6, -0.7};
  double metric[9];
  struct mx_point point[2] = {{.element = 7, .weight = weight}, {.element = 11, .node = 2}};
  (void)mx_element_metric(&box->problem, point[0].element, place, metric);
  if (mx_curve_find(&box->problem, point[0].element) >= 0) point[0].metric = metric;
  int32_t *all = calloc(box->mesh.K, sizeof *all);
  for (size_t e = 0; e < box->mesh.K; e++) all[e] = (int32_t)e;
  result->E = box_field(box);
  result->H = box_field(box);
  assert_int_equal(ops->download(drive->backend, result->E, result->H, &err), 0);
  assert_int_equal(ops->functionals(drive->backend, scene->functional, 2, true, result->functional, &err), 0);
  assert_int_equal(ops->functionals(drive->backend, scene->functional, 2, false, result->raw, &err), 0);
  assert_int_equal(ops->energy(drive->backend, &result->energy[0], &result->energy[1], &err), 0);
  assert_int_equal(ops->loss(drive->backend, box->mesh.K, all, &result->loss, &err), 0);
  assert_int_equal(ops->sample(drive->backend, 2, point, result->sample, &err), 0);
  assert_int_equal(ops->check(drive->backend, &result->check, &err), 0);
  result->threads = ops->threads(drive->backend);
  free(all);
}

/* Stage s of step n as a run does it: sources that look at the fields before the stage follow it where a backend takes
 * them then, unless they are `in_line`. Of several ranks the ports' values are added up. */
static inline void scene_stage(struct scene *scene, const struct drive *drive, long n, int s, bool observe,
                               bool in_line)
{
  struct dg_error err = {0};
  const struct mx_backend_ops *ops = drive->ops;
  struct mx_sources *sources = &scene->sources;
  const struct mx_ports *ports = &sources->ports;
  const bool ahead = ops->card->present && !in_line;
  double *amplitude = calloc(ports->functionals + 1, sizeof *amplitude);
  const struct mx_stage_sources *now;
  if (ahead) {
    assert_int_equal(ops->card->functionals_begin(drive->backend, ports->first, ports->functionals, &err), 0);
    assert_int_equal(ops->stage_begin(drive->backend, s, observe, &mx_sources_follow, &err), 0);
    assert_int_equal(ops->card->functionals_end(drive->backend, ports->first, ports->functionals, amplitude, &err), 0);
  } else {
    assert_int_equal(ops->functionals(drive->backend, ports->first, ports->functionals, false, amplitude, &err), 0);
  }
  assert_int_equal(mx_ports_sum(ports, amplitude, &err), 0);
  mx_ports_record(&sources->ports, n, s, amplitude);
  if (mx_sources_evaluate(sources, n, s, scene->step, &now, &err) != 0) fail_msg("%s", err.message);
  if (ahead) assert_int_equal(ops->card->stage_sources(drive->backend, s, now, &err), 0);
  else assert_int_equal(ops->stage_begin(drive->backend, s, observe, now, &err), 0);
  assert_int_equal(ops->stage_end(drive->backend, s, &err), 0);
  free(amplitude);
}

/* All steps, and so much of another one as it takes to observe. */
static inline void scene_advance_with(struct scene *scene, const struct drive *drive, bool in_line)
{
  const struct mx_scheme *scheme = &mx_schemes[scene->integrator];
  mx_sources_reset(&scene->sources);
  mx_ports_reset(&scene->sources.ports, -1);
  for (long n = 0; n <= scene->steps; n++)
    for (int s = 0; s < (n < scene->steps ? scheme->stages : scheme->observe_stage); s++)
      scene_stage(scene, drive, n, s, n == scene->steps, in_line);
}

static inline void scene_advance(struct scene *scene, const struct drive *drive)
{
  scene_advance_with(scene, drive, false);
}

static inline struct scene_result scene_run(struct scene *scene, const struct mx_backend_ops *ops,
                                            enum mx_precision precision)
{
  struct scene_result result = {0};
  struct drive drive =
      drive_new(ops, &scene->box, scene->integrator, precision, scene->step * MX_C0, scene->E, scene->H);
  scene_advance(scene, &drive);
  scene_observe(scene, &drive, &result);
  ops->destroy(drive.backend);
  return result;
}

static inline void scene_result_release(struct scene_result *result)
{
  free(result->E);
  free(result->H);
}

/* The largest difference of anything, relative to the largest field (energies, losses: to themselves). */
static inline double scene_difference(const struct scene *scene, const struct scene_result *a,
                                      const struct scene_result *b)
{
  size_t numbers = 3 * (size_t)scene->box.ref.Np * scene->box.mesh.K;
  double scale = a->check.largest, energy = fabs(a->energy[0]) + fabs(a->energy[1]), worst = 0;
  assert_true(a->check.finite && scale > 1e-6 && a->loss > 0);
#define WORSE(x, y, unit) worst = fmax(worst, fabs((x) - (y)) / (unit))
  for (size_t i = 0; i < numbers; i++) {
    WORSE(a->E[i], b->E[i], scale);
    WORSE(a->H[i], b->H[i], scale);
  }
  for (int i = 0; i < 2; i++) {
    WORSE(a->functional[i], b->functional[i], scale);
    WORSE(a->raw[i], b->raw[i], scale);
    WORSE(a->energy[i], b->energy[i], energy);
    for (int c = 0; c < 6; c++) WORSE(a->sample[i][c], b->sample[i][c], scale * DG_NP_MAX);
  }
  WORSE(a->loss, b->loss, a->loss);
  WORSE(a->check.largest, b->check.largest, scale);
#undef WORSE
  return b->check.finite ? worst : INFINITY;
}
