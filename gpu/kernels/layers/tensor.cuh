/* Layers by tensor cores (compute capability 9.0): a kernel that waits for its memory and nothing else.
 *
 * A warp has eight entries, the rows of products. A lane (g, t) = (lane / 4, lane % 4) has number t of every four nodes
 * and points of entry g, all three components of them:
 *   - it loads its nodes, which are the products' first factor as they are;
 *   - the products leave the field at the lane's points with it. It works the filters there, with its states;
 *   - the result is the first factor of the products that go back to the nodes (pieces.h tells why), eight points at a
 *     time, and what they leave are the lane's nodes again.
 * So nothing goes through shared memory but the operators. Registers hold the sums; what the warp will read is on its
 * way to the caches before: states since the group began, and all of the next group. The blocks stay, and share out the
 * entries. */
#pragma once

#include "gpu/kernels/layers/pieces.h"
#include "gpu/kernels/response_points.cuh"
#include "gpu/kernels/responses.h"
#include "gpu/kernels/tensor_ptx.cuh"

/* The factors of a lane in two steps. */
template <typename REAL> struct alignas(16) gpu_layer_factors {
  typename gpu_factor<REAL>::type of[2];
};

/* sum[component][2] += u0[component] times the first step, + u1 times the second one if there is a second one. Two
 * components are stacked in the 16 rows of a product. */
__device__ inline void gpu_layer_multiply(double *sum, const double *u0, const double *u1,
                                          const gpu_layer_factors<double> &factors, bool second)
{
  gpu_multiply(sum, u0[0], u0[1], factors.of[0]);
  gpu_multiply(sum + 4, u0[2], factors.of[0]);
  if (!second) return;
  gpu_multiply(sum, u1[0], u1[1], factors.of[1]);
  gpu_multiply(sum + 4, u1[2], factors.of[1]);
}
__device__ inline void gpu_layer_multiply(float *sum, const float *u0, const float *u1,
                                          const gpu_layer_factors<float> &factors, bool)
{
  const gpu_split<float> a[2] = {gpu_split<float>(u0[0]), gpu_split<float>(u1[0])},
                         b[2] = {gpu_split<float>(u0[1]), gpu_split<float>(u1[1])},
                         c[2] = {gpu_split<float>(u0[2]), gpu_split<float>(u1[2])}, none[2];
  float alone[4] = {sum[4], sum[5], 0, 0};
  gpu_multiply(sum, 2, a, b, factors.of);
  gpu_multiply(alone, 2, c, none, factors.of);
  sum[4] = alone[0], sum[5] = alone[1];
}

/* Blocks that a multiprocessor has at a time, by how many registers their threads get by with. */
constexpr int gpu_layer_blocks(bool single, bool directions, bool staged, int order)
{
  if (order >= 5) return order == 6 && single ? 2 : 1; /* by shared memory */
  if (directions || (staged && order == 3)) return 2;
  return order <= 3 || staged || single ? 3 : 2;
}

/* What a launch does with field `of`. `to`: of a step the field itself, of a stage as in gpu_response_stage, whose
 * numbers follow, with tiles; `also` may be NULL. */
template <typename REAL> struct gpu_layer_pass {
  int of;
  const REAL *field;
  REAL *to, *also;
  REAL step, a, b, weight, next;
  int first, last;
};

template <int P, typename REAL, mx_response_kind KIND, int D, bool STAGED> struct gpu_layer_work {
  static constexpr int NP = DG_NP(P), NQ = gpu_points(P), NODES = gpu_eights(NP), POINTS = gpu_eights(NQ);
  /* Are there too many nodes for sums in registers? Then what goes back waits in shared memory until all points are
   * done, and eight nodes at a time take it. */
  static constexpr bool PARKS = P >= 5 || (P == 4 && (STAGED || D > 1 || sizeof(REAL) == 4));
  static constexpr int WARPS = P == 6 ? 6 : P == 5 ? 8 : 4, THREADS = 32 * WARPS;
  static constexpr int BLOCKS = gpu_layer_blocks(sizeof(REAL) == 4, D > 1, STAGED, P);
  /* Does the field go to all points before the first filter? Else to eight points at a time, from nodes that the lane
   * loads each time, from the first cache. */
  static constexpr bool FIRST = POINTS <= (D > 1 && STAGED ? 2 : D > 1 || STAGED || sizeof(REAL) == 4 ? 3 : 6);
  static constexpr int UNROLLED = FIRST ? POINTS : 1;
  /* Are the operators in shared memory? */
  static constexpr bool NEAR = gpu_layer_pieces(P) * GPU_LAYER_PIECE <= 96 * 1024;
  static constexpr int PARKED = PARKS ? 6 * POINTS * 32 : 0; /* numbers of a warp */
  static constexpr size_t SHARED =
      (NEAR ? gpu_layer_pieces(P) * GPU_LAYER_PIECE : 0) + static_cast<size_t>(4 * NQ + WARPS * PARKED) * sizeof(REAL);
  using factors = gpu_layer_factors<REAL>;

  const gpu_response &response;
  const gpu_layer_pass<REAL> &pass;
  const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
  const factors *operators;
  const REAL *place;
  REAL *parked;            /* of the lane: [POINTS][2][3][32] */
  size_t element, state;   /* state: where the entry's states of the field begin */
  const REAL *coefficient; /* of the entry */
  bool there;

  /* Brings the operators here: they are constant, so that kernels before may still run. */
  __device__ gpu_layer_work(unsigned char *memory, const gpu_response &response, const gpu_layer_pass<REAL> &pass)
      : response(response), pass(pass)
  {
    constexpr int all = NEAR ? gpu_layer_pieces(P) * GPU_LAYER_PIECE / 16 : 0;
    const factors *from = static_cast<const factors *>(response.pieces);
    factors *to = reinterpret_cast<factors *>(memory);
    REAL *points = reinterpret_cast<REAL *>(memory + 16 * all);
    for (int i = static_cast<int>(threadIdx.x); i < all; i += THREADS) to[i] = from[i];
    for (int i = static_cast<int>(threadIdx.x); i < 4 * NQ; i += THREADS)
      points[i] = static_cast<const REAL *>(response.place)[i];
    operators = NEAR ? to : from;
    place = points;
    parked = points + 4 * NQ + static_cast<int>(threadIdx.x) / 32 * PARKED + lane;
    __syncthreads();
  }

  /* ---- entries */

  /* The entry of the lane's row of a group; where there is none, the last one. */
  __device__ size_t row(size_t group) const { return 8 * group + static_cast<size_t>(lane / 4); }
  __device__ size_t entry(size_t group) const { return row(group) < response.count ? row(group) : response.count - 1; }
  __device__ int32_t element_of(size_t group) const { return response.where[entry(group)]; }
  /* Where the states of the field begin of entry k. */
  __device__ size_t states_of(size_t k) const { return (2 * k + static_cast<size_t>(pass.of)) * (3 * D * NQ); }

  /* Asks for a row without waiting, into the first cache or the second one. */
  template <bool FAR> __device__ void ask_row(const void *from, size_t bytes) const
  {
    for (size_t i = 128 * static_cast<size_t>(t); i < bytes; i += 512)
      if (FAR) gpu_prefetch_far(static_cast<const char *>(from) + i);
      else gpu_prefetch(static_cast<const char *>(from) + i);
  }
  template <bool FAR> __device__ void ask_states(size_t k) const
  {
    constexpr size_t bytes = 3 * D * NQ * sizeof(REAL);
    ask_row<FAR>(from() + states_of(k), bytes);
    if (STAGED) ask_row<FAR>(other() + states_of(k), bytes);
  }
  __device__ void ask_next(size_t group, int32_t next) const
  {
    if (row(group) >= response.count) return;
    ask_states<true>(row(group));
    ask_row<true>(pass.field + static_cast<size_t>(next) * gpu_stride(P), 3 * NP * sizeof(REAL));
    const REAL *to = pass.to + gpu_register_at(P, static_cast<size_t>(next), 0);
    constexpr int line = 128 / (8 * static_cast<int>(sizeof(REAL))); /* numbers of an element in 128 bytes */
    for (int i = line * t; STAGED && i < 3 * NP; i += 4 * line) gpu_prefetch_far(to + 8 * i);
  }

  __device__ void begin(size_t group, int32_t own)
  {
    const size_t k = entry(group);
    there = row(group) < response.count;
    element = static_cast<size_t>(own);
    state = states_of(k);
    coefficient = D == 1 ? static_cast<const REAL *>(response.used) + k * GPU_LAYER_USED
                         : static_cast<const REAL *>(response.coefficient) + k * response.coefficients;
    gpu_prefetch(coefficient);
    ask_states<false>(k);
  }

  /* ---- nodes */

  /* The place of the lane's j-th node of an eight among a component's, or of the last node. */
  __device__ int node(int eight, int j) const
  {
    const int n = gpu_layer_place(eight, t, j);
    return gpu_layer_place(eight, 3, j) < NP || n < NP ? n : NP - 1;
  }
  __device__ void load(int eight, REAL u[2][3]) const
  {
    const REAL *own = pass.field + element * gpu_stride(P);
    for (int j = 0; j < 2; j++)
      for (int c = 0; c < 3; c++) u[j][c] = own[c * NP + node(eight, j)];
  }
  /* u at an eight of points += what an eight of nodes gives there. */
  __device__ void to_points(int points, int nodes, const REAL at[2][3], REAL u[6]) const
  {
    gpu_layer_multiply(u, at[0], at[1], operators[32 * gpu_layer_to_points(P, points, nodes) + lane],
                       gpu_layer_place(nodes, 0, 1) < NP);
  }
  /* The sum at an eight of nodes += what goes back there from an eight of points. */
  __device__ void to_nodes(int points, int nodes, const REAL back[2][3], REAL sum[6]) const
  {
    gpu_layer_multiply(sum, back[0], back[1], operators[32 * gpu_layer_to_nodes(P, points, nodes) + lane], true);
  }
  /* Stores the lane's nodes of an eight, or adds them in a stage. A result, which is the field + b times the register,
   * follows. */
  __device__ void end(int eight, const REAL sum[6]) const
  {
    const size_t row = element * gpu_stride(P);
    REAL *to = pass.to + (STAGED ? gpu_register_at(P, element, 0) : row);
    const bool also = STAGED && pass.also != nullptr;
    REAL field[2][3] = {}, old[2][3] = {};
    if (also) load(eight, field);
    for (int j = 0; j < 2 && STAGED; j++)
      for (int c = 0; c < 3; c++) old[j][c] = to[8 * static_cast<size_t>(c * NP + node(eight, j))];
#pragma unroll
    for (int j = 0; j < 2; j++)
      for (int c = 0; c < 3; c++) {
        const size_t i = static_cast<size_t>(c * NP + node(eight, j));
        if (!there || (gpu_layer_place(eight, 3, j) >= NP && gpu_layer_place(eight, t, j) >= NP)) continue;
        const REAL value = old[j][c] + sum[2 * c + j];
        to[STAGED ? 8 * i : i] = value;
        if (also) pass.also[row + i] = field[j][c] + pass.b * value;
      }
  }

  /* ---- points: the lane's j-th one of an eight */

  __device__ int point(int eight, int j) const { return gpu_layer_place(eight, t, j); }
  __device__ bool exists(int eight, int j) const { return 8 * eight + 8 <= NQ || point(eight, j) < NQ; }

  __device__ bool sums() const { return response.sum != nullptr; }
  /* The states that the filters see, and of a stage the registers or sums of before. */
  __device__ const REAL *from() const
  {
    return static_cast<const REAL *>(STAGED && sums() && !pass.first ? response.stage : response.now);
  }
  __device__ const REAL *other() const
  {
    return static_cast<const REAL *>(!sums() ? response.registers : pass.first ? response.now : response.sum);
  }

  /* Takes the state at a place along a stage of Runge-Kutta by its rate. */
  __device__ void stage_state(size_t at, REAL own, REAL other, REAL rate) const
  {
    REAL *now = static_cast<REAL *>(response.now);
    if (!sums()) {
      const REAL next = pass.a * other + pass.step * rate;
      static_cast<REAL *>(response.registers)[at] = next;
      now[at] = own + pass.b * next;
      return;
    }
    const REAL next = other + pass.weight * rate, start = pass.first ? own : now[at];
    static_cast<REAL *>(response.sum)[at] = next;
    static_cast<REAL *>(response.stage)[at] = start + pass.next * rate;
    if (pass.last) now[at] = next;
  }

  /* The point functions: s becomes the new states, or their rates. */
  __device__ void filter(int of, const REAL *c, const REAL *L, REAL (*s)[3], REAL *u) const
  {
    if constexpr (STAGED) {
      REAL ds[D][3], du[3];
      mx_layer_rate(KIND, of, c, L, s, u, ds, du);
      for (int i = 0; i < 3; i++) u[i] = pass.step * du[i];
      for (int q = 0; q < D; q++)
        for (int i = 0; i < 3; i++) s[q][i] = ds[q][i];
    } else {
      mx_layer_step(KIND, of, c, L, s, u);
    }
  }
  /* Works the filters at a point: from u[3], the field, to what goes back to the nodes, and the states to new ones. */
  __device__ void filter(int eight, int j, REAL u[3]) const
  {
    const size_t first = state + static_cast<size_t>(point(eight, j));
    REAL used[D == 1 ? static_cast<int>(MX_LAYER_COEFFICIENTS) : 1], L[4], s[D][3], own[D][3], old[D][3];
    if constexpr (D == 1) {
#pragma unroll
      for (int i = 0; i < GPU_LAYER_USED; i++) used[gpu_layer_used(i)] = coefficient[i == 0 ? pass.of : i];
    }
    for (int v = 0; v < 4; v++) L[v] = place[4 * point(eight, j) + v];
    for (int q = 0; q < D; q++)
      for (int c = 0; c < 3; c++) {
        const size_t at = first + static_cast<size_t>((3 * q + c) * NQ);
        s[q][c] = own[q][c] = from()[at];
        if (STAGED) old[q][c] = other()[at];
      }
    filter(D == 1 ? 0 : pass.of, D == 1 ? used : coefficient, L, s, u);
    if (!there) return;
    for (int q = 0; q < D; q++)
      for (int c = 0; c < 3; c++) {
        const size_t at = first + static_cast<size_t>((3 * q + c) * NQ);
        if (STAGED) stage_state(at, own[q][c], old[q][c], s[q][c]);
        else static_cast<REAL *>(response.now)[at] = s[q][c];
      }
  }

  /* ---- a group of entries */

  __device__ void run() const
  {
    REAL nodes[FIRST ? NODES : 1][2][3], at[FIRST ? POINTS : 1][6] = {}, sum[PARKS ? 1 : NODES][6] = {};
    if constexpr (FIRST) {
#pragma unroll
      for (int k = 0; k < NODES; k++) load(k, nodes[k]);
#pragma unroll
      for (int k = 0; k < NODES; k++)
#pragma unroll
        for (int i = 0; i < POINTS; i++) to_points(i, k, nodes[k], at[i]);
    }
#pragma unroll UNROLLED
    for (int i = 0; i < POINTS; i++) {
      REAL(&u)[6] = at[FIRST ? i : 0], back[2][3];
      if constexpr (!FIRST) {
        for (int n = 0; n < 6; n++) u[n] = 0;
#pragma unroll
        for (int k = 0; k < NODES; k++) {
          load(k, nodes[0]);
          to_points(i, k, nodes[0], u);
        }
      }
#pragma unroll
      for (int j = 0; j < 2; j++) {
        for (int c = 0; c < 3; c++) back[j][c] = u[2 * c + j];
        if (exists(i, j)) filter(i, j, back[j]);
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < NODES && !PARKS; k++) to_nodes(i, k, back, sum[k]);
      for (int n = 0; n < 6 && PARKS; n++) parked[32 * (6 * i + n)] = back[n / 3][n % 3];
    }
    if constexpr (PARKS) {
#pragma unroll 1
      for (int k = 0; k < NODES; k++) {
        for (int n = 0; n < 6; n++) sum[0][n] = 0;
#pragma unroll 3
        for (int i = 0; i < POINTS; i++) {
          REAL back[2][3];
          for (int n = 0; n < 6; n++) back[n / 3][n % 3] = parked[32 * (6 * i + n)];
          to_nodes(i, k, back, sum[0]);
        }
        end(k, sum[0]);
      }
    } else {
#pragma unroll
      for (int k = 0; k < NODES; k++) end(k, sum[k]);
    }
  }
};

template <int P, typename REAL, mx_response_kind KIND, int D, bool STAGED>
__global__ void __launch_bounds__(gpu_layer_work<P, REAL, KIND, D, STAGED>::THREADS,
                                  gpu_layer_work<P, REAL, KIND, D, STAGED>::BLOCKS)
    gpu_layer_kernel(gpu_response response, gpu_layer_pass<REAL> pass)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(16) unsigned char memory[];
  gpu_layer_work<P, REAL, KIND, D, STAGED> work(memory, response, pass);
  const size_t groups = (response.count + 7) / 8, warps = static_cast<size_t>(gridDim.x) * work.WARPS;
  size_t group = static_cast<size_t>(blockIdx.x) * work.WARPS + threadIdx.x / 32;
  int32_t next = work.element_of(group);
  gpu_follow();
  for (; group < groups; group += warps) {
    work.begin(group, next);
    next = work.element_of(group + warps);
    work.ask_next(group + warps, next);
    work.run();
  }
#endif
}

/* ---- launches */

template <int P, typename REAL, mx_response_kind KIND, int D, bool STAGED>
gpuError_t gpu_launch_layer(const gpu_tables &tables, const gpu_response &response, const gpu_layer_pass<REAL> &pass,
                            gpuStream_t stream)
{
  using layer_work = gpu_layer_work<P, REAL, KIND, D, STAGED>;
  const auto kernel = gpu_layer_kernel<P, REAL, KIND, D, STAGED>;
  constexpr size_t entries = 8 * layer_work::WARPS;
  const size_t wanted = (response.count + entries - 1) / entries,
               most = static_cast<size_t>(layer_work::BLOCKS * tables.processors);
  const gpuError_t status = gpuFuncSetAttribute(reinterpret_cast<const void *>(kernel), gpuMaxDynamicSharedMemory,
                                                static_cast<int>(layer_work::SHARED));
  if (status != gpuSuccess) return status;
  return gpu_launch_following(tables, kernel, static_cast<unsigned>(wanted < most ? wanted : most), layer_work::THREADS,
                              layer_work::SHARED, stream, response, pass);
}

template <int P, typename REAL, bool STAGED>
gpuError_t gpu_launch_layer(const gpu_tables &tables, const gpu_response &response, const gpu_layer_pass<REAL> &pass,
                            gpuStream_t stream)
{
  switch (response.kind) {
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    return gpu_launch_layer<P, REAL, KIND, DIRECTIONS, STAGED>(tables, response, pass, stream);
    MX_LAYER_LIST(CASE)
#undef CASE
  default:
    return gpuSuccess;
  }
}

template <int P, typename REAL>
gpuError_t gpu_launch_layer_step(const gpu_tables *tables, const gpu_response *response, int of, void *field,
                                 gpuStream_t stream)
{
  gpu_layer_pass<REAL> pass = {};
  pass.of = of;
  pass.field = pass.to = static_cast<REAL *>(field);
  return gpu_launch_layer<P, REAL, false>(*tables, *response, pass, stream);
}

template <int P, typename REAL>
gpuError_t gpu_launch_layer_stage(const gpu_tables *tables, const gpu_response *response, int of,
                                  const gpu_response_stage *stage, gpuStream_t stream)
{
  const gpu_layer_pass<REAL> pass = {.of = of,
                                     .field = static_cast<const REAL *>(stage->field[of]),
                                     .to = static_cast<REAL *>(stage->to[of]),
                                     .also = static_cast<REAL *>(stage->also[of]),
                                     .step = static_cast<REAL>(stage->step),
                                     .a = static_cast<REAL>(stage->a),
                                     .b = static_cast<REAL>(stage->b),
                                     .weight = static_cast<REAL>(stage->weight),
                                     .next = static_cast<REAL>(stage->next),
                                     .first = stage->first,
                                     .last = stage->last};
  return gpu_launch_layer<P, REAL, true>(*tables, *response, pass, stream);
}
