/* The products of a tile on tensor cores.
 *
 * A warp has eight elements and eight orbits of nodes, all three components of them:
 *   - A lane (g, t) = (lane / 4, lane % 4) reads orbit 4 k + t of element g, four nodes and three components. It
 *     splits them into sectors, and then has a column of the products' first factor in its registers.
 *   - In the same way it reads the far traces at node 4 k + t of all four faces, and splits them into sectors.
 *   - The operators come as fragments, which the host has laid out for the lanes.
 *   - The sums are of the lane's element and orbits t and t + 4, in all sectors. Turned back and times the metric, they
 *     are the changes of the nodes.
 * A warp can also have all of the orbits, eight by eight. Then nothing is read and split twice, but sums take more
 * registers.
 *
 * At order 4 sectors 1 to 3 have eight orbits, seven quads and a pair each, which are packed into one fragment of
 * eight. The eighth orbit is in sector s the pair that g_s keeps, so its lane reads all three pairs. The other orbits
 * of sector 0, two pairs and the fixed node, take a step and an eight in which no other sector takes part. This halves
 * the products, compared with the three pairs in places of their own.
 */
#pragma once

#include "gpu/kernels/tile.cuh"

/* The sums of a lane, with an accumulator for each component: a product has eight elements. The factors are those of
 * `steps` steps. */
template <typename REAL, bool STACKED> struct gpu_tensor_sums {
  using split = gpu_split<REAL>;
  using factor = typename gpu_factor<REAL>::type;
  REAL w[3][4][2] = {};

  /* w of the component behind d + x b, w of the one before it - y b; b is a derivative along d. */
  __device__ void curl(int steps, int d, int s, const split *x, const split *y, const factor *b)
  {
    gpu_multiply(w[(d + 2) % 3][s], steps, x, b);
    const split minus(gpu_negative(y->x));
    gpu_multiply(w[(d + 1) % 3][s], steps, &minus, b);
  }
  /* w[0] + a l, w[1] - b l, w[2] - c l */
  __device__ void lift(int steps, int s, const split *a, const split *b, const split *c, const factor *l)
  {
    gpu_multiply(w[0][s], steps, a, l);
    const split minus[2] = {split(gpu_negative(b->x)), split(gpu_negative(c->x))};
    gpu_multiply(w[1][s], steps, &minus[0], l);
    gpu_multiply(w[2][s], steps, &minus[1], l);
  }
  __device__ REAL result(int c, int s, int h) const { return w[c][s][h]; }
};

/* Two components that share an operator are stacked in the 16 rows of one product, which is twice as fast and takes
 * twice the registers. */
template <typename REAL> struct gpu_tensor_sums<REAL, true> {
  using split = gpu_split<REAL>;
  using factor = typename gpu_factor<REAL>::type;
  REAL pair[3][4][4] = {}; /* by operator: rows of the part that is added, then of the part that is subtracted */

  __device__ void curl(int steps, int d, int s, const split *x, const split *y, const factor *b)
  {
    gpu_multiply(pair[d][s], steps, x, y, b);
  }
  __device__ void lift(int steps, int s, const split *a, const split *b, const split *c, const factor *l)
  {
    const split none[2];
    gpu_multiply(pair[1][s], steps, a, c, l);
    gpu_multiply(pair[0][s], steps, none, b, l);
  }
  __device__ REAL result(int c, int s, int h) const { return pair[(c + 1) % 3][s][h] - pair[(c + 2) % 3][s][2 + h]; }
};

template <int P, typename REAL, bool PENALISED, bool STAGED> struct gpu_tensor_records {
  static constexpr int ELEMENTS = gpu_tile_size_of(sizeof(REAL) == 4, PENALISED, STAGED, P).elements;
  static constexpr int CHANGING = STAGED && gpu_tile_size_of(sizeof(REAL) == 4, PENALISED, STAGED, P).together ? 2 : 1;
  /* The nodes of an orbit. Of packed pairs the nodes of two, or of one. 255: no node, or one that is there already. */
  uchar4 read[4 * gpu_orbits<P>::steps], write[8 * gpu_orbits<P>::eights];
  alignas(16) uint4 far[4][ELEMENTS]; /* gpu_far_face */
  REAL factor[CHANGING][4][ELEMENTS]; /* of gpu_face_factors */
  REAL inverse[CHANGING][3][4][PENALISED ? ELEMENTS : 1];
  REAL change[CHANGING][ELEMENTS], keep[CHANGING][ELEMENTS];
  /* The fluxes p and q in sectors. Each warp of the group has those of one step. */
  static constexpr int WARPS = gpu_tile_size_of(sizeof(REAL) == 4, PENALISED, STAGED, P).warps;
  static constexpr bool SHARES = PENALISED && WARPS > 1;
  REAL flux[SHARES ? ELEMENTS / 8 : 1][WARPS][8][SHARES ? 32 : 1];
};

template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED>
using gpu_tensor_tile =
    gpu_tile<P, REAL, PENALISED, STAGED, SHAPED, 8, gpu_tile_size_of(sizeof(REAL) == 4, PENALISED, STAGED, P).warps,
             typename gpu_factor<REAL>::type, gpu_tensor_records<P, REAL, PENALISED, STAGED>>;

template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED>
struct gpu_tensor_work : gpu_tensor_tile<P, REAL, PENALISED, STAGED, SHAPED> {
  using tile = gpu_tensor_tile<P, REAL, PENALISED, STAGED, SHAPED>;
  using orbits = gpu_orbits<P>;
  using tile::t, tile::under, tile::pass, tile::group, tile::member, tile::lane;
  static constexpr int EIGHTS = orbits::eights, COMPONENT = tile::COMPONENT, STRIDE = tile::STRIDE, ROW = tile::ROW;

  static constexpr int CHANGING = tile::CHANGING, MINE = EIGHTS / tile::SIZE.warps; /* eights of orbits of a warp */
  static_assert(EIGHTS % tile::SIZE.warps == 0, "the warps of a group share its orbits evenly");
  static constexpr bool PACKED = orbits::packed;
  /* Do the warps of a group share the work on traces? They do where a penalty makes it much. */
  static constexpr bool SHARES = gpu_tensor_records<P, REAL, PENALISED, STAGED>::SHARES;
  static_assert(!PACKED || (tile::SIZE.warps == 1 && orbits::quads == 7 && orbits::pairs == 1), "no such packing");
  using products_sum = gpu_tensor_sums<REAL, tile::SIZE.products == BY_STACKS || sizeof(REAL) == 4>;

  /* A lane's nodes come in orbits of four; where pairs are packed, there is a bunch of two besides. */
  static constexpr int ORBITS = PACKED ? 2 : 2 * MINE, BUNCHES = ORBITS + (PACKED ? 1 : 0);

  struct sums {
    REAL w[CHANGING][MINE][3][4][2];
    REAL metric[6], change[CHANGING], keep[CHANGING];
    REAL registers[STAGED ? BUNCHES : 1][4][3]; /* the lane's numbers of the update at hand */
  };
  const int fourth = lane % 4, mine = 8 * group + lane / 4; /* the lane's t and element */

  using tile::tile;

  __device__ void prepare()
  {
    tile::prepare();
    for (int o = threadIdx.x; o < 8 * EIGHTS || o < 4 * orbits::steps; o += tile::THREADS) {
      uint8_t node[4], once[4];
      for (int i = 0; i < 4; i++) {
        node[i] = static_cast<uint8_t>(o < orbits::all ? orbits::node(o, i) : 0);
        once[i] = o < orbits::all && orbits::first(o, i) ? node[i] : 255;
      }
      if (PACKED && o >= orbits::quads) { /* pairs stand one behind the other, and then the fixed node */
        for (int i = 0; i < 4; i++)
          node[i] = static_cast<uint8_t>(min(4 * orbits::quads + 2 * (o - orbits::quads) + i, tile::NP - 1));
        for (int i = 0; i < 4; i++) once[i] = o == orbits::quads ? node[i] : 255;
      }
      if (o < 4 * orbits::steps) t.records.read[o] = make_uchar4(node[0], node[1], node[2], node[3]);
      if (o < 8 * EIGHTS) t.records.write[o] = make_uchar4(once[0], once[1], once[2], once[3]);
    }
  }

  /* Looks at the faces of the group's elements, with a lane a face. */
  __device__ void look()
  {
    unsigned info = 0;
    if (this->is_open(fourth, mine)) { /* its traces will be wanted */
      const size_t bytes = 2 * tile::NF * sizeof(REAL), at = bytes * this->open_slot(fourth, mine);
      for (size_t i = 0; i < bytes; i += 128) gpu_prefetch(static_cast<const char *>(tile::pass.open_before) + at + i);
    }
    for (int j = 0; j < CHANGING; j++) {
      gpu_far_face<REAL> far;
      gpu_face_factors<REAL> factors;
      this->look_at_face(j, fourth, mine, far, factors);
      info |= far.info;
      t.records.far[fourth][mine] = make_uint4(far.at[0], far.at[1], far.at[2], info);
      t.records.factor[j][fourth][mine] = factors.far;
      for (int i = 0; i < 3 && PENALISED; i++) t.records.inverse[j][i][fourth][mine] = factors.inverse[i];
    }
    if (fourth < CHANGING) t.records.change[fourth][mine] = this->change_factor(fourth, mine);
    if (fourth >= 2 && fourth - 2 < CHANGING) t.records.keep[fourth - 2][mine] = this->keep_factor(fourth - 2, mine);
  }

  static constexpr int AT_ONCE = gpu_two_steps(sizeof(REAL) == 4, P) ? 2 : 1; /* steps of a product */
  using split = gpu_split<REAL>;
  using factor = typename gpu_factor<REAL>::type;

  /* Reads the lane's orbit of step k of the row, in sectors. */
  __device__ void read(const REAL *row, int k, REAL u[3][4]) const
  {
    int node[4];
    if (4 * k + 3 < orbits::quads) {
      for (int i = 0; i < 4; i++) node[i] = i * orbits::quads + 4 * k + fourth;
    } else {
      uchar4 at = t.records.read[4 * k + fourth];
      node[0] = at.x, node[1] = at.y, node[2] = at.z, node[3] = at.w;
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const REAL *at = row + c * COMPONENT;
      if (!PACKED || k < orbits::few_steps)
        for (int i = 0; i < 4; i++) u[c][i] = at[node[i]];
      if (!PACKED || 4 * k + 3 < orbits::quads) gpu_to_sectors(u[c]);
      else if (k < orbits::few_steps) split_mixed(at, u[c]);
      else u[c][0] = at[node[0]] + at[node[1]]; /* a pair, or twice the fixed node */
    }
  }

  template <int J> __device__ void derivatives(products_sum w[MINE]) const
  {
    const REAL *row = under + tile::curled(J) * tile::FIELD + mine * ROW;
#pragma unroll
    for (int k = 0; k < orbits::steps; k += AT_ONCE) {
      REAL u[AT_ONCE][3][4];
#pragma unroll
      for (int i = 0; i < AT_ONCE && k + i < orbits::steps; i++) read(row, k + i, u[i]);
#pragma unroll
      for (int from = 0; from < 4; from++) {
        const int steps = min(AT_ONCE, orbits::steps_of(from) - k);
        split x[3][AT_ONCE];
#pragma unroll
        for (int c = 0; c < 3; c++)
#pragma unroll
          for (int i = 0; i < steps; i++) x[c][i] = split(u[i][c][from]);
#pragma unroll
        for (int d = 0; d < 3; d++)
#pragma unroll
          for (int e = 0; e < MINE; e++) {
            if (steps <= 0 || (PACKED && e >= orbits::eights_of(from ^ (d + 1)))) continue;
            factor b[AT_ONCE];
#pragma unroll
            for (int i = 0; i < steps; i++)
              b[i] = t.fragment[orbits::derivative(k + i, from, d) + MINE * member + e][lane];
            w[e].curl(steps, d, from ^ (d + 1), x[(d + 1) % 3], x[(d + 2) % 3], b);
          }
      }
    }
  }

  /* Splits the lane's last quad into sectors. In the lane that has the pairs it splits these: x[0] and x[1] are of the
   * first pair, x[2] and x[3] of the second one. */
  __device__ void split_mixed(const REAL *component, REAL x[4]) const
  {
    const bool pairs = fourth == orbits::quads % 4;
    const REAL a = x[0] + x[1], b = x[0] - x[1], c = x[2] + x[3], d = x[2] - x[3];
    const REAL third = pairs ? component[tile::NP - 3] - component[tile::NP - 2] : 0;
    x[0] = pairs ? a : a + c, x[1] = pairs ? b : a - c, x[2] = pairs ? d : b + d, x[3] = pairs ? third : b - d;
  }

  struct faces {
    gpu_far_face<REAL> far[4];
    REAL factor[4], inverse[4][3];
  };

  /* Computes the fluxes of far traces and of penalties, in sectors, at the lane's node of step k of all faces. */
  template <int J> __device__ void fluxes(const faces &face, int k, REAL p[4], REAL q[4]) const
  {
    const uint8_t *nodes = &t.nodes[0][8 * fourth];
#pragma unroll
    for (int f = 0; f < 4; f++) {
      const gpu_far_face<REAL> &far = face.far[f];
      const int node = nodes[(far.info & far.NODES) + k];
      REAL x[3], curl[2], more_p = 0, more_q = 0;
#pragma unroll
      for (int j = 0; j < 3; j++)
        x[j] = far.trace(j, node, static_cast<unsigned>(tile::curled(J) * tile::FIELD * sizeof(REAL)));
      gpu_edges(x[0], x[1], x[2], curl);
      curl[0] *= face.factor[f];
      curl[1] *= face.factor[f];
      const int m = min(4 * k + fourth, tile::NF - 1);
      if (PENALISED) {
        REAL near[3];
        this->template near_own<J>(f, mine, m, near);
        this->template penalise<J>(f, near, far, node, face.inverse[f], more_p, more_q);
      }
      p[f] = more_p - curl[1];
      q[f] = more_q + curl[0];
    }
    gpu_to_sectors(p);
    gpu_to_sectors(q);
  }

  /* Lifts the fluxes of `steps` steps from k on. */
  __device__ void lift(int steps, int k, const REAL p[AT_ONCE][4], const REAL q[AT_ONCE][4], products_sum w[MINE]) const
  {
#pragma unroll
    for (int s = 0; s < 4; s++) {
      split a[AT_ONCE], b[AT_ONCE], c[AT_ONCE];
#pragma unroll
      for (int i = 0; i < steps; i++)
        a[i] = split(p[i][s ^ 1] + q[i][s ^ 1]), b[i] = split(p[i][s ^ 2]), c[i] = split(q[i][s ^ 3]);
#pragma unroll
      for (int e = 0; e < MINE; e++) {
        if (PACKED && e >= orbits::eights_of(s)) continue;
        factor l[AT_ONCE];
#pragma unroll
        for (int i = 0; i < steps; i++) l[i] = t.fragment[orbits::lift(k + i, s) + MINE * member + e][lane];
        w[e].lift(steps, s, a, b, c, l);
      }
    }
  }

  template <int J> __device__ void lifts(products_sum w[MINE])
  {
    [[maybe_unused]] constexpr int warps = tile::SIZE.warps;
    constexpr int steps = orbits::face_steps;
    faces face;
#pragma unroll
    for (int f = 0; f < 4; f++) {
      const uint4 at = t.records.far[f][mine];
      face.far[f] = {{at.x, at.y, at.z}, at.w};
      face.factor[f] = t.records.factor[J][f][mine];
      for (int i = 0; i < 3 && PENALISED; i++) face.inverse[f][i] = t.records.inverse[J][i][f][mine];
    }
    REAL p[AT_ONCE][4], q[AT_ONCE][4];
    if constexpr (SHARES) {
#pragma unroll 1
      for (int first = 0; first < steps; first += warps) { /* each warp takes a step */
        REAL(*all)[8][32] = t.records.flux[group];
        if (first + member < steps) {
          fluxes<J>(face, first + member, p[0], q[0]);
          for (int s = 0; s < 4; s++) all[member][s][lane] = p[0][s], all[member][4 + s][lane] = q[0][s];
        }
        this->meet_group();
        const int end = min(steps, first + warps);
#pragma unroll 1
        for (int k = first; k < end; k += AT_ONCE) {
#pragma unroll
          for (int i = 0; i < AT_ONCE && (i == 0 || k + i < end); i++)
            for (int s = 0; s < 4; s++)
              p[i][s] = all[k + i - first][s][lane], q[i][s] = all[k + i - first][4 + s][lane];
          if (AT_ONCE == 1 || k + 1 < end) lift(AT_ONCE, k, p, q, w);
          else lift(1, k, p, q, w);
        }
        this->meet_group();
      }
    } else {
#pragma unroll 1
      for (int k = 0; k + AT_ONCE <= steps; k += AT_ONCE) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) fluxes<J>(face, k + i, p[i], q[i]);
        lift(AT_ONCE, k, p, q, w);
      }
      if constexpr (steps % AT_ONCE != 0) {
        fluxes<J>(face, steps - 1, p[0], q[0]);
        lift(1, steps - 1, p, q, w);
      }
    }
  }

  /* Lifts what uncommon faces add. They are rare, and a warp has few of them. */
  template <int J> __device__ void lift_uncommon(products_sum w[MINE]) const
  {
    constexpr int steps = orbits::face_steps;
    gpu_uncommon_face<REAL> face[4];
#pragma unroll
    for (int f = 0; f < 4; f++) {
      face[f] = {};
      if (t.records.far[f][mine].w & gpu_far_face<REAL>::UNCOMMON) this->look_at_uncommon(J, f, mine, face[f]);
    }
#pragma unroll 1
    for (int k = 0; k < steps; k += AT_ONCE) {
      REAL p[AT_ONCE][4], q[AT_ONCE][4];
#pragma unroll
      for (int i = 0; i < AT_ONCE; i++) {
        const int m = 4 * (k + i) + fourth;
#pragma unroll
        for (int f = 0; f < 4; f++)
          this->template uncommon<J>(f, mine, min(m, tile::NF - 1), face[f], p[i][f], q[i][f]);
        gpu_to_sectors(p[i]);
        gpu_to_sectors(q[i]);
      }
      if (AT_ONCE == 1 || k + 1 < steps) lift(AT_ONCE, k, p, q, w);
      else lift(1, k, p, q, w);
    }
  }

  /* The products of update J. `common`: all faces of the warp are common. */
  template <int J> __device__ void products(sums &sum)
  {
    products_sum w[MINE];
    derivatives<J>(w);
    if (J == 0) {
      if (!tile::IN_PLACE && member == 0) this->load_group();
      this->meet_group(); /* the records are there */
      if (tile::IN_PLACE) this->wait_groups();
    }
    bool common = true;
    for (int f = 0; f < 4; f++) common = common && !(t.records.far[f][mine].w & gpu_far_face<REAL>::UNCOMMON);
    lifts<J>(w);
    if (!__all_sync(~0u, common)) {
      if (!tile::IN_PLACE) this->wait_group(); /* near traces of the field that changes */
      lift_uncommon<J>(w);
    }
#pragma unroll
    for (int e = 0; e < MINE; e++)
      for (int c = 0; c < 3; c++)
        for (int s = 0; s < 4; s++)
          for (int h = 0; h < 2; h++) sum.w[J][e][c][s][h] = w[e].result(c, s, h);
  }

  __device__ void products(sums &sum)
  {
    if (member == 0) look();
    if (tile::BOTH) this->wait_group();
    products<0>(sum);
    if constexpr (tile::BOTH) products<1>(sum);
    for (int i = 0; i < 6; i++) sum.metric[i] = t.metric[mine][i];
    for (int j = 0; j < CHANGING; j++) {
      sum.change[j] = t.records.change[j][mine];
      sum.keep[j] = t.records.keep[j][mine];
    }
    read_registers(0, sum);
  }

  /* The nodes of a bunch; 255: no node. */
  __device__ void nodes_of(int bunch, int node[4]) const
  {
    if (PACKED && bunch == ORBITS) { /* the fixed node in one lane, in another the last pair */
      node[0] = fourth == 0 ? tile::NP - 1 : fourth == 3 ? tile::NP - 3 : 255;
      node[1] = fourth == 3 ? tile::NP - 2 : 255;
      node[2] = node[3] = 255;
      return;
    }
    const uchar4 write = t.records.write[8 * (MINE * member + bunch / 2) + 4 * (bunch % 2) + fourth];
    node[0] = write.x, node[1] = write.y, node[2] = write.z, node[3] = write.w;
  }

  __device__ void read_registers(int j, sums &sum) const
  {
    const REAL *registers = this->registers(j, mine);
#pragma unroll
    for (int i = 0; i < BUNCHES && STAGED; i++) {
      int node[4];
      nodes_of(i, node);
      for (int n = 0; n < 4; n++)
        for (int c = 0; c < 3; c++)
          sum.registers[i][n][c] = node[n] != 255 ? tile::read_register(registers, c * COMPONENT + node[n]) : 0;
    }
  }

  /* Changes the nodes of a bunch in update J, where w is the sum along the bimedians. */
  template <int J, int COUNT> __device__ void put(sums &sum, int bunch, const REAL w[3][COUNT]) const
  {
    REAL *own = this->own_rows(J) + lane / 4 * tile::OWN_ROW, *registers = STAGED ? this->registers(J, mine) : nullptr;
    int node[4];
    nodes_of(bunch, node);
#pragma unroll
    for (int n = 0; n < COUNT; n++) {
      if (node[n] == 255) continue;
      REAL x[3] = {w[0][n], w[1][n], w[2][n]}, by[3];
      gpu_apply(sum.metric, x, by);
#pragma unroll
      for (int c = 0; c < 3; c++) {
        const int at = c * COMPONENT + node[n];
        REAL &old = sum.registers[STAGED ? bunch : 0][n][c];
        this->change(sum.change[J] * by[c], sum.keep[J], own[at], old);
        if (STAGED) tile::write_register(registers, at, old);
      }
    }
  }

  template <int J> __device__ void update(sums &sum)
  {
#pragma unroll
    for (int i = 0; i < ORBITS; i++) {
      const int e = i / 2, h = i % 2;
      if (8 * e + 4 * h >= orbits::all) break;
      REAL w[3][4];
#pragma unroll
      for (int c = 0; c < 3; c++) {
        for (int s = 0; s < 4; s++) w[c][s] = sum.w[J][e][c][s][h];
        if (PACKED && h == 1) join_mixed(sum.w[J][MINE - 1][c][0], w[c]);
        else gpu_to_sectors(w[c]);
      }
      put<J>(sum, i, w);
    }
    if (PACKED && (fourth == 0 || fourth == 3)) {
      const bool pair = fourth == 3;
      REAL w[3][2];
#pragma unroll
      for (int c = 0; c < 3; c++) {
        const REAL *whole = sum.w[J][MINE - 1][c][0], odd = pair ? sum.w[J][0][c][3][1] : 0;
        w[c][0] = (pair ? whole[1] : whole[0]) + odd;
        w[c][1] = whole[1] - odd;
      }
      put<J>(sum, ORBITS, w);
    }
  }

  /* Undoes split_mixed, for the third pair too: `beyond` has sector 0's last orbits. */
  __device__ void join_mixed(const REAL beyond[2], REAL x[4]) const
  {
    const bool pairs = fourth == orbits::quads % 4;
    const REAL a = x[0] + x[1], b = x[0] - x[1], c = x[2] + x[3], d = x[2] - x[3];
    const REAL second = beyond[0] + x[2], other = beyond[0] - x[2];
    x[0] = pairs ? a : a + c, x[1] = pairs ? b : a - c, x[2] = pairs ? second : b + d, x[3] = pairs ? other : b - d;
  }
  __device__ void update(sums &sum)
  {
    this->template turn_to<0>(mine, sum.metric);
    update<0>(sum);
    if constexpr (tile::BOTH) {
      this->template turn_to<1>(mine, sum.metric);
      read_registers(1, sum);
      update<1>(sum);
    }
  }
};
