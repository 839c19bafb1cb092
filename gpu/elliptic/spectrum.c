/* The ends of a spectrum from conjugate gradients with noise. levels.c calls it. */
#include "gpu/elliptic/spectrum.h"

#include <limits.h>
#include <math.h>

#include "gpu/runtime/errors.h"
#include "libdg/base/memory.h"

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

static gpuError_t begin(const struct gpu_march_vectors *v, gpuStream_t stream)
{
  gpuError_t status = gpu_march_noise(v, stream);
  if (status == gpuSuccess) status = gpu_march_weigh(v, 0, stream);
  return status == gpuSuccess ? gpu_march_turn(v, -1, 1, 0, stream) : status;
}

static gpuError_t iterate(const struct gpu_level *level, struct gpu_elliptic_weights weights,
                          const struct gpu_march_vectors *v, int n, gpuStream_t stream)
{
  gpuError_t status = gpu_elliptic_elements(&level->op, weights, v->d, v->march, n, stream);
  if (status == gpuSuccess) status = gpu_elliptic_gather(&level->op, v->d, v->q, v->part_q, v->march, n, stream);
  if (status == gpuSuccess) status = gpu_march_residual(v, n, stream);
  return status == gpuSuccess ? gpu_march_turn(v, n, 0, 0, stream) : status;
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
                      int most, const struct gpu_search *search, double *smallest, double *largest,
                      struct dg_error *err)
{
  const struct gpu_march_vectors v = {.count = level->s.count,
                                      .r = level->r,
                                      .d = level->s.e,
                                      .q = level->s.q,
                                      .inverse = level->inverse,
                                      .part_q = search->part_q,
                                      .part_r = search->part_r,
                                      .march = search->march};
  struct gpu_march *there = search->there;
  double *diagonal = NULL, *square = NULL, first = 0, alpha_before = 0, beta_before = 0, bound = 0;
  int size = 0;
  *there = (struct gpu_march){.ones = ones, .floating = floating, .end = INT_MAX};
  if (DG_NEW(diagonal, most, err) != 0 || DG_NEW(square, most, err) != 0 ||
      gpu_check(gpuMemcpyAsync(search->march, there, sizeof *there, gpuMemcpyHostToDevice, search->stream), searching,
                err) != 0 ||
      gpu_check(begin(&v, search->stream), searching, err) != 0 || read_march(search, err) != 0)
    goto fail;
  first = there->now[0];
  for (int n = 0; n < most; n++) {
    if (gpu_check(iterate(level, weights, &v, n, search->stream), searching, err) != 0 || read_march(search, err) != 0)
      goto fail;
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
  *smallest = size > 0 ? eigenvalue(diagonal, square, size, 0, 2 * bound) : 1;
  *largest = size > 0 ? eigenvalue(diagonal, square, size, size - 1, 2 * bound) : 1;
fail:
  dg_free(diagonal);
  dg_free(square);
  return err->code;
}
