/* Layers by tensor cores (compute capability 9.0): a kernel that waits for its memory and nothing else.
 *
 * A warp has eight entries in double precision, sixteen in single: the rows of products. A lane (g, t) = (lane / 4,
 * lane % 4) has the nodes and the points t of every four of entry g (and of g + 8), all three components of them:
 *   - it loads its nodes, which are the products' first factor as they are;
 *   - the products leave the field at the lane's points with it. It works the filters there, with its states, which it
 *     has asked for before;
 *   - the result is the first factor of the products that go back to the nodes (pieces.h tells why), eight points at a
 *     time, and what they leave are the lane's nodes again.
 * So nothing goes through shared memory but the operators. The blocks stay, and share out the entries. */
#pragma once

#include "gpu/kernels/layers/pieces.h"
#include "gpu/kernels/response_points.cuh"
#include "gpu/kernels/responses.h"
#include "gpu/kernels/tensor_ptx.cuh"

/* The factors of a lane in two steps. */
template <typename REAL> struct alignas(16) gpu_layer_factors {
  typename gpu_factor<REAL>::type of[2];
};

/* sum[component][half][2] += u0[component][half] times the first step, + u1 times the second one if there is a second
 * one. The halves: in single precision the entries g and g + 8. */
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
#pragma unroll
  for (int c = 0; c < 3; c++) {
    const gpu_split<float> a0[2] = {gpu_split<float>(u0[2 * c]), gpu_split<float>(u1[2 * c])};
    const gpu_split<float> a1[2] = {gpu_split<float>(u0[2 * c + 1]), gpu_split<float>(u1[2 * c + 1])};
    gpu_multiply(sum + 4 * c, 2, a0, a1, factors.of);
  }
}

/* What a launch does with field `of`. `to`: of a step the field itself, of a stage as in gpu_response_stage, whose
 * numbers follow; `also` may be NULL. */
template <typename REAL> struct gpu_layer_pass {
  int of;
  const REAL *field;
  REAL *to, *also;
  REAL step, a, b, weight, next;
  int first, last;
};

template <int P, typename REAL, mx_response_kind KIND, int D, bool STAGED> struct gpu_layer_work {
  static constexpr int NP = DG_NP(P), NQ = gpu_points(P), NODES = gpu_eights(NP), POINTS = gpu_eights(NQ);
  static constexpr int HALVES = sizeof(double) / sizeof(REAL), NUMBERS = 6 * HALVES;
  static constexpr int WARPS = 4, THREADS = 32 * WARPS, BLOCKS = P <= 3 && D == 1 && !STAGED ? 3 : 2;
  /* Does the field go to all points before the first filter? Else to eight points at a time, from nodes that the lane
   * keeps, or loads again from the first cache. */
  static constexpr bool FIRST = POINTS <= 6, KEEPS = !FIRST && P <= 5 && D == 1 && sizeof(REAL) == 8;
  static constexpr int UNROLLED = FIRST ? POINTS : 1;
  /* Are the operators in shared memory? */
  static constexpr bool NEAR = gpu_layer_pieces(P) * GPU_LAYER_PIECE <= 96 * 1024;
  static constexpr size_t SHARED = (NEAR ? gpu_layer_pieces(P) * GPU_LAYER_PIECE : 0) + 4 * NQ * sizeof(REAL);
  using factors = gpu_layer_factors<REAL>;

  const gpu_response &response;
  const gpu_layer_pass<REAL> &pass;
  const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
  const factors *operators;
  const REAL *place;
  /* By half: */
  size_t element[HALVES], state[HALVES]; /* state: where the entry's states of the field begin */
  const REAL *coefficient[HALVES];
  bool there[HALVES];

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
    __syncthreads();
  }

  /* The entry of the lane's row of a group, or the last entry. */
  __device__ size_t row(size_t group, int half) const
  {
    return (group * HALVES + static_cast<size_t>(half)) * 8 + static_cast<size_t>(lane / 4);
  }
  __device__ size_t entry(size_t group, int half) const
  {
    return row(group, half) < response.count ? row(group, half) : response.count - 1;
  }
  __device__ void ask_elements(size_t group, int32_t next[HALVES]) const
  {
    for (int h = 0; h < HALVES; h++) next[h] = response.where[entry(group, h)];
  }

  /* Where the states of the field begin of entry k. */
  __device__ size_t states_of(size_t k) const { return (2 * k + static_cast<size_t>(pass.of)) * (3 * D * NQ); }

  /* Asks for all that the group will read, without waiting: what it begins with, and its states, which it reads late.
   */
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
  __device__ void ask_next(size_t group, const int32_t elements[HALVES]) const
  {
    for (int h = 0; h < HALVES; h++) {
      if (row(group, h) >= response.count) continue;
      ask_states<true>(row(group, h));
      ask_row<true>(pass.field + static_cast<size_t>(elements[h]) * gpu_stride(P), 3 * NP * sizeof(REAL));
    }
  }

  __device__ void begin(size_t group, const int32_t elements[HALVES])
  {
#pragma unroll
    for (int h = 0; h < HALVES; h++) {
      const size_t k = entry(group, h);
      there[h] = row(group, h) < response.count;
      element[h] = static_cast<size_t>(elements[h]);
      state[h] = states_of(k);
      coefficient[h] = D == 1 ? static_cast<const REAL *>(response.used) + k * GPU_LAYER_USED
                              : static_cast<const REAL *>(response.coefficient) + k * response.coefficients;
      gpu_prefetch(coefficient[h]);
      ask_states<false>(k);
    }
  }

  /* ---- nodes */

  /* The place of the lane's node, or of the last one, among a component's. */
  __device__ int node(int eight, int j) const
  {
    const int n = gpu_layer_place(eight, t, j);
    return gpu_layer_place(eight, 3, j) < NP || n < NP ? n : NP - 1;
  }
  __device__ void load(int eight, int j, REAL u[3 * HALVES]) const
  {
#pragma unroll
    for (int h = 0; h < HALVES; h++)
      for (int c = 0; c < 3; c++)
        u[c * HALVES + h] = pass.field[element[h] * gpu_stride(P) + static_cast<size_t>(c * NP + node(eight, j))];
  }
  /* Where the lane's node is in a Runge-Kutta register, which may lie as gpu_register_at has it. */
  __device__ size_t place_in_register(bool tiled, int h, int c, int eight, int j) const
  {
    const size_t i = static_cast<size_t>(c * NP + node(eight, j));
    return tiled ? gpu_register_at(P, element[h], i) : element[h] * gpu_stride(P) + i;
  }
  /* u at an eight of points += what an eight of nodes gives there. */
  __device__ void to_points(int points, int nodes, const REAL at[2][3 * HALVES], REAL u[NUMBERS]) const
  {
    gpu_layer_multiply(u, at[0], at[1], operators[32 * gpu_layer_to_points(P, points, nodes) + lane],
                       gpu_layer_place(nodes, 0, 1) < NP);
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

  /* Works the filters at a point: from u[3], the field, to what goes back to the nodes, and the states to new ones. */
  __device__ void filter(int h, int eight, int j, REAL u[3]) const
  {
    const size_t first = state[h] + static_cast<size_t>(point(eight, j));
    REAL used[D == 1 ? static_cast<int>(MX_LAYER_COEFFICIENTS) : 1], L[4], s[D][3], before[D][3], old[D][3];
    if constexpr (D == 1) {
#pragma unroll
      for (int i = 0; i < GPU_LAYER_USED; i++) used[gpu_layer_used(i)] = coefficient[h][i == 0 ? pass.of : i];
    }
    for (int v = 0; v < 4; v++) L[v] = place[4 * point(eight, j) + v];
    for (int q = 0; q < D; q++)
      for (int c = 0; c < 3; c++) {
        const size_t at = first + static_cast<size_t>((3 * q + c) * NQ);
        s[q][c] = before[q][c] = from()[at];
        if (STAGED) old[q][c] = other()[at];
      }
    filter(D == 1 ? 0 : pass.of, D == 1 ? used : coefficient[h], L, s, u);
    if (!there[h]) return;
    for (int q = 0; q < D; q++)
      for (int c = 0; c < 3; c++) {
        const size_t at = first + static_cast<size_t>((3 * q + c) * NQ);
        if (STAGED) stage_state(at, before[q][c], old[q][c], s[q][c]);
        else static_cast<REAL *>(response.now)[at] = s[q][c];
      }
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

  /* ---- a group of entries */

  __device__ void run_group(bool tiled) const
  {
    REAL nodes[FIRST || KEEPS ? NODES : 1][2][3 * HALVES], at[FIRST ? POINTS : 1][NUMBERS] = {}, sum[NODES][NUMBERS];
#pragma unroll
    for (int k = 0; k < NODES && (FIRST || KEEPS); k++)
      for (int j = 0; j < 2; j++) load(k, j, nodes[k][j]);
#pragma unroll
    for (int k = 0; k < NODES && FIRST; k++)
#pragma unroll
      for (int i = 0; i < POINTS; i++) to_points(i, k, nodes[k], at[i]);
    start(tiled, sum);
#pragma unroll UNROLLED
    for (int i = 0; i < POINTS; i++) {
      REAL(&u)[NUMBERS] = at[FIRST ? i : 0], back[2][3 * HALVES];
      if constexpr (!FIRST) {
        for (int n = 0; n < NUMBERS; n++) u[n] = 0;
#pragma unroll
        for (int k = 0; k < NODES; k++) {
          if (!KEEPS)
            for (int j = 0; j < 2; j++) load(k, j, nodes[0][j]);
          to_points(i, k, nodes[KEEPS ? k : 0], u);
        }
      }
#pragma unroll
      for (int j = 0; j < 2; j++)
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
          REAL v[3];
          for (int c = 0; c < 3; c++) v[c] = u[(c * HALVES + h) * 2 + j];
          if (exists(i, j)) filter(h, i, j, v);
          for (int c = 0; c < 3; c++) back[j][c * HALVES + h] = v[c];
        }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < NODES; k++)
        gpu_layer_multiply(sum[k], back[0], back[1], operators[32 * gpu_layer_to_nodes(P, i, k) + lane], true);
    }
    end(tiled, sum);
  }

  /* The sums begin with what a stage adds to. */
  __device__ void start(bool tiled, REAL sum[NODES][NUMBERS]) const
  {
#pragma unroll
    for (int k = 0; k < NODES; k++)
#pragma unroll
      for (int h = 0; h < HALVES; h++)
        for (int c = 0; c < 3; c++)
          for (int j = 0; j < 2; j++)
            sum[k][(c * HALVES + h) * 2 + j] = STAGED ? pass.to[place_in_register(tiled, h, c, k, j)] : 0;
  }

  /* Stores the lane's nodes. In a stage with a result, which is the field + b times the register, that follows. */
  __device__ void end(bool tiled, const REAL sum[NODES][NUMBERS]) const
  {
    const bool also = STAGED && pass.also != nullptr;
#pragma unroll
    for (int k = 0; k < NODES; k++)
#pragma unroll
      for (int j = 0; j < 2; j++) {
        REAL before[3 * HALVES] = {};
        if (gpu_layer_place(k, 3, j) >= NP && gpu_layer_place(k, t, j) >= NP) continue;
        if (also) load(k, j, before);
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
          if (!there[h]) continue;
#pragma unroll
          for (int c = 0; c < 3; c++) {
            const REAL value = sum[k][(c * HALVES + h) * 2 + j];
            pass.to[place_in_register(STAGED && tiled, h, c, k, j)] = value;
            if (also)
              pass.also[element[h] * gpu_stride(P) + static_cast<size_t>(c * NP + node(k, j))] =
                  before[c * HALVES + h] + pass.b * value;
          }
        }
      }
  }
};

template <int P, typename REAL, mx_response_kind KIND, int D, bool STAGED>
__global__ void __launch_bounds__(gpu_layer_work<P, REAL, KIND, D, STAGED>::THREADS,
                                  gpu_layer_work<P, REAL, KIND, D, STAGED>::BLOCKS)
    gpu_layer_kernel(gpu_tables tables, gpu_response response, gpu_layer_pass<REAL> pass)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using layer_work = gpu_layer_work<P, REAL, KIND, D, STAGED>;
  extern __shared__ __align__(16) unsigned char memory[];
  layer_work work(memory, response, pass);
  const size_t groups = (response.count + 8 * layer_work::HALVES - 1) / (8 * layer_work::HALVES);
  const size_t warps = static_cast<size_t>(gridDim.x) * layer_work::WARPS;
  size_t group = static_cast<size_t>(blockIdx.x) * layer_work::WARPS + threadIdx.x / 32;
  int32_t next[layer_work::HALVES];
  work.ask_elements(group, next);
  gpu_follow();
  for (; group < groups; group += warps) {
    work.begin(group, next);
    work.ask_elements(group + warps, next);
    work.ask_next(group + warps, next);
    work.run_group(tables.tiling.count > 0);
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
  constexpr size_t entries = 8 * layer_work::HALVES * layer_work::WARPS;
  const size_t wanted = (response.count + entries - 1) / entries,
               most = static_cast<size_t>(layer_work::BLOCKS * tables.processors);
  const gpuError_t status = gpuFuncSetAttribute(reinterpret_cast<const void *>(kernel), gpuMaxDynamicSharedMemory,
                                                static_cast<int>(layer_work::SHARED));
  if (status != gpuSuccess) return status;
  return gpu_launch_following(tables, kernel, static_cast<unsigned>(wanted < most ? wanted : most), layer_work::THREADS,
                              layer_work::SHARED, stream, tables, response, pass);
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
