/* The energy balance: brings fields to the host, sums their powers over time, strikes the balance and writes its table.
 * output.c and the time loop call it; balance.h has the method. */
#include "maxwell/record/balance.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/terms/rates/face_powers.h"
#include "maxwell/model/selectors.h"
#include "maxwell/problem/curved.h"
#include "maxwell/record/recorder.h"

static const char table_name[] = "balance.csv";

/* The flows of energy. SOURCES counts as positive when sources bring energy, the others when they take it. */
enum flow { SOURCES, LOSSES, RADIATED, DISSIPATED, FLOWS };

/* The integral of a power from its values at whole steps: trapezoidal sums, corrected at both ends for the slope there.
 */
struct integral {
  double sum;      /* sum of all values, with half of the first one */
  double first[3]; /* values */
  double last[3];  /* newest first */
  long count;
};

struct mx_balance {
  const struct mx_scene *scene; /* borrowed */
  struct mx_csv table;          /* rank 0's */
  struct mx_powers powers;      /* integrals of powers over the mesh */
  struct mx_response_powers responses;
  struct mx_face_powers faces; /* terms with states on faces */
  bool staggered;
  double dt; /* c0 times the step, m */
  long n;    /* step of the last look */
  long looks;
  double *E, *H, *E_before, *H_before, *mean; /* [K + ghosts][3][Np] */
  double *H_earlier;                          /* leapfrog: [K + ghosts][3][Np] H half a step before */
  double *driven[2];                          /* [K][3][Np] what sources add to the rates of E and H; valid if drives */
  bool drives[2];
  double energy, before;             /* stored at the last look and the one before it, V^2 m as all here */
  struct integral whole[FLOWS];      /* from values at whole steps */
  double middle[FLOWS];              /* from values in the middle of steps */
  double lag, lag_first;             /* leapfrog: <D u, u> on closed faces at the last look and the first */
  double flow[FLOWS];                /* sums at the last verdict, of all ranks */
  double settled[FLOWS];             /* sums before the last begin_anew */
  double start, difference, largest; /* the energy at first; the balance; the scale of what is off */
  bool resumed;                      /* start follows from the difference that was archived */
  bool knows_H;                      /* H_earlier is known before the first look */
  long settling;                     /* looks before the balance begins */
  bool rehearses;                    /* steps are left out: nothing follows from what is off */
};

/* Integrates a power. Leapfrog's sums are its own; those of the other schemes are `corrected`. */
static double integrate(const struct integral *of, double dt, bool corrected)
{
  if (of->count == 0) return 0;
  double sum = dt * (of->sum - 0.5 * of->last[0]);
  if (!corrected || of->count < 3) return sum;
  const double begin = (-3 * of->first[0] + 4 * of->first[1] - of->first[2]) / 2,
               end = (3 * of->last[0] - 4 * of->last[1] + of->last[2]) / 2; /* slopes times dt */
  return sum - dt / 12 * (end - begin);
}

static void add(struct integral *to, double value)
{
  to->sum += to->count == 0 ? 0.5 * value : value;
  if (to->count < 3) to->first[to->count] = value;
  to->last[2] = to->last[1];
  to->last[1] = to->last[0];
  to->last[0] = value;
  to->count++;
}

/* ---- one look ---- */

static int fetch(struct mx_balance *balance, struct mx_backend *backend, struct dg_error *err)
{
  double *const E = balance->E_before, *const H = balance->H_before;
  balance->E_before = balance->E, balance->H_before = balance->H;
  balance->E = E, balance->H = H;
  if (balance->scene->ops->download(backend, E, H, err) != 0 ||
      mx_response_powers_look(&balance->responses, backend, E, H, err) != 0 ||
      mx_face_powers_look(&balance->faces, backend, err) != 0)
    return err->code;
  return mx_powers_ghosts(&balance->powers, E, H, err);
}

/* Finds H of half a step before the first look, from the mean that was fetched: it goes half a step back, with the
 * penalty on the unknown H. The iteration settles as the penalty damps, in a few rounds for all but the stiffest modes.
 * Later H follow from the means exactly. */
static int find_first_H(struct mx_balance *balance, struct dg_error *err)
{
  enum { ROUNDS = 40 };
  const struct mx_powers *powers = &balance->powers;
  memcpy(balance->H_earlier, balance->H, powers->all * sizeof *balance->H);
  for (int round = 0; round < ROUNDS; round++) {
    mx_powers_rate(powers, MX_FARADAY, balance->H_earlier, balance->E, balance->mean);
    for (size_t i = 0; i < powers->own; i++) {
      const size_t e = i / (3 * (size_t)powers->problem->ref->Np);
      const struct mx_medium_update update = mx_update_of(powers->problem, &powers->options, MX_FARADAY, e);
      const double driven = balance->drives[1] ? balance->driven[1][i] : 0;
      balance->H_earlier[i] = 2 * update.back * (balance->H[i] - 0.5 * update.gain * (balance->mean[i] + driven));
    }
    if (mx_powers_ghosts(powers, balance->E, balance->H_earlier, err) != 0) return err->code;
  }
  return 0;
}

/* Finds the lag. Leapfrog's penalty acts on H of half a step before the mean; `lag` is the excess of <D u, u> in the
 * sums. */
static int find_lag(struct mx_balance *balance, double electric, double mean, struct dg_error *err)
{
  if (balance->looks == 0 && !balance->knows_H && find_first_H(balance, err) != 0) return err->code;
  const double before = mx_powers_penalty(&balance->powers, MX_FARADAY, balance->H_earlier).closed;
  balance->middle[LOSSES] += mx_face_powers_step(&balance->faces, balance->looks == 0, balance->H_earlier);
  for (size_t i = 0; i < balance->powers.all; i++)
    balance->H_earlier[i] = 2 * balance->H[i] - balance->H_earlier[i]; /* H of half a step later */
  balance->lag = electric + 2 * mean - before;
  if (balance->looks == 0) balance->lag_first = balance->lag;
  return 0;
}

/* Adds the powers of the fields of this step alone. */
static int look_at_step(struct mx_balance *balance, struct dg_error *err)
{
  const struct mx_powers *powers = &balance->powers;
  const struct mx_penalty_powers E = mx_powers_penalty(powers, MX_AMPERE, balance->E),
                                 H = mx_powers_penalty(powers, MX_FARADAY, balance->H);
  add(&balance->whole[DISSIPATED], balance->staggered ? H.closed : E.closed + H.closed);
  add(&balance->whole[RADIATED], balance->staggered ? H.open : E.open + H.open);
  if (balance->staggered) {
    const bool drives = balance->drives[1];
    add(&balance->whole[SOURCES], drives ? mx_powers_work(powers, MX_FARADAY, balance->H, balance->driven[1]) : 0);
    add(&balance->whole[LOSSES],
        H.sheets + mx_powers_loss(powers, MX_FARADAY, balance->H) + mx_face_powers_loss(&balance->faces, balance->H));
    return find_lag(balance, E.closed, H.closed, err);
  }
  add(&balance->whole[LOSSES], E.sheets + H.sheets + mx_powers_loss(powers, MX_AMPERE, balance->E) +
                                   mx_powers_loss(powers, MX_FARADAY, balance->H) +
                                   mx_response_powers_loss(&balance->responses, false) +
                                   mx_face_powers_loss(&balance->faces, balance->H));
  return 0;
}

/* Leapfrog: adds the powers of the mean E of the step that led here. */
static void look_at_middle(struct mx_balance *balance)
{
  const struct mx_powers *powers = &balance->powers;
  const double dt = balance->dt;
  for (size_t i = 0; i < powers->all; i++) balance->mean[i] = 0.5 * (balance->E[i] + balance->E_before[i]);
  const struct mx_penalty_powers taken = mx_powers_penalty(powers, MX_AMPERE, balance->mean);
  balance->middle[DISSIPATED] += dt * taken.closed;
  balance->middle[RADIATED] += dt * taken.open;
  balance->middle[LOSSES] += dt * (taken.sheets + mx_powers_loss(powers, MX_AMPERE, balance->mean));
  balance->middle[LOSSES] += dt * mx_response_powers_loss(&balance->responses, true);
  if (balance->drives[0])
    balance->middle[SOURCES] += dt * mx_powers_work(powers, MX_AMPERE, balance->mean, balance->driven[0]);
}

/* ---- the verdict ---- */

/* Names the element where the change since the last look differs most from what flows in, by the midpoint rule. The
 * difference is small where all is well. */
static int accuse(struct mx_balance *balance, struct dg_error *err)
{
  const struct mx_scene *scene = balance->scene;
  const size_t K = scene->problem->K;
  size_t worst = 0;
  double most = 0, *of_responses;
  if (DG_NEW(of_responses, K, err) != 0) return err->code;
  for (size_t e = 0; e < K; e++) of_responses[e] = mx_response_powers_unexplained(&balance->responses, e);
  for (size_t i = 0; i < balance->powers.all; i++) {
    balance->E_before[i] = 0.5 * (balance->E_before[i] + balance->E[i]); /* the earlier fields have served */
    balance->H_before[i] = 0.5 * (balance->H_before[i] + balance->H[i]);
  }
  mx_face_powers_middle(&balance->faces);
  if (mx_powers_unexplained(&balance->powers, balance->E, balance->H, balance->E_before, balance->H_before,
                            balance->drives[0] ? balance->driven[0] : NULL,
                            balance->drives[1] ? balance->driven[1] : NULL, of_responses, &worst, &most, err) != 0) {
    dg_free(of_responses);
    return err->code;
  }
  double all = most;
  dg_free(of_responses);
  if (dg_comm_reduce(scene->comm, DG_MAX, 1, &all, err) != 0) return err->code;
  int64_t here = dg_mesh_global(scene->mesh, worst), first = most >= all ? here : INT64_MAX;
  if (dg_comm_reduce_int(scene->comm, DG_MIN, 1, &first, err) != 0) return err->code;
  if (most < all || first != here) return dg_comm_agree(scene->comm, err);
  char material[128];
  double x[3];
  mx_selector_name(&scene->config->material[scene->assignment->material[worst]].where, material, sizeof material);
  dg_geometry_barycentre(scene->mesh, worst, x);
  return dg_fail(err, DG_BLEW_UP,
                 "the energy balance is off by %.3g J, %.3g of the largest energy so far (output.balance.tolerance is "
                 "%g), at step %ld; in this step most of it in element %llu at (%g, %g, %g) m in material '%s'",
                 MX_EPSILON0 * balance->difference, fabs(balance->difference) / balance->largest,
                 scene->config->output.balance.tolerance, balance->n, (unsigned long long)scene->mesh->tag[worst], x[0],
                 x[1], x[2], material);
}

/* Sums the flows of all ranks so far. */
static int total(struct mx_balance *balance, double flow[FLOWS], struct dg_error *err)
{
  for (int i = 0; i < FLOWS; i++)
    flow[i] = balance->middle[i] + integrate(&balance->whole[i], balance->dt, !balance->staggered);
  if (balance->staggered) flow[DISSIPATED] -= balance->dt / 4 * (balance->lag - balance->lag_first);
  if (dg_comm_reduce(balance->scene->comm, DG_SUM, FLOWS, flow, err) != 0) return err->code;
  for (int i = 0; i < FLOWS; i++) flow[i] += balance->settled[i];
  return 0;
}

static int write_row(struct mx_balance *balance, const double flow[FLOWS], struct dg_error *err)
{
  const long every = balance->scene->config->output.balance.every;
  if (balance->table.file == NULL || balance->n % every != 0) return 0;
  errno = 0;
  if (fprintf(balance->table.file, "%ld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", balance->n,
              balance->scene->step * (double)balance->n, MX_EPSILON0 * balance->energy, MX_EPSILON0 * flow[SOURCES],
              MX_EPSILON0 * flow[LOSSES], MX_EPSILON0 * flow[RADIATED], MX_EPSILON0 * flow[DISSIPATED],
              MX_EPSILON0 * balance->difference) < 0)
    return mx_csv_failed(&balance->table, err);
  return 0;
}

/* Takes everything so far as known, and begins the sums anew. */
static void begin_anew(struct mx_balance *balance, const double flow[FLOWS])
{
  memcpy(balance->settled, flow, sizeof balance->settled);
  memset(balance->middle, 0, sizeof balance->middle);
  for (int i = 0; i < FLOWS; i++) {
    const double now = balance->whole[i].last[0];
    const bool any = balance->whole[i].count > 0;
    balance->whole[i] = (struct integral){0};
    if (any) add(&balance->whole[i], now);
  }
  balance->lag_first = balance->lag;
}

/* Says whether powers at whole steps resolve what happens. While a source sets in, the energy grows several times from
 * look to look by its work, and their sum is wrong by some of the energy itself. What is wrong then is forgotten behind
 * it, since the energy to compare with grows. Leapfrog's sums are exact. `work`: of sources, so far. */
static bool resolved(const struct mx_balance *balance, double work)
{
  const double most = 1.5;
  const bool grows = balance->energy > most * balance->before, by_sources = 2 * work > balance->energy;
  return balance->staggered || !grows || !by_sources;
}

static int strike(struct mx_balance *balance, struct dg_error *err)
{
  double *const flow = balance->flow;
  if (total(balance, flow, err) != 0) return err->code;
  const double held = balance->energy + flow[LOSSES] + flow[RADIATED] + flow[DISSIPATED] - flow[SOURCES];
  if (balance->looks <= balance->settling) begin_anew(balance, flow), balance->start = held;
  else if (balance->looks == 1) balance->start = balance->resumed ? held - balance->difference : held;
  balance->difference = held - balance->start;
  balance->largest = fmax(balance->largest, fmax(fabs(balance->energy), fabs(flow[SOURCES])));
  if (write_row(balance, flow, err) != 0) return err->code;
  const double tolerance = balance->scene->config->output.balance.tolerance;
  if (balance->rehearses || !resolved(balance, flow[SOURCES]) ||
      fabs(balance->difference) <= tolerance * balance->largest)
    return 0;
  if (mx_csv_flush(&balance->table, err) != 0) return err->code;
  return accuse(balance, err);
}

void mx_balance_rehearse(struct mx_balance *balance)
{
  if (balance != NULL) balance->rehearses = true;
}

int mx_balance_resume(struct mx_balance *balance, struct dg_error *err)
{
  if (balance == NULL || !balance->staggered) return 0;
  struct mx_backend *const backend = balance->scene->backend;
  const struct mx_problem *problem = balance->scene->problem;
  const size_t Np = (size_t)problem->ref->Np;
  const int of_H = 1; /* the array of the state */
  double *const H = balance->H_earlier;
  if (balance->scene->ops->save(backend, of_H, 0, problem->K, H, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K && balance->scene->ops->components != MX_CARTESIAN; e++)
    for (size_t i = 0; i < Np; i++) {
      const double place[3] = {problem->ref->r[i], problem->ref->s[i], problem->ref->t[i]};
      double metric[9], g[3][3], u[3];
      (void)mx_element_metric(problem, e, place, metric);
      mx_frame_gradients(metric, g);
      for (size_t c = 0; c < 3; c++) u[c] = H[(3 * e + c) * Np + i];
      for (size_t c = 0; c < 3; c++) H[(3 * e + c) * Np + i] = g[0][c] * u[0] + g[1][c] * u[1] + g[2][c] * u[2];
    }
  balance->knows_H = true;
  if (mx_face_powers_resume(&balance->faces, backend, err) != 0) return err->code;
  return mx_powers_ghosts(&balance->powers, balance->mean, H, err);
}

int mx_balance_look(struct mx_balance *balance, long n, struct dg_error *err)
{
  if (balance == NULL) return 0;
  struct mx_backend *const backend = balance->scene->backend;
  double energy[2];
  if (balance->scene->ops->energy(backend, &energy[0], &energy[1], err) != 0 ||
      dg_comm_reduce(balance->scene->comm, DG_SUM, 2, energy, err) != 0 || fetch(balance, backend, err) != 0)
    return err->code;
  balance->before = balance->energy;
  balance->energy = energy[0] + energy[1];
  balance->n = n;
  if (balance->staggered && balance->looks > 0) look_at_middle(balance);
  if (look_at_step(balance, err) != 0) return err->code;
  balance->looks++;
  return balance->staggered ? strike(balance, err) : 0;
}

static void evaluate(struct mx_balance *balance, enum mx_equation equation, const struct mx_stage_sources *sources)
{
  balance->drives[equation] = sources != NULL && balance->scene->problem->terms > 0;
  if (balance->drives[equation]) mx_powers_sources(&balance->powers, equation, sources, balance->driven[equation]);
}

int mx_balance_sources(struct mx_balance *balance, int s, const struct mx_stage_sources *sources, struct dg_error *err)
{
  if (balance == NULL) return 0;
  if (balance->staggered) {
    evaluate(balance, s == 0 ? MX_FARADAY : MX_AMPERE, sources);
    return 0;
  }
  if (s != 0) return 0;
  struct integral *work = &balance->whole[SOURCES];
  double power = 0;
  evaluate(balance, MX_AMPERE, sources);
  evaluate(balance, MX_FARADAY, sources);
  if (balance->drives[0])
    power = mx_powers_work(&balance->powers, MX_AMPERE, balance->E, balance->driven[0]) +
            mx_powers_work(&balance->powers, MX_FARADAY, balance->H, balance->driven[1]);
  else if (work->count >= 3)
    power = 3 * work->last[0] - 3 * work->last[1] + work->last[2]; /* extrapolated to the step behind the last */
  add(work, power);
  return strike(balance, err);
}

/* ---- begin and end ---- */

/* Sets how many looks to wait until the fields in conductors at the start have relaxed. Powers at whole steps do not
 * tell how much Runge-Kutta loses of a field that is gone after a few steps; leapfrog's sums do. */
static int settle(struct mx_balance *balance, struct dg_error *err)
{
  static const double resolved = 0.1, gone = 10; /* relaxation rate times dt; the same times steps */
  const struct mx_problem *problem = balance->scene->problem;
  double slowest = 0;
  for (size_t e = 0; e < problem->K && !balance->staggered; e++) {
    const double x = mx_relaxation(problem, e) * balance->dt;
    if (x > resolved) slowest = fmax(slowest, 1 / fmin(x, 1)); /* raised permittivities take some steps, too */
  }
  const double fastest = mx_face_powers_fastest(problem) * balance->dt; /* currents of walls begin at zero */
  if (!balance->staggered && fastest > resolved) slowest = fmax(slowest, 1 / fmin(fastest, 1));
  if (dg_comm_reduce(balance->scene->comm, DG_MAX, 1, &slowest, err) != 0) return err->code;
  balance->settling = (long)(gone * slowest);
  return 0;
}

int mx_balance_new(struct mx_balance **result, const struct mx_scene *scene, bool resume, struct dg_error *err)
{
  static const char *const header = "step,time,energy,sources,losses,radiated,dissipated,difference";
  struct mx_balance *balance;
  *result = NULL;
  if (scene->config->output.balance.every == 0) return 0;
  if (DG_NEW(balance, 1, err) != 0) return err->code;
  balance->scene = scene;
  balance->staggered = mx_staggered(scene->config->time.integrator);
  balance->dt = scene->step * MX_C0;
  const struct mx_backend_options options = mx_scene_backend_options(scene);
  if (mx_powers_init(&balance->powers, scene->problem, &options, err) != 0 ||
      mx_response_powers_init(&balance->responses, &balance->powers, scene->ops, err) != 0 ||
      mx_face_powers_init(&balance->faces, &balance->powers, scene->ops, err) != 0)
    goto fail;
  const size_t all = balance->powers.all, own = scene->problem->terms > 0 ? balance->powers.own : 0;
  if (DG_NEW(balance->E, all, err) != 0 || DG_NEW(balance->H, all, err) != 0 ||
      DG_NEW(balance->E_before, all, err) != 0 || DG_NEW(balance->H_before, all, err) != 0 ||
      DG_NEW(balance->mean, all, err) != 0 || DG_NEW(balance->H_earlier, all, err) != 0 ||
      DG_NEW(balance->driven[0], own, err) != 0 || DG_NEW(balance->driven[1], own, err) != 0 ||
      settle(balance, err) != 0 || mx_open_table(&balance->table, scene, table_name, header, resume, err) != 0)
    goto fail;
  *result = balance;
  return 0;
fail:
  mx_balance_free(balance);
  return err->code;
}

void mx_balance_free(struct mx_balance *balance)
{
  if (balance == NULL) return;
  mx_csv_release(&balance->table);
  mx_response_powers_release(&balance->responses);
  mx_face_powers_release(&balance->faces);
  mx_powers_release(&balance->powers);
  double *const arrays[] = {balance->E,    balance->H,         balance->E_before,  balance->H_before,
                            balance->mean, balance->driven[0], balance->driven[1], balance->H_earlier};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  dg_free(balance);
}

/* ---- the recorder ---- */

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  return scene->config->output.balance.every > 0 ? mx_plan_file(plan, err, table_name) : 0;
}

static int results(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err)
{
  if (scene->config->output.balance.every == 0) return 0;
  return mx_add_result(results, scene, &(struct mx_result){.name = "balance"}, NULL, "", err);
}

static size_t memory(const struct mx_scene *scene)
{
  const struct mx_problem *problem = scene->problem;
  if (scene->config->output.balance.every == 0) return 0;
  const size_t element = 3 * (size_t)problem->ref->Np * sizeof(double);
  return mx_response_powers_bytes(problem) + mx_face_powers_bytes(problem) +
         element * (6 * (problem->K + problem->ghosts) + (problem->terms > 0 ? 2 * problem->K : 0));
}

static int open_balance(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  struct mx_balance *balance;
  if (mx_balance_new(&balance, scene, resume, err) != 0) return err->code;
  *self = balance;
  return 0;
}

/* It sees every step: the loop lets it look once all others have written, since it may end the run. */
static bool is_due(const void *self, long n)
{
  (void)self, (void)n;
  return true;
}

static int flush(void *self, struct dg_error *err)
{
  struct mx_balance *const balance = self;
  return mx_csv_flush(&balance->table, err);
}

/* A run that goes on does not know the fields of the step before. The table's columns leave out the share of that one
 * step, and the balance goes on with the difference that it had. */
static int archive_state(void *self, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_balance *const balance = self;
  double state[FLOWS + 2];
  memcpy(state, balance->flow, sizeof balance->flow); /* rank 0 writes alone: no sums over ranks here */
  state[FLOWS] = balance->difference;
  state[FLOWS + 1] = balance->largest;
  if (mx_archive_doubles(archive, "balance/state", FLOWS + 2, state, err) != 0 ||
      mx_csv_archive(&balance->table, "balance/table", archive, err) != 0)
    return err->code;
  if (archive->does != MX_ARCHIVE_LOADS) return 0;
  memcpy(balance->settled, state, sizeof balance->settled);
  memcpy(balance->flow, state, sizeof balance->flow);
  balance->difference = state[FLOWS];
  balance->largest = state[FLOWS + 1];
  balance->resumed = true;
  return 0;
}

int mx_balance_close(struct mx_balance *balance, struct dg_error *err) { return mx_csv_close(&balance->table, err); }

static int close_table(void *self, struct dg_error *err) { return mx_balance_close(self, err); }

static void release(void *self) { mx_balance_free(self); }

const struct mx_recorder mx_balance_recorder = {.plan = plan,
                                                .results = results,
                                                .memory = memory,
                                                .open = open_balance,
                                                .due = is_due,
                                                .flush = flush,
                                                .archive = archive_state,
                                                .close = close_table,
                                                .release = release};
