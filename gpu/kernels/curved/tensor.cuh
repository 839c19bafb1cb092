/* Curved elements by tensor cores, in double precision, up to order 6 (compute capability 9.0).
 *
 * A group of warps has 16 elements. A product's rows are elements, its columns eight points (or nodes), and its four
 * steps nodes (or face nodes, or points). A warp has every so manieth eight of the points, with sums of all three
 * components, and then of the nodes. The numbers of an element stand in a row. Rows begin at odd multiples of four
 * numbers, so that four numbers of eight rows lie in different banks. The host has laid the operators out for the
 * lanes. */
#pragma once

#include "gpu/kernels/curved_faces.cuh"

#ifndef CURLEW_HIP
#include "gpu/kernels/tensor_ptx.cuh"

template <int P> struct gpu_curved_rows {
  static constexpr int NP = DG_NP(P), FACES = 4 * DG_NF(P), NQ = gpu_points(P), NFQ = gpu_face_points(P);
  static constexpr int GROUPS = P == 1 ? 4 : P == 2 ? 2 : 1, ELEMENTS = 16 * GROUPS;
  static constexpr int POINT_TILES = gpu_eights(NQ), NODE_TILES = gpu_eights(NP);
  static constexpr int WARPS = POINT_TILES > 6 ? (POINT_TILES + 1) / 2 : POINT_TILES; /* of a group */
  static constexpr int THREADS = 32 * GROUPS * WARPS;
  static constexpr int NPP = gpu_padded_rows(NP), NQP = gpu_padded_rows(NQ);

  static constexpr int row(int numbers) { return numbers + (12 - numbers % 8) % 8; }
  static constexpr int UNDER_ROW = row(3 * NPP), FLUX_ROW = row(3 * FACES), POINT_ROW = row(3 * NQP);
  static constexpr int JUMP_ROW = row(2 * FACES), BENT_ROW = row(8 * NFQ);
  static constexpr int FLUX = UNDER_ROW * ELEMENTS, JUMPS = FLUX + FLUX_ROW * ELEMENTS;
  static constexpr int BENT = JUMPS + JUMP_ROW * ELEMENTS;
  static constexpr int AT_POINTS = 0; /* these come when nothing else is needed */

  static size_t numbers(bool penalty)
  {
    const int before = penalty ? BENT + BENT_ROW * ELEMENTS : JUMPS, points = POINT_ROW * ELEMENTS;
    return static_cast<size_t>(before > points ? before : points);
  }
  __device__ static int under(int k, int c, int n) { return k * UNDER_ROW + c * NPP + n; }
  __device__ static int flux(int k, int c, int j) { return k * FLUX_ROW + c * FACES + j; }
  __device__ static int jump(int k, int part, int j) { return k * JUMP_ROW + part * FACES + j; }
  __device__ static int bent(int k, int part, int i) { return k * BENT_ROW + 4 * part * NFQ + i; }
  __device__ static void put(double *fluxes, int k, int f, int j, double p, double q)
  {
    double lifted[3];
    gpu_from_along(f, p, q, lifted);
    for (int c = 0; c < 3; c++) fluxes[flux(k, c, j)] = lifted[c];
  }
  __device__ static void add(double *fluxes, int k, int f, int j, double p, double q)
  {
    double lifted[3];
    gpu_from_along(f, p, q, lifted);
    for (int c = 0; c < 3; c++) fluxes[flux(k, c, j)] += lifted[c];
  }
};

template <int P> struct gpu_curved_tensor_work : gpu_curved_block<P, double, gpu_curved_rows<P>> {
  using layout = gpu_curved_rows<P>;
  using block = gpu_curved_block<P, double, layout>;
  using block::curves, block::under, block::flux, block::at_points, block::first, block::count;
  using block::NP, block::FACES, block::NQ, block::THREADS, block::STRIDE;
  static constexpr int NPP = layout::NPP, NQP = layout::NQP, WARPS = layout::WARPS;
  static constexpr int POINT_TILES = layout::POINT_TILES, NODE_TILES = layout::NODE_TILES;
  static constexpr int TILES = (POINT_TILES + WARPS - 1) / WARPS; /* of points, of a warp */

  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % WARPS;
  const int element = static_cast<int>(threadIdx.x) / 32 / WARPS * 16 + lane / 4; /* the lane's, and eight further */

  using block::block;

  /* What is needed later, and what pads rows. */
  __device__ void fetch() const
  {
    const char *rows = reinterpret_cast<const char *>(this->own);
    constexpr int bytes = 3 * NP * 8, lines = (bytes + 127) / 128;
    for (int i = static_cast<int>(threadIdx.x); i < count * lines; i += THREADS)
      gpu_prefetch_far(rows + this->row(i / lines) * (STRIDE * 8) + i % lines * 128);
    if constexpr (NPP > NP)
      for (int i = static_cast<int>(threadIdx.x); i < count * 3 * (NPP - NP); i += THREADS)
        under[layout::under(i / (3 * (NPP - NP)), i / (NPP - NP) % 3, NP + i % (NPP - NP))] = 0;
  }

  __device__ void fetch_geometry() const
  {
    const char *geometry = static_cast<const char *>(curves.geometry) + first * (6 * NQ * 8);
    for (int i = static_cast<int>(threadIdx.x); i * 128 < count * 6 * NQ * 8; i += THREADS)
      gpu_prefetch_far(geometry + i * 128);
  }

  /* Three components of the lane's two elements: number i of rows. */
  template <int ROW, int COMPONENT>
  __device__ void factors(const double *numbers, int i, double x[3], double y[3]) const
  {
#pragma unroll
    for (int c = 0; c < 3; c++) {
      x[c] = numbers[element * ROW + c * COMPONENT + i + lane % 4];
      y[c] = numbers[(element + 8) * ROW + c * COMPONENT + i + lane % 4];
    }
  }

  /* J times the curl with lifted fluxes, at points. */
  __device__ void curl(double w[TILES][3][4]) const
  {
    const double *derivative = curves.fragments + lane, *lift = derivative + 32 * gpu_lift_fragments(P);
#pragma unroll 2
    for (int step = 0; step < NPP / 4; step++) {
      double x[3], y[3];
      factors<layout::UNDER_ROW, NPP>(under, 4 * step, x, y);
#pragma unroll
      for (int i = 0; i < TILES; i++) {
        const int tile = warp + i * WARPS;
        if (tile >= POINT_TILES) break;
        double d[3];
#pragma unroll
        for (int c = 0; c < 3; c++) d[c] = derivative[((3 * step + c) * POINT_TILES + tile) * 32];
#pragma unroll
        for (int c = 0; c < 3; c++) gpu_multiply(w[i][c], x[(c + 2) % 3], y[(c + 2) % 3], d[(c + 1) % 3]);
#pragma unroll
        for (int c = 0; c < 3; c++) gpu_multiply(w[i][c], x[(c + 1) % 3], y[(c + 1) % 3], gpu_negative(d[(c + 2) % 3]));
      }
    }
#pragma unroll 2
    for (int step = 0; step < FACES / 4; step++) {
      double x[3], y[3];
      factors<layout::FLUX_ROW, FACES>(flux, 4 * step, x, y);
#pragma unroll
      for (int i = 0; i < TILES; i++) {
        const int tile = warp + i * WARPS;
        if (tile >= POINT_TILES) break;
        const double l = lift[(step * POINT_TILES + tile) * 32];
#pragma unroll
        for (int c = 0; c < 3; c++) gpu_multiply(w[i][c], x[c], y[c], l);
      }
    }
  }

  /* g/J times what the lane has at two points of an element. */
  __device__ void apply(int k, int q, const double (&w)[3][4], int half) const
  {
    const double *geometry = static_cast<const double *>(curves.geometry) + (first + static_cast<size_t>(k)) * (6 * NQ);
    double g[2][6] = {};
    if (k >= count || q >= NQP) return;
#pragma unroll
    for (int i = 0; i < 6; i++) {
      if constexpr (NQ % 2 == 0) {
        if (q < NQ) {
          const double2 two = *reinterpret_cast<const double2 *>(geometry + i * NQ + q);
          g[0][i] = two.x, g[1][i] = two.y;
        }
      } else {
        if (q < NQ) g[0][i] = geometry[i * NQ + q];
        if (q + 1 < NQ) g[1][i] = geometry[i * NQ + q + 1];
      }
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const double from[3] = {w[0][2 * half + j], w[1][2 * half + j], w[2][2 * half + j]};
      double by[3];
      gpu_apply(g[j], from, by);
      for (int c = 0; c < 3; c++) at_points[k * layout::POINT_ROW + c * NQP + q + j] = by[c];
    }
  }

  /* Projects to eight nodes. */
  __device__ void project(int tile, double w[3][4]) const
  {
    const double *column = curves.fragments + 32 * gpu_project_fragments(P) + tile * 32 + lane;
#pragma unroll 2
    for (int step = 0; step < NQP / 4; step++) {
      double x[3], y[3];
      factors<layout::POINT_ROW, NQP>(at_points, 4 * step, x, y);
      const double a = column[step * NODE_TILES * 32];
#pragma unroll
      for (int c = 0; c < 3; c++) gpu_multiply(w[c], x[c], y[c], a);
    }
  }

  template <typename UPDATE> __device__ void run(UPDATE update) const
  {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    fetch_geometry();
    this->begin([&] { fetch(); });
    double w[TILES][3][4] = {};
    curl(w);
    __syncthreads(); /* values at points take the place of fields and fluxes */
#pragma unroll
    for (int i = 0; i < TILES; i++)
      for (int half = 0; half < 2 && warp + i * WARPS < POINT_TILES; half++)
        apply(element + 8 * half, 8 * (warp + i * WARPS) + 2 * (lane % 4), w[i], half);
    __syncthreads();
    for (int tile = warp; tile < NODE_TILES; tile += WARPS) {
      double sum[3][4] = {};
      __syncwarp(); /* lanes have parted at the last nodes */
      project(tile, sum);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int k = element + i / 2 * 8, n = 8 * tile + lane % 4 * 2 + i % 2;
        const double rate[3] = {sum[0][i], sum[1][i], sum[2][i]};
        if (n < NP && k < count) this->finish(update, k, n, rate);
      }
    }
#endif
  }
};
#endif
