/* Responses on the card, behind the pass. A thread has one number, which is a component at a node. The point functions
 * are those of the host. */
#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/layout.h"
#include "gpu/kernels/responses.h"

#define MX_POINT __device__ inline
#define NAME(x)  x
#define REAL     float
#include "maxwell/response/points.h"
#undef REAL
#define REAL double
/* The same functions for the other precision; C++ tells them apart by their arguments. */
#include "maxwell/response/points.h"
#undef REAL
#undef NAME
#undef MX_POINT

namespace
{

constexpr int THREADS = 256;

/* The number of this thread. */
struct number {
  size_t k, i; /* entry, and which number of a row */
  bool there;

  __device__ number(const gpu_tables &tables, const gpu_response &response)
  {
    const size_t numbers = 3 * gpu_component(tables.order);
    const size_t at = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    k = at / numbers;
    i = at % numbers;
    there = k < response.count;
  }
  __device__ size_t state(const gpu_tables &tables, const gpu_response &response, int q) const
  {
    return gpu_at(tables.order, k * static_cast<size_t>(response.states) + static_cast<size_t>(q), 0, i);
  }
};

template <typename REAL>
__global__ void __launch_bounds__(THREADS) step(gpu_tables tables, gpu_response response, REAL *field)
{
  gpu_follow();
  const number mine(tables, response);
  if (!mine.there) return;
  REAL *now = static_cast<REAL *>(response.now), s[MX_RESPONSE_STATES];
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * MX_RESPONSE_COEFFICIENTS;
  const size_t at = gpu_at(tables.order, static_cast<size_t>(response.where[mine.k]), 0, mine.i);
  REAL u = field[at];
  for (int q = 0; q < response.states; q++) s[q] = now[mine.state(tables, response, q)];
  mx_point_step(response.kind, c, s, &u);
  for (int q = 0; q < response.states; q++) now[mine.state(tables, response, q)] = s[q];
  field[at] = u;
}

template <typename REAL>
__global__ void __launch_bounds__(THREADS) stage(gpu_tables tables, gpu_response response, gpu_response_stage stage)
{
  gpu_follow();
  const number mine(tables, response);
  if (!mine.there) return;
  REAL *now = static_cast<REAL *>(response.now), *registers = static_cast<REAL *>(response.registers);
  REAL *sum = static_cast<REAL *>(response.sum), *of_stage = static_cast<REAL *>(response.stage);
  const REAL *from = sum != nullptr && !stage.first ? of_stage : now;
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * MX_RESPONSE_COEFFICIENTS;
  const REAL step = static_cast<REAL>(stage.step), a = static_cast<REAL>(stage.a), b = static_cast<REAL>(stage.b);
  const size_t e = static_cast<size_t>(response.where[mine.k]), at = gpu_at(tables.order, e, 0, mine.i);
  /* The place of the number in the field's register, as in behind_pass.cu. */
  const size_t place = tables.tiling.count > 0 ? gpu_register_at(tables.order, e, mine.i) : at;
  REAL s[MX_RESPONSE_STATES], ds[MX_RESPONSE_STATES], du;
  for (int q = 0; q < response.states; q++) s[q] = from[mine.state(tables, response, q)];
  mx_point_rate(response.kind, c, s, static_cast<const REAL *>(stage.field)[at], ds, &du);
  static_cast<REAL *>(stage.to)[place] += step * du;
  if (stage.also != nullptr) static_cast<REAL *>(stage.also)[at] += b * (step * du);
  for (int q = 0; q < response.states; q++) {
    const size_t own = mine.state(tables, response, q);
    if (registers != nullptr) {
      const REAL next = a * registers[own] + step * ds[q];
      registers[own] = next;
      now[own] += b * next;
    } else {
      const REAL next = (stage.first ? now[own] : sum[own]) + static_cast<REAL>(stage.weight) * ds[q];
      sum[own] = next;
      of_stage[own] = now[own] + static_cast<REAL>(stage.next) * ds[q];
      if (stage.last) now[own] = next;
    }
  }
}

template <typename REAL>
__global__ void __launch_bounds__(THREADS) combine(gpu_tables tables, gpu_response response, gpu_response_vector vector)
{
  gpu_follow();
  const number mine(tables, response);
  if (!mine.there) return;
  const double *factor = vector.factor + mine.k * (1 + MX_RESPONSE_STATES);
  const size_t e = static_cast<size_t>(response.where[mine.k]);
  double sum =
      factor[0] * static_cast<double>(static_cast<const REAL *>(vector.field)[gpu_at(tables.order, e, 0, mine.i)]);
  for (int q = 0; q < response.states; q++)
    if (factor[1 + q] != 0)
      sum +=
          factor[1 + q] * static_cast<double>(static_cast<const REAL *>(response.now)[mine.state(tables, response, q)]);
  const size_t row = mine.k * static_cast<size_t>(vector.rows) + static_cast<size_t>(vector.row);
  static_cast<REAL *>(vector.to)[gpu_at(tables.order, row, 0, mine.i)] = static_cast<REAL>(sum);
}

unsigned blocks_of(const gpu_tables *tables, const gpu_response *response)
{
  const size_t numbers = response->count * 3 * gpu_component(tables->order);
  return static_cast<unsigned>((numbers + THREADS - 1) / THREADS);
}

} // namespace

gpuError_t gpu_step_response(const gpu_tables *tables, const gpu_response *response, void *field, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  if (blocks == 0) return gpuSuccess;
  if (tables->single)
    return gpu_launch_following(*tables, step<float>, blocks, THREADS, 0, stream, *tables, *response,
                                static_cast<float *>(field));
  return gpu_launch_following(*tables, step<double>, blocks, THREADS, 0, stream, *tables, *response,
                              static_cast<double *>(field));
}

gpuError_t gpu_stage_response(const gpu_tables *tables, const gpu_response *response, const gpu_response_stage *of,
                              gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? stage<float> : stage<double>, blocks, THREADS, 0, stream,
                              *tables, *response, *of);
}

gpuError_t gpu_combine_response(const gpu_tables *tables, const gpu_response *response,
                                const gpu_response_vector *vector, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? combine<float> : combine<double>, blocks, THREADS, 0, stream,
                              *tables, *response, *vector);
}
