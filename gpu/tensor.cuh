/* The fused pass on FP64 tensor cores (compute capability 9.0 and up), one order and double precision: curl, jump,
 * flux, lift and update of a tile of elements in one go.
 *
 * A block works on a tile. What it reads of both fields lies in shared memory, a row an element; neighbours outside the
 * tile are read from where they lie. The products are those of the half turns (maxwell/cpu/symmetry.h): each warp has
 * 16 elements, eight unknowns of every sector and one component, so that elements are the rows of m16n8k4 products and
 * the operators' columns come as fragments, laid out for the lanes by the host (gpu_fragments).
 *
 *   load      own tiles; weights of the faces
 *   jump,     a thread an element and node of face 0, and what half turns make of it on the other faces: what is
 * lifted, flux      split into sectors, [component][sector][Nf] sectors   the field under the curl becomes its sums
 * over orbits, where its nodes stood curl,     w = d_b u_c - d_c u_b + lift flux, sector by sector lift update    back
 * from sectors to nodes, times the metric, added to the field
 */
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/covariant.cuh"
#include "gpu/tuning.h"
#include "maxwell/cpu/symmetry.h"

template <int P> struct gpu_shape {
  static constexpr int Np = DG_NP(P), Nf = DG_NF(P), quads = MX_QUADS(P), pairs = MX_PAIRS(P);
  static constexpr int largest = MX_SECTOR_0(P);
  static constexpr int k_steps = (largest + 3) / 4, columns = (largest + 7) / 8, lift_steps = (Nf + 3) / 4;
  /* Rows of shared memory: odd lengths let eight elements' orbits be read at a time, 4 modulo 8 their face nodes. */
  static constexpr int row = 3 * Np | 1, flux_row = 12 * Nf + (12 - 12 * Nf % 8) % 8;
  static constexpr int numbers = 2 * row + flux_row + 16; /* an element */
  static constexpr int fragments = (12 * k_steps + 4 * lift_steps) * columns;
};

/* Where unknown j of sector s stands among a component's nodes, once orbits hold their sums; -1 beyond the last. */
template <int P> __device__ constexpr int gpu_slot(int s, int j)
{
  using shape = gpu_shape<P>;
  if (j < shape::quads) return 4 * j + s;
  j -= shape::quads;
  if (s > 0) return j < shape::pairs ? 4 * shape::quads + 2 * ((s - 1) * shape::pairs + j) + 1 : -1;
  if (j < 3 * shape::pairs) return 4 * shape::quads + 2 * j;
  return j < 3 * shape::pairs + MX_FIXED(P) ? shape::Np - 1 : -1;
}

__device__ inline void gpu_turn(double x[4])
{
  double a = x[0] + x[1], b = x[0] - x[1], c = x[2] + x[3], d = x[2] - x[3];
  x[0] = a + c, x[1] = a - c, x[2] = b + d, x[3] = b - d;
}

/* sum[16][8] += a[16][4] b[4][8]: of the lane (g, t) = (lane / 4, lane % 4) a holds rows g and g + 8 of column t, b row
 * t of column g, sum columns 2t and 2t + 1 of row g, then of row g + 8. */
__device__ inline void gpu_multiply(double sum[4], double a0, double a1, double b)
{
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(a0), "d"(a1), "d"(b));
}

/* Half a step, or what a stage does to one field. */
struct gpu_tensor_pass {
  int equation; /* 0: E changes, 1: H */
  int staged;   /* else half a step */
  double scale; /* half a step: result = own + scale change */
  double a, b;  /* a stage: kept = a kept + change, result = own + b kept */
  const void *own, *other;
  void *result, *kept;
};

/* PENALISED: some face has a penalty, which looks at the field that changes as well. */
template <int P, int ELEMENTS, bool PENALISED> struct gpu_tensor_kernel {
  using shape = gpu_shape<P>;
  using weights = gpu_face_weights<double>;
  static constexpr int NP = shape::Np, NF = shape::Nf, QUADS = shape::quads, COLUMNS = shape::columns;
  static constexpr int WARPS = ELEMENTS / 16 * COLUMNS * 3, THREADS = 32 * WARPS;
  static constexpr int COMPONENT = static_cast<int>(gpu_component(P)), STRIDE = static_cast<int>(gpu_stride(P));
  static_assert(ELEMENTS % 16 == 0 && THREADS <= 1024, "no such tile");

  static constexpr int SHARE = (ELEMENTS * NP + THREADS - 1) / THREADS; /* nodes that a thread updates */

  struct tile {                         /* in shared memory */
    double under[ELEMENTS][shape::row]; /* the field under the curl; then the curl and what is lifted */
    double own[PENALISED ? ELEMENTS : 1][shape::row];
    double flux[ELEMENTS][shape::flux_row]; /* [component][sector][Nf] */
    double metric[ELEMENTS][6];
    weights face[ELEMENTS][4];
    double factor[ELEMENTS], decay[ELEMENTS];
    int4 neighbour[ELEMENTS];
    int node[4][NF], place[4][NF]; /* of the faces; and which of face f's nodes is g_f of node m of face 0 */
  };

  /* Fields set out for shared memory, past the registers; what they pass on the way is computed meanwhile. */
  __device__ static void load(const gpu_tables &tables, const gpu_tensor_pass &pass, size_t first, int count, tile &t)
  {
    const double *other = static_cast<const double *>(pass.other) + first * STRIDE;
    const double *own = static_cast<const double *>(pass.own) + first * STRIDE;
    const double *metric = static_cast<const double *>(tables.metric) + 6 * first;
    for (int k = threadIdx.x / 32; k < count; k += WARPS)
      for (int i = threadIdx.x % 32; i < STRIDE; i += 32) {
        __pipeline_memcpy_async(&t.under[k][i], other + k * STRIDE + i, sizeof(double));
        if (PENALISED) __pipeline_memcpy_async(&t.own[k][i], own + k * STRIDE + i, sizeof(double));
      }
    __pipeline_commit();
    for (int i = threadIdx.x; i < 4 * NF; i += THREADS) {
      t.node[i / NF][i % NF] = tables.face_node[i];
      t.place[i / NF][i % NF] = tables.face_place[i];
    }
    for (int i = threadIdx.x; i < 4 * count; i += THREADS) {
      int k = i / 4;
      const struct mx_face_flux flux = tables.flux_table[gpu_look_up(tables.flux, 4 * first + i)];
      double g[6];
      for (int j = 0; j < 6; j++) g[j] = metric[6 * k + j];
      t.face[k][i % 4] = gpu_weigh_face(pass.equation, i % 4, g, flux);
      if (i % 4 == 0)
        for (int j = 0; j < 6; j++) t.metric[k][j] = g[j];
      if (i % 4 == 1) t.neighbour[k] = reinterpret_cast<const int4 *>(tables.neighbour)[first + k];
      if (i % 4 == 2) {
        const gpu_medium &medium = tables.medium_table[gpu_look_up(tables.medium, first + k)];
        t.factor[k] = medium.factor[pass.equation];
        t.decay[k] = pass.equation == 0 ? medium.decay : 0;
      }
    }
  }

  /* The old values at the nodes that the thread will update; of use where no tile of them is in shared memory. */
  __device__ static void remember(const gpu_tensor_pass &pass, size_t first, int count, double old[SHARE][3])
  {
    const double *own = static_cast<const double *>(pass.own) + first * STRIDE;
#pragma unroll
    for (int q = 0; q < SHARE; q++) {
      int i = threadIdx.x + q * THREADS, k = i / NP, n = i % NP;
      for (int c = 0; c < 3; c++) old[q][c] = i < count * NP ? own[k * STRIDE + c * COMPONENT + n] : 0;
    }
  }

  /* Of a field at the far side of a face: its vector at node m there. `rows` is the tile's part of the field. Without a
   * branch around the loads, so that those of all faces are under way together. */
  __device__ static void far_side(const double *field, const double (*rows)[shape::row], size_t first, int count,
                                  int32_t neighbour, int m, const tile &t, double u[3])
  {
    bool there = neighbour >= 0;
    size_t e = there ? static_cast<size_t>(neighbour) / 4 - first : 0;
    int n = t.node[neighbour & 3][m];
    const double *v = e < static_cast<size_t>(count) ? rows[e] + n : field + gpu_at(P, e + first, 0, n);
    for (int c = 0; c < 3; c++) u[c] = v[c * COMPONENT];
    if (!there) u[0] = u[1] = u[2] = 0;
  }

  /* Far minus near side along t1 and t2 of face f; near[3][..] begins at the node. */
  __device__ static void jump(int f, int32_t neighbour, const double far[3], const double *near, double jump[2])
  {
    double ours[2], theirs[2];
    gpu_along(f, near[0], near[COMPONENT], near[2 * COMPONENT], ours);
    gpu_along(neighbour & 3, far[0], far[1], far[2], theirs);
    jump[0] = theirs[0] - ours[0];
    jump[1] = theirs[1] - ours[1];
  }

  /* Twice what is lifted, in sectors. */
  __device__ static void fluxes(const gpu_tensor_pass &pass, size_t first, int count, tile &t)
  {
    const double *other = static_cast<const double *>(pass.other), *own = static_cast<const double *>(pass.own);
    for (int i = threadIdx.x; i < count * NF; i += THREADS) {
      int k = i / NF, m = i % NF;
      const int4 code = t.neighbour[k];
      const int neighbour[4] = {code.x, code.y, code.z, code.w};
      double flux[3][4], far[4][3], far_own[4][3];
#pragma unroll
      for (int f = 0; f < 4; f++) {
        far_side(other, t.under, first, count, neighbour[f], t.place[f][m], t, far[f]);
        if (PENALISED) /* else the neighbour's own field may have changed already */
          far_side(own, t.own, first, count, t.face[k][f].inverse[0] != 0 ? neighbour[f] : -1, t.place[f][m], t,
                   far_own[f]);
      }
#pragma unroll
      for (int f = 0; f < 4; f++) {
        const weights &face = t.face[k][f];
        const int near = t.node[f][t.place[f][m]];
        double curl[2], penalty[2], x[3];
        jump(f, neighbour[f], far[f], t.under[k] + near, curl);
        if (PENALISED) {
          jump(f, neighbour[f], far_own[f], t.own[k] + near, penalty);
          gpu_flux(f, face, curl, penalty, x);
        } else gpu_from_along(f, -face.jump * curl[1], face.jump * curl[0], x);
        for (int c = 0; c < 3; c++) flux[c][f] = x[c];
      }
#pragma unroll
      for (int c = 0; c < 3; c++) {
        gpu_turn(flux[c]);
        for (int s = 0; s < 4; s++) t.flux[k][(4 * c + s) * NF + m] = flux[c][s];
      }
    }
  }

  /* Nodes become sums over orbits, in place. */
  __device__ static void sectors(tile &t)
  {
    constexpr int ORBITS = QUADS + 3 * shape::pairs;
    for (int i = threadIdx.x; i < 3 * ORBITS * ELEMENTS; i += THREADS) {
      int c = i / ELEMENTS / ORBITS, o = i / ELEMENTS % ORBITS;
      double *u = t.under[i % ELEMENTS] + c * COMPONENT;
      if (o < QUADS) {
        u += 4 * o;
        double x[4] = {u[0], u[1], u[2], u[3]};
        gpu_turn(x);
        u[0] = x[0], u[1] = x[1], u[2] = x[2], u[3] = x[3];
      } else {
        u += 4 * QUADS + 2 * (o - QUADS);
        double x = u[0], y = u[1];
        u[0] = x + y, u[1] = x - y;
      }
    }
  }

  /* Unknown j of sector s of two elements' components: a column of the products' first factor. */
  __device__ static void column(const double *upper, const double *lower, int s, int j, double x[2])
  {
    int slot = gpu_slot<P>(s, j);
    x[0] = slot < 0 ? 0 : upper[slot];
    x[1] = slot < 0 ? 0 : lower[slot];
  }

  /* Component A of J curl and of what is lifted: sum[sector] for the lane's two elements and two unknowns each. */
  template <int A>
  __device__ static void products(const gpu_tables &tables, const tile &t, int group, int eight, double sum[4][4])
  {
    constexpr int B = (A + 1) % 3, C = (A + 2) % 3;
    const int lane = threadIdx.x % 32, upper = 16 * group + lane / 4, lower = upper + 8;
    const double *fragment = tables.fragment + eight * 32 + lane;
#pragma unroll
    for (int k = 0; k < shape::k_steps; k++) {
      double b[4][2], c[4][2];
      for (int s = 0; s < 4; s++) {
        column(t.under[upper] + B * COMPONENT, t.under[lower] + B * COMPONENT, s, 4 * k + lane % 4, b[s]);
        column(t.under[upper] + C * COMPONENT, t.under[lower] + C * COMPONENT, s, 4 * k + lane % 4, c[s]);
      }
      for (int s = 0; s < 4; s++) {
        constexpr int step = COLUMNS * 32;
        const int from_c = s ^ (B + 1), from_b = s ^ (C + 1);
        double d_b = fragment[((B * 4 + from_c) * shape::k_steps + k) * step];
        double d_c = fragment[((C * 4 + from_b) * shape::k_steps + k) * step];
        gpu_multiply(sum[s], c[from_c][0], c[from_c][1], d_b);
        gpu_multiply(sum[s], b[from_b][0], b[from_b][1], -d_c);
      }
    }
#pragma unroll
    for (int k = 0; k < shape::lift_steps; k++) {
      int m = 4 * k + lane % 4;
      for (int s = 0; s < 4; s++) {
        double x[2] = {0, 0};
        if (m < NF) x[0] = t.flux[upper][(4 * A + s) * NF + m], x[1] = t.flux[lower][(4 * A + s) * NF + m];
        double lift = fragment[(12 * shape::k_steps + s * shape::lift_steps + k) * COLUMNS * 32];
        gpu_multiply(sum[s], x[0], x[1], lift);
      }
    }
  }

  /* They take the place of the field. */
  __device__ static void store(tile &t, int group, int eight, int component, const double sum[4][4])
  {
    const int lane = threadIdx.x % 32, upper = 16 * group + lane / 4, lower = upper + 8;
#pragma unroll
    for (int s = 0; s < 4; s++)
      for (int h = 0; h < 2; h++) {
        int slot = gpu_slot<P>(s, 8 * eight + 2 * (lane % 4) + h);
        if (slot < 0) continue;
        t.under[upper][component * COMPONENT + slot] = sum[s][h];
        t.under[lower][component * COMPONENT + slot] = sum[s][2 + h];
      }
  }

  /* From sectors back to node n. */
  __device__ static double at_node(const double *w, int n)
  {
    if (n < 4 * QUADS) {
      const double *x = w + n / 4 * 4;
      double both = x[0] + (n % 4 < 2 ? x[1] : -x[1]);
      return both + (n % 2 == 0 ? x[2] : -x[2]) + (n % 4 == 0 || n % 4 == 3 ? x[3] : -x[3]);
    }
    if (n < 4 * QUADS + 6 * shape::pairs) {
      const double *x = w + n / 2 * 2; /* 4 quads are even */
      return n % 2 == 0 ? x[0] + x[1] : x[0] - x[1];
    }
    return w[n];
  }

  __device__ static void update(const gpu_tensor_pass &pass, size_t first, int count, const tile &t,
                                const double remembered[SHARE][3])
  {
    double *result = static_cast<double *>(pass.result), *kept = static_cast<double *>(pass.kept);
#pragma unroll
    for (int q = 0; q < SHARE; q++) {
      int i = threadIdx.x + q * THREADS, k = i / NP, n = i % NP;
      if (i >= count * NP) break;
      double w[3], change[3];
      for (int c = 0; c < 3; c++) w[c] = at_node(t.under[k] + c * COMPONENT, n);
      gpu_apply(t.metric[k], w, change);
      for (int c = 0; c < 3; c++) {
        size_t here = (first + k) * STRIDE + c * COMPONENT + n;
        double old = PENALISED ? t.own[k][c * COMPONENT + n] : remembered[q][c];
        double by = t.factor[k] * change[c] + t.decay[k] * old;
        if (!pass.staged) {
          result[here] = old + pass.scale * by;
          continue;
        }
        by += pass.a != 0 ? pass.a * kept[here] : 0;
        kept[here] = by;
        if (result != nullptr) result[here] = old + pass.b * by;
      }
    }
  }

  __device__ static void run(const gpu_tables &tables, const gpu_tensor_pass &pass)
  {
    extern __shared__ __align__(16) unsigned char memory[];
    tile &t = *reinterpret_cast<tile *>(memory);
    size_t first = static_cast<size_t>(blockIdx.x) * ELEMENTS;
    int count = tables.K - first < ELEMENTS ? static_cast<int>(tables.K - first) : ELEMENTS;
    int warp = threadIdx.x / 32, component = warp % 3, eight = warp / 3 % COLUMNS, group = warp / 3 / COLUMNS;
    load(tables, pass, first, count, t);
    double old[SHARE][3];
    if (!PENALISED) remember(pass, first, count, old);
    __pipeline_wait_prior(0);
    __syncthreads();
    fluxes(pass, first, count, t);
    __syncthreads();
    sectors(t);
    __syncthreads();
    double sum[4][4] = {};
    if (component == 0) products<0>(tables, t, group, eight, sum);
    else if (component == 1) products<1>(tables, t, group, eight, sum);
    else products<2>(tables, t, group, eight, sum);
    __syncthreads();
    store(t, group, eight, component, sum);
    __syncthreads();
    update(pass, first, count, t, old);
  }
};

template <int P, int ELEMENTS, int BLOCKS, bool PENALISED>
__global__ void __launch_bounds__(gpu_tensor_kernel<P, ELEMENTS, PENALISED>::THREADS, BLOCKS)
    gpu_tensor(gpu_tables tables, gpu_tensor_pass pass)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  gpu_tensor_kernel<P, ELEMENTS, PENALISED>::run(tables, pass);
#endif
}
