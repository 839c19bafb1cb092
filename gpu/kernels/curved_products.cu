/* Products of fields over curved elements: u M M(W^-1)^-1 M v, with W^-1 = g/J (maxwell/problem/curved.h). In an
 * orthonormal basis of polynomials, with coefficients c of u and d of v, the product is 2 c.y, where B y = d, and B is
 * the matrix of g/J. Conjugate gradients find y: B is symmetric and, times the sign of J, positive. What the straight
 * element with the same vertices has for B goes before them. */
#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/curves.h"
#include "gpu/kernels/launch_ahead.cuh"

namespace
{

constexpr int THREADS = 128, MOST = 400; /* rounds; for a ratio of 2 of the metric in an element it takes 15 */

/* The block's sum, in all threads. */
__device__ double sum_of_all(double mine, double *part)
{
  for (int other = 16; other > 0; other /= 2) mine += gpuShuffleXor(mine, other);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < THREADS / 32; i++) sum += part[i];
  __syncthreads();
  return sum;
}

/* A block, which has one curved element at a time. */
template <typename REAL> struct curved_product {
  const gpu_tables &tables;
  const gpu_curves &curves;
  const int Np, Nq, n = static_cast<int>(threadIdx.x);
  double *const node;                               /* [3][Np] values at nodes */
  double *const of_u, *const r, *const p, *const y; /* [3][Np] coefficients: of u, residual, direction, solution */
  double *const image, *const at_points;            /* [3][Np] B p, [3][Nq] */
  double *const part;                               /* [THREADS / 32] */

  __host__ __device__ static size_t numbers(int order)
  {
    return static_cast<size_t>(18 * DG_NP(order) + 3 * gpu_points(order) + THREADS / 32);
  }
  __device__ curved_product(const gpu_tables &tables, const gpu_curves &curves, double *memory)
      : tables(tables), curves(curves), Np(DG_NP(tables.order)), Nq(gpu_points(tables.order)), node(memory),
        of_u(node + 3 * Np), r(of_u + 3 * Np), p(r + 3 * Np), y(p + 3 * Np), image(y + 3 * Np),
        at_points(image + 3 * Np), part(at_points + 3 * Nq)
  {
  }

  /* The coefficients of a row of a field. */
  __device__ void to_modes(const void *field, size_t row, double *to) const
  {
    const REAL *from = static_cast<const REAL *>(field) + gpu_at(tables.order, row, 0, 0);
    for (int i = n; i < 3 * Np; i += THREADS) node[i] = static_cast<double>(from[i]);
    __syncthreads();
    for (int i = n; i < 3 * Np; i += THREADS) {
      const double *component = node + i / Np * Np;
      double sum = 0;
      for (int j = 0; j < Np; j++) sum += curves.to_modes[j * Np + i % Np] * component[j];
      to[i] = sum;
    }
    __syncthreads();
  }

  /* image = sign(J) B p. */
  __device__ void multiply(size_t k, double sign) const
  {
    const REAL *geometry = static_cast<const REAL *>(curves.geometry) + k * static_cast<size_t>(6 * Nq);
    for (int q = n; q < Nq; q += THREADS) {
      double x[3] = {0, 0, 0}, g[6], by[3];
      for (int i = 0; i < Np; i++)
        for (int c = 0; c < 3; c++) x[c] += curves.mode_at[i * Nq + q] * p[c * Np + i];
      for (int i = 0; i < 6; i++) g[i] = sign * static_cast<double>(geometry[i * Nq + q]);
      gpu_apply(g, x, by);
      for (int c = 0; c < 3; c++) at_points[c * Nq + q] = by[c];
    }
    __syncthreads();
    for (int i = n; i < 3 * Np; i += THREADS) {
      const double *component = at_points + i / Np * Nq;
      double sum = 0;
      for (int q = 0; q < Nq; q++) sum += curves.mode_at_too[q * Np + i % Np] * component[q];
      image[i] = sum;
    }
    __syncthreads();
  }

  /* The inverse of the straight element's |g/J|: aa, ab, ac, bb, bc, cc. */
  __device__ void straight_inverse(size_t e, double sign, double inverse[6]) const
  {
    const REAL *metric = static_cast<const REAL *>(tables.metric) + 6 * e;
    double g[6];
    for (int i = 0; i < 6; i++) g[i] = sign * static_cast<double>(metric[i]);
    const double adjoint[6] = {g[3] * g[5] - g[4] * g[4], g[2] * g[4] - g[1] * g[5], g[1] * g[4] - g[2] * g[3],
                               g[0] * g[5] - g[2] * g[2], g[1] * g[2] - g[0] * g[4], g[0] * g[3] - g[1] * g[1]};
    const double determinant = g[0] * adjoint[0] + g[1] * adjoint[1] + g[2] * adjoint[2];
    for (int i = 0; i < 6; i++) inverse[i] = adjoint[i] / determinant;
  }

  /* r.inverse r */
  __device__ double preconditioned(const double inverse[6]) const
  {
    double sum = 0;
    for (int i = n; i < Np; i += THREADS) {
      const double x[3] = {r[i], r[Np + i], r[2 * Np + i]};
      double by[3];
      gpu_apply(inverse, x, by);
      sum += x[0] * by[0] + x[1] * by[1] + x[2] * by[2];
    }
    return sum_of_all(sum, part);
  }

  /* p = inverse r + ratio p */
  __device__ void turn(const double inverse[6], double ratio) const
  {
    for (int i = n; i < Np; i += THREADS) {
      const double x[3] = {r[i], r[Np + i], r[2 * Np + i]};
      double by[3];
      gpu_apply(inverse, x, by);
      for (int c = 0; c < 3; c++) p[c * Np + i] = by[c] + ratio * p[c * Np + i];
    }
    __syncthreads();
  }

  __device__ double dot(const double *a, const double *b) const
  {
    double sum = 0;
    for (int i = n; i < 3 * Np; i += THREADS) sum += a[i] * b[i];
    return sum_of_all(sum, part);
  }

  /* The integral of u.v over curved element k, element e, in all threads. */
  __device__ double of(size_t k, size_t e, const void *u, size_t row_of_u, const void *v, size_t row_of_v) const
  {
    const double sign = static_cast<const REAL *>(tables.metric)[6 * e] > 0 ? 1 : -1;
    double inverse[6];
    straight_inverse(e, sign, inverse);
    to_modes(u, row_of_u, of_u);
    to_modes(v, row_of_v, r);
    for (int i = n; i < 3 * Np; i += THREADS) p[i] = y[i] = 0;
    double rho = preconditioned(inverse); /* has a barrier */
    const double enough = 1e-30 * rho;
    turn(inverse, 0);
    for (int round = 0; round < MOST && rho > enough; round++) {
      multiply(k, sign);
      const double step = rho / dot(p, image);
      for (int i = n; i < 3 * Np; i += THREADS) {
        y[i] += step * p[i];
        r[i] -= step * image[i];
      }
      __syncthreads();
      const double next = preconditioned(inverse);
      turn(inverse, next / rho);
      rho = next;
    }
    return 2 * dot(of_u, y);
  }
};

/* Blocks take the elements of a list, or of the list of curved ones, in turns. */
template <typename REAL>
__global__ void __launch_bounds__(THREADS)
    products(gpu_tables tables, gpu_curves curves, gpu_product product, size_t first, size_t count)
{
  extern __shared__ __align__(16) unsigned char memory[];
  const curved_product<REAL> work(tables, curves, reinterpret_cast<double *>(memory));
  const bool listed = product.element != nullptr;
  double sum = 0;
  gpu_follow();
  for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
    const size_t e = static_cast<size_t>(listed ? product.element[i] : curves.where[first + i]);
    if (curves.number[e] < 0) continue;
    const size_t k = static_cast<size_t>(curves.number[e]);
    const size_t row_of_u = product.own_rows ? i : listed ? e : e - product.first, row_of_v = product.own_rows ? i : e;
    const gpu_medium &medium = tables.medium_table[curves.medium[k]];
    const double factor = listed               ? product.factor[i]
                          : product.weight < 2 ? medium.weight[product.weight]
                                               : medium.lag[product.weight - 2];
    if (factor != 0) sum += factor * work.of(k, e, product.u, row_of_u, product.v, row_of_v);
  }
  if (threadIdx.x == 0) product.part[blockIdx.x] += sum;
}

} // namespace

gpuError_t gpu_curved_products(const gpu_tables *tables, const gpu_curves *curves, const gpu_product *product,
                               size_t first, size_t count, gpuStream_t stream)
{
  const size_t most = GPU_SUM_PARTS, blocks = count < most ? count : most;
  const size_t bytes = sizeof(double) * curved_product<double>::numbers(tables->order);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? products<float> : products<double>,
                              static_cast<unsigned>(blocks), THREADS, bytes, stream, *tables, *curves, *product, first,
                              count);
}
