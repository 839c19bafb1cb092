/* The largest stable step: Lanczos iteration for leapfrog, Arnoldi iteration for Runge-Kutta, on the parts of
 * local_part.c. The set-up and the bench call mx_stability_limit. Proofs: share/doc/design/time.md. */
#include "maxwell/limit/stability.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"
#include "maxwell/limit/local_part.h"
#include "maxwell/levels/apply.h"
#include "maxwell/limit/vectors.h"
#include "maxwell/problem/beyond.h"
#include "maxwell/time/responses.h"

enum {
  LANCZOS_MAX = 200,
  LANCZOS_MIN = 12,
  ARNOLDI_MAX = 96,
  ARNOLDI_MIN = 24,
  ARNOLDI_CHECK = 8,
  /* The size of the examined part of a large problem. A smaller part is faster and unsafe. On a line of many equal
   * elements the mode that limits the step is a long one: there 50000 gave lsrk a limit that was 6.5 % too large
   * (validation/coax). */
  LANCZOS_UNKNOWNS = 1000000,
  ARNOLDI_UNKNOWNS = 200000,
  LEVELS_UNKNOWNS = 600000,
};
/* The eigenvalue's error is of the order of the squared relative residual. */
static const double sure = 1.02; /* ends a search early, with twice the residual: room for modes outside of parts */
static const double lanczos_residual = 0.003, arnoldi_change = 0.003, arnoldi_residual = 0.015;

static double dot(size_t n, const double *x, const double *y)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void scale(size_t n, double factor, double *x)
{
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; i++) x[i] *= factor;
}

static void add(size_t n, double factor, const double *x, double *y)
{
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; i++) y[i] += factor * x[i];
}

/* Fills x with reproducible noise, in which every mode has a part. */
static void noise(size_t n, double *x)
{
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < n; i++) { /* xorshift64 (G. Marsaglia, J. Stat. Softw. 8 (2003) 14) */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
  }
}

/* Largest eigenvalue of the tridiagonal matrix, and the last component of its eigenvector. */
static int tridiagonal_top(int k, const double *diagonal, const double *off, double *value, double *last,
                           struct dg_error *err)
{
  double d[LANCZOS_MAX], o[LANCZOS_MAX], component[LANCZOS_MAX];
  memcpy(d, diagonal, (size_t)k * sizeof *d);
  memcpy(o, off, (size_t)k * sizeof *o);
  if (dg_tridiagonal_eigen(k, d, o, component, err) != 0) return err->code;
  int top = 0;
  for (int i = 1; i < k; i++)
    if (d[i] > d[top]) top = i;
  *value = d[top];
  *last = component[top];
  return 0;
}

/* The operator of Lanczos iteration, and the inner product in which it is symmetric. Local time steps filter what is
 * added to H: z = -1 then reads [[D_E, C], [C', D_H]] x = (2/dt) M x with mu F^-1 in the place of mu. H = F g keeps g
 * beside it, which takes the place of F^-1 H: a vector has g where H stands, and H behind all. */
struct symmetric {
  struct mx_limit *work;
  struct mx_levels_apply *filter; /* NULL: none */
  double *room;                   /* [all] with a filter */
};

static size_t length_of(const struct symmetric *S) { return S->work->whole + (S->filter != NULL ? S->work->n : 0); }

/* H = F g. */
static void find_filtered(const struct symmetric *S, double *x)
{
  const struct mx_limit *work = S->work;
  if (S->filter == NULL) return;
  memcpy(x + work->whole, x + work->n, work->n * sizeof *x);
  mx_levels_apply(S->filter, x + work->whole);
}

/* y = S x */
static void multiply(const struct symmetric *S, const double *x, double *y)
{
  struct mx_limit *work = S->work;
  if (S->filter != NULL) {
    memcpy(S->room, x, work->all * sizeof *x);
    memcpy(S->room + work->n, x + work->whole, work->n * sizeof *x);
  }
  mx_limit_symmetric(work, S->filter != NULL ? S->room : x, y);
  find_filtered(S, y);
}

/* The product of x with a vector whose product with the mass matrix is My. */
static double product(const struct symmetric *S, const double *x, const double *My)
{
  const size_t n = S->work->n, all = S->work->all;
  if (S->filter == NULL) return dot(all, x, My);
  return dot(n, x, My) + dot(n, x + S->work->whole, My + n) + dot(all - 2 * n, x + 2 * n, My + 2 * n);
}

/* Finds lambda_max(S) by Lanczos iteration with two vectors kept. Extreme eigenvalues need no reorthogonalisation.
 * Stops where it is above `enough`, since Ritz values only grow. With a filter it also stops where it is well below. */
static int lanczos(struct mx_limit *work, struct mx_levels_apply *filter, double enough, double *lambda,
                   struct dg_error *err)
{
  struct symmetric S = {.work = work, .filter = filter};
  const size_t n = work->all, whole = length_of(&S);
  double *q = NULL, *before = NULL, *r = NULL, *Mq = NULL, diagonal[LANCZOS_MAX], off[LANCZOS_MAX], beta = 0;
  if (DG_NEW(q, whole, err) != 0 || DG_NEW(before, whole, err) != 0 || DG_NEW(r, whole, err) != 0 ||
      DG_NEW(Mq, n, err) != 0 || (filter != NULL && DG_NEW(S.room, n, err) != 0))
    goto fail;
  noise(n, q);
  mx_limit_find_densities(work, q);
  find_filtered(&S, q);
  mx_limit_mass(work, q, Mq);
  double size = sqrt(product(&S, q, Mq));
  scale(whole, 1 / size, q);
  scale(n, 1 / size, Mq);
  for (int k = 0; k < LANCZOS_MAX; k++) {
    multiply(&S, q, r);
    diagonal[k] = product(&S, r, Mq);
    add(whole, -diagonal[k], q, r);
    add(whole, -beta, before, r);
    mx_limit_mass(work, r, Mq);
    beta = sqrt(product(&S, r, Mq));
    off[k] = beta;
    double last = 0;
    if (tridiagonal_top(k + 1, diagonal, off, lambda, &last, err) != 0) goto fail;
    bool exhausted = beta <= 1e-12 * fabs(*lambda);
    work->error = fmax(lanczos_residual, fabs(beta * last / *lambda));
    const bool converged = fabs(beta * last) < lanczos_residual * *lambda;
    const bool settled = filter != NULL && *lambda * (sure + 2 * work->error) < enough;
    if (settled && k + 1 >= LANCZOS_MIN && !converged) *lambda *= 1 + work->error, work->error = lanczos_residual;
    if (exhausted || *lambda > enough || (k + 1 >= LANCZOS_MIN && (converged || settled))) break;
    scale(whole, 1 / beta, r);
    scale(n, 1 / beta, Mq);
    double *oldest = before;
    before = q;
    q = r;
    r = oldest;
  }
fail:
  dg_free(q);
  dg_free(before);
  dg_free(r);
  dg_free(Mq);
  dg_free(S.room);
  return err->code;
}

/* Finds the smallest limit that the Ritz values of the leading k x k block of hessenberg[ARNOLDI_MAX+1 rows] set. Also
 * tells how far the Ritz vector that sets it is from an eigenvector: |A x - theta x| / |theta| for |x| = 1. This is the
 * entry below the block times the last component of the block's eigenvector. */
static int ritz_limit(int k, const double *hessenberg, enum mx_integrator integrator, double *limit, double *residual,
                      struct dg_error *err)
{
  double complex value[ARNOLDI_MAX], vector[ARNOLDI_MAX], worst = 0;
  if (dg_hessenberg_values(k, hessenberg, ARNOLDI_MAX, value, err) != 0) return err->code;
  *limit = INFINITY;
  for (int i = 0; i < k; i++) {
    double one = mx_scalar_limit(integrator, value[i]);
    if (!(one < *limit)) continue;
    *limit = one;
    worst = value[i];
  }
  if (isinf(*limit)) return 0;
  if (dg_hessenberg_vector(k, hessenberg, ARNOLDI_MAX, worst, vector, err) != 0) return err->code;
  *residual = hessenberg[k * ARNOLDI_MAX + k - 1] * cabs(vector[k - 1]) / cabs(worst);
  return 0;
}

static int arnoldi(struct mx_limit *work, enum mx_integrator integrator, double *limit, struct dg_error *err)
{
  size_t n = work->all;
  double *basis = NULL, *Mw = NULL, *hessenberg = NULL, earlier = INFINITY, residual = 0;
  if (dg_alloc_untouched(&basis, n * (ARNOLDI_MAX + 1), sizeof *basis, err) != 0 || DG_NEW(Mw, n, err) != 0 ||
      DG_NEW(hessenberg, (ARNOLDI_MAX + 1) * ARNOLDI_MAX, err) != 0)
    goto fail;
  noise(n, basis);
  mx_limit_mass(work, basis, Mw);
  scale(n, 1 / sqrt(dot(n, basis, Mw)), basis);
  for (int k = 0; k < ARNOLDI_MAX; k++) {
    double *w = basis + ((size_t)k + 1) * n;
    mx_limit_rate(work, basis + (size_t)k * n, w);
    for (int pass = 0; pass < 2; pass++) { /* classical Gram-Schmidt, twice is enough */
      mx_limit_mass(work, w, Mw);
      for (int i = 0; i <= k; i++) {
        double h = dot(n, basis + (size_t)i * n, Mw);
        hessenberg[i * ARNOLDI_MAX + k] += h;
        add(n, -h, basis + (size_t)i * n, w);
      }
    }
    mx_limit_mass(work, w, Mw);
    double size = sqrt(dot(n, w, Mw));
    hessenberg[(k + 1) * ARNOLDI_MAX + k] = size;
    bool exhausted = size <= 1e-12 * fabs(hessenberg[0]) || k + 1 == ARNOLDI_MAX || (size_t)k + 1 == n;
    if (exhausted || (k + 1 >= ARNOLDI_MIN && (k + 1) % ARNOLDI_CHECK == 0)) {
      if (ritz_limit(k + 1, hessenberg, integrator, limit, &residual, err) != 0) goto fail;
      work->error = fmax(arnoldi_residual, residual);
      /* A limit that does not change has not converged: the mode that sets it may still be growing out of the noise. */
      if (exhausted || (fabs(*limit - earlier) < arnoldi_change * *limit && residual < arnoldi_residual)) break;
      earlier = *limit;
    }
    scale(n, 1 / size, w);
  }
fail:
  dg_free(basis);
  dg_free(Mw);
  dg_free(hessenberg);
  return err->code;
}

/* Finds the limit of the whole of a problem. */
static int examine(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                   struct dg_error *err)
{
  struct mx_limit work;
  if (mx_limit_start(&work, problem, integrator, err) != 0) goto fail;
  if (mx_staggered(integrator)) {
    double lambda = 0;
    if (lanczos(&work, NULL, INFINITY, &lambda, err) != 0) goto fail;
    result->limit = 2 / lambda;
  } else if (arnoldi(&work, integrator, &result->limit, err) != 0) {
    goto fail;
  }
  result->elements = problem->K;
  result->applications = work.applications;
  result->error = work.error;
  if (!isfinite(result->limit) || result->limit <= 0)
    (void)dg_fail(err, DG_BUG, "the search for the stability limit gave %g", result->limit);
fail:
  mx_limit_release(&work);
  return err->code;
}

/* ---- parts of large problems */

/* Gives energy[K] of noise after many applications of the operator; it remains where the fastest modes are. The
 * operator has order 1: its derivatives and fluxes cost a fraction, and its fastest modes are in the same places. */
static int find_activity(const struct mx_problem *problem, enum mx_integrator integrator, double *energy,
                         struct dg_error *err)
{
  enum { APPLICATIONS = 20 };
  struct dg_reference linear = {0};
  struct mx_problem of_order_1 = *problem;
  struct mx_limit work = {0};
  double *x = NULL, *y = NULL;
  if (dg_reference_init(&linear, 1, err) != 0) goto fail;
  of_order_1.ref = &linear;
  if (mx_limit_start(&work, &of_order_1, integrator, err) != 0) goto fail;
  const size_t each = 3 * (size_t)linear.Np, n = work.all;
  if (DG_NEW(x, work.whole, err) != 0 || DG_NEW(y, work.whole, err) != 0) goto fail;
  noise(n, x);
  for (int i = 0; i < APPLICATIONS; i++) {
    if (!mx_staggered(integrator)) mx_limit_rate(&work, x, y);
    else mx_limit_symmetric(&work, x, y);
    scale(n, sqrt((double)n / dot(n, y, y)), y);
    double *const before = x;
    x = y;
    y = before;
  }
  for (size_t e = 0; e < problem->K; e++)
    energy[e] = problem->jacobian[e] * (problem->epsilon[e] * dot(each, x + e * each, x + e * each) +
                                        problem->mu[e] * dot(each, x + work.n + e * each, x + work.n + e * each));
fail:
  dg_free(x);
  dg_free(y);
  mx_limit_release(&work);
  dg_reference_release(&linear);
  return err->code;
}

/* The limit that a region of fast elements sets, where modes are long. */
static int examine_region(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                          size_t elements, double *rate, struct dg_error *err)
{
  struct mx_problem part = {0};
  if (mx_local_part(&part, problem, elements, MX_PART_REGION, rate, err) == 0 && dg_comm_rank(problem->comm) == 0)
    (void)!examine(result, &part, integrator, err);
  mx_problem_release(&part);
  return err->code;
}

/* Finds the limit set by a few bad elements that touch each other. First it examines many of them at order 1, then
 * those with the most activity. */
static int examine_clusters(struct mx_stability *result, const struct mx_problem *problem,
                            enum mx_integrator integrator, size_t max_unknowns, double *rate, struct dg_error *err)
{
  struct mx_problem wide = {0}, part = {0};
  double *energy = NULL;
  if (mx_neighbourhood_rates(problem, rate, err) != 0 ||
      mx_local_part(&wide, problem, max_unknowns / (6 * DG_NP(1)), MX_PART_CLUSTERS, rate, err) != 0 ||
      dg_comm_rank(problem->comm) != 0 || DG_NEW(energy, wide.K, err) != 0)
    goto fail;
  if (find_activity(&wide, integrator, energy, err) == 0 &&
      mx_local_part(&part, &wide, max_unknowns / 2 / (6 * (size_t)problem->ref->Np), MX_PART_CLUSTERS, energy, err) ==
          0)
    (void)!examine(result, &part, integrator, err);
fail:
  mx_problem_release(&part);
  mx_problem_release(&wide);
  dg_free(energy);
  return err->code;
}

static int examine_parts(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                         size_t max_unknowns, bool all, struct dg_error *err)
{
  struct mx_stability clusters = {.limit = INFINITY};
  double *rate;
  if (DG_NEW(rate, problem->K, err) != 0) return err->code;
  mx_local_rates(problem, !mx_staggered(integrator), rate);
  if (examine_region(result, problem, integrator, max_unknowns / (6 * (size_t)problem->ref->Np), rate, err) == 0 &&
      !all)
    (void)!examine_clusters(&clusters, problem, integrator, max_unknowns, rate, err);
  result->limit = fmin(result->limit, clusters.limit);
  result->error = fmax(result->error, clusters.error);
  result->clustered = clusters.elements;
  result->applications += clusters.applications;
  dg_free(rate);
  return err->code;
}

/* The limit of a problem whose media do not depend on the step. */
static int fixed_limit(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                       size_t max_unknowns, struct dg_error *err)
{
  struct dg_comm *comm = problem->comm;
  int64_t unknowns = (int64_t)(6 * (size_t)problem->ref->Np * problem->K);
  *result = (struct mx_stability){0};
  if (max_unknowns == 0) max_unknowns = mx_staggered(integrator) ? LANCZOS_UNKNOWNS : ARNOLDI_UNKNOWNS;
  if (dg_comm_reduce_int(comm, DG_SUM, 1, &unknowns, err) != 0) return err->code;
  const bool all = unknowns <= (int64_t)max_unknowns;
  if (all && comm == NULL && problem->halo == NULL) return examine(result, problem, integrator, err);
  if (examine_parts(result, problem, integrator, max_unknowns, all, err) != 0) return err->code;
  return dg_comm_broadcast(comm, sizeof *result, result, err);
}

/* ---- media with losses, whose inertia depends on the step, and responses, which may be slowed down to it ---- */

/* Finds the largest relaxation rate times the step, of all ranks. */
static int largest_loss(const struct mx_problem *problem, double step, double *largest, struct dg_error *err)
{
  *largest = 0;
  for (size_t e = 0; e < problem->K; e++) *largest = fmax(*largest, mx_relaxation_rate(problem, e) * step);
  return dg_comm_reduce(problem->comm, DG_MAX, 1, largest, err);
}

/* Says whether the scheme takes all responses of all ranks as they are. */
static int follows_all(const struct mx_problem *problem, enum mx_integrator integrator, double step, bool *all,
                       struct dg_error *err)
{
  int64_t others = 0;
  for (size_t r = 0; r < problem->responses; r++)
    for (size_t k = 0; k < problem->response[r].count; k++) {
      double followed[MX_RESPONSE_PARAMETERS];
      others += !mx_response_follow(problem, &problem->response[r], k, integrator, step, followed);
    }
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 1, &others, err) != 0) return err->code;
  *all = others == 0;
  return 0;
}

/* Copies the responses with the parameters that the scheme follows at this step. release_frozen in any case. */
static int freeze_responses(struct mx_problem *frozen, const struct mx_problem *problem, enum mx_integrator integrator,
                            double step, struct dg_error *err)
{
  frozen->response = NULL;
  frozen->responses = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *from = &problem->response[r];
    struct mx_response *to = NULL;
    if (mx_problem_add_response(frozen, from->kind, from->of, from->count, &to, err) != 0) return err->code;
    memcpy(to->where, from->where, from->count * sizeof *to->where);
    for (size_t k = 0; k < from->count; k++)
      (void)mx_response_follow(problem, from, k, integrator, step, mx_response_parameter(to, k));
  }
  return 0;
}

static void release_frozen(struct mx_problem *frozen)
{
  for (size_t r = 0; r < frozen->responses; r++) mx_response_release(&frozen->response[r]);
  dg_free(frozen->response);
  dg_free(frozen->epsilon);
  dg_free(frozen->mu);
}

/* Copies a problem with the media as they are at this step. release_frozen in any case. */
static int freeze(struct mx_problem *frozen, const struct mx_problem *problem, enum mx_integrator integrator,
                  double step, struct dg_error *err)
{
  *frozen = *problem;
  frozen->epsilon = frozen->mu = NULL;
  if (freeze_responses(frozen, problem, integrator, step, err) != 0 || DG_NEW(frozen->epsilon, problem->K, err) != 0 ||
      DG_NEW(frozen->mu, problem->K, err) != 0)
    return err->code;
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_medium of_E = mx_medium_of(problem, MX_AMPERE, e), of_H = mx_medium_of(problem, MX_FARADAY, e);
    frozen->epsilon[e] = mx_medium_update(integrator, MX_AMPERE, of_E, step).inertia;
    frozen->mu[e] = mx_medium_update(integrator, MX_FARADAY, of_H, step).inertia;
  }
  return 0;
}

/* The limit with the media as they are at this step. */
static int limit_at(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                    double step, size_t max_unknowns, struct dg_error *err)
{
  const int applications = result->applications;
  struct mx_problem frozen;
  if (freeze(&frozen, problem, integrator, step, err) == 0)
    (void)!fixed_limit(result, &frozen, integrator, max_unknowns, err);
  result->applications += applications;
  release_frozen(&frozen);
  return err->code;
}

/* The limit L(h) with the media of step h grows with h. The step may be as large as the h at which both are equal. For
 * an h below that, L(h) is a better step that is still below: leapfrog's step times the largest eigenvalue of S grows
 * with the step (share/doc/design/time.md). Runge-Kutta has no such proof; for it the function takes only an h with
 * L(h) >= h. */
static int lossy_limit(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                       double step, size_t max_unknowns, struct dg_error *err)
{
  enum { ROUNDS = 12 };
  static const double close = 0.004; /* about the accuracy of the search itself */
  double safe = 0;
  for (int round = 0; round < ROUNDS; round++) {
    if (limit_at(result, problem, integrator, step, max_unknowns, err) != 0) return err->code;
    if (mx_staggered(integrator)) safe = result->limit;
    else if (result->limit >= step) safe = fmax(safe, step);
    if (fabs(result->limit - step) <= close * step) {
      safe = mx_staggered(integrator) ? safe : fmin(result->limit, step);
      break;
    }
    step = result->limit;
  }
  result->limit = safe > 0 ? safe : fmin(result->limit, step);
  return 0;
}

int mx_stability_limit(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                       size_t max_unknowns, struct dg_error *err)
{
  static const double negligible = 0.05; /* the inertia of leapfrog grows by x^2/12 */
  double largest;
  bool followed = true;
  if (mx_schemes[integrator].unstable != NULL)
    return dg_fail(err, DG_INPUT, "%s has no stable step without dissipation; give time.step",
                   mx_schemes[integrator].unstable);
  struct mx_problem lossless = *problem;
  if (fixed_limit(result, problem, integrator, max_unknowns, err) != 0 ||
      largest_loss(problem, result->limit, &largest, err) != 0 ||
      follows_all(problem, integrator, result->limit, &followed, err) != 0)
    return err->code;
  if (mx_staggered(integrator) && largest <= negligible) return 0;
  if (mx_staggered(integrator)) return lossy_limit(result, problem, integrator, result->limit, max_unknowns, err);
  if (mx_step_resolves(integrator, (struct mx_medium){1, largest}, 1) && followed) return 0;
  lossless.sigma = lossless.sigma_m = NULL;
  if (DG_NEW(lossless.sigma, problem->K, err) != 0 || DG_NEW(lossless.sigma_m, problem->K, err) != 0) goto fail;
  lossless.responses = 0;
  const int applications = result->applications;
  if (fixed_limit(result, &lossless, integrator, max_unknowns, err) == 0) {
    result->applications += applications;
    /* search from above, where good conductors have no part in the limit: fewer rounds */
    (void)!lossy_limit(result, problem, integrator, 4 * result->limit, max_unknowns, err);
  }
fail:
  dg_free(lossless.sigma);
  dg_free(lossless.sigma_m);
  return err->code;
}

/* ---- local time steps */

/* The limit of a problem on one rank, all of which is examined. */
static int examine_levels(struct mx_stability *result, const struct mx_problem *problem, const struct mx_levels *levels,
                          double step, struct dg_error *err)
{
  struct mx_problem frozen;
  struct mx_limit work = {0};
  struct mx_levels_apply filter = {0};
  double lambda = 0;
  if (freeze(&frozen, problem, MX_OF_LEVELS, step, err) != 0 ||
      mx_limit_start(&work, &frozen, MX_OF_LEVELS, err) != 0 || mx_levels_apply_init(&filter, levels, step, err) != 0 ||
      lanczos(&work, &filter, 2 / step, &lambda, err) != 0)
    goto fail;
  result->limit = fmin(result->limit, 2 / lambda);
  result->elements += problem->K;
  result->applications += work.applications;
  result->error = fmax(result->error, work.error);
  if (!isfinite(result->limit) || result->limit <= 0)
    (void)dg_fail(err, DG_BUG, "the search for the limit of local steps gave %g", result->limit);
fail:
  mx_levels_apply_release(&filter);
  mx_limit_release(&work);
  release_frozen(&frozen);
  return err->code;
}

/* Marks the elements that have a neighbour of another mark. */
static int mark_border(const struct mx_problem *problem, const char *mark, char *border, struct dg_error *err)
{
  char *beyond;
  if (DG_NEW(beyond, problem->ghosts, err) != 0) return err->code;
  if (mx_values_beyond(problem, 1, mark, beyond, err) != 0) goto fail;
  for (size_t e = 0; e < problem->K; e++) {
    border[e] = 0;
    for (int f = 0; f < 4; f++) {
      const int32_t code = problem->neighbour[e][f];
      const size_t other = (size_t)(code / 4);
      if (code >= 0) border[e] |= (other < problem->K ? mark[other] : beyond[other - problem->K]) != mark[e];
    }
  }
fail:
  dg_free(beyond);
  return err->code;
}

/* Local rates with which a region is chosen: in a core the filter brings all modes down to those of the slowest that
 * the step takes, so that modes outside and at the borders of cores decide. */
static int rates_with_levels(const struct mx_problem *problem, double *rate, struct dg_error *err)
{
  static const double inside = 0.7;
  double most = 0;
  char *border = NULL, *near = NULL;
  if (DG_NEW(border, problem->K, err) != 0 || DG_NEW(near, problem->K, err) != 0) goto fail;
  mx_local_rates(problem, false, rate);
  for (size_t e = 0; e < problem->K; e++)
    if (problem->depth[e] == 0) most = fmax(most, rate[e]);
  if (dg_comm_reduce(problem->comm, DG_MAX, 1, &most, err) != 0 ||
      mark_border(problem, problem->depth, border, err) != 0 || mark_border(problem, border, near, err) != 0)
    goto fail;
  for (size_t e = 0; e < problem->K; e++)
    if (problem->depth[e] > 0) rate[e] = border[e] || near[e] ? fmin(rate[e], most) : inside * fmin(rate[e], most);
fail:
  dg_free(border);
  dg_free(near);
  return err->code;
}

static int examine_levels_part(struct mx_stability *result, const struct mx_problem *problem,
                               const struct mx_levels *levels, double step, enum mx_part kind, size_t elements,
                               const double *rate, struct dg_error *err)
{
  struct mx_problem part = {0};
  struct mx_levels own = {0};
  if (mx_local_part(&part, problem, elements, kind, rate, err) == 0 && dg_comm_rank(problem->comm) == 0 &&
      mx_levels_like(&own, &part, levels, err) == 0)
    (void)!examine_levels(result, &part, &own, step, err);
  mx_levels_release(&own);
  mx_problem_release(&part);
  return err->code;
}

int mx_levels_limit(struct mx_stability *result, const struct mx_problem *problem, const struct mx_levels *levels,
                    double step, size_t max_unknowns, struct dg_error *err)
{
  static const double unseen = 0.005; /* room for modes outside of the parts */
  const size_t each = 6 * (size_t)problem->ref->Np, most = max_unknowns > 0 ? max_unknowns : LEVELS_UNKNOWNS;
  int64_t unknowns = (int64_t)(each * problem->K);
  double *rate;
  *result = (struct mx_stability){.limit = INFINITY};
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 1, &unknowns, err) != 0) return err->code;
  const bool all = unknowns <= (int64_t)most;
  if (all && problem->comm == NULL) return examine_levels(result, problem, levels, step, err);
  if (DG_NEW(rate, problem->K, err) != 0 || rates_with_levels(problem, rate, err) != 0 ||
      examine_levels_part(result, problem, levels, step, MX_PART_REGION, most / each, rate, err) != 0)
    goto fail;
  mx_local_rates(problem, false, rate); /* inside of cores the fastest elements use the filter up */
  if (!all && (mx_neighbourhood_rates(problem, rate, err) != 0 ||
               examine_levels_part(result, problem, levels, step, MX_PART_CLUSTERS, most / 2 / each, rate, err) != 0))
    goto fail;
  if (!all) result->error += unseen;
  (void)!dg_comm_broadcast(problem->comm, sizeof *result, result, err);
fail:
  dg_free(rate);
  return err->code;
}
