/* The products of a tile with a thread an element, for low orders. All of an element is in the processor's registers,
 * and all threads read the operators together. */
#pragma once

#include "gpu/kernels/tile.cuh"

struct gpu_no_records {
};

template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED>
using gpu_lane_tile = gpu_tile<P, REAL, PENALISED, STAGED, SHAPED, 32, 1, REAL, gpu_no_records>;

template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED>
struct gpu_lane_work : gpu_lane_tile<P, REAL, PENALISED, STAGED, SHAPED> {
  using tile = gpu_lane_tile<P, REAL, PENALISED, STAGED, SHAPED>;
  using orbits = gpu_orbits<P>;
  using tile::t, tile::under, tile::pass, tile::group, tile::lane;
  static constexpr int NF = tile::NF, COMPONENT = tile::COMPONENT, STRIDE = tile::STRIDE, ROW = tile::ROW;

  static constexpr int CHANGING = tile::CHANGING;

  struct sums {
    REAL w[CHANGING][3][4][orbits::all]; /* by sector and orbit; only orbits that the sector has */
    REAL metric[6], change[CHANGING], keep[CHANGING];
    REAL registers[STAGED ? STRIDE : 1]; /* this element's numbers of the update at hand */
  };
  const int mine = 32 * group + lane;

  using tile::tile;

  /* Pieces of rows in shared memory, as large as the rows' alignment allows. */
  static constexpr int PIECE = STRIDE * sizeof(REAL) % 16 == 0 ? 16 / sizeof(REAL) : 2;
  struct alignas(PIECE * sizeof(REAL)) piece {
    REAL x[PIECE];
  };
  __device__ static piece &piece_at(REAL *row, int i) { return *reinterpret_cast<piece *>(row + i * PIECE); }
  __device__ static const piece &piece_at(const REAL *row, int i)
  {
    return *reinterpret_cast<const piece *>(row + i * PIECE);
  }

  /* Component c of a row by sector and orbit. */
  __device__ static void read(const REAL *row, int c, REAL u[4][orbits::all])
  {
    REAL x[STRIDE];
#pragma unroll
    for (int i = c * COMPONENT / PIECE; i < ((c + 1) * COMPONENT + PIECE - 1) / PIECE; i++)
      for (int k = 0; k < PIECE; k++) x[i * PIECE + k] = piece_at(row, i).x[k];
#pragma unroll
    for (int o = 0; o < orbits::all; o++) {
      REAL member[4];
      for (int i = 0; i < 4; i++) member[i] = x[c * COMPONENT + orbits::node(o, i)];
      gpu_to_sectors(member);
      for (int s = 0; s < 4; s++) u[s][o] = member[s];
    }
  }

  template <int J> __device__ void derivatives(REAL w[3][4][orbits::all]) const
  {
    const REAL *row = under + tile::curled(J) * tile::FIELD + mine * ROW;
    for (int c = 0; c < 3; c++)
      for (int s = 0; s < 4; s++)
        for (int i = 0; i < orbits::all; i++) w[c][s][i] = 0;
#pragma unroll
    for (int d = 0; d < 3; d++) {
      REAL u[4][orbits::all], v[4][orbits::all];
      read(row, (d + 1) % 3, u);
      read(row, (d + 2) % 3, v);
#pragma unroll
      for (int from = 0; from < 4; from++)
#pragma unroll
        for (int i = 0; i < orbits::all; i++)
#pragma unroll
          for (int j = 0; j < orbits::all; j++) {
            const int s = from ^ (d + 1);
            if (!orbits::has(s, i) || !orbits::has(from, j)) continue;
            const REAL b = t.fragment[orbits::derivative(j / 4, from, d)][4 * i + j % 4];
            w[(d + 2) % 3][s][i] += b * u[from][j];
            w[(d + 1) % 3][s][i] -= b * v[from][j];
          }
    }
  }

  /* The faces of the element, in one update. */
  struct faces {
    gpu_far_face<REAL> far[4];
    gpu_face_factors<REAL> factors[4];
    bool common;
  };

  /* Are the faces looked at before the derivatives? In double precision the processor's registers suffice only this way
   * round, in single precision only the other way round. */
  static constexpr bool LOOKS_FIRST = PENALISED && sizeof(REAL) == 8;

  __device__ void look(int j, faces &face) const
  {
    face.common = true;
#pragma unroll
    for (int f = 0; f < 4; f++) {
      this->look_at_face(j, f, mine, face.far[f], face.factors[f]);
      face.common = face.common && !face.far[f].uncommon();
    }
  }

  /* The field that changes stays in the processor's registers for the penalty, where there is room for it. */
  static constexpr bool NEAR_STAYS = PENALISED && P <= 2;
  static constexpr int STAYING = NEAR_STAYS ? STRIDE : PIECE;

  /* Node m of face f: the node that half turn f makes of node m of face 0. */
  __device__ static constexpr int near_node(int f, int m)
  {
    const int node = gpu_face_node(P, m), pair = node - 4 * orbits::quads;
    if (pair < 0) return (node / orbits::quads ^ f) * orbits::quads + node % orbits::quads;
    return f == 0 || f == pair / 2 / (orbits::pairs > 0 ? orbits::pairs : 1) + 1 ? node : node ^ 1;
  }

  template <int J> __device__ void lifts(const faces &face, REAL w[3][4][orbits::all]) const
  {
    REAL own[STAYING];
    for (int i = 0; i < STAYING / PIECE && NEAR_STAYS; i++) {
      const piece x = piece_at(under + tile::changing(J) * tile::FIELD + mine * ROW, i);
      for (int k = 0; k < PIECE; k++) own[i * PIECE + k] = x.x[k];
    }
#pragma unroll
    for (int k = 0; k < orbits::face_steps; k++) {
      uint32_t nodes[4];
      for (int f = 0; f < 4; f++)
        nodes[f] = reinterpret_cast<const uint32_t *>(&t.nodes[0][0] + (face.far[f].info & face.far[f].NODES))[k];
#pragma unroll
      for (int i = 0; i < 4; i++)
        if (4 * k + i < tile::NF) lift<J>(face, 4 * k + i, i, nodes, own, w);
    }
  }

  /* Lifts the fluxes p and q at node m of the four faces. */
  __device__ void lift_fluxes(int m, REAL p[4], REAL q[4], REAL w[3][4][orbits::all]) const
  {
    gpu_to_sectors(p);
    gpu_to_sectors(q);
#pragma unroll
    for (int s = 0; s < 4; s++) {
      const REAL flux[3] = {p[s ^ 1] + q[s ^ 1], -p[s ^ 2], -q[s ^ 3]};
#pragma unroll
      for (int o = 0; o < orbits::all; o++) {
        if (!orbits::has(s, o)) continue;
        const REAL l = t.fragment[orbits::lift(m / 4, s)][4 * o + m % 4];
        for (int c = 0; c < 3; c++) w[c][s][o] += l * flux[c];
      }
    }
  }

  /* Lifts what uncommon faces add. */
  template <int J> __device__ void lift_uncommon(const faces &all, REAL w[3][4][orbits::all]) const
  {
    gpu_uncommon_face<REAL> face[4];
#pragma unroll
    for (int f = 0; f < 4; f++) {
      face[f] = {};
      if (all.far[f].uncommon()) this->look_at_uncommon(J, f, mine, face[f]);
    }
#pragma unroll 1
    for (int m = 0; m < tile::NF; m++) {
      REAL p[4], q[4];
#pragma unroll
      for (int f = 0; f < 4; f++) this->template uncommon<J>(f, mine, m, face[f], p[f], q[f]);
      lift_fluxes(m, p, q, w);
    }
  }

  /* Lifts the far traces at node m of the faces. The numbers of the node are byte i of nodes[face]. */
  template <int J>
  __device__ void lift(const faces &face, int m, int i, const uint32_t nodes[4], const REAL own[STAYING],
                       REAL w[3][4][orbits::all]) const
  {
    REAL p[4], q[4];
#pragma unroll
    for (int f = 0; f < 4; f++) {
      const int node = static_cast<int>(nodes[f] >> 8 * i & 255);
      const gpu_face_factors<REAL> &factors = face.factors[f];
      REAL x[3], curl[2], more_p = 0, more_q = 0;
#pragma unroll
      for (int j = 0; j < 3; j++)
        x[j] = face.far[f].trace(j, node, static_cast<unsigned>(tile::curled(J) * tile::FIELD * sizeof(REAL)));
      gpu_edges(x[0], x[1], x[2], curl);
      curl[0] *= factors.far;
      curl[1] *= factors.far;
      if (PENALISED) {
        REAL near[3];
        if (!NEAR_STAYS) this->template near_own<J>(f, mine, m, near);
        for (int c = 0; c < 3 && NEAR_STAYS; c++) near[c] = own[c * COMPONENT + near_node(f, m)];
        this->template penalise<J>(f, near, face.far[f], node, factors.inverse, more_p, more_q);
      }
      p[f] = more_p - curl[1];
      q[f] = more_q + curl[0];
    }
    lift_fluxes(m, p, q, w);
  }

  template <int J> __device__ void lift_all(const faces &face, sums &sum)
  {
    lifts<J>(face, sum.w[J]);
    if (face.common) return;
    if (!tile::IN_PLACE) this->wait_group(); /* near traces of the field that changes */
    lift_uncommon<J>(face, sum.w[J]);
  }

  __device__ void products(sums &sum)
  {
    const bool works = lane < tile::rows;
    if (tile::BOTH) this->wait_group();
    faces face;
    if (works && LOOKS_FIRST) look(0, face);
    if (works) derivatives<0>(sum.w[0]);
    if (!tile::IN_PLACE) this->load_group();
    else this->wait_groups();
    if (!works) return;
    if (!LOOKS_FIRST) look(0, face);
    lift_all<0>(face, sum);
    if constexpr (tile::BOTH) {
      look(1, face);
      derivatives<1>(sum.w[1]);
      lift_all<1>(face, sum);
    }
    for (int i = 0; i < 6; i++) sum.metric[i] = t.metric[mine][i];
    for (int j = 0; j < CHANGING; j++) {
      sum.change[j] = this->change_factor(j, mine);
      sum.keep[j] = this->keep_factor(j, mine);
    }
    read_registers(0, sum);
  }

  __device__ void read_registers(int j, sums &sum) const
  {
    const REAL *registers = this->registers(j, mine);
    for (int i = 0; i < 3 * COMPONENT && STAGED; i++) sum.registers[i] = tile::read_register(registers, i);
  }

  template <int J> __device__ void update(sums &sum)
  {
    REAL by[STRIDE], *own = this->own_rows(J) + lane * tile::OWN_ROW;
#pragma unroll
    for (int o = 0; o < orbits::all; o++) {
      REAL w[3][4];
#pragma unroll
      for (int c = 0; c < 3; c++) {
        for (int s = 0; s < 4; s++) w[c][s] = orbits::has(s, o) ? sum.w[J][c][s][o] : 0;
        gpu_to_sectors(w[c]);
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
        if (!orbits::first(o, i)) continue;
        REAL x[3] = {w[0][i], w[1][i], w[2][i]}, y[3];
        gpu_apply(sum.metric, x, y);
        for (int c = 0; c < 3; c++) by[c * COMPONENT + orbits::node(o, i)] = sum.change[J] * y[c];
      }
    }
#pragma unroll
    for (int i = 0; i < STRIDE / PIECE; i++) {
      piece x = piece_at(own, i);
#pragma unroll
      for (int k = 0; k < PIECE; k++)
        if (i * PIECE + k < 3 * COMPONENT)
          this->change(by[i * PIECE + k], sum.keep[J], x.x[k], sum.registers[STAGED ? i * PIECE + k : 0]);
      piece_at(own, i) = x;
    }
    REAL *registers = STAGED ? this->registers(J, mine) : nullptr;
    for (int i = 0; i < 3 * COMPONENT && STAGED; i++) tile::write_register(registers, i, sum.registers[i]);
  }
  __device__ void update(sums &sum)
  {
    if (lane >= tile::rows) return;
    this->template turn_to<0>(mine, sum.metric);
    update<0>(sum);
    if constexpr (tile::BOTH) {
      this->template turn_to<1>(mine, sum.metric);
      read_registers(1, sum);
      update<1>(sum);
    }
  }
};
