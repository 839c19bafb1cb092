/* The `cpu` backend against the reference: every instruction set of this machine, order, precision, integrator and
 * flux, with different materials, losses, open walls and all kinds of source terms, from noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/cpu/fused_tables.h"
#include "maxwell/sources.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/time/stability.h"

static const char *const instruction_sets[] = {"portable", "avx2", "avx512"};

/* 96 elements, losses, changing media, walls of five kinds, a wave that comes in, a surface of total field, a region
 * with current. */
struct scene {
  struct box box;
  struct mx_interface_config interface;
  struct mx_source_config source;
  struct mx_sources sources;
};

static struct mx_waveform wave(void)
{
  return (struct mx_waveform){.kind = MX_SINE, .amplitude = 1, .f0 = 3e8, .rise = 1e-9};
}

static void build(struct scene *scene, int order, double alpha, enum mx_integrator integrator)
{
  static const int cells[3] = {4, 2, 2};
  static const double size[3] = {1, 0.6, 0.5};
  struct box *box = &scene->box;
  struct dg_error err = {0};
  *scene = (struct scene){0};
  box_mesh(box, cells, size, 0.2, NULL);
  box_material(box, 1, 2, 1.5, 0);
  box_material(box, 2, 2, 1.5, 0);
  box_boundary(box, 1, MX_PLANE_WAVE, 0);
  box_boundary(box, 2, MX_IMPEDANCE, 200);
  box_boundary(box, 3, MX_ABSORBING, 0);
  box_boundary(box, 4, MX_PMC, 0);
  box_boundary(box, 5, MX_ELECTRIC_FIELD, 0);
  box->boundary[0].wave =
      (struct mx_plane_wave){.direction = {1, 0, 0}, .polarisation = {0, 0, 1}, .amplitude = 1, .waveform = wave()};
  box->boundary[4].drive =
      (struct mx_drive){.general = -1, .profile = -1, .constant = {0.3, 0.2, 0}, .waveform = wave()};
  scene->interface = (struct mx_interface_config){
      .where = {.tag = 7},
      .kind = MX_TOTAL_FIELD,
      .inside = {.tag = 2},
      .wave = {.direction = {0.6, 0.8, 0}, .polarisation = {0, 0, 1}, .amplitude = 0.5, .waveform = wave()}};
  scene->source = (struct mx_source_config){
      .where = {.tag = 2},
      .drive = {.general = -1, .profile = -1, .constant = {1e-3, -2e-3, 1e-3}, .waveform = wave()}};
  box->config.interface = &scene->interface;
  box->config.interfaces = 1;
  box->config.source = &scene->source;
  box->config.sources = 1;
  box->config.time.integrator = integrator;
  box_problem(box, order, alpha);
  if (mx_sources_init(&scene->sources, &box->problem, &box->assignment, &box->config, NULL, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  /* behind the sources, which want one medium: losses here and there, and new flux weights to go with other media */
  for (size_t e = 0; e < box->problem.K; e++) {
    if (e % 3 == 0) box->problem.sigma[e] = 0.5 * box_random();
    if (e % 5 == 0) box->problem.epsilon[e] *= 1.5;
  }
  for (size_t e = 0; e < box->problem.K; e++)
    for (int f = 0; f < 4; f++) {
      int32_t code = box->problem.neighbour[e][f];
      if (code < 0) continue;
      size_t other = (size_t)code / 4;
      box->problem.flux[e][f] = mx_face_flux(sqrt(box->problem.mu[e] / box->problem.epsilon[e]),
                                             sqrt(box->problem.mu[other] / box->problem.epsilon[other]), alpha);
    }
  struct mx_functional *functional;
  for (int magnetic = 0; magnetic < 2; magnetic++) {
    size_t numbers = 3 * (size_t)box->ref.Np * box->mesh.K, count = 20;
    assert_int_equal(mx_problem_add_functional(&box->problem, magnetic, count, &functional, &err), 0);
    for (size_t i = 0; i < count; i++) {
      functional->index[i] = (size_t)((double)numbers * box_random());
      functional->weight[i] = box_random() - 0.5;
    }
  }
}

static void release(struct scene *scene)
{
  mx_sources_release(&scene->sources);
  box_release(&scene->box);
}

/* What one backend makes of it. */
struct result {
  double *E, *H, functional[2], raw[2], energy[2], loss, sample[2][6];
};

static struct result run(const struct mx_backend_ops *ops, struct scene *scene, enum mx_precision precision,
                         double step, long steps, const double *E, const double *H)
{
  struct box *box = &scene->box;
  struct dg_error err = {0};
  struct result result = {.E = box_field(box), .H = box_field(box)};
  enum mx_integrator integrator = box->config.time.integrator;
  const struct mx_scheme *scheme = &mx_schemes[integrator];
  assert_int_equal(mx_sources_prepare(&scene->sources, step, steps, &err), 0);
  mx_sources_reset(&scene->sources);
  struct drive drive = drive_new(ops, box, integrator, precision, step * MX_C0, E, H);
  for (long n = 0; n <= steps; n++)
    for (int s = 0; s < (n < steps ? scheme->stages : scheme->observe_stage); s++) {
      const struct mx_stage_sources *now;
      assert_int_equal(mx_sources_evaluate(&scene->sources, n, s, step, &now, &err), 0);
      assert_int_equal(ops->stage_begin(drive.backend, s, n == steps, now, &err), 0);
      assert_int_equal(ops->stage_end(drive.backend, s, &err), 0);
    }
  double weight[DG_NP_MAX];
  for (int i = 0; i < box->ref.Np; i++) weight[i] = sin(i + 1.0);
  const struct mx_point point[2] = {{.element = 7, .weight = weight}, {.element = 20, .node = 2}};
  int32_t *all = calloc(box->mesh.K, sizeof *all);
  for (size_t e = 0; e < box->mesh.K; e++) all[e] = (int32_t)e;
  assert_int_equal(ops->download(drive.backend, result.E, result.H, &err), 0);
  assert_int_equal(ops->functionals(drive.backend, 0, 2, true, result.functional, &err), 0);
  assert_int_equal(ops->functionals(drive.backend, 0, 2, false, result.raw, &err), 0);
  assert_int_equal(ops->energy(drive.backend, &result.energy[0], &result.energy[1], &err), 0);
  assert_int_equal(ops->loss(drive.backend, box->mesh.K, all, &result.loss, &err), 0);
  assert_int_equal(ops->sample(drive.backend, 2, point, result.sample, &err), 0);
  ops->destroy(drive.backend);
  free(all);
  return result;
}

static double largest(const struct box *box, const double *field)
{
  double most = 0;
  for (size_t i = 0; i < 3 * (size_t)box->ref.Np * box->mesh.K; i++) most = fmax(most, fabs(field[i]));
  return most;
}

static double difference(const struct box *box, const struct result *a, const struct result *b)
{
  double scale = fmax(largest(box, a->E), largest(box, a->H)), worst = 0;
  for (size_t i = 0; i < 3 * (size_t)box->ref.Np * box->mesh.K; i++) {
    worst = fmax(worst, fabs(a->E[i] - b->E[i]) / scale);
    worst = fmax(worst, fabs(a->H[i] - b->H[i]) / scale);
  }
  for (int i = 0; i < 2; i++) {
    worst = fmax(worst, fabs(a->functional[i] - b->functional[i]) / scale);
    worst = fmax(worst, fabs(a->raw[i] - b->raw[i]) / scale);
    worst = fmax(worst, fabs(a->energy[i] - b->energy[i]) / fabs(a->energy[0]));
    for (int c = 0; c < 6; c++) worst = fmax(worst, fabs(a->sample[i][c] - b->sample[i][c]) / (scale * DG_NP_MAX));
  }
  assert_true(a->loss > 0);
  return fmax(worst, fabs(a->loss - b->loss) / a->loss);
}

static void compare(int order, double alpha, enum mx_integrator integrator, long steps)
{
  struct scene scene;
  struct dg_error err = {0};
  struct mx_stability stability;
  build(&scene, order, alpha, integrator);
  double step = 1e-12;
  if (integrator != MX_EULER) {
    if (mx_stability_limit(&stability, &scene.box.problem, integrator, 0, &err) != 0) fail_msg("%s", err.message);
    step = 0.9 * stability.limit / MX_C0;
  }
  double *E = box_field(&scene.box), *H = box_field(&scene.box);
  box_noise(&scene.box, E);
  box_noise(&scene.box, H);
  const struct result truth = run(&mx_backend_reference, &scene, MX_DOUBLE, step, steps, E, H);
  for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++)
    for (int single = 0; single < 2; single++) {
      setenv("CURLEW_SIMD", instruction_sets[i], 1);
      struct result result = run(&mx_backend_cpu, &scene, single ? MX_SINGLE : MX_DOUBLE, step, steps, E, H);
      double worst = difference(&scene.box, &truth, &result), tolerance = single ? 1e-4 : 1e-11;
      if (!(worst < tolerance))
        fail_msg("order %d, flux %g, %s, %s, %s: differs by %g", order, alpha, mx_integrator_names[integrator],
                 instruction_sets[i], single ? "single" : "double", worst);
      free(result.E), free(result.H);
    }
  unsetenv("CURLEW_SIMD");
  free(truth.E), free(truth.H), free(E), free(H);
  release(&scene);
}

static void test_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      compare(order, alpha, MX_LEAPFROG, 10);
      compare(order, alpha, MX_LSRK, 3);
    }
}

static void test_integrators(void **state)
{
  (void)state;
  compare(2, 0.5, MX_RK4, 20);
  compare(3, 1, MX_EULER, 20);
}

static void test_a_thousand_steps(void **state)
{
  (void)state;
  compare(3, 1, MX_LEAPFROG, 1000);
  compare(2, 0.5, MX_LSRK, 200);
}

/* Every face finds its own weights in the table, which has none twice and the most frequent ones first. */
static void test_distinct_fluxes(void **state)
{
  (void)state;
  struct scene scene;
  struct dg_error err = {0};
  struct mx_face_flux *table;
  size_t count, often[500] = {0};
  build(&scene, 1, 0.5, MX_LEAPFROG);
  const struct mx_problem *problem = &scene.box.problem;
  int32_t(*index)[4] = calloc(problem->K, sizeof *index);
  assert_int_equal(mx_fused_distinct_fluxes(problem, index, &table, &count, &err), 0);
  assert_true(count > 5 && count < problem->K);
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      assert_in_range(index[e][f], 0, count - 1);
      assert_memory_equal(&table[index[e][f]], &problem->flux[e][f], sizeof *table);
      often[index[e][f]]++;
    }
  for (size_t i = 0; i < count; i++) {
    assert_true(often[i] > 0 && often[i] <= often[0]);
    for (size_t j = 0; j < i; j++) assert_memory_not_equal(&table[i], &table[j], sizeof *table);
  }
  dg_free(table);
  free(index);
  release(&scene);
}

static void test_memory_failure(void **state)
{
  (void)state;
  struct scene scene;
  build(&scene, 2, 1, MX_LEAPFROG);
  for (int single = 0; single < 2; single++)
    for (long n = 1;; n++) {
      const struct mx_backend_options options = {MX_LEAPFROG, single ? MX_SINGLE : MX_DOUBLE, 1e-3};
      struct mx_backend *backend;
      struct dg_error err = {0};
      size_t before = dg_memory_current();
      dg_memory_fail_at(n);
      int status = mx_backend_cpu.create(&backend, &scene.box.problem, &options, &err);
      dg_memory_fail_at(0);
      if (status == 0) {
        mx_backend_cpu.destroy(backend);
        assert_true(n > 10);
        break;
      }
      assert_int_equal(status, DG_ENVIRONMENT);
      assert_int_equal(dg_memory_current(), before);
    }
  release(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),           cmocka_unit_test(test_integrators),
      cmocka_unit_test(test_a_thousand_steps), cmocka_unit_test(test_distinct_fluxes),
      cmocka_unit_test(test_memory_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
