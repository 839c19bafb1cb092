/* Responses on the card, behind the pass. A thread has one number, which is a component at a node, or with layers the
 * vector at a node. The point functions are those of the host. */
#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/layout.h"
#include "gpu/kernels/responses.h"

#define MX_POINT   __device__ inline
#define NAME(x)    x
#define MX_ROOT(x) sqrt(x)
#define REAL       float
#include "maxwell/response/points.h"
#undef REAL
#define REAL double
/* The same functions for the other precision; C++ tells them apart by their arguments. */
#include "maxwell/response/points.h"
#undef REAL
#undef NAME
#undef MX_ROOT
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
  REAL *now = static_cast<REAL *>(response.now), s[MX_POLE_STATES];
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * response.coefficients;
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
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * response.coefficients;
  const REAL step = static_cast<REAL>(stage.step), a = static_cast<REAL>(stage.a), b = static_cast<REAL>(stage.b);
  const size_t e = static_cast<size_t>(response.where[mine.k]), at = gpu_at(tables.order, e, 0, mine.i);
  /* The place of the number in the field's register, as in behind_pass.cu. */
  const size_t place = tables.tiling.count > 0 ? gpu_register_at(tables.order, e, mine.i) : at;
  REAL s[MX_POLE_STATES], ds[MX_POLE_STATES], du;
  for (int q = 0; q < response.states; q++) s[q] = from[mine.state(tables, response, q)];
  mx_point_rate(response.kind, c, s, static_cast<const REAL *>(stage.field[0])[at], ds, &du);
  static_cast<REAL *>(stage.to[0])[place] += step * du;
  if (stage.also[0] != nullptr) static_cast<REAL *>(stage.also[0])[at] += b * (step * du);
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

/* ---- layers: the vector at a node */

struct node {
  size_t k, i; /* entry, and node in the card's order */
  bool there;

  __device__ node(const gpu_tables &tables, const gpu_response &response)
  {
    const size_t nodes = gpu_component(tables.order);
    const size_t at = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    k = at / nodes;
    i = at % nodes;
    there = k < response.count;
  }
  /* Component c of state q. */
  __device__ size_t state(const gpu_tables &tables, const gpu_response &response, int q, int c) const
  {
    return gpu_at(tables.order, k * static_cast<size_t>(response.states) + static_cast<size_t>(q),
                  static_cast<size_t>(c), i);
  }
};

template <typename REAL, mx_response_kind KIND, int DIRECTIONS>
__global__ void __launch_bounds__(THREADS) layer_step(gpu_tables tables, gpu_response response, int of, REAL *field)
{
  gpu_follow();
  const node mine(tables, response);
  if (!mine.there) return;
  REAL *now = static_cast<REAL *>(response.now), s[3][3], u[3], L[4];
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * response.coefficients;
  const REAL *barycentric = static_cast<const REAL *>(response.barycentric) + 4 * mine.i;
  const size_t e = static_cast<size_t>(response.where[mine.k]);
  const int first = of * DIRECTIONS;
  for (int v = 0; v < 4; v++) L[v] = barycentric[v];
  for (int d = 0; d < 3; d++) u[d] = field[gpu_at(tables.order, e, static_cast<size_t>(d), mine.i)];
  for (int q = 0; q < DIRECTIONS; q++)
    for (int d = 0; d < 3; d++) s[q][d] = now[mine.state(tables, response, first + q, d)];
  mx_layer_step(KIND, of, c, L, s, u);
  for (int q = 0; q < DIRECTIONS; q++)
    for (int d = 0; d < 3; d++) now[mine.state(tables, response, first + q, d)] = s[q][d];
  for (int d = 0; d < 3; d++) field[gpu_at(tables.order, e, static_cast<size_t>(d), mine.i)] = u[d];
}

template <typename REAL, mx_response_kind KIND, int DIRECTIONS>
__global__ void __launch_bounds__(THREADS)
    layer_stage(gpu_tables tables, gpu_response response, int of, gpu_response_stage stage)
{
  gpu_follow();
  const node mine(tables, response);
  if (!mine.there) return;
  REAL *now = static_cast<REAL *>(response.now), *registers = static_cast<REAL *>(response.registers);
  REAL *sum = static_cast<REAL *>(response.sum), *of_stage = static_cast<REAL *>(response.stage);
  const REAL *from = sum != nullptr && !stage.first ? of_stage : now;
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * response.coefficients;
  const REAL *barycentric = static_cast<const REAL *>(response.barycentric) + 4 * mine.i;
  const REAL *field = static_cast<const REAL *>(stage.field[of]);
  const REAL step = static_cast<REAL>(stage.step), a = static_cast<REAL>(stage.a), b = static_cast<REAL>(stage.b);
  const size_t e = static_cast<size_t>(response.where[mine.k]);
  const int first = of * DIRECTIONS;
  REAL s[3][3], ds[3][3], u[3], du[3], L[4];
  for (int v = 0; v < 4; v++) L[v] = barycentric[v];
  for (int d = 0; d < 3; d++) u[d] = field[gpu_at(tables.order, e, static_cast<size_t>(d), mine.i)];
  for (int q = 0; q < DIRECTIONS; q++)
    for (int d = 0; d < 3; d++) s[q][d] = from[mine.state(tables, response, first + q, d)];
  mx_layer_rate(KIND, of, c, L, s, u, ds, du);
  for (int d = 0; d < 3; d++) {
    const size_t number = static_cast<size_t>(d) * gpu_component(tables.order) + mine.i;
    const size_t at = gpu_at(tables.order, e, 0, number);
    const size_t place = tables.tiling.count > 0 ? gpu_register_at(tables.order, e, number) : at;
    static_cast<REAL *>(stage.to[of])[place] += step * du[d];
    if (stage.also[of] != nullptr) static_cast<REAL *>(stage.also[of])[at] += b * (step * du[d]);
  }
  for (int q = 0; q < DIRECTIONS; q++)
    for (int d = 0; d < 3; d++) {
      const size_t own = mine.state(tables, response, first + q, d);
      if (registers != nullptr) {
        const REAL next = a * registers[own] + step * ds[q][d];
        registers[own] = next;
        now[own] += b * next;
      } else {
        const REAL next = (stage.first ? now[own] : sum[own]) + static_cast<REAL>(stage.weight) * ds[q][d];
        sum[own] = next;
        of_stage[own] = now[own] + static_cast<REAL>(stage.next) * ds[q][d];
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
  const double *factor = vector.factor + mine.k * (1 + MX_POLE_STATES);
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
  const size_t numbers = response->count * (response->layer ? 1 : 3) * gpu_component(tables->order);
  return static_cast<unsigned>((numbers + THREADS - 1) / THREADS);
}

template <typename REAL>
gpuError_t step_layer(const gpu_tables *tables, const gpu_response *response, int of, void *field, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  switch (response->kind) {
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, layer_step<REAL, KIND, DIRECTIONS>, blocks, THREADS, 0, stream, *tables,      \
                                *response, of, static_cast<REAL *>(field));
    MX_LAYER_LIST(CASE)
#undef CASE
  default:
    return gpuSuccess;
  }
}

template <typename REAL>
gpuError_t stage_layer(const gpu_tables *tables, const gpu_response *response, int of, const gpu_response_stage *stage,
                       gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  switch (response->kind) {
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, layer_stage<REAL, KIND, DIRECTIONS>, blocks, THREADS, 0, stream, *tables,     \
                                *response, of, *stage);
    MX_LAYER_LIST(CASE)
#undef CASE
  default:
    return gpuSuccess;
  }
}

} // namespace

gpuError_t gpu_step_response(const gpu_tables *tables, const gpu_response *response, int of, void *field,
                             gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  if (blocks == 0 || (of == 1 && !response->layer)) return gpuSuccess;
  if (response->layer)
    return tables->single ? step_layer<float>(tables, response, of, field, stream)
                          : step_layer<double>(tables, response, of, field, stream);
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
  if (!response->layer)
    return gpu_launch_following(*tables, tables->single ? stage<float> : stage<double>, blocks, THREADS, 0, stream,
                                *tables, *response, *of);
  for (int field = 0; field < 2; field++) {
    const gpuError_t status = tables->single ? stage_layer<float>(tables, response, field, of, stream)
                                             : stage_layer<double>(tables, response, field, of, stream);
    if (status != gpuSuccess) return status;
  }
  return gpuSuccess;
}

gpuError_t gpu_combine_response(const gpu_tables *tables, const gpu_response *response,
                                const gpu_response_vector *vector, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? combine<float> : combine<double>, blocks, THREADS, 0, stream,
                              *tables, *response, *vector);
}
