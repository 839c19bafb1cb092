/* The step that a run with local time steps chooses, against the exact criterion on small meshes with slivers: F and
 * (2/dt) M - S are positive (share/doc/design/levels.md), which the pivots of the whole matrices say.
 * `test_levels_step long` takes minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "libdg/ref/dense.h"
#include "maxwell/levels/apply.h"
#include "maxwell/levels/filter.h"
#include "maxwell/limit/vectors.h"
#include "maxwell/setup/local_steps.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"

static bool lengthy;

static double *matrix(size_t rows, size_t columns)
{
  double *A = calloc(rows * columns, sizeof *A);
  assert_non_null(A);
  return A;
}

/* Is A[n][n] positive? Its symmetric part is taken and overwritten: it is, if all pivots of its elimination are. */
static bool is_positive(size_t n, double *A)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) A[i * n + j] = 0.5 * (A[i * n + j] + A[j * n + i]);
  for (size_t k = 0; k < n; k++) {
    const double *pivot = A + k * n;
    if (!(pivot[k] > 0)) return false;
    for (size_t i = k + 1; i < n; i++) {
      double *row = A + i * n;
      const double factor = pivot[i] / pivot[k];
      for (size_t j = i; j < n; j++) row[j] -= factor * pivot[j];
    }
  }
  return true;
}

/* The columns F e_j of the filter as rows, and with them M F e_j and M S (0, F e_j); rows of E: M S (e_j, 0). */
struct columns {
  size_t n;
  double *F, *MF, *SE, *SH; /* [n][n], [n][n], [n][2 n], [n][2 n] */
  double *ME;               /* [n][n] */
};

static void find_columns(struct columns *to, const struct mx_problem *problem, const struct mx_levels *levels,
                         double step)
{
  struct mx_limit work;
  struct mx_levels_apply filter;
  struct dg_error err = {0};
  if (mx_limit_start(&work, problem, MX_LEAPFROG, &err) != 0 || mx_levels_apply_init(&filter, levels, step, &err) != 0)
    fail_msg("%s", err.message);
  const size_t n = work.n;
  double *x = matrix(2, n), *y = matrix(2, n), *z = matrix(2, n);
  assert_true(work.whole == 2 * n);
  *to = (struct columns){n, matrix(n, n), matrix(n, n), matrix(n, 2 * n), matrix(n, 2 * n), matrix(n, n)};
  for (size_t j = 0; j < n; j++) {
    double *F = to->F + j * n;
    F[j] = 1;
    mx_levels_apply(&filter, F);
    memset(x, 0, 2 * n * sizeof *x);
    memcpy(x + n, F, n * sizeof *x);
    mx_limit_mass(&work, x, z);
    memcpy(to->MF + j * n, z + n, n * sizeof *z);
    mx_limit_symmetric(&work, x, y);
    mx_limit_mass(&work, y, to->SH + 2 * j * n);
    memset(x, 0, 2 * n * sizeof *x);
    x[j] = 1;
    mx_limit_mass(&work, x, z);
    memcpy(to->ME + j * n, z, n * sizeof *z);
    mx_limit_symmetric(&work, x, y);
    mx_limit_mass(&work, y, to->SE + 2 * j * n);
  }
  for (size_t i = 0; i < n; i++) /* F is symmetric in the inner product of mu */
    for (size_t j = 0; j < i; j++) {
      const double a = to->MF[i * n + j], b = to->MF[j * n + i];
      assert_true(fabs(a - b) < 1e-12 * sqrt(fabs(to->MF[i * n + i] * to->MF[j * n + j])));
    }
  free(x), free(y), free(z);
  mx_levels_apply_release(&filter);
  mx_limit_release(&work);
}

/* The criterion at the step (c0 dt): of E and g with H = F g the form (2/dt) (E, M E) + (2/dt) (F g, M g) less that of
 * S. */
static bool criterion(const struct mx_problem *problem, const struct mx_levels *levels, double step)
{
  struct columns of;
  struct dg_error err = {0};
  find_columns(&of, problem, levels, step);
  const size_t n = of.n;
  double *A = matrix(2 * n, 2 * n), *G = matrix(n, n), *MSF = matrix(n, n);
  for (size_t j = 0; j < n; j++) memcpy(MSF + j * n, of.SH + 2 * j * n + n, n * sizeof *MSF);
  /* G[i][j] = (F e_i)' M S_HH F e_j, of which the rows of MSF are columns */
  double *turned = matrix(n, n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) turned[j * n + i] = MSF[i * n + j];
  if (dg_dense_multiply((int)n, (int)n, (int)n, of.F, false, turned, G, &err) != 0) fail_msg("%s", err.message);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      A[2 * i * n + j] = 2 / step * of.ME[j * n + i] - of.SE[2 * j * n + i];
      A[(n + i) * 2 * n + n + j] = 2 / step * of.MF[j * n + i] - G[i * n + j];
      A[(n + i) * 2 * n + j] = A[2 * j * n + n + i] = -of.SH[2 * i * n + j];
    }
  const bool holds = is_positive(n, of.MF) && is_positive(2 * n, A);
  free(A), free(G), free(MSF), free(turned);
  free(of.F), free(of.MF), free(of.SE), free(of.SH), free(of.ME);
  return holds;
}

/* Geometry of the mesh, and its volume: it is too large where elements overlap. */
static double measure(struct box *box)
{
  struct dg_error err = {0};
  double sum = 0;
  dg_geometry_release(&box->geometry);
  if (dg_geometry_init(&box->geometry, &box->mesh, &err) != 0) fail_msg("%s", err.message);
  for (size_t e = 0; e < box->mesh.K; e++) sum += fabs(box->geometry.jacobian[e]) * 4 / 3;
  return sum;
}

/* Pushes an inner vertex against a face of one of its elements, to 1/ratio of its height. */
static void spoil(struct box *box, const double size[3], double ratio, int which)
{
  struct dg_mesh *mesh = &box->mesh;
  for (size_t e = (size_t)which; e < mesh->K; e++)
    for (int s = 0; s < 4; s++) {
      double *x = mesh->vertex[mesh->element[e][s]], to[3] = {0}, old[3];
      bool inside = true;
      for (int d = 0; d < 3; d++) inside = inside && x[d] > 1e-9 && x[d] < size[d] * (1 - 1e-9);
      if (!inside) continue;
      memcpy(old, x, sizeof old);
      for (int t = 0; t < 4; t++)
        for (int d = 0; d < 3 && t != s; d++) to[d] += mesh->vertex[mesh->element[e][t]][d] / 3;
      for (int d = 0; d < 3; d++) x[d] = to[d] + (x[d] - to[d]) / ratio;
      if (fabs(measure(box) - size[0] * size[1] * size[2]) < 1e-9) return;
      memcpy(x, old, sizeof old);
    }
  fail_msg("no vertex inside can be moved");
}

struct scene {
  int cells[3], order;
  double alpha, ratio;
  int which; /* the first element whose vertices are looked at */
};

/* The set-up of a run with levels in a box, as far as they need it. Returns the step that it tries first. */
static double start(struct mx_setup *setup, struct box *box, const struct scene *scene)
{
  const double size[3] = {scene->cells[0], scene->cells[1], scene->cells[2]};
  struct dg_error err = {0};
  bool holds = false;
  *box = (struct box){0};
  box_random_state = 1;
  box_mesh(box, scene->cells, size, 0.15, NULL);
  spoil(box, size, scene->ratio, scene->which);
  box_material(box, 0, 1, 1, 0);
  box->config.time.integrator = MX_LEAPFROG;
  box->config.time.cfl = 0.95;
  box_problem(box, scene->order, scene->alpha);
  *setup = (struct mx_setup){.config = &box->config, .ops = &mx_backend_cpu, .problem = box->problem, .ref = box->ref};
  setup->single_limit = box_limit(box, MX_LEAPFROG) / MX_C0;
  double widest = 0;
  for (int most = MX_LEVELS_MAX; most > 0 && !holds; most = setup->levels.count - 1) { /* as setup_build.c does */
    mx_levels_undo(&setup->levels, &setup->problem);
    setup->limit = setup->single_limit;
    if (mx_setup_levels(setup, most, &widest, &err) != 0) fail_msg("%s", err.message);
    assert_true(setup->levels.count > 0);
    for (double part = 1; part >= 0.7 && !holds; part *= 0.97) {
      setup->step = part * widest;
      if (mx_setup_fit_levels(setup, &holds, &err) != 0) fail_msg("%s", err.message);
    }
    if (!holds) print_message("no step with %d levels holds\n", setup->levels.count + 1);
  }
  print_message("order %d, alpha %g, 1:%g: %zu elements, %zu in the part of %d levels, %.3g times the step of one: "
                "%.3f of the widest\n",
                scene->order, scene->alpha, scene->ratio, setup->problem.K, setup->levels.level[0].problem.K,
                setup->levels.count + 1, setup->step / setup->single_limit, setup->step / widest);
  assert_true(holds);
  return widest;
}

/* What the set-up says of a step, and the criterion with what it leaves of penalties; with none where it gives up. */
static bool both(struct mx_setup *setup, double step, bool *said)
{
  struct dg_error err = {0};
  setup->step = step;
  if (mx_setup_fit_levels(setup, said, &err) != 0) fail_msg("%s", err.message);
  const struct mx_level *last = &setup->levels.level[setup->levels.count - 1];
  if (last->m > MX_SUBSTEPS_MAX) return false;
  if (!*said) {
    double *none = calloc(setup->problem.K, sizeof *none);
    if (mx_levels_leave(&setup->levels, &setup->problem, none, &err) != 0) fail_msg("%s", err.message);
    free(none);
  }
  return criterion(&setup->problem, &setup->levels, step * MX_C0);
}

/* Of the steps that the set-up tries, the chosen one is at least 0.9 of the largest that holds. Longer ones are
 * printed: the choice of levels leaves them out where fewer elements than half could take them alone. */
static void expect_widest(const struct scene *scene)
{
  const double past = lengthy ? 1.5 : 1.06;
  struct mx_setup setup;
  struct box box;
  const double widest = start(&setup, &box, scene), chosen = setup.step;
  double tried = 0, beyond = 0;
  for (double step = chosen * (1 - 1e-9); step < past * widest; step *= lengthy ? 1.015 : 1.03) {
    bool said;
    const bool holds = both(&setup, step, &said);
    if (said && !holds) fail_msg("%.3f of the step does not hold, and is taken for one that does", step / chosen);
    if (holds && !said) print_message("  %.3f of the step holds, and is taken for one that does not\n", step / chosen);
    if (holds) *(step <= widest ? &tried : &beyond) = step;
  }
  print_message("  %.3f of the largest step that holds of those that are tried, %.3f of all\n", chosen / tried,
                chosen / fmax(beyond, tried));
  assert_true(tried > 0 && chosen >= 0.9 * tried);
  mx_levels_undo(&setup.levels, &setup.problem);
  box_release(&box);
}

static void test_chosen(void **state)
{
  (void)state;
  static const struct scene scenes[] = {{{2, 2, 2}, 1, 0, 20, 0},   {{2, 2, 2}, 1, 1, 60, 9},
                                        {{3, 2, 2}, 1, 1, 8, 30},   {{3, 3, 2}, 1, 0, 300, 50},
                                        {{2, 2, 2}, 2, 1, 100, 30}, {{2, 2, 2}, 2, 0, 5, 11}};
  for (size_t i = 0; i < (lengthy ? sizeof scenes / sizeof *scenes : 2); i++) expect_widest(&scenes[i]);
}

/* The invariant W = 1/2 (E, eps E) + 1/2 (H-, mu F^-1 H+) of centred fluxes without losses. The backend gives the mean
 * h of H- and H+ = H- + F w, where w is what a pass of H adds: (H-, mu F^-1 H+) = (h, mu F^-1 h) - (w, mu F w)/4. */
static double invariant(struct mx_limit *work, const struct columns *of, const double *inverse, double step, double *x)
{
  const size_t n = of->n;
  double *y = matrix(2, n), *z = matrix(2, n), *g = matrix(1, n), electric = 0, magnetic = 0, pass = 0;
  mx_limit_symmetric(work, x, z);
  mx_limit_mass(work, x, y);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) g[i] += inverse[j * n + i] * x[n + j];
  for (size_t i = 0; i < n; i++) electric += x[i] * y[i], magnetic += g[i] * y[n + i];
  /* x[n..] of E alone: what E adds to H */
  memset(x + n, 0, n * sizeof *x);
  mx_limit_symmetric(work, x, z);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) pass += z[n + j] * of->MF[j * n + i] * z[n + i];
  free(y), free(z), free(g);
  return 0.5 * (electric + magnetic - 0.25 * step * step * pass);
}

static void test_invariant(void **state)
{
  (void)state;
  static const struct scene scene = {{2, 2, 2}, 1, 0, 20, 0};
  const long steps = lengthy ? 20000 : 2000, looks = 20;
  struct mx_setup setup;
  struct box box;
  struct mx_limit work;
  struct columns of;
  struct dg_error err = {0};
  double first = 0, most = 0;
  start(&setup, &box, &scene);
  const double step = setup.step * MX_C0;
  find_columns(&of, &setup.problem, &setup.levels, step);
  if (mx_limit_start(&work, &setup.problem, MX_LEAPFROG, &err) != 0 || dg_dense_invert((int)of.n, of.F, &err) != 0)
    fail_msg("%s", err.message);
  double *x = matrix(2, of.n);
  box_noise(&box, x), box_noise(&box, x + of.n);
  struct drive drive = {.ops = &mx_backend_cpu,
                        .options = {.integrator = MX_LEAPFROG, .precision = MX_DOUBLE, .step = step, .filtered = true}};
  struct mx_levels_run levels = {0};
  if (drive.ops->create(&drive.backend, &setup.problem, &drive.options, &err) != 0 ||
      drive.ops->upload(drive.backend, x, x + of.n, &err) != 0 ||
      mx_levels_begin(&levels, &setup.levels, drive.ops, drive.backend, &drive.options, &err) != 0)
    fail_msg("%s", err.message);
  for (long n = 0; n <= steps; n++) {
    if (mx_levels_before(&levels, &err) != 0) fail_msg("%s", err.message);
    drive_observe(&drive);
    if (mx_levels_after(&levels, &err) != 0) fail_msg("%s", err.message);
    if (n % (steps / looks) == 1) {
      if (drive.ops->download(drive.backend, x, x + of.n, &err) != 0) fail_msg("%s", err.message);
      const double W = invariant(&work, &of, of.F, step, x);
      if (n == 1) first = W;
      most = fmax(most, fabs(W / first - 1));
    }
    drive_finish(&drive);
  }
  print_message("W = %.6g changes by %.3g of it at most in %ld steps\n", first, most, steps);
  assert_true(first > 0 && most < 1e-11);
  mx_levels_end(&levels);
  drive.ops->destroy(drive.backend);
  mx_limit_release(&work);
  free(of.F), free(of.MF), free(of.SE), free(of.SH), free(of.ME), free(x);
  mx_levels_undo(&setup.levels, &setup.problem);
  box_release(&box);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_invariant), cmocka_unit_test(test_chosen)};
  lengthy = argc > 1 && strcmp(argv[1], "long") == 0;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
