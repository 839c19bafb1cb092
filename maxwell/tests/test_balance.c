/* The energy balance: exact for leapfrog on random problems without open walls, to the order of the scheme with them
 * and for Runge-Kutta; and what is not explained by the equations is an error that names the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "maxwell/record/balance.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static const double pi = 3.14159265358979323846, until = SANITIZED ? 0.02 : 1.5;

/* A scene of a problem made by hand. */
struct bench {
  struct box box;
  struct mx_scene scene;
  struct mx_folder folder;
  char path[64];
};

static void begin(struct bench *bench, const struct mx_backend_ops *ops, enum mx_integrator integrator, double step)
{
  strcpy(bench->path, "/tmp/curlew_balance_XXXXXX");
  assert_non_null(mkdtemp(bench->path));
  bench->folder = (struct mx_folder){.path = bench->path};
  bench->box.config.time.integrator = integrator;
  bench->box.config.output.balance.every = 1;
  bench->box.config.output.balance.tolerance = 0.01;
  bench->scene = (struct mx_scene){.config = &bench->box.config,
                                   .ops = ops,
                                   .mesh = &bench->box.mesh,
                                   .ref = &bench->box.ref,
                                   .problem = &bench->box.problem,
                                   .assignment = &bench->box.assignment,
                                   .step = step / MX_C0,
                                   .folder = &bench->folder};
}

static void end(struct bench *bench)
{
  char name[128];
  snprintf(name, sizeof name, "%s/balance.csv", bench->path);
  (void)!unlink(name);
  (void)!rmdir(bench->path);
  box_release(&bench->box);
}

/* energy, sources, losses, radiated, dissipated, difference of the last row, J. */
static void last_row(const struct bench *bench, double value[6])
{
  char name[128], line[400];
  snprintf(name, sizeof name, "%s/balance.csv", bench->path);
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  memset(value, 0, 6 * sizeof *value);
  while (fgets(line, sizeof line, file) != NULL)
    (void)!sscanf(line, "%*[^,],%*[^,],%lf,%lf,%lf,%lf,%lf,%lf", &value[0], &value[1], &value[2], &value[3], &value[4],
                  &value[5]);
  fclose(file);
}

/* Runs with the balance; what the script's loop does. Behind step `spoilt` something happens to an element. */
static int run(struct bench *bench, enum mx_precision precision, long steps, long spoilt, size_t element, double *E,
               double *H, struct dg_error *err)
{
  struct mx_balance *balance;
  const struct mx_backend_ops *ops = bench->scene.ops;
  struct drive drive =
      drive_new(ops, &bench->box, bench->box.config.time.integrator, precision, bench->scene.step * MX_C0, E, H);
  const size_t numbers = 3 * (size_t)bench->box.ref.Np;
  double value[3 * DG_NP_MAX];
  const int of_E = 0; /* the array of the state */
  bench->scene.backend = drive.backend;
  if (mx_balance_new(&balance, &bench->scene, false, err) != 0) goto fail;
  for (long n = 0; n <= steps && err->code == DG_OK; n++) {
    if (n == spoilt) {
      assert_int_equal(ops->save(drive.backend, of_E, element, 1, value, err), 0);
      for (size_t i = 0; i < numbers; i++) value[i] += 0.5;
      assert_int_equal(ops->load(drive.backend, of_E, element, 1, value, err), 0);
      assert_int_equal(ops->loaded(drive.backend, err), 0);
    }
    drive_observe(&drive);
    if (mx_balance_look(balance, n, err) != 0 || mx_balance_sources(balance, 0, NULL, err) != 0) break;
    if (bench->box.config.time.integrator == MX_LEAPFROG && mx_balance_sources(balance, 1, NULL, err) != 0) break;
    drive_finish(&drive);
  }
  struct dg_error late = {0};
  assert_int_equal(mx_balance_close(balance, &late), 0);
fail:
  mx_balance_free(balance);
  ops->destroy(drive.backend);
  return err->code;
}

static void mode(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = x[0] < 0.5 + 1e-9 ? sin(2 * pi * x[0]) * sin(pi * x[1]) : 0;
}

static void whole_mode(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = sin(pi * x[0]) * sin(pi * x[1]);
}

static double random_power(double from, double to) { return from * pow(to / from, box_random()); }

static struct mx_interface_config sheet = {.where = {.tag = 7}, .kind = MX_RESISTIVE_SHEET};

static bool bent; /* half of the boxes' elements are curved */

/* ---- walls of metal, and a film of graphene or a sheet of metal */

static struct mx_interface_config film = {
    .where = {.tag = 7}, .kind = MX_GRAPHENE, .graphene = {.potential = 0.3, 2 / MX_C0, 300}};
static struct mx_interface_config foil = {
    .where = {.tag = 7},
    .kind = MX_METAL_SHEET,
    .metal = {.sigma = 100, .mu_r = 1, .thickness = 3e-3, .band = {MX_C0 / 20, MX_C0 * 5}}};
static enum { NO_SKINS, FILM, FOIL } skins; /* what boxes have */

/* A wall for a band around the frequency at which a metre is half a wave. */
static void add_metal(struct box *box, int surface, double sigma)
{
  box_boundary(box, surface, MX_METAL_WALL, 0);
  box->boundary[box->config.boundaries - 1].metal =
      (struct mx_metal_config){.sigma = sigma, .mu_r = 1, .band = {MX_C0 / 20, MX_C0 * 5}};
}

static void add_skins(struct box *box)
{
  add_metal(box, 2, 30);
  add_metal(box, 4, 1e3);
  box->config.interface = skins == FOIL ? &foil : &film;
  box->config.interfaces = 1;
}

/* The film has this D, 1/m. */
static void set_film(struct box *box)
{
  if (skins == FILM) box->problem.metal[box->config.boundaries].drude = 3;
}

/* ---- boxes */

/* A box of two media of any kind; `magnetic`: H has losses as well. */
static void random_box(struct bench *bench, bool open, bool magnetic, double alpha)
{
  static const int cells[3] = {2, 2, 2};
  static const double unit[3] = {1, 1, 1};
  *bench = (struct bench){0};
  box_mesh(&bench->box, cells, unit, 0.2, NULL);
  if (bent) box_bend(&bench->box, 2, 0.5, 0.5);
  box_material(&bench->box, 1, 1 + 3 * box_random(), 1 + box_random(), random_power(1e-4, 1e-2));
  box_material(&bench->box, 2, 1 + 3 * box_random(), 1 + box_random(), random_power(1e-4, 1e8));
  const unsigned long long others = box_random_state; /* are what they are without */
  for (int i = 0; i < 2 && magnetic; i++) bench->box.material[i].sigma_m.value = random_power(10, i == 0 ? 1e3 : 1e12);
  box_random_state = others;
  if (open) box_boundary(&bench->box, 1, MX_ABSORBING, 0);
  if (open) box_boundary(&bench->box, 3, MX_IMPEDANCE, random_power(10, 1e4));
  box_boundary(&bench->box, 5, MX_PMC, 0);
  if (skins) add_skins(&bench->box);
  box_problem(&bench->box, 2, alpha);
  if (skins) set_film(&bench->box);
}

static void for_every_backend(void (*check)(const struct mx_backend_ops *ops))
{
  for (int i = 0; mx_backends[i] != NULL; i++) {
    struct dg_error err = {0};
    if (mx_backends[i]->available(&err) == 0) check(mx_backends[i]);
  }
}

/* Rough fields, any losses: every step of leapfrog is accounted for to rounding. With a penalty the H of half a
 * step before the start is sought by iteration, which the stiffest modes of noise leave at 1e-8. */
static void check_leapfrog_is_exact(const struct mx_backend_ops *ops)
{
  box_random_state = 7;
  for (int i = 0; i < 12; i += SANITIZED || skins ? 5 : 1) {
    struct bench bench;
    struct dg_error err = {0};
    double row[6];
    const bool single = i % 6 == 5;
    random_box(&bench, false, i >= 6, 0.5 * (i % 3));
    double *E = box_field(&bench.box), *H = box_field(&bench.box);
    box_noise(&bench.box, E), box_noise(&bench.box, H);
    begin(&bench, ops, MX_LEAPFROG, 0.9 * box_limit(&bench.box, MX_LEAPFROG));
    if (run(&bench, single ? MX_SINGLE : MX_DOUBLE, SANITIZED ? 10 : 100, -1, 0, E, H, &err) != 0)
      fail_msg("%s", err.message);
    last_row(&bench, row);
    const double before = row[0] + row[2] + row[4];
    print_message("%s leapfrog sigma %.2g, sigma_m %.2g: %.3g of the energy left, off by %.2g\n", ops->name,
                  bench.box.problem.sigma[bench.box.mesh.K - 1] / MX_ETA0,
                  bench.box.problem.sigma_m[bench.box.mesh.K - 1] * MX_ETA0, row[0] / before, row[5] / before);
    assert_true(before > 0 &&
                fabs(row[5]) < (single       ? 1e-5
                                : i % 3 == 0 ? 1e-12
                                             : 1e-7) *
                                   before &&
                (SANITIZED || row[2] > 1e-3 * before));
    free(E), free(H);
    end(&bench);
  }
}

/* The same on curved elements, whose products of fields are those of the weight-adjusted inverse. */
static void check_curved(const struct mx_backend_ops *ops)
{
  bent = true;
  check_leapfrog_is_exact(ops);
  bent = false;
}

/* The same with walls of metal, and a film or a sheet, which store and lose. */
static void check_skins(const struct mx_backend_ops *ops)
{
  for (int i = 0; i < 4; i++) {
    skins = i < 2 ? FILM : FOIL;
    bent = i % 2 == 1;
    check_leapfrog_is_exact(ops);
  }
  skins = NO_SKINS;
  bent = false;
}

/* Open walls, and Runge-Kutta: smooth fields, to the order of the scheme. */
static void check_order(const struct mx_backend_ops *ops)
{
  box_random_state = 11;
  for (int i = MX_LEAPFROG; i <= MX_LSRK; i++)
    for (int open = 0; open < 2; open++) {
      double off[2];
      const unsigned long long seed = box_random_state;
      for (int k = 0; k < 2; k++) {
        struct bench bench;
        struct dg_error err = {0};
        double row[6];
        box_random_state = seed;
        random_box(&bench, open, i == MX_RK4, 1);
        double *E = box_field(&bench.box), *H = box_field(&bench.box);
        box_evaluate(&bench.box, mode, 0, E);
        const long steps = (long)ceil(until / (0.6 * box_limit(&bench.box, (enum mx_integrator)i))) << k;
        begin(&bench, ops, (enum mx_integrator)i, until / (double)steps);
        if (run(&bench, MX_DOUBLE, steps, -1, 0, E, H, &err) != 0) fail_msg("%s", err.message);
        last_row(&bench, row);
        const double all = row[0] + row[2] + row[3] + row[4];
        off[k] = fabs(row[5]) / all;
        assert_true(SANITIZED || !open || row[3] > 0.01 * all);
        free(E), free(H);
        end(&bench);
      }
      print_message("%s %s %s: off by %.3g, half the step %.3g\n", ops->name, mx_integrator_names[i],
                    open ? "open" : "closed", off[0], off[1]);
      if (SANITIZED) continue;
      if (i == MX_LEAPFROG) assert_true(open ? off[0] < 3e-3 && off[1] < 0.3 * off[0] : off[0] < 1e-12);
      else assert_true(off[0] < 3e-4 && off[1] < fmax(0.7 * off[0], 1e-5));
    }
}

/* In a lossless box it is the walls and the film or sheet alone that lose. A field that neither wall knows at the
 * start: the skin of a metal begins without a current. */
static void order_of_skins(const struct mx_backend_ops *ops)
{
  for (int i = MX_LEAPFROG; i <= MX_LSRK; i++) {
    double off[2], lost[2];
    for (int k = 0; k < 2; k++) {
      struct bench bench = {0};
      struct dg_error err = {0};
      double row[6];
      box_mesh(&bench.box, (const int[]){2, 2, 1}, (const double[]){1, 1, 1}, 0, NULL);
      box_material(&bench.box, 0, 1, 1, 0);
      add_skins(&bench.box);
      box_problem(&bench.box, 4, 1);
      set_film(&bench.box);
      double *E = box_field(&bench.box), *H = box_field(&bench.box);
      box_evaluate(&bench.box, whole_mode, 0, E);
      const long steps = (long)ceil(until / (0.6 * box_limit(&bench.box, (enum mx_integrator)i))) << k;
      begin(&bench, ops, (enum mx_integrator)i, until / (double)steps);
      if (run(&bench, MX_DOUBLE, steps, -1, 0, E, H, &err) != 0) fail_msg("%s", err.message);
      last_row(&bench, row);
      const double all = row[0] + row[2] + row[3] + row[4];
      off[k] = fabs(row[5]) / all, lost[k] = row[2] / all;
      assert_true(row[3] == 0);
      free(E), free(H);
      end(&bench);
    }
    print_message("%s %s: walls and a %s take %.4f of the energy, off by %.3g, half the step %.3g\n", ops->name,
                  mx_integrator_names[i], skins == FILM ? "film" : "sheet", lost[1], off[0], off[1]);
    if (SANITIZED) continue;
    assert_true(lost[1] > 0.1 && fabs(lost[0] - lost[1]) < 1e-3);
    if (i == MX_LEAPFROG) assert_true(off[0] < 1e-7 && off[1] < 1e-7);
    else assert_true(off[0] < 3e-4 && off[1] < fmax(0.7 * off[0], 1e-5));
  }
}

static void check_order_of_skins(const struct mx_backend_ops *ops)
{
  for (int i = 0; i < 2; i++) {
    skins = i == 0 ? FILM : FOIL;
    order_of_skins(ops);
  }
  skins = NO_SKINS;
}

/* Resistive sheets are like open walls, but what they take is a loss. In a lossless box it is all of it: against the
 * same box without the sheet. */
static void check_sheets(const struct mx_backend_ops *ops)
{
  for (int i = MX_LEAPFROG; i <= MX_LSRK; i++) {
    double off[2], lost[2];
    for (int k = 0; k < 3; k++) {
      struct bench bench = {0};
      struct dg_error err = {0};
      double row[6];
      sheet.resistance = 3000;
      box_mesh(&bench.box, (const int[]){2, 2, 1}, (const double[]){1, 1, 1}, 0, NULL);
      box_material(&bench.box, 0, 1, 1, 0);
      bench.box.config.interface = &sheet;
      bench.box.config.interfaces = k < 2;
      box_problem(&bench.box, 5, 1);
      double *E = box_field(&bench.box), *H = box_field(&bench.box);
      box_evaluate(&bench.box, whole_mode, 0, E);
      const long steps = (long)ceil(until / (0.6 * box_limit(&bench.box, (enum mx_integrator)i))) << (k % 2);
      begin(&bench, ops, (enum mx_integrator)i, until / (double)steps);
      if (run(&bench, MX_DOUBLE, steps, -1, 0, E, H, &err) != 0) fail_msg("%s", err.message);
      last_row(&bench, row);
      const double all = row[0] + row[2] + row[3] + row[4];
      assert_true(row[3] == 0 && (SANITIZED ? row[2] >= 0
                                  : k < 2   ? row[2] > 0.1 * all && row[4] < 0.01 * all
                                            : row[2] == 0));
      if (k < 2) off[k] = fabs(row[5]) / all, lost[k] = row[2] / all;
      free(E), free(H);
      end(&bench);
    }
    print_message("%s %s sheet: %.5f lost, off by %.3g, half the step %.5f, %.3g\n", ops->name, mx_integrator_names[i],
                  lost[0], off[0], lost[1], off[1]);
    if (SANITIZED) continue;
    if (i == MX_LEAPFROG) assert_true(off[0] < 3e-3 && off[1] < 0.3 * off[0]);
    else assert_true(off[0] < 3e-4 && off[1] < fmax(0.7 * off[0], 1e-5));
  }
}

/* An element whose field changes for no reason. */
static void check_place(const struct mx_backend_ops *ops)
{
  for (int i = MX_LEAPFROG; i <= MX_LSRK; i += MX_LSRK - MX_LEAPFROG) {
    struct bench bench;
    struct dg_error err = {0};
    char where[60];
    const size_t element = 17;
    box_random_state = 3;
    random_box(&bench, true, false, 1);
    double *E = box_field(&bench.box), *H = box_field(&bench.box);
    box_evaluate(&bench.box, mode, 0, E);
    begin(&bench, ops, (enum mx_integrator)i, 0.9 * box_limit(&bench.box, (enum mx_integrator)i));
    assert_int_equal(run(&bench, MX_DOUBLE, 100, 40, element, E, H, &err), DG_BLEW_UP);
    print_message("%s\n", err.message);
    snprintf(where, sizeof where, "in element %llu at (", (unsigned long long)bench.box.mesh.tag[element]);
    assert_non_null(strstr(err.message, where));
    assert_non_null(strstr(err.message, "at step 40;"));
    free(E), free(H);
    end(&bench);
  }
}

/* The same beside walls, and a film or a sheet. */
static void check_place_beside_skins(const struct mx_backend_ops *ops)
{
  for (int i = 0; i < 2; i++) {
    skins = i == 0 ? FILM : FOIL;
    check_place(ops);
  }
  skins = NO_SKINS;
}

#define TEST(name)                                                                                                     \
  static void test_##name(void **state)                                                                                \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    for_every_backend(check_##name);                                                                                   \
  }
TEST(leapfrog_is_exact)
TEST(curved)
TEST(skins)
TEST(order)
TEST(order_of_skins)
TEST(sheets)
TEST(place)
TEST(place_beside_skins)

/* Every allocation may fail. */
static void test_memory_failure(void **state)
{
  enum { MOST = 200 };
  struct bench bench;
  (void)state;
  skins = FOIL;
  bent = true;
  random_box(&bench, true, false, 1);
  skins = NO_SKINS;
  bent = false;
  begin(&bench, &mx_backend_reference, MX_LEAPFROG, 1e-3);
  for (int n = 1; n < MOST; n++) {
    struct mx_balance *balance;
    struct dg_error err = {0};
    const size_t before = dg_memory_current();
    dg_memory_fail_at(n);
    int status = mx_balance_new(&balance, &bench.scene, false, &err);
    dg_memory_fail_at(0);
    mx_balance_free(balance);
    assert_int_equal(dg_memory_current(), before);
    if (status == 0) break;
    assert_int_equal(status, DG_ENVIRONMENT);
    assert_true(n < MOST - 1);
  }
  end(&bench);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leapfrog_is_exact),
      cmocka_unit_test(test_curved),
      cmocka_unit_test(test_skins),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_order_of_skins),
      cmocka_unit_test(test_sheets),
      cmocka_unit_test(test_place),
      cmocka_unit_test(test_place_beside_skins),
      cmocka_unit_test(test_memory_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
