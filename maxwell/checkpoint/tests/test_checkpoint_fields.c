/* Fields in checkpoints: from any backend's components to any other's, with walls whose traces of a step ago count and
 * elements with several of them. The cards' way, which keeps only what lies along a face, is played by `cpu`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "maxwell/terms/skin_frame.h"
#include "maxwell/checkpoint/checkpoint_fields.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"

enum { ORDER = 3 };

/* The vector with the same components along t1 and t2 of face f and nothing else in common. */
static void strip(size_t f, double u[3])
{
  double along[2];
  MX_ALONG(f, u[0], u[1], u[2], along);
  const double vector[4][3] = {
      {0, along[0], along[1]}, {0, -along[1], -along[0]}, {-along[1], 0, -along[0]}, {-along[1], -along[0], 0}};
  memcpy(u, vector[f], sizeof vector[f]);
}

static const struct box *box_of_card;

static int save_as_card(struct mx_backend *backend, int array, size_t first, size_t count, double *value,
                        struct dg_error *err)
{
  const struct mx_problem *problem = &box_of_card->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  if (mx_backend_cpu.save(backend, array, first, count, value, err) != 0) return err->code;
  const struct mx_state_array of = mx_state_array(problem, MX_LEAPFROG, (size_t)array);
  const bool faces = of.list == MX_STATE_OF_FACES;
  for (size_t k = first; k < first + count && of.list == MX_STATE_OF_SKINS; k++)
    mx_turn_currents(problem, (size_t)problem->skin_face[k] / 4, (size_t)problem->skin_face[k] % 4, of.vectors, false,
                     value + (k - first) * mx_state_width(&of));
  for (size_t e = 0; faces && e < problem->K; e++)
    for (size_t f = 0; f < 4; f++) {
      const int slot = mx_open_slot(problem->neighbour[e][f]);
      if (slot < (int)first || slot >= (int)(first + count)) continue;
      double *at = value + ((size_t)slot - first) * 3 * Nf;
      for (size_t m = 0; m < Nf; m++) {
        double u[3] = {at[m], at[Nf + m], at[2 * Nf + m]};
        strip(f, u);
        for (size_t c = 0; c < 3; c++) at[c * Nf + m] = u[c];
      }
    }
  return 0;
}

static double difference(const struct box *box, const double *a, const double *b)
{
  double worst = 0, largest = 0;
  for (size_t i = 0; i < 3 * (size_t)box->ref.Np * box->mesh.K; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    largest = fmax(largest, fabs(a[i]));
  }
  return worst / largest;
}

/* Some steps, into a file, from there into another backend, and some more: against all of them on the first. */
static void go_on(struct box *box, const struct mx_backend_ops *from, const struct mx_backend_ops *to,
                  enum mx_integrator integrator, enum mx_precision precision, double tolerance)
{
  struct dg_error err = {0};
  double *start = box_field(box), *E[2] = {box_field(box), box_field(box)}, *H[2] = {box_field(box), box_field(box)};
  const double step = box->mesh.curved > 0 ? 0.002 : 0.01; /* below the limit */
  box_noise(box, start);
  box->config.time.integrator = integrator;
  box->config.precision = precision;
  struct drive one = drive_new(from, box, integrator, precision, step, start, start);
  drive_steps(&one, 7);
  struct mx_scene scene = {
      .config = &box->config, .ops = from, .mesh = &box->mesh, .ref = &box->ref, .problem = &box->problem};
  uint64_t digest;
  bool finite;
  if (mx_fields_save(".", NULL, 7, &scene, one.backend, &finite, &digest, &err) != 0) fail_msg("%s", err.message);
  struct drive other = drive_new(to, box, integrator, precision, step, NULL, NULL);
  scene.ops = to;
  if (mx_fields_load(".", 7, 1, from->components, &scene, other.backend, &err) != 0) fail_msg("%s", err.message);
  const struct drive *both[2] = {&one, &other};
  for (int i = 0; i < 2; i++) {
    drive_steps(both[i], 9);
    drive_observe(both[i]);
    assert_int_equal(both[i]->ops->download(both[i]->backend, E[i], H[i], &err), 0);
    both[i]->ops->destroy(both[i]->backend);
  }
  double off = fmax(difference(box, E[0], E[1]), difference(box, H[0], H[1]));
  print_message("%s to %s, %s, %s: differ by %.2g\n", from->name, to->name, mx_integrator_names[integrator],
                precision == MX_SINGLE ? "single" : "double", off);
  assert_true(off <= tolerance);
  for (int i = 0; i < 2; i++) free(E[i]), free(H[i]);
  free(start);
  mx_fields_remove(".", 7, 0);
}

/* Walls of metal, and a film on the plane between the volumes. */
static void add_skins(struct box *box, struct mx_interface_config *film)
{
  for (int i = 2; i < 4; i++) {
    box_boundary(box, i, MX_METAL_WALL, 0);
    box->boundary[box->config.boundaries - 1].metal =
        (struct mx_metal_config){.sigma = i == 2 ? 30 : 1e3, .mu_r = 1, .band = {MX_C0 / 20, i * MX_C0}};
  }
  *film = (struct mx_interface_config){.where = {.tag = 7}, .kind = MX_GRAPHENE, .graphene = {0.3, 2 / MX_C0, 300}};
}

enum media { PLAIN, SHEETS, SKINS };

/* All backends into all, and the card that `cpu` plays. Curved elements have a frame at every node. */
static void all_into_all(bool bent, enum media media)
{
  struct box box = {0};
  struct mx_backend_ops card = mx_backend_cpu;
  card.components = MX_COVARIANT_TANGENTIAL;
  card.save = save_as_card;
  card.name = "cpu as a card";
  box_of_card = &box;
  box_mesh(&box, (const int[]){2, 2, 2}, (const double[]){1, 0.7, 0.5}, 0.2, NULL);
  if (bent) box_bend(&box, 3, 0.5, 0.4);
  box_material(&box, 0, 2, 1.5, 0.1);
  box_boundary(&box, 1, MX_IMPEDANCE, 200);
  box_boundary(&box, 0, MX_ABSORBING, 0);
  struct mx_interface_config sheet = {.where = {.tag = 7}, .kind = MX_RESISTIVE_SHEET, .resistance = 100};
  box.config.interface = &sheet;
  box.config.interfaces = media != PLAIN;
  if (media == SKINS) add_skins(&box, &sheet);
  box_problem(&box, ORDER, 0.7);
  assert_true(box.problem.sheet_faces == (media == SHEETS ? 16 : 0));
  assert_true(media == SKINS ? box.problem.skin_faces > 16 : box.problem.skin_faces == 0);
  if (media == SKINS) box.problem.metal[box.config.boundaries].drude = 3;
  size_t several = 0;
  for (size_t e = 0; e < box.mesh.K; e++) {
    int open = 0;
    for (int f = 0; f < 4; f++) open += mx_open_slot(box.problem.neighbour[e][f]) >= 0;
    several += open > 1;
  }
  assert_true(several > 0);
  const struct mx_backend_ops *list[8];
  int backends = 0;
  for (; mx_backends[backends] != NULL && backends < 7; backends++) list[backends] = mx_backends[backends];
  list[backends] = &card;
  for (int i = 0; i <= backends; i++)
    for (int k = 0; k < backends; k++) {
      struct dg_error ignored = {0};
      bool exact = i == k;
      if (list[i]->available(&ignored) != 0 || list[k]->available(&ignored) != 0) continue;
      go_on(&box, list[i], list[k], MX_LEAPFROG, MX_DOUBLE, exact ? 0 : 1e-12);
      go_on(&box, list[i], list[k], MX_LEAPFROG, MX_SINGLE, exact ? 0 : 1e-5);
      go_on(&box, list[i], list[k], MX_LSRK, MX_DOUBLE, exact ? 0 : 1e-12);
    }
  box_release(&box);
}

static void test_components(void **state)
{
  (void)state;
  all_into_all(false, PLAIN);
}

static void test_frames_of_nodes(void **state)
{
  (void)state;
  all_into_all(true, PLAIN);
}

static void test_sheets(void **state)
{
  (void)state;
  all_into_all(false, SHEETS);
  all_into_all(true, SHEETS);
}

static void test_skins(void **state)
{
  (void)state;
  all_into_all(false, SKINS);
  all_into_all(true, SKINS);
}

static int enter(void **state)
{
  static char folder[] = "/tmp/curlew_fields_XXXXXX";
  *state = folder;
  return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) { return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : -1; }

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_components), cmocka_unit_test(test_frames_of_nodes),
                                     cmocka_unit_test(test_skins), cmocka_unit_test(test_sheets)};
  return cmocka_run_group_tests(tests, enter, leave);
}
