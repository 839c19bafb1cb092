/* Phasors of fields that a backend drives, against transforms of all that it gives for every sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "maxwell/phasor/phasor_loss.h"
#include "maxwell/tests/box.h"

#include "maxwell/response/pole_rows.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"

enum { STEPS = 45, EVERY = 3, FREQUENCIES = 2, ORDER = 2 };

static const double pi = 3.14159265358979323846;

struct scene {
  struct box box;
  struct mx_sources sources;
  struct mx_phasor_config config;
  struct mx_phasors phasors;
  double hertz[FREQUENCIES], point[3][3];
  double *E, *H;
};

static void make_scene(struct scene *scene, bool bent)
{
  *scene = (struct scene){.hertz = {1e7, 9e7}};
  box_mesh(&scene->box, (int[]){2, 2, 2}, (double[]){1, 1, 1}, 0.2, NULL);
  if (bent) box_bend(&scene->box, 2, 0.5, 0.1);
  box_material(&scene->box, 1, 2, 1, 0);
  box_material(&scene->box, 2, 1, 1, 1e-3);
  box_problem(&scene->box, ORDER, 1);
  scene->sources.list.problem = &scene->box.problem;
  scene->E = box_field(&scene->box), scene->H = box_field(&scene->box);
  box_noise(&scene->box, scene->E), box_noise(&scene->box, scene->H);
  scene->config = (struct mx_phasor_config){.name = "all",
                                            .quantities = MX_QUANTITY_E | MX_QUANTITY_H,
                                            .every = EVERY,
                                            .frequencies = {FREQUENCIES, scene->hertz}};
  scene->box.config.output.spectra = 1;
  scene->box.config.output.spectrum = &scene->config;
}

static void release_scene(struct scene *scene)
{
  free(scene->E), free(scene->H);
  box_release(&scene->box);
}

static double step_of(enum mx_integrator integrator) { return integrator == MX_EULER ? 1e-4 : 2e-3; }

static int init(struct scene *scene, enum mx_integrator integrator, struct dg_error *err)
{
  scene->box.config.time.integrator = integrator;
  const struct mx_phasor_place place = {.config = &scene->box.config,
                                        .problem = &scene->box.problem,
                                        .mesh = &scene->box.mesh,
                                        .sources = &scene->sources,
                                        .step = step_of(integrator) / MX_C0,
                                        .steps = STEPS};
  return mx_phasors_init(&scene->phasors, &place, err);
}

/* Adds a sample to the transforms truth[FREQUENCIES][2][K][3][Np] of E and H. */
static void add_truth(const struct scene *scene, double t, double weight, const double *E, const double *H,
                      double complex *truth)
{
  const size_t count = 3 * (size_t)scene->box.ref.Np * scene->box.mesh.K;
  for (size_t f = 0; f < FREQUENCIES; f++) {
    const double complex turn = weight * cexp(-2 * pi * I * scene->hertz[f] * t);
    for (size_t i = 0; i < count; i++) {
      truth[2 * f * count + i] += turn * E[i];
      truth[(2 * f + 1) * count + i] += turn * H[i] / MX_ETA0;
    }
  }
}

/* Runs the scene with the phasors of `scene->config`, and fills in the truth of all elements. A sample has time to be
 * taken to the sums and back as a checkpoint does it. */
static void run(struct scene *scene, const struct mx_backend_ops *ops, enum mx_integrator integrator,
                enum mx_precision precision, double complex *truth)
{
  struct dg_error err = {0};
  double *E = box_field(&scene->box), *H = box_field(&scene->box);
  struct drive drive = drive_new(ops, &scene->box, integrator, precision, step_of(integrator), scene->E, scene->H);
  const double dt = step_of(integrator) / MX_C0;
  if (init(scene, integrator, &err) != 0 || mx_phasors_watch(&scene->phasors, ops, drive.backend, &err) != 0)
    fail_msg("%s", err.message);
  for (long n = 0; n <= STEPS; n++) {
    drive_observe(&drive);
    assert_int_equal(mx_phasors_due(&scene->phasors, n), n % EVERY == 0);
    if (mx_phasors_take(&scene->phasors, ops, drive.backend, n, &err) != 0) fail_msg("%s", err.message);
    if (n % EVERY == 0) {
      if (ops->download(drive.backend, E, H, &err) != 0) fail_msg("%s", err.message);
      add_truth(scene, dt * (double)n, (n == 0 ? 0.5 : 1) * EVERY * dt, E, H, truth);
    }
    if (n == 10 && (mx_running_settle(&scene->phasors.phasor[0].running, &err) != 0 ||
                    mx_running_loaded(&scene->phasors.phasor[0].running, &err) != 0))
      fail_msg("%s", err.message);
    drive_finish(&drive);
  }
  if (mx_phasors_settle(&scene->phasors, &err) != 0) fail_msg("%s", err.message);
  ops->destroy(drive.backend);
  free(E), free(H);
}

/* The largest difference of the phasors to the truth, over the largest value; *parts counts what was compared. */
static double difference(const struct scene *scene, const double complex *truth, size_t *parts)
{
  const struct mx_phasor *phasor = &scene->phasors.phasor[0];
  const size_t Np = (size_t)scene->box.ref.Np, count = 3 * Np * scene->box.mesh.K;
  const bool staggered = mx_staggered(scene->box.config.time.integrator);
  double complex value[6 * DG_NP_MAX];
  double off[2] = {0, 0}, largest[2] = {0, 0};
  *parts = phasor->parts.count;
  for (size_t f = 0; f < FREQUENCIES; f++)
    for (size_t k = 0; k < phasor->parts.count; k++) {
      const size_t e = (size_t)phasor->element[k];
      mx_phasor_get(&scene->phasors, phasor, f, k, value);
      for (size_t i = 0; i < Np * (size_t)phasor->components; i++) {
        const size_t c = (size_t)phasor->first + i % (size_t)phasor->components, n = i / (size_t)phasor->components;
        const double lag = staggered && c >= 3 ? cos(pi * scene->hertz[f] * scene->phasors.place.step) : 1;
        const double complex wanted = truth[(2 * f + c / 3) * count + (3 * e + c % 3) * Np + n] / lag;
        off[c / 3] = fmax(off[c / 3], cabs(value[i] - wanted));
        largest[c / 3] = fmax(largest[c / 3], cabs(wanted));
      }
    }
  const double E = largest[0] > 0 ? off[0] / largest[0] : 0, H = largest[1] > 0 ? off[1] / largest[1] : 0;
  assert_true(largest[0] + largest[1] > 0);
  return fmax(E, H);
}

static void compare(struct scene *scene, const struct mx_backend_ops *ops, enum mx_integrator integrator,
                    enum mx_precision precision)
{
  double complex *truth = calloc(6 * FREQUENCIES * (size_t)scene->box.ref.Np * scene->box.mesh.K, sizeof *truth);
  size_t parts, wanted = 0;
  assert_non_null(truth);
  run(scene, ops, integrator, precision, truth);
  const double off = difference(scene, truth, &parts);
  for (size_t e = 0; e < scene->box.mesh.K; e++)
    wanted += !scene->config.by_region || scene->box.mesh.entity[scene->box.mesh.volume[e]].tag == scene->config.on.tag;
  assert_int_equal(parts, wanted);
  if (!(off < (precision == MX_DOUBLE ? 1e-13 : 1e-6)))
    fail_msg("%s, %s, %s: differs by %g", ops->name, mx_integrator_names[integrator], mx_precision_names[precision],
             off);
  mx_phasors_release(&scene->phasors);
  free(truth);
}

static void they_are_transforms_of_the_fields(void **state)
{
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4, MX_EULER};
  struct scene scene;
  (void)state;
  make_scene(&scene, false);
  for (int b = 0; mx_backends[b] != NULL; b++) {
    struct dg_error none = {0};
    if (mx_backends[b]->available(&none) != 0) continue;
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
      for (int precision = MX_DOUBLE; precision <= MX_SINGLE; precision++)
        compare(&scene, mx_backends[b], integrators[i], (enum mx_precision)precision);
  }
  release_scene(&scene);
}

static void curved_elements_have_them(void **state)
{
  struct scene scene;
  (void)state;
  make_scene(&scene, true);
  for (int b = 0; mx_backends[b] != NULL; b++) {
    struct dg_error none = {0};
    if (mx_backends[b]->available(&none) != 0) continue;
    for (int precision = MX_DOUBLE; precision <= MX_SINGLE; precision++) {
      compare(&scene, mx_backends[b], MX_LEAPFROG, (enum mx_precision)precision);
      compare(&scene, mx_backends[b], MX_LSRK, (enum mx_precision)precision);
    }
  }
  release_scene(&scene);
}

static void a_region_and_one_field_are_parts_of_all(void **state)
{
  struct scene scene;
  (void)state;
  make_scene(&scene, false);
  scene.config.by_region = true;
  scene.config.on = (struct mx_selector){.tag = 2};
  for (int b = 0; mx_backends[b] != NULL; b++) {
    struct dg_error none = {0};
    if (mx_backends[b]->available(&none) != 0) continue;
    for (int quantities = MX_QUANTITY_E; quantities <= (MX_QUANTITY_E | MX_QUANTITY_H); quantities++) {
      scene.config.quantities = quantities;
      compare(&scene, mx_backends[b], MX_LEAPFROG, MX_DOUBLE);
    }
  }
  release_scene(&scene);
}

/* Ey = sin(pi x) cos(w t) of a cavity that is a square in x and z: its phasor over whole periods is half of the time
 * times the shape, and H's is a quarter of a period behind. Euler is left out: its energy grows. */
static void cavity(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[2] = 0;
  value[1] = sin(pi * x[0]) * sin(pi * x[2]);
}

static double worst_of_cavity(int order)
{
  struct scene scene = {.hertz = {MX_C0 / sqrt(2)}};
  struct dg_error err = {0};
  double worst = 0;
  const int periods = 1;
  box_mesh(&scene.box, (int[]){2, 2, 2}, (double[]){1, 1, 1}, 0, NULL);
  box_material(&scene.box, 0, 1, 1, 0);
  box_problem(&scene.box, order, 0);
  scene.sources.list.problem = &scene.box.problem;
  scene.box.config.output.spectra = 1;
  scene.box.config.output.spectrum = &scene.config;
  const double length = periods * sqrt(2); /* c0 t of whole periods, metres */
  const long steps = 2000;
  scene.config = (struct mx_phasor_config){
      .name = "all", .quantities = MX_QUANTITY_E | MX_QUANTITY_H, .every = 10, .frequencies = {1, scene.hertz}};
  scene.E = box_field(&scene.box);
  box_evaluate(&scene.box, cavity, 0, scene.E);
  scene.box.config.time.integrator = MX_LSRK;
  const double step = length / (double)steps;
  const struct mx_phasor_place place = {.config = &scene.box.config,
                                        .problem = &scene.box.problem,
                                        .mesh = &scene.box.mesh,
                                        .sources = &scene.sources,
                                        .step = step / MX_C0,
                                        .steps = steps};
  struct drive drive = drive_new(&mx_backend_cpu, &scene.box, MX_LSRK, MX_DOUBLE, step, scene.E, NULL);
  if (mx_phasors_init(&scene.phasors, &place, &err) != 0) fail_msg("%s", err.message);
  for (long n = 0; n < steps; n++) {
    drive_observe(&drive);
    if (mx_phasors_take(&scene.phasors, &mx_backend_cpu, drive.backend, n, &err) != 0) fail_msg("%s", err.message);
    drive_finish(&drive);
  }
  if (mx_phasors_settle(&scene.phasors, &err) != 0) fail_msg("%s", err.message);
  const struct mx_phasor *phasor = &scene.phasors.phasor[0];
  const double T = length / MX_C0, omega = 2 * pi * scene.hertz[0], first = 0.5 * 10 * step / MX_C0;
  for (size_t e = 0; e < scene.box.mesh.K; e++) {
    double complex value[6 * DG_NP_MAX];
    mx_phasor_get(&scene.phasors, phasor, 0, e, value);
    for (size_t n = 0; n < phasor->nodes; n++) {
      double x[3], E[3];
      dg_geometry_point(&scene.box.mesh, e, scene.box.ref.r[n], scene.box.ref.s[n], scene.box.ref.t[n], x);
      cavity(x, 0, E);
      /* the sample at t = 0 weighs a half, and there is none at the end */
      worst = fmax(worst, cabs(value[6 * n + 1] - E[1] * (T / 2 - first)) / (T / 2));
      /* mu0 dH/dt = -curl E: Hx = dEy/dz sin(wt)/(w mu0), whose phasor has -j */
      const double mu = MX_ETA0 / MX_C0, Hx = pi * sin(pi * x[0]) * cos(pi * x[2]) / (omega * mu);
      worst = fmax(worst, MX_ETA0 * cabs(value[6 * n + 3] + I * Hx * T / 2) / (T / 2));
    }
  }
  mx_backend_cpu.destroy(drive.backend);
  mx_phasors_release(&scene.phasors);
  release_scene(&scene);
  return worst;
}

static void they_are_those_of_a_cavity(void **state)
{
  (void)state;
  const double coarse = worst_of_cavity(6), fine = worst_of_cavity(8);
  if (!(coarse < 1e-3 && fine < 2e-5)) fail_msg("differs by %g with order 6 and by %g with order 8", coarse, fine);
}

/* Runs for as many samples as a discrete transform has numbers. Returns the energy that output.losses sees in the
 * samples, J, and that which the losses of the phasors at all frequencies add up to (Parseval). E begins with zero, so
 * that the half that the first sample weighs is of nothing. */
static void lose(struct scene *scene, const struct mx_backend_ops *ops, enum mx_integrator integrator, double *of_time,
                 double *of_phasors)
{
  enum { SAMPLES = 41, LINES = SAMPLES / 2 + 1 };
  struct dg_error err = {0};
  const double dt = step_of(integrator) / MX_C0;
  double hertz[LINES], power[LINES];
  struct mx_phasor_loss loss;
  int32_t *element = calloc(scene->box.mesh.K, sizeof *element);
  assert_non_null(element);
  for (size_t e = 0; e < scene->box.mesh.K; e++) element[e] = (int32_t)e;
  for (int k = 0; k < LINES; k++) hertz[k] = k / (SAMPLES * dt);
  scene->config.frequencies = (struct mx_frequencies){LINES, hertz};
  scene->config.every = 1;
  scene->config.losses = true;
  struct drive drive = drive_new(ops, &scene->box, integrator, MX_DOUBLE, step_of(integrator), NULL, scene->H);
  if (init(scene, integrator, &err) != 0 || mx_phasors_watch(&scene->phasors, ops, drive.backend, &err) != 0)
    fail_msg("%s", err.message);
  *of_time = *of_phasors = 0;
  for (long n = 0; n < SAMPLES; n++) {
    double lost = 0;
    drive_observe(&drive);
    if (mx_phasors_take(&scene->phasors, ops, drive.backend, n, &err) != 0 ||
        ops->loss(drive.backend, scene->box.mesh.K, element, &lost, &err) != 0)
      fail_msg("%s", err.message);
    *of_time += lost / MX_ETA0 * dt;
    drive_finish(&drive);
  }
  if (mx_phasors_settle(&scene->phasors, &err) != 0 ||
      mx_phasor_loss_init(&loss, &scene->phasors, &scene->phasors.phasor[0], &err) != 0 ||
      mx_phasor_loss_powers(&loss, power, &err) != 0)
    fail_msg("%s", err.message);
  for (int k = 0; k < LINES; k++) *of_phasors += (k == 0 ? 2 : 4) * power[k] / (SAMPLES * dt);
  mx_phasor_loss_release(&loss);
  mx_phasors_release(&scene->phasors);
  ops->destroy(drive.backend);
  free(element);
}

static void losses_are_those_of_the_samples(void **state)
{
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
  (void)state;
  for (int bent = 0; bent < 2; bent++) {
    struct scene scene;
    make_scene(&scene, bent);
    for (int b = 0; mx_backends[b] != NULL; b++) {
      struct dg_error none = {0};
      if (mx_backends[b]->available(&none) != 0) continue;
      for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        double of_time, of_phasors;
        lose(&scene, mx_backends[b], integrators[i], &of_time, &of_phasors);
        assert_true(of_time > 0);
        if (!(fabs(of_phasors / of_time - 1) < 1e-11))
          fail_msg("%s, %s: phasors lose %.15g J, the samples %.15g J", mx_backends[b]->name,
                   mx_integrator_names[integrators[i]], of_phasors, of_time);
      }
    }
    release_scene(&scene);
  }
}

/* The terms of pole_forms.h in complex numbers. */
static void poles_conduct(void **state)
{
  const double k = 3;
  double parameter[MX_POLES_FIRST + 3 * MX_POLES_EACH] = {3, 0};
  const double poles[3][MX_POLES_EACH] = {
      {MX_POLE_REAL, 5, -2}, {MX_POLE_DRUDE, 7, 0.4}, {MX_POLE_PAIR, 0.3, 11, 1.5, 16}};
  (void)state;
  memcpy(parameter + MX_POLES_FIRST, poles, sizeof poles);
  const double complex s = I * k;
  const double complex sum = 5 / (s + 2) + 7 / (s * (s + 0.4)) + (0.3 * s + 11) / (s * s + 1.5 * s + 16);
  const double wanted = -k * cimag(sum);
  assert_true(fabs(mx_poles_conduct(parameter, k) / wanted - 1) < 1e-14);
}

static void what_cannot_be_is_refused(void **state)
{
  struct scene scene;
  (void)state;
  make_scene(&scene, false);
  static const struct {
    const char *part;
    int norm, tag;
    double hertz, x;
  } cases[] = {{"no port is driven", MX_NORM_POWER, 0, 1e7, 0.5},
               {"the run has none", MX_NORM_SOURCE, 0, 1e7, 0.5},
               {"volume", MX_NORM_NONE, 77, 1e7, 0.5},
               {"no point of spectrum 'all' is inside the mesh", MX_NORM_NONE, 0, 1e7, 7},
               {"cannot tell", MX_NORM_NONE, 0, 1e12, 0.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct dg_error err = {0};
    scene.config.norm = cases[i].norm;
    scene.config.by_region = cases[i].tag > 0;
    scene.config.on = (struct mx_selector){.tag = cases[i].tag};
    scene.hertz[0] = cases[i].hertz;
    scene.config.plane = (struct mx_measure_config){.name = "all", .samples = {3, 3}};
    if (cases[i].x > 1) {
      const double corner[3][3] = {{7, 0, 0}, {8, 0, 0}, {7, 1, 0}};
      memcpy(scene.point, corner, sizeof corner);
      scene.config.plane.points = 3;
      scene.config.plane.point = scene.point;
    }
    assert_int_equal(init(&scene, MX_LSRK, &err), DG_INPUT);
    if (strstr(err.message, cases[i].part) == NULL) fail_msg("'%s' does not say '%s'", err.message, cases[i].part);
    mx_phasors_release(&scene.phasors);
  }
  release_scene(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_transforms_of_the_fields),
      cmocka_unit_test(curved_elements_have_them),
      cmocka_unit_test(a_region_and_one_field_are_parts_of_all),
      cmocka_unit_test(they_are_those_of_a_cavity),
      cmocka_unit_test(losses_are_those_of_the_samples),
      cmocka_unit_test(poles_conduct),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests_name("phasors", tests, NULL, NULL);
}
