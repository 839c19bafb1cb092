/* Responses on the card, behind the pass. With poles a thread has one number, a component at a node; with layers a
 * block has entries. The point functions are those of the host. */
#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/layout.h"
#include "gpu/kernels/response_points.cuh"
#include "gpu/kernels/responses.h"

namespace
{

constexpr int THREADS = GPU_LAYER_THREADS; /* of the other kernels as well */

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

/* STATES: those of the kind, so that they stand in registers. */
template <typename REAL, mx_response_kind KIND, int STATES>
__global__ void __launch_bounds__(THREADS) step(gpu_tables tables, gpu_response response, REAL *field)
{
  gpu_follow();
  const number mine(tables, response);
  if (!mine.there) return;
  REAL *now = static_cast<REAL *>(response.now), s[STATES];
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * response.coefficients;
  const size_t at = gpu_at(tables.order, static_cast<size_t>(response.where[mine.k]), 0, mine.i);
  REAL u = field[at];
#pragma unroll
  for (int q = 0; q < STATES; q++) s[q] = now[mine.state(tables, response, q)];
  mx_point_step(KIND, c, s, &u);
#pragma unroll
  for (int q = 0; q < STATES; q++) now[mine.state(tables, response, q)] = s[q];
  field[at] = u;
}

template <typename REAL, mx_response_kind KIND, int STATES>
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
  REAL s[STATES], ds[STATES], du;
#pragma unroll
  for (int q = 0; q < STATES; q++) s[q] = from[mine.state(tables, response, q)];
  mx_point_rate(KIND, c, s, static_cast<const REAL *>(stage.field[response.of])[at], ds, &du);
  static_cast<REAL *>(stage.to[response.of])[place] += step * du;
  if (stage.also[response.of] != nullptr) static_cast<REAL *>(stage.also[response.of])[at] += b * (step * du);
#pragma unroll
  for (int q = 0; q < STATES; q++) {
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

/* ---- kinds that act on the vector at a node, which a thread has */

struct vector_place {
  size_t k, n; /* entry and node */
  bool there;

  __device__ vector_place(const gpu_tables &tables, const gpu_response &response)
  {
    const size_t at = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x, Np = gpu_component(tables.order);
    k = at / Np;
    n = at % Np;
    there = k < response.count;
  }
  /* Component c of state q. */
  __device__ size_t state(const gpu_tables &tables, const gpu_response &response, int q, size_t c) const
  {
    return gpu_at(tables.order, k * static_cast<size_t>(response.states) + static_cast<size_t>(q), c, n);
  }
};

template <typename REAL, mx_response_kind KIND, int STATES, bool START>
__global__ void __launch_bounds__(THREADS) vector_step(gpu_tables tables, gpu_response response, REAL *field)
{
  gpu_follow();
  const vector_place mine(tables, response);
  if (!mine.there) return;
  REAL *now = static_cast<REAL *>(response.now), s[STATES][3], u[3];
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * response.coefficients;
  const size_t e = static_cast<size_t>(response.where[mine.k]);
  for (size_t d = 0; d < 3; d++) u[d] = field[gpu_at(tables.order, e, d, mine.n)];
  for (int q = 0; q < STATES; q++)
    for (size_t d = 0; d < 3; d++) s[q][d] = now[mine.state(tables, response, q, d)];
  if (START) mx_vector_start(KIND, c, s, u);
  else mx_vector_step(KIND, c, s, u);
  for (int q = 0; q < STATES; q++)
    for (size_t d = 0; d < 3; d++) now[mine.state(tables, response, q, d)] = s[q][d];
  for (size_t d = 0; d < 3; d++) field[gpu_at(tables.order, e, d, mine.n)] = u[d];
}

/* Takes number `own` of a state along in a stage, whose rate is ds. */
template <typename REAL>
__device__ void take_along(const gpu_response &response, const gpu_response_stage &stage, size_t own, REAL ds)
{
  REAL *now = static_cast<REAL *>(response.now), *registers = static_cast<REAL *>(response.registers);
  REAL *sum = static_cast<REAL *>(response.sum);
  if (registers != nullptr) {
    const REAL next = static_cast<REAL>(stage.a) * registers[own] + static_cast<REAL>(stage.step) * ds;
    registers[own] = next;
    now[own] += static_cast<REAL>(stage.b) * next;
  } else {
    const REAL next = (stage.first ? now[own] : sum[own]) + static_cast<REAL>(stage.weight) * ds;
    sum[own] = next;
    static_cast<REAL *>(response.stage)[own] = now[own] + static_cast<REAL>(stage.next) * ds;
    if (stage.last) now[own] = next;
  }
}

template <typename REAL, mx_response_kind KIND, int STATES, int MOVING>
__global__ void __launch_bounds__(THREADS)
    vector_stage(gpu_tables tables, gpu_response response, gpu_response_stage stage)
{
  gpu_follow();
  const vector_place mine(tables, response);
  if (!mine.there) return;
  const REAL *from = static_cast<const REAL *>(response.sum != nullptr && !stage.first ? response.stage : response.now);
  const REAL *c = static_cast<const REAL *>(response.coefficient) + mine.k * response.coefficients;
  const REAL *field = static_cast<const REAL *>(stage.field[response.of]);
  REAL *to = static_cast<REAL *>(stage.to[response.of]), *also = static_cast<REAL *>(stage.also[response.of]);
  const REAL step = static_cast<REAL>(stage.step), b = static_cast<REAL>(stage.b);
  const size_t e = static_cast<size_t>(response.where[mine.k]);
  REAL s[STATES][3] = {}, ds[STATES][3], u[3], du[3];
  for (size_t d = 0; d < 3; d++) u[d] = field[gpu_at(tables.order, e, d, mine.n)];
  for (int q = 0; q < MOVING; q++)
    for (size_t d = 0; d < 3; d++) s[q][d] = from[mine.state(tables, response, q, d)];
  mx_vector_rate(KIND, c, s, u, ds, du);
  for (size_t d = 0; d < 3; d++) {
    const size_t number = d * gpu_component(tables.order) + mine.n, at = gpu_at(tables.order, e, 0, number);
    to[tables.tiling.count > 0 ? gpu_register_at(tables.order, e, number) : at] += step * du[d];
    if (also != nullptr) also[at] += b * (step * du[d]);
  }
  for (int q = 0; q < MOVING; q++)
    for (size_t d = 0; d < 3; d++) take_along(response, stage, mine.state(tables, response, q, d), ds[q][d]);
}

/* ---- layers, where layers/tensor.cuh has no kernels: a block has some entries, and its rows of threads two of them
 * each. It brings their vectors to the points of the rule, where each thread works the filters at points, and the
 * results back to the nodes. What takes the time is reading the products' factors, so that a thread has two entries and
 * some rows of the matrix. */

constexpr int PAIR = GPU_LAYER_PAIR, ROWS = GPU_LAYER_ROWS;

/* The matrix rows of a thread: index, index + blockDim.x, ... */
__device__ inline int row_of(int first, int r) { return first + r * static_cast<int>(blockDim.x); }

/* A vector in shared memory, with room for one access. */
template <typename REAL> struct alignas(4 * sizeof(REAL)) in_place {
  REAL number[4];
};

template <typename REAL> struct layer_pair {
  int Np, Nq;
  size_t first;                 /* the first entry of this row of threads */
  int count;                    /* how many it has: 2, or fewer at the end */
  in_place<REAL> *node, *point; /* [PAIR][Np], [PAIR][Nq] */

  __device__ layer_pair(const gpu_tables &tables, const gpu_response &response)
  {
    extern __shared__ __align__(32) unsigned char shared[];
    Np = static_cast<int>(gpu_component(tables.order));
    Nq = response.points;
    first = PAIR * (static_cast<size_t>(blockIdx.x) * blockDim.y + threadIdx.y);
    count = first >= response.count ? 0 : first + 1 == response.count ? 1 : PAIR;
    node = reinterpret_cast<in_place<REAL> *>(shared) + PAIR * (Np + Nq) * static_cast<int>(threadIdx.y);
    point = node + PAIR * Np;
  }
  /* Loads the entries' vectors of a field. */
  __device__ void load(const gpu_tables &tables, const gpu_response &response, const REAL *field) const
  {
    for (int k = 0; k < PAIR; k++) {
      if (k >= count) break;
      const REAL *from = field + gpu_at(tables.order, static_cast<size_t>(response.where[first + k]), 0, 0);
      for (int c = 0; c < 3; c++)
        for (int n = static_cast<int>(threadIdx.x); n < Np; n += static_cast<int>(blockDim.x))
          node[k * Np + n].number[c] = from[c * Np + n];
    }
    __syncthreads();
  }
  /* sum[r][k] over j of matrix[j][rows] at the thread's row r times x[k][j]; a row that is not there repeats the last.
   */
  __device__ static void product(const REAL *__restrict__ matrix, int rows, int columns, int first_row,
                                 const in_place<REAL> *x, REAL (*sum)[PAIR][3])
  {
    int row[ROWS];
    for (int r = 0; r < ROWS; r++) {
      row[r] = row_of(first_row, r) < rows ? row_of(first_row, r) : rows - 1;
      for (int k = 0; k < PAIR; k++) sum[r][k][0] = sum[r][k][1] = sum[r][k][2] = 0;
    }
#pragma unroll 2
    for (int j = 0; j < columns; j++) {
      REAL m[ROWS];
      for (int r = 0; r < ROWS; r++) m[r] = __ldg(matrix + j * rows + row[r]);
      for (int k = 0; k < PAIR; k++) {
        const in_place<REAL> v = x[k * columns + j];
        for (int r = 0; r < ROWS; r++)
          for (int c = 0; c < 3; c++) sum[r][k][c] += m[r] * v.number[c];
      }
    }
  }
  /* The vectors of the entries at the thread's points. */
  __device__ void at(const gpu_response &response, int first_point, REAL (*u)[PAIR][3]) const
  {
    product(static_cast<const REAL *>(response.at), Nq, Np, first_point, node, u);
  }
  __device__ void put(int k, int q, const REAL *u) const
  {
    for (int c = 0; c < 3; c++) point[k * Nq + q].number[c] = u[c];
  }
  /* The projections of the points' vectors, at the thread's nodes. */
  __device__ void project(const gpu_response &response, int first_node, REAL (*u)[PAIR][3]) const
  {
    product(static_cast<const REAL *>(response.project), Np, Nq, first_node, point, u);
  }
  /* Component c of state s of entry k at point q. */
  __device__ size_t state(const gpu_response &response, int k, int s, int c, int q) const
  {
    const size_t row = (first + static_cast<size_t>(k)) * static_cast<size_t>(response.states) + static_cast<size_t>(s);
    return (3 * row + static_cast<size_t>(c)) * static_cast<size_t>(Nq) + static_cast<size_t>(q);
  }
  __device__ const REAL *coefficient(const gpu_response &response, int k) const
  {
    return static_cast<const REAL *>(response.coefficient) + (first + k) * response.coefficients;
  }
};

template <typename REAL> __device__ void barycentric(const gpu_response &response, int q, REAL *L)
{
  for (int v = 0; v < 4; v++) L[v] = static_cast<const REAL *>(response.place)[4 * q + v];
}

template <typename REAL, mx_response_kind KIND, int DIRECTIONS>
__global__ void __launch_bounds__(THREADS) layer_step(gpu_tables tables, gpu_response response, int of, REAL *field)
{
  constexpr int AT_ONCE = DIRECTIONS == 1 ? ROWS * PAIR : 1; /* the filters of edges and corners are long */
  gpu_follow();
  const layer_pair<REAL> mine(tables, response);
  REAL *now = static_cast<REAL *>(response.now);
  const int first = of * DIRECTIONS;
  mine.load(tables, response, field);
  for (int begin = static_cast<int>(threadIdx.x); begin < mine.Nq; begin = row_of(begin, ROWS)) {
    REAL s[3][3], u[ROWS][PAIR][3], L[4];
    mine.at(response, begin, u);
#pragma unroll AT_ONCE
    for (int both = 0; both < ROWS * PAIR; both++) {
      const int r = both / PAIR, k = both % PAIR, at = row_of(begin, r);
      if (k >= mine.count || at >= mine.Nq) continue;
      barycentric(response, at, L);
      for (int q = 0; q < DIRECTIONS; q++)
        for (int d = 0; d < 3; d++) s[q][d] = now[mine.state(response, k, first + q, d, at)];
      mx_layer_step(KIND, of, mine.coefficient(response, k), L, s, u[r][k]);
      for (int q = 0; q < DIRECTIONS; q++)
        for (int d = 0; d < 3; d++) now[mine.state(response, k, first + q, d, at)] = s[q][d];
      mine.put(k, at, u[r][k]);
    }
  }
  __syncthreads();
  for (int begin = static_cast<int>(threadIdx.x); begin < mine.Np; begin = row_of(begin, ROWS)) {
    REAL u[ROWS][PAIR][3];
    mine.project(response, begin, u);
#pragma unroll
    for (int both = 0; both < ROWS * PAIR; both++) {
      const int r = both / PAIR, k = both % PAIR, n = row_of(begin, r);
      if (k >= mine.count || n >= mine.Np) continue;
      const size_t e = static_cast<size_t>(response.where[mine.first + k]);
      for (int d = 0; d < 3; d++)
        field[gpu_at(tables.order, e, static_cast<size_t>(d), static_cast<size_t>(n))] = u[r][k][d];
    }
  }
}

template <typename REAL, mx_response_kind KIND, int DIRECTIONS>
__global__ void __launch_bounds__(THREADS)
    layer_stage(gpu_tables tables, gpu_response response, int of, gpu_response_stage stage)
{
  constexpr int AT_ONCE = DIRECTIONS == 1 ? ROWS * PAIR : 1; /* the filters of edges and corners are long */
  gpu_follow();
  const layer_pair<REAL> mine(tables, response);
  REAL *now = static_cast<REAL *>(response.now), *registers = static_cast<REAL *>(response.registers);
  REAL *sum = static_cast<REAL *>(response.sum), *of_stage = static_cast<REAL *>(response.stage);
  const REAL *from = sum != nullptr && !stage.first ? of_stage : now;
  const REAL step = static_cast<REAL>(stage.step), a = static_cast<REAL>(stage.a), b = static_cast<REAL>(stage.b);
  const int first = of * DIRECTIONS;
  mine.load(tables, response, static_cast<const REAL *>(stage.field[of]));
  for (int begin = static_cast<int>(threadIdx.x); begin < mine.Nq; begin = row_of(begin, ROWS)) {
    REAL s[3][3], ds[3][3], u[ROWS][PAIR][3], du[3], L[4];
    mine.at(response, begin, u);
#pragma unroll AT_ONCE
    for (int both = 0; both < ROWS * PAIR; both++) {
      const int r = both / PAIR, k = both % PAIR, at = row_of(begin, r);
      if (k >= mine.count || at >= mine.Nq) continue;
      barycentric(response, at, L);
      for (int q = 0; q < DIRECTIONS; q++)
        for (int d = 0; d < 3; d++) s[q][d] = from[mine.state(response, k, first + q, d, at)];
      mx_layer_rate(KIND, of, mine.coefficient(response, k), L, s, u[r][k], ds, du);
      mine.put(k, at, du);
      for (int q = 0; q < DIRECTIONS; q++)
        for (int d = 0; d < 3; d++) {
          const size_t own = mine.state(response, k, first + q, d, at);
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
  }
  __syncthreads();
  for (int begin = static_cast<int>(threadIdx.x); begin < mine.Np; begin = row_of(begin, ROWS)) {
    REAL du[ROWS][PAIR][3];
    mine.project(response, begin, du);
#pragma unroll
    for (int both = 0; both < ROWS * PAIR; both++) {
      const int r = both / PAIR, k = both % PAIR, n = row_of(begin, r);
      if (k >= mine.count || n >= mine.Np) continue;
      const size_t e = static_cast<size_t>(response.where[mine.first + k]);
      for (int d = 0; d < 3; d++) {
        const size_t number = static_cast<size_t>(d * mine.Np + n), at = gpu_at(tables.order, e, 0, number);
        const size_t place = tables.tiling.count > 0 ? gpu_register_at(tables.order, e, number) : at;
        static_cast<REAL *>(stage.to[of])[place] += step * du[r][k][d];
        if (stage.also[of] != nullptr) static_cast<REAL *>(stage.also[of])[at] += b * (step * du[r][k][d]);
      }
    }
  }
}

template <typename REAL>
__global__ void __launch_bounds__(THREADS) combine(gpu_tables tables, gpu_response response, gpu_response_vector vector)
{
  gpu_follow();
  const number mine(tables, response);
  if (!mine.there) return;
  const double *factor = vector.factor + mine.k * static_cast<size_t>(2 + vector.states);
  const size_t e = static_cast<size_t>(response.where[mine.k]);
  const size_t at = gpu_at(tables.order, e, 0, mine.i);
  double sum = factor[0] * static_cast<double>(static_cast<const REAL *>(vector.field)[at]);
  if (factor[1] != 0) sum += factor[1] * static_cast<double>(static_cast<const REAL *>(vector.before)[at]);
  for (int q = 0; q < vector.states; q++)
    if (factor[2 + q] != 0)
      sum +=
          factor[2 + q] * static_cast<double>(static_cast<const REAL *>(response.now)[mine.state(tables, response, q)]);
  const size_t row = mine.k * static_cast<size_t>(vector.rows) + static_cast<size_t>(vector.row);
  static_cast<REAL *>(vector.to)[gpu_at(tables.order, row, 0, mine.i)] = static_cast<REAL>(sum);
}

unsigned blocks_of(const gpu_tables *tables, const gpu_response *response)
{
  const size_t numbers = response->count * 3 * gpu_component(tables->order);
  return static_cast<unsigned>((numbers + THREADS - 1) / THREADS);
}

unsigned vector_blocks(const gpu_tables *tables, const gpu_response *response)
{
  return static_cast<unsigned>((response->count * gpu_component(tables->order) + THREADS - 1) / THREADS);
}

unsigned layer_blocks(const gpu_response *response)
{
  const size_t entries = PAIR * static_cast<size_t>(response->rows);
  return static_cast<unsigned>((response->count + entries - 1) / entries);
}

dim3 layer_threads(const gpu_response *response)
{
  return dim3(static_cast<unsigned>((response->points + ROWS - 1) / ROWS), static_cast<unsigned>(response->rows));
}

size_t layer_shared(const gpu_tables *tables, const gpu_response *response, size_t real)
{
  return PAIR * gpu_layer_bytes(tables->order, response->points, real) * static_cast<size_t>(response->rows);
}

/* The kernels of layers/tensor.cuh, or NULL. */
const gpu_layer_order *order_of(const gpu_tables *tables, const gpu_response *response)
{
#ifndef CURLEW_HIP
  static const gpu_layer_order *const orders[GPU_TILE_ORDERS] = {&gpu_layer_order_1, &gpu_layer_order_2,
                                                                 &gpu_layer_order_3, &gpu_layer_order_4,
                                                                 &gpu_layer_order_5, &gpu_layer_order_6};
  if (response->pieces != nullptr) return orders[tables->order - 1];
#endif
  return nullptr;
}

template <typename REAL>
gpuError_t step_layer(const gpu_tables *tables, const gpu_response *response, int of, void *field, gpuStream_t stream)
{
  const gpu_layer_order *order = order_of(tables, response);
  if (order != nullptr) return order->step[sizeof(REAL) == 4](tables, response, of, field, stream);
  switch (response->kind) {
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, layer_step<REAL, KIND, DIRECTIONS>, layer_blocks(response),                   \
                                layer_threads(response), layer_shared(tables, response, sizeof(REAL)), stream,         \
                                *tables, *response, of, static_cast<REAL *>(field));
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
  const gpu_layer_order *order = order_of(tables, response);
  if (order != nullptr) return order->stage[sizeof(REAL) == 4](tables, response, of, stage, stream);
  switch (response->kind) {
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, layer_stage<REAL, KIND, DIRECTIONS>, layer_blocks(response),                  \
                                layer_threads(response), layer_shared(tables, response, sizeof(REAL)), stream,         \
                                *tables, *response, of, *stage);
    MX_LAYER_LIST(CASE)
#undef CASE
  default:
    return gpuSuccess;
  }
}

template <typename REAL>
gpuError_t step_poles(const gpu_tables *tables, const gpu_response *response, void *field, gpuStream_t stream)
{
  switch (response->kind) {
#define CASE(KIND, PREFIX, STATES)                                                                                     \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, step<REAL, KIND, STATES>, blocks_of(tables, response), THREADS, 0, stream,    \
                                *tables, *response, static_cast<REAL *>(field));
    MX_POLE_LIST(CASE)
#undef CASE
#define CASE(KIND, PREFIX, STATES, ...)                                                                                \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, vector_step<REAL, KIND, STATES, false>, vector_blocks(tables, response),      \
                                THREADS, 0, stream, *tables, *response, static_cast<REAL *>(field));
    MX_VECTOR_LIST(CASE)
#undef CASE
  default:
    return gpuSuccess;
  }
}

template <typename REAL>
gpuError_t start_vectors(const gpu_tables *tables, const gpu_response *response, void *field, gpuStream_t stream)
{
  switch (response->kind) {
#define CASE(KIND, PREFIX, STATES, ...)                                                                                \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, vector_step<REAL, KIND, STATES, true>, vector_blocks(tables, response),       \
                                THREADS, 0, stream, *tables, *response, static_cast<REAL *>(field));
    MX_VECTOR_LIST(CASE)
#undef CASE
  default:
    return gpuSuccess;
  }
}

template <typename REAL>
gpuError_t stage_poles(const gpu_tables *tables, const gpu_response *response, const gpu_response_stage *of,
                       gpuStream_t stream)
{
  switch (response->kind) {
#define CASE(KIND, PREFIX, STATES)                                                                                     \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, stage<REAL, KIND, STATES>, blocks_of(tables, response), THREADS, 0, stream,   \
                                *tables, *response, *of);
    MX_POLE_LIST(CASE)
#undef CASE
#define CASE(KIND, PREFIX, STATES, MOVING)                                                                             \
  case KIND:                                                                                                           \
    return gpu_launch_following(*tables, vector_stage<REAL, KIND, STATES, MOVING>, vector_blocks(tables, response),    \
                                THREADS, 0, stream, *tables, *response, *of);
    MX_VECTOR_LIST(CASE)
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
  if (blocks == 0 || (!response->layer && of != response->of)) return gpuSuccess;
  if (response->layer)
    return tables->single ? step_layer<float>(tables, response, of, field, stream)
                          : step_layer<double>(tables, response, of, field, stream);
  return tables->single ? step_poles<float>(tables, response, field, stream)
                        : step_poles<double>(tables, response, field, stream);
}

gpuError_t gpu_start_vectors(const gpu_tables *tables, const gpu_response *response, void *H, gpuStream_t stream)
{
  if (response->layer || response->of != 1 || response->count == 0) return gpuSuccess;
  return tables->single ? start_vectors<float>(tables, response, H, stream)
                        : start_vectors<double>(tables, response, H, stream);
}

gpuError_t gpu_stage_response(const gpu_tables *tables, const gpu_response *response, const gpu_response_stage *of,
                              gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, response);
  if (blocks == 0) return gpuSuccess;
  if (!response->layer)
    return tables->single ? stage_poles<float>(tables, response, of, stream)
                          : stage_poles<double>(tables, response, of, stream);
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
