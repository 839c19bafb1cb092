/* The ends of a spectrum from conjugate gradients with noise. levels.c calls it. */
#include "gpu/elliptic/spectrum.h"

#include <limits.h>
#include <math.h>

#include "gpu/runtime/errors.h"

static const char searching[] = "looking for eigenvalues";

/* How many eigenvalues of a symmetric matrix with this diagonal and these squares beside it lie below x (Sturm). */
static int count_below(const double *diagonal, const double *square, int size, double x)
{
  int below = 0;
  double q = 1;
  for (int i = 0; i < size; i++) {
    q = diagonal[i] - x - (i > 0 ? square[i - 1] / q : 0);
    if (q == 0) q = 1e-300;
    below += q < 0;
  }
  return below;
}

/* Eigenvalue number k of them, from 0, by bisection. */
static double eigenvalue(const double *diagonal, const double *square, int size, int k, double most)
{
  double low = 0, high = most;
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    if (count_below(diagonal, square, size, middle) > k) high = middle;
    else low = middle;
  }
  return 0.5 * (low + high);
}

/* A level with its vectors for a search. */
struct state {
  const struct gpu_level *level;
  struct gpu_elliptic_weights weights;
  struct gpu_march_vectors v;
  gpuStream_t stream;
};

/* Sums of r become those of all ranks, and d turns. */
static int turn(const struct state *s, int n, int first, struct dg_error *err)
{
  if (gpu_ranks_reduce(s->level->ranks, &s->v, GPU_SUMS_OF_R, s->stream, err) != 0) return err->code;
  return gpu_check(gpu_march_turn(&s->v, n, first, 0, s->stream), searching, err);
}

static int begin(const struct state *s, struct dg_error *err)
{
  if (gpu_check(gpu_march_noise(&s->v, s->stream), searching, err) != 0 ||
      gpu_ranks_reduce(s->level->ranks, &s->v, GPU_SUMS_OF_Q, s->stream, err) != 0 ||
      gpu_check(gpu_march_weigh(&s->v, 0, s->stream), searching, err) != 0)
    return err->code;
  return turn(s, -1, 1, err);
}

static int iterate(const struct state *s, int n, struct dg_error *err)
{
  const struct gpu_march_vectors *v = &s->v;
  gpuError_t status = gpu_elliptic_elements(&s->level->op, s->weights, v->d, v->march, n, s->stream);
  if (status == gpuSuccess) status = gpu_elliptic_gather(&s->level->op, v->d, v->q, v->part_q, v->march, n, s->stream);
  if (gpu_check(status, searching, err) != 0 || gpu_ranks_sum(s->level->ranks, v->q, v->part_q, s->stream, err) != 0 ||
      gpu_check(gpu_march_residual(v, n, s->stream), searching, err) != 0)
    return err->code;
  return turn(s, n, 0, err);
}

static int read_march(const struct gpu_search *search, struct dg_error *err)
{
  if (gpu_check(
          gpuMemcpyAsync(search->there, search->march, sizeof *search->there, gpuMemcpyDeviceToHost, search->stream),
          searching, err) != 0)
    return err->code;
  return gpu_check(gpuStreamSynchronize(search->stream), searching, err);
}

int gpu_find_spectrum(const struct gpu_level *level, struct gpu_elliptic_weights weights, bool floating, double ones,
                      int most, const struct gpu_search *search, struct gpu_ends *ends, struct dg_error *err)
{
  struct state s = {.level = level,
                    .weights = weights,
                    .v = {.count = level->s.count,
                          .r = level->r,
                          .d = level->s.e,
                          .q = level->s.q,
                          .inverse = level->inverse,
                          .part_q = search->part_q,
                          .part_r = search->part_r,
                          .march = search->march},
                    .stream = search->stream};
  struct gpu_march *there = search->there;
  double diagonal[GPU_SEARCH], square[GPU_SEARCH], first, alpha_before = 0, beta_before = 0, bound = 0;
  int size = 0;
  gpu_ranks_attach(level->ranks, &s.v);
  *there = (struct gpu_march){.ones = ones, .floating = floating, .end = INT_MAX};
  if (gpu_check(gpuMemcpyAsync(search->march, there, sizeof *there, gpuMemcpyHostToDevice, search->stream), searching,
                err) != 0 ||
      begin(&s, err) != 0 || read_march(search, err) != 0)
    return err->code;
  first = there->now[0];
  for (int n = 0; n < most && n < GPU_SEARCH; n++) {
    if (iterate(&s, n, err) != 0 || read_march(search, err) != 0) return err->code;
    if (there->failed || !(there->alpha > 0)) break;
    const double now = there->now[n & 1], next = there->now[(n + 1) & 1], beta = next / now;
    diagonal[size] = 1 / there->alpha + (n > 0 ? beta_before / alpha_before : 0);
    square[size] = beta / (there->alpha * there->alpha);
    bound = fmax(bound, diagonal[size] + 2 * sqrt(square[size]));
    size++;
    alpha_before = there->alpha;
    beta_before = beta;
    if (!(next > 1e-10 * first)) break;
  }
  *ends = (struct gpu_ends){1, 1};
  if (size == 0) return 0;
  ends->smallest = eigenvalue(diagonal, square, size, 0, 2 * bound);
  ends->largest = eigenvalue(diagonal, square, size, size - 1, 2 * bound);
  return 0;
}
