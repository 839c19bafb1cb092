/* Set-ups of sources that cannot be meant, in a bar between magnetic walls in y and electric ones in z. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/sources/sources.h"
#include "maxwell/tests/box.h"

static const int cells[3] = {6, 2, 2};
static const double bar[3] = {1.2, 0.3, 0.3};

static const struct mx_waveform pulse = {.kind = MX_GAUSSIAN, .amplitude = 1, .t0 = 5e-9, .tau = 1e-9};

static struct mx_plane_wave wave(double x, double y, double z)
{
  return (struct mx_plane_wave){.direction = {x, y, z}, .polarisation = {0, 0, 1}, .amplitude = 1, .waveform = pulse};
}

static void make_bar(struct box *box, enum mx_boundary_kind low, enum mx_boundary_kind high)
{
  box_mesh(box, cells, bar, 0.05, NULL);
  box_material(box, 0, 1, 1, 0);
  box_boundary(box, 1, low, 0);
  box_boundary(box, 2, high, 0);
  box_boundary(box, 3, MX_PMC, 0);
  box_boundary(box, 4, MX_PMC, 0);
}

/* The problem without what its sources were. */
static void drop_sources(struct mx_problem *problem)
{
  for (size_t i = 0; i < problem->terms; i++) {
    dg_free(problem->term[i].where);
    dg_free(problem->term[i].E);
    dg_free(problem->term[i].H);
  }
  for (size_t i = 0; i < problem->functionals; i++) {
    dg_free(problem->functional[i].index);
    dg_free(problem->functional[i].weight);
  }
  problem->terms = problem->functionals = 0;
}

/* "" if the sources are taken. */
static const char *message_of(struct box *box)
{
  static struct dg_error err;
  struct mx_sources sources;
  err = (struct dg_error){0};
  if (mx_sources_init(&sources, &box->problem, &box->assignment, &box->config, &box->mesh, &err) == 0)
    mx_sources_release(&sources);
  else assert_int_equal(err.code, DG_INPUT);
  drop_sources(&box->problem);
  return err.message;
}

static void expect(struct box *box, const char *message)
{
  const char *got = message_of(box);
  if (message == NULL) assert_string_equal(got, "");
  else if (strstr(got, message) == NULL) assert_string_equal(got, message);
}

static void test_surfaces_that_are_not_closed(void **state)
{
  (void)state;
  struct box box = {0};
  make_bar(&box, MX_ABSORBING, MX_ABSORBING);
  struct mx_interface_config surface = {
      .where = {.tag = 7}, .kind = MX_TOTAL_FIELD, .inside = {.tag = 2}, .wave = wave(1, 0, 0)};
  box.config.interface = &surface;
  box.config.interfaces = 1;
  box_problem(&box, 1, 1);
  expect(&box, NULL);
  for (size_t e = 0, taken = 0; e < box.mesh.K; e++) /* one of its triangles is missing, on both sides */
    for (int f = 0; f < 4; f++) {
      const int32_t other = box.mesh.neighbour[e][f];
      if (box.mesh.surface[e][f] < 0 || other < 0 || taken++ > 0) continue;
      box.mesh.surface[e][f] = box.mesh.surface[other / 4][other % 4] = -1;
    }
  expect(&box, "interfaces.[7] is not closed: near (0.6, ");
  box_release(&box);
}

static void test_surfaces_that_end_on_walls(void **state)
{
  (void)state;
  const double s = sqrt(0.5);
  const struct {
    double direction[3];
    enum mx_boundary_kind wall; /* in y */
    double impedance;
    const char *message;
  } cases[] = {
      {{1, 0, 0}, MX_PMC, 0, NULL},
      {{1, 0, 0}, MX_PEC, 0, "where the wall (pec) is no plane of symmetry of the wave"},
      {{1, 0, 0}, MX_ABSORBING, 0, "interfaces.[7] ends on the outer boundary near (0."},
      {{1, 0, 0}, MX_IMPEDANCE, 1e9, NULL}, /* as good as magnetic */
      {{s, s, 0}, MX_PMC, 0, "misses the wall's condition by 0.707 of its field"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct box box = {0};
    make_bar(&box, MX_ABSORBING, MX_ABSORBING);
    for (int k = 2; k < 4; k++) {
      box.boundary[k].kind = cases[i].wall;
      box.boundary[k].impedance = cases[i].impedance;
    }
    const double *d = cases[i].direction;
    struct mx_interface_config surface = {
        .where = {.tag = 7}, .kind = MX_TOTAL_FIELD, .inside = {.tag = 1}, .wave = wave(d[0], d[1], d[2])};
    box.config.interface = &surface;
    box.config.interfaces = 1;
    box_problem(&box, 1, 1);
    expect(&box, cases[i].message);
    box_release(&box);
  }
}

static void test_waves_that_go_the_wrong_way(void **state)
{
  (void)state;
  const struct {
    double x, y;
    const char *message;
  } cases[] = {
      {1, 0, NULL},
      {0.6, -0.8, NULL},
      {-1, 0, "boundaries.[1]: the wave goes along (-1, 0, 0), which leads out"},
      {0, 1, "nothing comes in"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct box box = {0};
    make_bar(&box, MX_PLANE_WAVE, MX_ABSORBING);
    box.boundary[0].wave = wave(cases[i].x, cases[i].y, 0);
    box_problem(&box, 1, 1);
    expect(&box, cases[i].message);
    box_release(&box);
  }
  struct box box = {0}; /* where it goes out again it may be given, too */
  make_bar(&box, MX_PLANE_WAVE, MX_PLANE_WAVE);
  box.boundary[0].wave = box.boundary[1].wave = wave(1, 0, 0);
  box_problem(&box, 1, 1);
  expect(&box, NULL);
  box_release(&box);
}

static void test_profiles_without_a_tangential_part(void **state)
{
  (void)state;
  const struct {
    enum mx_boundary_kind kind;
    double profile[3];
    const char *message;
  } cases[] = {
      {MX_ELECTRIC_FIELD, {1, 0, 0}, "boundaries.[1]: the profile is normal to the surface everywhere on it"},
      {MX_ELECTRIC_FIELD, {1, 0.1, 0}, NULL},
      {MX_MAGNETIC_FIELD, {1, 0, 0}, "only its tangential part acts"},
      {MX_WALL_CURRENT, {-2, 0, 0}, "only its tangential part acts"},
      {MX_WALL_CURRENT, {0, 0, 0}, NULL}, /* off */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct box box = {0};
    make_bar(&box, cases[i].kind, MX_ABSORBING);
    box.boundary[0].drive = (struct mx_drive){.waveform = pulse};
    memcpy(box.boundary[0].drive.constant, cases[i].profile, sizeof cases[i].profile);
    box_problem(&box, 1, 1);
    expect(&box, cases[i].message);
    box_release(&box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_surfaces_that_are_not_closed),
      cmocka_unit_test(test_surfaces_that_end_on_walls),
      cmocka_unit_test(test_waves_that_go_the_wrong_way),
      cmocka_unit_test(test_profiles_without_a_tangential_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
