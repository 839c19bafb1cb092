/* Heat whose equations the card solves, against a closed form and against the host: the steady state, long steps,
 * steps that are chosen, short steps, and an order that has no coarser one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpu/elliptic/elliptic.h"
#include "gpu/tests/card.h"
#include "maxwell/heat/tests/heat_scene.h"

/* What is asked for, and what the card is to do. */
struct wanted {
  const char *name;
  int order;
  bool steady, multigrid, patient; /* the last: the diagonal is tried once */
  double stop, step, tolerance;
  double near; /* how near to the closed form, K */
};

static const struct wanted cases[] = {
    {.name = "steady", .order = 6, .steady = true, .multigrid = true, .patient = true, .near = 1e-9},
    {.name = "long steps", .order = 6, .multigrid = true, .patient = true, .stop = 60, .step = 10, .near = 4e-8},
    {.name = "chosen steps", .order = 6, .multigrid = true, .stop = 100, .tolerance = 1e-3, .near = 4e-8},
    {.name = "short steps", .order = 3, .stop = 1e-3, .step = 5e-4, .near = 4e-8},
    {.name = "order 2", .order = 2, .stop = 60, .step = 10, .near = 4e-8},
};

static void compute(struct scene *scene, const struct wanted *wanted, bool on_card)
{
  struct dg_error err = {0};
  prepare_stiff(scene);
  scene_device = on_card ? &gpu_elliptic_solver : NULL;
  scene->heat.order = wanted->order;
  scene->heat.steady = wanted->steady;
  scene->heat.theta = 1; /* the source jumps behind t = 0 */
  scene->heat.stop = wanted->stop;
  scene->heat.step = wanted->step;
  scene->heat.tolerance = wanted->tolerance;
  if (wanted->steady) scene->heat.start = (struct mx_heat_value){.value = 30};
  begin(scene);
  assert_true((scene->march.solver.device != NULL) == on_card);
  if (wanted->steady) ok(mx_heat_settle(&scene->march, &err), &err);
  else run(scene);
}

static void near(const char *name, const char *what, double found, double truth, double scale)
{
  if (!(fabs(found - truth) <= 1e-10 * scale)) fail_msg("%s: %s is %.17g, on the host %.17g", name, what, found, truth);
}

/* What was stored, and what walls, sources and blood gave. */
static void compare_balance(const char *name, const struct mx_heat_march *host, const struct mx_heat_march *card)
{
  const double scale = fabs(host->given.sources) + fabs(host->given.wall[0]);
  assert_true(scale > 0 && host->given.wall[1] != 0 && host->given.blood != 0);
  near(name, "what is stored", card->stored, host->stored, scale);
  near(name, "the heat of sources", card->given.sources, host->given.sources, scale);
  near(name, "the heat of blood", card->given.blood, host->given.blood, scale);
  for (int w = 0; w < 2; w++) near(name, "the heat of a wall", card->given.wall[w], host->given.wall[w], scale);
  near(name, "what is missing", mx_heat_missing(card), 0, scale);
}

static void heat_is_that_of_the_host(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct scene host, card;
    double off = 0;
    compute(&host, &cases[k], false);
    compute(&card, &cases[k], true);
    const struct mx_heat_solver *solver = &card.march.solver;
    for (size_t i = 0; i < host.problem.space.count; i++) off = fmax(off, fabs(T(&host, i) - T(&card, i)));
    print_message("%s: %ld steps; the card %ld iterations, %ld cycles; the host %ld, %ld; T differs by %.1e, from the "
                  "closed form by %.1e\n",
                  cases[k].name, card.march.n, solver->iterations, solver->cycles, host.march.solver.iterations,
                  host.march.solver.cycles, off, worst(&card, warm));
    assert_int_equal(solver->cycles > 0, cases[k].multigrid);
    if (cases[k].patient) assert_int_equal(solver->iterations, MX_HEAT_PATIENCE_DEVICE);
    compare_balance(cases[k].name, &host.march, &card.march);
    if (!(off < 1e-10 * 60)) fail_msg("%s: differs from the host by %.3e", cases[k].name, off);
    if (!(worst(&card, warm) < cases[k].near)) fail_msg("%s: %.3e", cases[k].name, worst(&card, warm));
    end(&host);
    end(&card);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(heat_is_that_of_the_host)};
  if (no_card()) return 77;
  return cmocka_run_group_tests_name("heat on the card", tests, NULL, NULL);
}
