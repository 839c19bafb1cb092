/* A problem that ranks share, on the `cuda` backend, against the reference on the whole of it, which every rank has for
 * itself: scenes, orders, fluxes, integrators, precisions; parts by METIS, and by chance, where no element is inner.
 * And a checkpoint, the same bits from run to run, and cards that are too few.
 *
 * Arguments: how traces travel ("auto", "direct", "staged"); another backend to try the test itself. Ranks share the
 * cards that there are. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"

#include "gpu/tests/card.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/tests/bend.h"

static struct dg_comm *comm;
static const struct mx_backend_ops *ops = &mx_backend_cuda;
static enum mx_transport transport;
static bool bent; /* half of every box */

/* The part of a scene on this rank. */
struct part {
  struct scene scene;
  struct mx_ranks ranks;
};

static double uneven(double u) { return u + 0.3 * u * (1 - u); }

/* Builds the same mesh every time, without chance. */
static void build_mesh(struct box *box, const struct scene_wanted *wanted)
{
  if (wanted->cells[0] > 0) box_mesh(box, wanted->cells, scene_size, 0, uneven);
  else ring_mesh(box, 1);
  if (bent) box_bend(box, 3, 0.5, 0.8);
}

static int32_t *give_out(const struct dg_mesh *mesh, bool at_random)
{
  struct dg_error err = {0};
  const int ranks = dg_comm_size(comm);
  int32_t *owner = calloc(mesh->K, sizeof *owner);
  if (!at_random && dg_mesh_partition(mesh, ranks, 0, NULL, owner, &err) != 0) fail_msg("%s", err.message);
  for (size_t e = 0; at_random && e < mesh->K; e++) owner[e] = (int32_t)((e * 2654435761u >> 7) % (unsigned)ranks);
  return owner;
}

static void build_mesh_in_parts(struct part *part, const struct scene_wanted *wanted, bool at_random)
{
  struct box *box = &part->scene.box;
  struct dg_error err = {0};
  int32_t *owner = NULL;
  build_mesh(box, wanted); /* all ranks: it fills the configuration as well */
  if (dg_comm_rank(comm) == 0) owner = give_out(&box->mesh, at_random);
  else dg_mesh_release(&box->mesh);
  if (dg_comm_rank(comm) != 0) box->mesh = (struct dg_mesh){0};
  dg_geometry_release(&box->geometry);
  if (dg_mesh_distribute(&box->mesh, owner, comm, &err) != 0 || dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  part->ranks.comm = comm;
  if (dg_halo_init(&part->ranks.halo, &box->mesh, &err) != 0) fail_msg("%s", err.message);
  free(owner);
}

/* Gives some elements of the whole a medium whose epsilon and mu are tensors, near to scalars for the sake of the step.
 */
static void give_tensors(struct mx_problem *problem)
{
  static const double mild[2][6] = {{1, 0.05, -0.03, 1.05, 0.04, 0.96}, {1.03, -0.04, 0.02, 1, 0.03, 0.97}};
  struct dg_error err = {0};
  assert_int_equal(mx_problem_add_tensors(problem, 1, &err), 0);
  for (int i = 0; i < 2; i++) (void)mx_tensor_shape(&problem->shape[0], i, mild[i]);
  for (size_t e = 0; e < problem->K; e++) problem->tensor[e] = e % 3 == 0;
}

/* Media, fluxes and initial fields are those of the whole, which chance made. */
static void copy_elements(struct scene *part, const struct scene *whole)
{
  struct mx_problem *to = &part->box.problem;
  const struct mx_problem *from = &whole->box.problem;
  const size_t numbers = 3 * (size_t)from->ref->Np;
  struct dg_error err = {0};
  part->E = box_field(&part->box);
  part->H = box_field(&part->box);
  if (from->shapes > 0) {
    assert_int_equal(mx_problem_add_tensors(to, from->shapes, &err), 0);
    memcpy(to->shape, from->shape, from->shapes * sizeof *to->shape);
  }
  for (size_t e = 0; e < to->K; e++) {
    const size_t g = (size_t)dg_mesh_global(&part->box.mesh, e);
    to->tensor[e] = from->tensor[g];
    to->epsilon[e] = from->epsilon[g], to->mu[e] = from->mu[g], to->sigma[e] = from->sigma[g],
    to->sigma_m[e] = from->sigma_m[g];
    memcpy(to->flux[e], from->flux[g], sizeof to->flux[e]);
    memcpy(part->E + numbers * e, whole->E + numbers * g, numbers * sizeof(double));
    memcpy(part->H + numbers * e, whole->H + numbers * g, numbers * sizeof(double));
  }
}

/* Copies the functionals, with the summands of this rank. */
static void copy_functionals(struct scene *part, const struct scene *whole)
{
  const size_t numbers = 3 * (size_t)part->box.ref.Np;
  part->functional = part->box.problem.functionals;
  for (size_t f = 0; f < 2; f++) {
    const struct mx_functional *from = &whole->box.problem.functional[whole->functional + f];
    struct mx_functional *to;
    struct dg_error err = {0};
    assert_int_equal(mx_problem_add_functional(&part->box.problem, from->magnetic, from->count, &to, &err), 0);
    to->count = 0;
    for (size_t i = 0; i < from->count; i++)
      for (size_t e = 0; e < part->box.problem.K; e++)
        if ((size_t)dg_mesh_global(&part->box.mesh, e) == from->index[i] / numbers) {
          to->index[to->count] = numbers * e + from->index[i] % numbers;
          to->weight[to->count++] = from->weight[i];
        }
  }
}

static void build_part(struct part *part, const struct scene *whole, const struct scene_wanted *wanted, bool at_random)
{
  struct scene *scene = &part->scene;
  struct box *box = &scene->box;
  struct dg_error err = {0};
  *part = (struct part){.scene = {.integrator = whole->integrator, .steps = whole->steps, .step = whole->step}};
  build_mesh_in_parts(part, wanted, at_random);
  scene_read(scene, wanted->text);
  box->config.time.integrator = wanted->integrator;
  box->config.alpha = wanted->alpha;
  if (dg_reference_init(&box->ref, wanted->order, &err) != 0 ||
      mx_problem_init(&box->problem, &box->assignment, &box->config, &box->mesh, &box->geometry, &box->ref,
                      &part->ranks, &err) != 0 ||
      mx_sources_init(&scene->sources, &box->problem, &box->assignment, &box->config, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  copy_elements(scene, whole);
  copy_functionals(scene, whole);
  if (mx_sources_prepare(&scene->sources, scene->step, scene->steps, &err) != 0) fail_msg("%s", err.message);
}

static void release_part(struct part *part)
{
  dg_halo_release(&part->ranks.halo);
  scene_release(&part->scene);
}

/* ---- a run of the part */

static struct mx_backend *start(const struct scene *scene, enum mx_precision precision, const double *E,
                                const double *H)
{
  const struct mx_backend_options options = {
      .integrator = scene->integrator, .precision = precision, .step = scene->step * MX_C0, .transport = transport};
  struct mx_backend *backend;
  struct dg_error err = {0};
  if (ops->create(&backend, &scene->box.problem, &options, &err) != 0 || ops->upload(backend, E, H, &err) != 0)
    fail_msg("%s", err.message);
  return backend;
}

/* Steps first..last-1, and so much of step `last` as it takes to observe. */
static void advance(struct scene *scene, struct mx_backend *backend, long first, long last, bool observe)
{
  const struct mx_scheme *scheme = &mx_schemes[scene->integrator];
  const struct drive drive = {.ops = ops, .backend = backend};
  for (long n = first; n < last + observe; n++)
    for (int s = 0; s < (n < last ? scheme->stages : scheme->observe_stage); s++)
      scene_stage(scene, &drive, n, s, n == last, false);
}

static struct scene_result run_part(struct part *part, enum mx_precision precision)
{
  struct scene *scene = &part->scene;
  struct scene_result result = {0};
  mx_sources_reset(&scene->sources);
  mx_ports_reset(&scene->sources.ports, -1);
  struct mx_backend *backend = start(scene, precision, scene->E, scene->H);
  advance(scene, backend, 0, scene->steps, true);
  struct drive drive = {.ops = ops, .backend = backend};
  scene_observe(scene, &drive, &result);
  const struct mx_halo_use use = ops->halo_use(backend);
  assert_true(use.bytes > 0 && use.seconds >= 0);
  if (ops->card->present && transport != MX_TRANSPORT_AUTO)
    assert_string_equal(use.transport, transport == MX_TRANSPORT_DIRECT ? "direct" : "staged");
  ops->destroy(backend);
  return result;
}

/* The largest difference between the part and the whole, in fields and in sums over parts, as scene_difference has
 * it. */
static double difference(const struct part *part, const struct scene *whole, const struct scene_result *truth,
                         const struct scene_result *result)
{
  const size_t numbers = 3 * (size_t)whole->box.ref.Np;
  const double scale = truth->check.largest, energy = fabs(truth->energy[0]) + fabs(truth->energy[1]);
  double worst = result->check.finite ? 0 : INFINITY, largest = result->check.largest;
  double sum[] = {result->functional[0], result->functional[1], result->raw[0], result->raw[1],
                  result->energy[0],     result->energy[1],     result->loss};
  const double expected[] = {truth->functional[0], truth->functional[1], truth->raw[0], truth->raw[1],
                             truth->energy[0],     truth->energy[1],     truth->loss};
  const double unit[] = {scale, scale, scale, scale, energy, energy, truth->loss};
  struct dg_error err = {0};
  assert_true(truth->check.finite && scale > 1e-6 && truth->loss > 0);
  for (size_t e = 0; e < part->scene.box.problem.K; e++) {
    const size_t g = (size_t)dg_mesh_global(&part->scene.box.mesh, e);
    for (size_t i = 0; i < numbers; i++) {
      worst = fmax(worst, fabs(truth->E[numbers * g + i] - result->E[numbers * e + i]) / scale);
      worst = fmax(worst, fabs(truth->H[numbers * g + i] - result->H[numbers * e + i]) / scale);
    }
  }
  assert_int_equal(dg_comm_reduce(comm, DG_SUM, 7, sum, &err), 0);
  assert_int_equal(dg_comm_reduce(comm, DG_MAX, 1, &largest, &err), 0);
  for (int i = 0; i < 7; i++) worst = fmax(worst, fabs(sum[i] - expected[i]) / unit[i]);
  worst = fmax(worst, fabs(largest - scale) / scale);
  assert_int_equal(dg_comm_reduce(comm, DG_MAX, 1, &worst, &err), 0);
  return worst;
}

/* A scene of the list; or the text is there already: TENSORS: some media become tensors. */
enum { TENSORS = -1, SKINS = -2 };

static void compare(int number, struct scene_wanted wanted)
{
  struct scene whole = {0};
  if (number >= 0) wanted.text = scenes[number].text;
  build_mesh(&whole.box, &wanted);
  scene_build_on(&whole, &wanted);
  if (number == TENSORS) give_tensors(&whole.box.problem);
  struct scene_result truth = scene_run(&whole, &mx_backend_reference, MX_DOUBLE);
  for (int at_random = 0; at_random < 2; at_random++) {
    struct part part;
    double worst[2];
    build_part(&part, &whole, &wanted, at_random);
    for (int single = 0; single < 2; single++) {
      struct scene_result result = run_part(&part, single ? MX_SINGLE : MX_DOUBLE);
      worst[single] = difference(&part, &whole, &truth, &result);
      scene_result_release(&result);
    }
    if (dg_comm_rank(comm) == 0)
      print_message("%s, p = %d, flux %g, %s, %zu of %zu inner: largest field %.3g, differs by %.2g, in single %.2g\n",
                    number == TENSORS ? "sheet and tensors"
                    : number == SKINS ? "metal, and graphene or a sheet"
                                      : scenes[number].name,
                    wanted.order, wanted.alpha, mx_integrator_names[wanted.integrator],
                    part.scene.box.problem.set[0].end[MX_INNER], part.scene.box.problem.K, truth.check.largest,
                    worst[0], worst[1]);
    assert_true(worst[0] < 1e-12);
    assert_true(worst[1] < 1e-4);
    release_part(&part);
  }
  scene_result_release(&truth);
  scene_release(&whole);
}

/* ---- tests */

static const double fluxes[] = {0, 0.3, 1};
static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4, MX_EULER};

/* Compares every kind of boundary, interface and source; integrators and fluxes take turns. */
static void test_scenes(void **state)
{
  (void)state;
  for (int i = 0; i < SCENES; i++)
    for (int k = 0; k < 2; k++) {
      struct scene_wanted wanted = {.order = 1 + (i + k) % 3,
                                    .alpha = fluxes[(i + k) % 3],
                                    .integrator = integrators[(i + 2 * k) % 4],
                                    .steps = 100};
      if (!scenes[i].ring) memcpy(wanted.cells, (const int[]){4, 3, 2}, sizeof wanted.cells);
      compare(i, wanted);
    }
}

/* A resistive sheet, whose far side may be another rank's, and media that are tensors. */
static void test_media(void **state)
{
  static const char text[] = "boundaries = { [1] = { kind = 'absorbing' }, [2] = { kind = 'impedance', impedance = 200 "
                             "}, [3] = { kind = 'pmc' } },\n"
                             "interfaces = { [7] = { kind = 'resistive_sheet', resistance = 150 } },\n"
                             "sources = { { region = 2, profile = { 1e-3, -2e-3, 1e-3 }, waveform = wave } }";
  (void)state;
  for (int order = 1; order <= 3; order++)
    for (int i = 0; i < 3; i++)
      compare(TENSORS, (struct scene_wanted){.text = text,
                                             .cells = {4, 3, 2},
                                             .order = order,
                                             .alpha = 1,
                                             .integrator = integrators[i],
                                             .steps = 100});
}

#define BESIDE_METAL(interface)                                                                                        \
  "boundaries = { [1] = { kind = 'metal', conductivity = 1e4, band = { 1e8, 3e9 } }, [2] = { kind = 'impedance', "     \
  "impedance = 200 }, [3] = { kind = 'metal', conductivity = 1e5, band = { 1e6, 3e9 } }, [4] = { kind = 'pmc' } "      \
  "},\n"                                                                                                               \
  "interfaces = { [7] = " interface " },\n"                                                                            \
  "sources = { { region = 2, profile = { 1e-3, -2e-3, 1e-3 }, waveform = wave } }"
static const char sheet_text[] =
    BESIDE_METAL("{ kind = 'metal_sheet', conductivity = 10, thickness = 5e-3, band = { 3e7, 3e9 } }");

/* Metal walls, and a film or a sheet whose far side may be another rank's. */
static void test_skins(void **state)
{
  static const char film_text[] =
      BESIDE_METAL("{ kind = 'graphene', chemical_potential = 0, relaxation_time = 1e-8, temperature = 0.3 }");
  (void)state;
  for (int k = 0; k < 18; k++) {
    const int order = 1 + k / 3 % 3;
    bent = order == 2;
    compare(SKINS, (struct scene_wanted){.text = k < 9 ? film_text : sheet_text,
                                         .cells = {4, 3, 2},
                                         .order = order,
                                         .alpha = k % 3 % 2,
                                         .integrator = integrators[k % 3],
                                         .steps = 100});
  }
  bent = false;
}

/* Compares orders with a penalty on faces between elements, and without: then leapfrog works in place. */
static void test_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int k = 0; k < 4; k++) {
      const struct scene_wanted wanted = {.cells = {order < 5 ? 6 : 2, order < 5 ? 4 : 3, 2},
                                          .order = order,
                                          .alpha = k % 2 == 0 ? 0 : 1,
                                          .integrator = k < 2            ? MX_LEAPFROG
                                                        : order % 2 == 0 ? MX_LSRK
                                                                         : MX_RK4,
                                          .steps = order < 5 ? 50 : 10};
      compare(k % 2 == 0 ? CAVITY : WAVES, wanted);
    }
}

static void test_many_steps(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) {
    const struct scene_wanted wanted = {
        .cells = {4, 3, 2}, .order = 3, .alpha = alpha, .integrator = MX_LEAPFROG, .steps = 500};
    compare(alpha == 0 ? CAVITY : WAVES, wanted);
  }
}

static void test_curved(void **state)
{
  static const int chosen[] = {FIELDS, CURRENTS, CAVITY};
  (void)state;
  bent = true;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      const struct scene_wanted wanted = {.cells = {4, 3, 2},
                                          .order = 1 + (2 * i + k) % 4,
                                          .alpha = fluxes[(i + k) % 3],
                                          .integrator = integrators[k],
                                          .steps = 20};
      compare(chosen[i], wanted);
    }
  bent = false;
}

/* Numbers of one state array of the part. */
static size_t numbers_of(const struct mx_problem *problem, enum mx_integrator integrator, int array, size_t *items)
{
  const struct mx_state_array of = mx_state_array(problem, integrator, (size_t)array);
  *items = of.items;
  return mx_state_width(&of);
}

/* Saved behind some steps and loaded into a new backend, a run goes on with the same bits. */
static void test_checkpoint(void **state)
{
  (void)state;
  enum { BEFORE = 7, AFTER = 9 };
  for (int k = 0; k < 6; k++) {
    const enum mx_integrator integrator = integrators[k % 3];
    const struct scene_wanted wanted = {.text = k < 3 ? scenes[WAVES].text : sheet_text,
                                        .cells = {4, 3, 2},
                                        .order = 3,
                                        .alpha = 0.7,
                                        .integrator = integrator,
                                        .steps = BEFORE + AFTER};
    struct scene whole = {0};
    struct part part;
    struct dg_error err = {0};
    double *saved[8] = {NULL}, *field[2][2];
    build_mesh(&whole.box, &wanted);
    scene_build_on(&whole, &wanted);
    build_part(&part, &whole, &wanted, k > 2); /* by chance, so that ranks share the sheet */
    const struct mx_problem *problem = &part.scene.box.problem;
    const int arrays = (int)mx_state_arrays(problem);
    assert_true(arrays <= 8);
    struct mx_backend *backend = start(&part.scene, MX_DOUBLE, part.scene.E, part.scene.H);
    for (int turn = 0; turn < 2; turn++) {
      if (turn == 0) advance(&part.scene, backend, 0, BEFORE, false);
      else backend = start(&part.scene, MX_DOUBLE, NULL, NULL);
      if (turn == 1 && mx_sources_resume(&part.scene.sources, BEFORE, part.scene.step, &err) != 0)
        fail_msg("%s", err.message);
      for (int array = 0; array < arrays; array++) {
        size_t items, each = numbers_of(problem, integrator, array, &items);
        if (items == 0) continue;
        if (turn == 0) saved[array] = calloc(each * items + 1, sizeof(double));
        assert_int_equal(turn == 0 ? ops->save(backend, array, 0, items, saved[array], &err)
                                   : ops->load(backend, array, 0, items, saved[array], &err),
                         0);
      }
      if (turn == 1) assert_int_equal(ops->loaded(backend, &err), 0);
      advance(&part.scene, backend, BEFORE, BEFORE + AFTER, true);
      for (int i = 0; i < 2; i++) field[turn][i] = box_field(&part.scene.box);
      assert_int_equal(ops->download(backend, field[turn][0], field[turn][1], &err), 0);
      ops->destroy(backend);
    }
    for (int i = 0; i < 2; i++) {
      size_t items, each = numbers_of(problem, integrator, 0, &items);
      assert_memory_equal(field[0][i], field[1][i], each * items * sizeof(double));
      free(field[0][i]);
      free(field[1][i]);
    }
    for (int array = 0; array < arrays; array++) free(saved[array]);
    release_part(&part);
    scene_release(&whole);
  }
}

/* More ranks than cards are an error of all of them, unless it is allowed. */
static void test_few_cards(void **state)
{
  (void)state;
  struct dg_error err = {0};
  if (!ops->card->present) skip();
  const int status = ops->card->take(comm, false, &err);
  int64_t statuses[] = {status, -status};
  assert_true(status == 0 || (status == DG_INPUT && strstr(err.message, "share = true") != NULL));
  err = (struct dg_error){0};
  assert_int_equal(dg_comm_reduce_int(comm, DG_MAX, 2, statuses, &err), 0);
  assert_int_equal(statuses[0], -statuses[1]);
  assert_int_equal(ops->card->take(comm, true, &err), 0);
}

static int choose(int argc, char **argv, struct dg_error *err)
{
  for (int i = 0; argc > 1 && mx_transport_names[i] != NULL; i++)
    if (strcmp(argv[1], mx_transport_names[i]) == 0) transport = (enum mx_transport)i;
  for (int i = 0; argc > 2 && mx_backends[i] != NULL; i++)
    if (strcmp(argv[2], mx_backends[i]->name) == 0) ops = mx_backends[i];
  if (ops->available(err) != 0) return 77;
  if (ops->card->take(comm, true, err) != 0) return 1;
  return ops->card->present && transport == MX_TRANSPORT_DIRECT && dg_comm_takes_device_memory() == DG_NO ? 77 : 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_few_cards), cmocka_unit_test(test_scenes),     cmocka_unit_test(test_media),
      cmocka_unit_test(test_orders),    cmocka_unit_test(test_many_steps), cmocka_unit_test(test_checkpoint),
      cmocka_unit_test(test_curved),    cmocka_unit_test(test_skins),
  };
  struct dg_error err = {0};
  if (dg_comm_start(&comm, &err) != 0) return 1;
  int failed = choose(argc, argv, &err);
  if (failed == 77) printf("skipped: %s\n", err.code != 0 ? err.message : "MPI does not take the GPU's memory");
  if (failed == 1) printf("%s\n", err.message);
  if (failed == 0 && argc > 3) cmocka_set_test_filter(argv[3]);
  if (failed == 0) failed = cmocka_run_group_tests(tests, enter_folder, leave_folder);
  err = (struct dg_error){0};
  dg_comm_settle(comm, &err);
  dg_comm_finish(comm, failed);
  return failed;
}
