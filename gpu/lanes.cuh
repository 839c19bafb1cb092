/* The products of a tile with a thread an element, for low orders: all of an element is in registers, and the operators
 * are read by all threads together. */
#pragma once

#include "gpu/tile.cuh"

struct gpu_no_records {
};

template <int P, typename REAL, bool PENALISED, bool STAGED>
using gpu_lane_tile = gpu_tile<P, REAL, PENALISED, STAGED, 32, 1, REAL, gpu_no_records>;

template <int P, typename REAL, bool PENALISED, bool STAGED>
struct gpu_lane_work : gpu_lane_tile<P, REAL, PENALISED, STAGED> {
  using tile = gpu_lane_tile<P, REAL, PENALISED, STAGED>;
  using orbits = gpu_orbits<P>;
  using tile::t, tile::under, tile::pass, tile::group, tile::lane;
  static constexpr int NF = tile::NF, COMPONENT = tile::COMPONENT, STRIDE = tile::STRIDE, ROW = tile::ROW;

  struct sums {
    REAL w[3][4][orbits::all]; /* by sector and orbit; only those that are there */
    REAL metric[6], keep;
  };
  const int mine = 32 * group + lane;

  using tile::tile;

  /* Rows of shared memory, two numbers at a time: they begin at even numbers. */
  struct alignas(2 * sizeof(REAL)) two {
    REAL x, y;
  };
  __device__ static void read(const REAL *from, REAL row[STRIDE])
  {
#pragma unroll
    for (int i = 0; i < STRIDE; i += 2) {
      const two both = *reinterpret_cast<const two *>(from + i);
      row[i] = both.x, row[i + 1] = both.y;
    }
  }
  __device__ static void write(const REAL row[STRIDE], REAL *to)
  {
#pragma unroll
    for (int i = 0; i < STRIDE; i += 2) *reinterpret_cast<two *>(to + i) = two{row[i], row[i + 1]};
  }

  __device__ void derivatives(sums &sum) const
  {
    REAL row[STRIDE], u[3][4][orbits::all];
    read(under + mine * ROW, row);
#pragma unroll
    for (int c = 0; c < 3; c++)
#pragma unroll
      for (int o = 0; o < orbits::all; o++) {
        REAL x[4];
        for (int i = 0; i < 4; i++) x[i] = row[c * COMPONENT + orbits::node(o, i)];
        gpu_turn(x);
        for (int s = 0; s < 4; s++) u[c][s][o] = x[s], sum.w[c][s][o] = 0;
      }
#pragma unroll
    for (int from = 0; from < 4; from++)
#pragma unroll
      for (int d = 0; d < 3; d++)
#pragma unroll
        for (int i = 0; i < orbits::all; i++)
#pragma unroll
          for (int j = 0; j < orbits::all; j++) {
            const int s = from ^ (d + 1);
            if (!orbits::has(s, i) || !orbits::has(from, j)) continue;
            const REAL b = t.fragment[(4 * (j / 4) + from) * 3 + d][4 * i + j % 4];
            sum.w[(d + 2) % 3][s][i] += b * u[(d + 1) % 3][from][j];
            sum.w[(d + 1) % 3][s][i] -= b * u[(d + 2) % 3][from][j];
          }
  }

  __device__ void lifts(sums &sum, int group_phase) const
  {
    using far_face = gpu_far_face<REAL>;
    far_face far[4];
    gpu_face_factors<REAL> factors[4];
    uint32_t nodes[4][orbits::face_steps];
    bool common = true;
#pragma unroll
    for (int f = 0; f < 4; f++) {
      this->look_at_face(f, mine, far[f], factors[f]);
      const uint32_t *from = reinterpret_cast<const uint32_t *>(&t.nodes[0][0] + (far[f].info & far_face::NODES));
      for (int i = 0; i < orbits::face_steps; i++) nodes[f][i] = from[i];
      common = common && !(far[f].info & far_face::UNCOMMON);
    }
    if (!PENALISED && !common) gpu_barrier_wait(&t.grouped[group], group_phase); /* near traces of what changes */
#pragma unroll
    for (int m = 0; m < NF; m++) {
      REAL p[4], q[4];
#pragma unroll
      for (int f = 0; f < 4; f++) {
        const int node = static_cast<int>(nodes[f][m / 4] >> 8 * (m % 4) & 255);
        REAL x[3], curl[2], more_p = 0, more_q = 0;
#pragma unroll
        for (int j = 0; j < 3; j++)
          x[j] = factors[f].far[j] * gpu_shared_number<REAL>(far[f].at[j] + static_cast<unsigned>(sizeof(REAL)) * node);
        gpu_edges(x[0], x[1], x[2], curl);
        if (!common) this->uncommon(f, mine, m, factors[f], curl, more_p, more_q);
        if (PENALISED) this->penalty(f, mine, m, far[f].at, node, factors[f].far, factors[f].inverse, more_p, more_q);
        p[f] = more_p - curl[1];
        q[f] = more_q + curl[0];
      }
      gpu_turn(p);
      gpu_turn(q);
#pragma unroll
      for (int s = 0; s < 4; s++) {
        const REAL flux[3] = {p[s ^ 1] + q[s ^ 1], -p[s ^ 2], -q[s ^ 3]};
#pragma unroll
        for (int i = 0; i < orbits::all; i++) {
          if (!orbits::has(s, i)) continue;
          const REAL l = t.fragment[12 * orbits::steps + m / 4 * 4 + s][4 * i + m % 4];
          for (int c = 0; c < 3; c++) sum.w[c][s][i] += l * flux[c];
        }
      }
    }
  }

  __device__ void products(sums &sum, const int4 &here, int group_phase)
  {
    if (lane >= tile::rows) return;
    derivatives(sum);
    if (tile::leads) tile::load_group(here);
    lifts(sum, group_phase);
    REAL change;
    this->look_at_medium(mine, change, sum.keep);
    for (int i = 0; i < 6; i++) sum.metric[i] = change * t.metric[mine][i];
  }

  __device__ void update(const sums &sum)
  {
    REAL own[STRIDE], kept[STRIDE];
    if (lane >= tile::rows) return;
    read(t.own + mine * STRIDE, own);
    if (STAGED && pass.a != 0) read(t.kept + mine * STRIDE, kept);
#pragma unroll
    for (int o = 0; o < orbits::all; o++) {
      REAL w[3][4];
#pragma unroll
      for (int c = 0; c < 3; c++) {
        for (int s = 0; s < 4; s++) w[c][s] = orbits::has(s, o) ? sum.w[c][s][o] : 0;
        gpu_turn(w[c]);
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
        if (!orbits::first(o, i)) continue;
        REAL x[3] = {w[0][i], w[1][i], w[2][i]}, by[3];
        gpu_apply(sum.metric, x, by);
        for (int c = 0; c < 3; c++) {
          const int at = c * COMPONENT + orbits::node(o, i);
          this->change(by[c], sum.keep, own[at], kept[at]);
        }
      }
    }
    write(own, t.own + mine * STRIDE);
    if (STAGED) write(kept, t.kept + mine * STRIDE);
  }
};
