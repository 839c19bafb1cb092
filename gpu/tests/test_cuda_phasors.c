/* Compares phasors that grow on the card with those of the reference on the host: in a region, everywhere and on a
 * plane, of both fields and of one, in straight and in curved elements, for schemes whose H is observed in different
 * ways. The sums go to the host and back on the way, as a checkpoint does it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpu/tests/card.h"
#include "maxwell/phasor/phasors.h"
#include "maxwell/tests/box.h"

#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"

enum { SAMPLES = 20, KINDS = 3 }; /* more than go to the sums at a time */

static double hertz[3] = {1e7, 5e7, 9e7};
static double corner[3][3] = {{0.1, 0.1, 0.1}, {0.9, 0.2, 0.1}, {0.1, 0.8, 0.7}};

struct case_of {
  enum mx_integrator integrator;
  int order, quantities, kind; /* kind: 0 everywhere, 1 a region, 2 a plane */
  double alpha;
  bool bent;
};

static void make_box(struct box *box, const struct case_of *c)
{
  box_mesh(box, (int[]){4, 3, 3}, (double[]){1, 1, 1}, 0.2, NULL);
  if (c->bent) box_bend(box, 2, 0.5, 0.1);
  box_material(box, 1, 2, 1, 0);
  box_material(box, 2, 1, 1, 1e-3);
  box_problem(box, c->order, c->alpha);
}

static struct mx_phasor_config config_of(const struct case_of *c)
{
  struct mx_phasor_config config = {.name = "all", .quantities = c->quantities, .every = 1, .frequencies = {3, hertz}};
  config.by_region = c->kind == 1;
  config.on = (struct mx_selector){.tag = 2};
  if (c->kind == 2)
    config.plane = (struct mx_measure_config){.name = "all", .samples = {9, 8}, .points = 3, .point = corner};
  return config;
}

/* The phasors of a run that takes a sample every step; value[frequencies][numbers] of all parts, for the caller to
 * free. */
static double complex *run(const struct mx_backend_ops *ops, struct box *box, const struct case_of *c,
                           enum mx_precision precision, const double *E, const double *H, size_t *numbers)
{
  const double step = 5e-4;
  struct dg_error err = {0};
  struct mx_sources sources = {.list.problem = &box->problem};
  struct mx_phasor_config config = config_of(c);
  struct mx_phasors phasors;
  box->config.output.spectra = 1;
  box->config.output.spectrum = &config;
  box->config.time.integrator = c->integrator;
  const struct mx_phasor_place place = {.config = &box->config,
                                        .problem = &box->problem,
                                        .mesh = &box->mesh,
                                        .sources = &sources,
                                        .step = step / MX_C0,
                                        .steps = SAMPLES};
  struct drive drive = drive_new(ops, box, c->integrator, precision, step, E, H);
  if (mx_phasors_init(&phasors, &place, &err) != 0 || mx_phasors_watch(&phasors, ops, drive.backend, &err) != 0)
    fail_msg("%s", err.message);
  struct mx_phasor *phasor = &phasors.phasor[0];
  assert_true((phasor->running.backend != NULL) == ops->card->present);
  for (long n = 0; n < SAMPLES; n++) {
    drive_observe(&drive);
    if (mx_phasors_take(&phasors, ops, drive.backend, n, &err) != 0) fail_msg("%s", err.message);
    if (n == 10 && (mx_running_settle(&phasor->running, &err) != 0 || mx_running_loaded(&phasor->running, &err) != 0))
      fail_msg("%s", err.message);
    drive_finish(&drive);
  }
  if (mx_phasors_settle(&phasors, &err) != 0) fail_msg("%s", err.message);
  *numbers = 3 * phasor->running.width;
  double complex *value = calloc(*numbers, sizeof *value);
  assert_non_null(value);
  for (size_t f = 0; f < 3; f++)
    for (size_t k = 0; k < phasor->parts.count; k++) {
      double complex *part = value + f * phasor->running.width + k * phasor->parts.numbers;
      mx_phasor_get(&phasors, phasor, f, k, part);
      for (size_t i = 0; i < phasor->parts.numbers; i++) /* both fields in V/m, so that both count */
        if ((size_t)phasor->first + i % (size_t)phasor->components >= 3) part[i] *= MX_ETA0;
    }
  mx_phasors_release(&phasors);
  ops->destroy(drive.backend);
  return value;
}

static void compare(const struct case_of *c)
{
  struct box box = {0};
  make_box(&box, c);
  double *E = box_field(&box), *H = box_field(&box);
  box_noise(&box, E);
  box_noise(&box, H);
  size_t numbers, others;
  double complex *truth = run(&mx_backend_reference, &box, c, MX_DOUBLE, E, H, &numbers);
  for (int single = 0; single < 2; single++) {
    double largest = 0, off = 0;
    double complex *found = run(&mx_backend_cuda, &box, c, single ? MX_SINGLE : MX_DOUBLE, E, H, &others);
    assert_int_equal(numbers, others);
    for (size_t i = 0; i < numbers; i++) {
      largest = fmax(largest, cabs(truth[i]));
      off = fmax(off, cabs(truth[i] - found[i]));
    }
    assert_true(largest > 0);
    if (!(off < (single ? 1e-5 : 1e-12) * largest))
      fail_msg("order %d, flux %g, %s, fields %d, kind %d, %s, %s: differs by %g of %g", c->order, c->alpha,
               mx_integrator_names[c->integrator], c->quantities, c->kind, c->bent ? "curved" : "straight",
               single ? "single" : "double", off, largest);
    free(found);
  }
  free(truth);
  free(E), free(H);
  box_release(&box);
}

static void they_are_those_of_the_host(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++)
    for (int alpha = 0; alpha < 2; alpha++)
      for (int kind = 0; kind < KINDS; kind++) {
        compare(&(struct case_of){MX_LEAPFROG, order, MX_QUANTITY_E | MX_QUANTITY_H, kind, alpha, false});
        compare(&(struct case_of){MX_LSRK, order, MX_QUANTITY_E | MX_QUANTITY_H, kind, alpha, false});
      }
}

static void one_field_is_a_part_of_both(void **state)
{
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    compare(&(struct case_of){MX_LEAPFROG, 3, MX_QUANTITY_E, kind, 1, false});
    compare(&(struct case_of){MX_LEAPFROG, 3, MX_QUANTITY_H, kind, 0, false});
  }
}

static void curved_elements_have_them(void **state)
{
  (void)state;
  for (int order = 2; order <= 3; order++)
    for (int kind = 0; kind < KINDS; kind++) {
      compare(&(struct case_of){MX_LEAPFROG, order, MX_QUANTITY_E | MX_QUANTITY_H, kind, 1, true});
      compare(&(struct case_of){MX_LSRK, order, MX_QUANTITY_E | MX_QUANTITY_H, kind, 1, true});
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_those_of_the_host),
      cmocka_unit_test(one_field_is_a_part_of_both),
      cmocka_unit_test(curved_elements_have_them),
  };
  if (no_card()) return 77;
  return cmocka_run_group_tests_name("phasors on the card", tests, NULL, NULL);
}
