/* Curved elements by tensor cores, in double precision, up to order 6 (compute capability 9.0).
 *
 * A group of warps has 16 elements. A product's rows are elements, its columns eight points (or nodes), and its four
 * steps nodes (or face nodes, or points). A warp has every so manieth eight of the points, with sums of all three
 * components, and then of the nodes. The numbers of an element stand in a row. Rows begin at odd multiples of four
 * numbers, so that four numbers of eight rows lie in different banks. The host has laid the operators out for the
 * lanes.
 *
 * A short list has one or two blocks on a multiprocessor, whose time is that of one request to memory after the other.
 * So what a block needs of fields is on its way at once, by asynchronous copies; what it needs later is requested into
 * caches at the beginning, and into registers before it is needed. */
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
  /* Components stand behind each other without a gap, as in fields: the last step of one reads the next one's numbers
   * too, which rows of zeros of the operators multiply, and that of the last one reads padding. */
  static constexpr int PADDING = NPP - NP;
  static constexpr int UNDER_ROW = row(3 * NP + PADDING), FLUX_ROW = row(3 * FACES), POINT_ROW = row(3 * NQP);
  static constexpr int BENT_ROW = row(8 * NFQ);
  static constexpr int FLUX = UNDER_ROW * ELEMENTS, JUMPS = FLUX + FLUX_ROW * ELEMENTS;
  static constexpr int BENT = JUMPS + FLUX_ROW * ELEMENTS;
  static constexpr int AT_POINTS = 0; /* these come when nothing else is needed */
  /* In the places of fluxes and jumps the traces from outside arrive, and where bent jumps come the own rows of the
   * field that changes. */
  static_assert(BENT_ROW >= 3 * NP, "no place for own rows");

  static constexpr size_t numbers(bool jumps)
  {
    const int before = jumps ? BENT + BENT_ROW * ELEMENTS : JUMPS, points = POINT_ROW * ELEMENTS;
    return static_cast<size_t>(before > points ? before : points);
  }
  __device__ static int flux(int k, int c, int j) { return k * FLUX_ROW + c * FACES + j; }
  __device__ static int jump(int k, int part, int j) { return k * FLUX_ROW + part * FACES + j; }
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
  using block::bent, block::jumps, block::keeps_jumps, block::own, block::other, block::t, block::tables;
  using block::curves, block::under, block::flux, block::at_points, block::first, block::count;
  using block::NP, block::NF, block::FACES, block::NQ, block::THREADS, block::STRIDE, block::COMPONENT;
  static constexpr int NPP = layout::NPP, NQP = layout::NQP, WARPS = layout::WARPS;
  static constexpr int POINT_TILES = layout::POINT_TILES, NODE_TILES = layout::NODE_TILES;
  static constexpr int TILES = (POINT_TILES + WARPS - 1) / WARPS; /* of points, of a warp */
  /* At least, of a multiprocessor: leaves as many registers as can be used. */
  static constexpr int BLOCKS = P <= 2 ? 5 : P == 3 ? 9 : P == 4 ? 4 : 2;
  static constexpr int BUFFERS = P == 3 || P == 4 || P == 6 ? 1 : 2; /* of the geometry */
  static constexpr int AT_ONCE = P <= 3 ? 8 : 2;                     /* steps of a loop over products */

  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % WARPS;
  const int element = static_cast<int>(threadIdx.x) / 32 / WARPS * 16 + lane / 4; /* the lane's, and eight further */

  using block::block;

  __host__ __device__ static bool keeps_jumps(const gpu_tables &tables, const gpu_curves &curves)
  {
    return curves.penalty != 0 || tables.penalty_inside != 0;
  }

  /* ---- loading */

  __device__ static void request(const void *from, int bytes)
  {
    for (int i = static_cast<int>(threadIdx.x); i * 128 < bytes; i += THREADS)
      gpu_prefetch_far(static_cast<const char *>(from) + i * 128);
  }

  /* Requests operators into the first cache, at orders where it holds them. */
  __device__ void request_operators() const
  {
    constexpr int bytes = 32 * 8 * gpu_curved_fragments(P);
    for (int i = static_cast<int>(threadIdx.x); P <= 3 && i * 128 < bytes; i += THREADS)
      gpu_prefetch(reinterpret_cast<const char *>(curves.fragments) + i * 128);
  }

  /* Requests the old values. */
  __device__ void request_own() const
  {
    constexpr int lines = (3 * NP * 8 + 127) / 128;
    for (int i = static_cast<int>(threadIdx.x); i < count * lines; i += THREADS)
      gpu_prefetch_far(reinterpret_cast<const char *>(own + this->row(i / lines) * STRIDE) + i % lines * 128);
  }

  /* Copies the elements' rows of a field. */
  template <int ROW> __device__ void copy_rows(const double *field, double *to) const
  {
    constexpr int numbers = 3 * NP, pieces = (numbers + 1) / 2;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count * pieces; i += THREADS) {
      const int k = i / pieces, at = i % pieces * 2;
      const double *from = field + this->row(k) * STRIDE + at;
      if (numbers % 2 == 0 || at + 1 < numbers) gpu_copy_sixteen(to + k * ROW + at, from);
      else gpu_copy_number(to + k * ROW + at, from);
    }
  }

  /* Copies the numbers of neighbours at the nodes of faces. */
  __device__ void copy_traces(const double *field, double *to) const
  {
#pragma unroll 2
    for (int i = static_cast<int>(threadIdx.x); i < count * FACES; i += THREADS) {
      const int k = i / FACES, j = i % FACES, neighbour = t.neighbour[k][j / NF];
      double *place = to + layout::flux(k, 0, j);
      const double *from =
          field + static_cast<size_t>(max(neighbour, 0) / 4) * STRIDE + t.node[(neighbour & 3) * NF + j % NF];
      for (int c = 0; c < 3; c++)
        if (neighbour >= 0) gpu_copy_number(place + c * FACES, from + c * COMPONENT);
        else place[c * FACES] = 0;
    }
  }

  __device__ void load() const
  {
    constexpr int padding = layout::PADDING;
    copy_rows<layout::UNDER_ROW>(other, under);
    copy_traces(other, flux);
    if (keeps_jumps(tables, curves)) {
      copy_rows<layout::BENT_ROW>(own, bent);
      copy_traces(own, jumps);
    }
    if constexpr (padding > 0)
      for (int i = static_cast<int>(threadIdx.x); i < count * padding; i += THREADS)
        under[i / padding * layout::UNDER_ROW + 3 * NP + i % padding] = 0;
    request_own();
    request_operators();
    gpu_wait_for_copies();
  }

  /* ---- fluxes */

  /* The trace at a face node of the numbers that copy_traces() has brought. */
  __device__ static void trace(const double *traces, int f, int k, int j, double along[2])
  {
    const double *at = traces + layout::flux(k, 0, j);
    gpu_along(f, at[0], at[FACES], at[2 * FACES], along);
  }

  /* The jump of the field that changes. */
  __device__ void own_jump(int k, int f, int j, double jump[2]) const
  {
    if (!keeps_jumps(tables, curves)) {
      block::own_jump(k, f, j % NF, jump);
      return;
    }
    const double *at = bent + k * layout::BENT_ROW + t.node[j];
    double ours[2], theirs[2];
    gpu_along(f, at[0], at[NP], at[2 * NP], ours);
    trace(jumps, t.neighbour[k][f] & 3, k, j, theirs);
    this->extrapolate(k, f, j % NF, ours);
    for (int part = 0; part < 2; part++) jump[part] = theirs[part] - ours[part];
  }

  __device__ void fluxes() const
  {
#pragma unroll 2
    for (int i = static_cast<int>(threadIdx.x); i < count * FACES; i += THREADS) {
      const int k = i / FACES, j = i % FACES, f = j / NF;
      const typename block::face &mine = t.faces[k][f];
      const double *at = under + k * layout::UNDER_ROW + t.node[j];
      double theirs[2], ours[2], jump[2] = {0, 0};
      trace(flux, t.neighbour[k][f] & 3, k, j, theirs);
      gpu_along(f, at[0], at[NP], at[2 * NP], ours);
      const bool nodal = mine.weights.inverse[0] != 0;
      if (nodal || mine.bent != 0) own_jump(k, f, j, jump);
      if (mine.bent != 0)
        for (int part = 0; part < 2; part++) jumps[layout::jump(k, part, j)] = jump[part];
      if (!nodal) jump[0] = jump[1] = 0;
      this->put_flux(mine, k, f, j, theirs, ours, jump);
    }
  }

  /* ---- products */

  /* Three components of the lane's two elements: number i of rows. */
  template <int ROW, int BETWEEN> __device__ void factors(const double *numbers, int i, double x[3], double y[3]) const
  {
#pragma unroll
    for (int c = 0; c < 3; c++) {
      x[c] = numbers[element * ROW + c * BETWEEN + i + lane % 4];
      y[c] = numbers[(element + 8) * ROW + c * BETWEEN + i + lane % 4];
    }
  }

  /* Adds J times the curl, at points. */
  __device__ void derivatives(double w[TILES][3][4]) const
  {
    const double *derivative = curves.fragments + lane;
#pragma unroll AT_ONCE
    for (int step = 0; step < NPP / 4; step++) {
      double x[3], y[3];
      factors<layout::UNDER_ROW, NP>(under, 4 * step, x, y);
#pragma unroll
      for (int i = 0; i < TILES; i++) {
        const int tile = warp + i * WARPS;
        if (tile >= POINT_TILES) break;
        double d[3];
#pragma unroll
        for (int c = 0; c < 3; c++) d[c] = __ldg(derivative + ((3 * step + c) * POINT_TILES + tile) * 32);
#pragma unroll
        for (int c = 0; c < 3; c++) gpu_multiply(w[i][c], x[(c + 2) % 3], y[(c + 2) % 3], d[(c + 1) % 3]);
#pragma unroll
        for (int c = 0; c < 3; c++) gpu_multiply(w[i][c], x[(c + 1) % 3], y[(c + 1) % 3], gpu_negative(d[(c + 2) % 3]));
      }
    }
  }

  /* Adds the lifted fluxes, at points. */
  __device__ void lift(double w[TILES][3][4]) const
  {
    const double *column = curves.fragments + lane + 32 * gpu_lift_fragments(P);
#pragma unroll AT_ONCE
    for (int step = 0; step < FACES / 4; step++) {
      double x[3], y[3];
      factors<layout::FLUX_ROW, FACES>(flux, 4 * step, x, y);
#pragma unroll
      for (int i = 0; i < TILES; i++) {
        const int tile = warp + i * WARPS;
        if (tile >= POINT_TILES) break;
        const double l = __ldg(column + (step * POINT_TILES + tile) * 32);
#pragma unroll
        for (int c = 0; c < 3; c++) gpu_multiply(w[i][c], x[c], y[c], l);
      }
    }
  }

  /* Two points of an element, of which a lane has 2 TILES pairs. */
  struct pair {
    int i, half, k, q;
    bool there;
  };
  __device__ pair pair_of(int number) const
  {
    const int i = number / 2, half = number % 2, k = element + 8 * half, q = 8 * (warp + i * WARPS) + 2 * (lane % 4);
    return {i, half, k, q, warp + i * WARPS < POINT_TILES && k < count};
  }

  /* g/J there, zero at points that pad rows. */
  __device__ void load_geometry(const pair &at, double g[2][6]) const
  {
    const double *geometry =
        static_cast<const double *>(curves.geometry) + (first + static_cast<size_t>(at.k)) * (6 * NQ) + at.q;
#pragma unroll
    for (int i = 0; i < 6; i++) {
      g[0][i] = g[1][i] = 0;
      if constexpr (NQ % 2 == 0) {
        if (!at.there || at.q >= NQ) continue;
        const double2 two = __ldcs(reinterpret_cast<const double2 *>(geometry + i * NQ));
        g[0][i] = two.x, g[1][i] = two.y;
      } else {
        if (at.there && at.q < NQ) g[0][i] = __ldcs(geometry + i * NQ);
        if (at.there && at.q + 1 < NQ) g[1][i] = __ldcs(geometry + i * NQ + 1);
      }
    }
  }

  /* g/J times what the lane has there. */
  __device__ void apply(const pair &at, const double g[2][6], const double w[TILES][3][4]) const
  {
    if (!at.there || at.q >= NQP) return;
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const double from[3] = {w[at.i][0][2 * at.half + j], w[at.i][1][2 * at.half + j], w[at.i][2][2 * at.half + j]};
      double by[3];
      gpu_apply(g[j], from, by);
      for (int c = 0; c < 3; c++) at_points[at.k * layout::POINT_ROW + c * NQP + at.q + j] = by[c];
    }
  }

  /* Projects to eight nodes. */
  __device__ void project(int tile, double w[3][4]) const
  {
    const double *column = curves.fragments + 32 * gpu_project_fragments(P) + tile * 32 + lane;
#pragma unroll AT_ONCE
    for (int step = 0; step < NQP / 4; step++) {
      double x[3], y[3];
      factors<layout::POINT_ROW, NQP>(at_points, 4 * step, x, y);
      const double a = __ldg(column + step * NODE_TILES * 32);
#pragma unroll
      for (int c = 0; c < 3; c++) gpu_multiply(w[c], x[c], y[c], a);
    }
  }

  /* The old values of two nodes, from node n on, of element k. */
  __device__ void load_old(int k, int n, double old[2][3]) const
  {
    const double *at = own + this->row(min(k, count - 1)) * STRIDE + n;
#pragma unroll
    for (int c = 0; c < 3; c++) {
      if constexpr (NP % 2 == 0) {
        const double2 two = n < NP ? *reinterpret_cast<const double2 *>(at + c * COMPONENT) : double2{0, 0};
        old[0][c] = two.x, old[1][c] = two.y;
      } else {
        old[0][c] = n < NP ? at[c * COMPONENT] : 0;
        old[1][c] = n + 1 < NP ? at[c * COMPONENT + 1] : 0;
      }
    }
  }

  template <typename UPDATE> __device__ void run(UPDATE update) const
  {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    request(static_cast<const double *>(curves.geometry) + first * (6 * NQ), count * 6 * NQ * 8);
    this->prepare();
    if (this->beside && threadIdx.x == 0) __threadfence(); /* all is there; what the first cache has may be older */
    __syncthreads();
    if (!this->beside) gpu_wait_for_kernels_before();
    load();
    __syncthreads();
    fluxes();
    __syncthreads();
    if (curves.penalty) {
      this->bend();
      __syncthreads();
    }
    double w[TILES][3][4] = {}, g[BUFFERS][2][6];
    derivatives(w);
    load_geometry(pair_of(0), g[0]);
    lift(w);
    __syncthreads(); /* values at points take the place of fields and fluxes */
#pragma unroll
    for (int i = 0; i < 2 * TILES; i++) {
      if (BUFFERS > 1 && i + 1 < 2 * TILES) load_geometry(pair_of(i + 1), g[(i + 1) % BUFFERS]);
      if (BUFFERS == 1 && i > 0) load_geometry(pair_of(i), g[0]);
      apply(pair_of(i), g[i % BUFFERS], w);
    }
    __syncthreads();
    for (int tile = warp; tile < NODE_TILES; tile += WARPS) {
      const int n = 8 * tile + lane % 4 * 2;
      double sum[3][4] = {}, old[2][2][3];
      __syncwarp(); /* lanes have parted at the last nodes */
      for (int half = 0; half < 2; half++) load_old(element + 8 * half, n, old[half]);
      project(tile, sum);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int k = element + i / 2 * 8;
        const double rate[3] = {sum[0][i], sum[1][i], sum[2][i]};
        if (n + i % 2 < NP && k < count) this->finish(update, k, n + i % 2, rate, old[i / 2][i % 2]);
      }
    }
    /* The end of this kernel is the end of the one before, too. A block is enough, and others make room. */
    if (this->beside && blockIdx.x == 0) gpu_wait_for_kernels_before();
#endif
  }
};
#endif
