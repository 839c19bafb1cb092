/* A fused pass over tiles of elements that lie in shared memory (compute capability 9.0 and up), one order and
 * precision: curl, jump, flux, lift and update in one go. This file tells what a tile is and how it comes and goes. The
 * products are those of lanes.cuh at low orders and of tensor.cuh at others.
 *
 * Blocks stay and take tile after tile. A tile comes by bulk copies, and the rows of its neighbours outside by bulk
 * copies or 16 bytes a lane. Where a face needs only a small part of such a row, the part comes in pieces of two
 * numbers; where there is no room for whole rows, it comes number by number. All of this comes while the tile before is
 * being finished. The fields that change are loaded, updated and stored by groups of elements.
 *
 * The products are those of the half turns (maxwell/backend/frame/symmetry.h), and so are the traces: on face f they
 * are along the two edges, and at the nodes, that half turn f makes of those of face 0. The flux is that of the jumps
 * with weight 1/2 on all faces; its near half is a part of the derivatives. On a face with another weight w, 2 w far +
 * (1 - 2 w) near takes the place of the far trace. A boundary is its own neighbour with the factor 1 - 2 w, for the
 * penalty with 0. */
#pragma once

#include <type_traits>

#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/faces.cuh"
#include "gpu/kernels/orbits.cuh"
#include "gpu/kernels/tuning.h"

/* A pass: half a step, or a stage of one field or both. `field`: E and H where both change, else the field under the
 * curl and the one that changes. `result`, `registers`: of the fields that change. */
struct gpu_tile_pass {
  const int4 *tile;
  int first, end; /* of these */
  int backwards;  /* the last ones first: every other pass, which so begins in the second cache */
  int equation;   /* where one field changes: 0 if that is E, 1 if H */
  double scale;   /* half a step: result = own + scale change; of a stage 1 */
  double a, b;    /* a stage: register = a register + change, result = own + b register */
  const void *field[2];
  void *result[2], *registers[2]; /* registers: as gpu_register_at has them */
  int dead;                /* the medium of elements that another kernel changes beside this one; -1: there are none */
  const void *open_before; /* traces of what changes on open faces, one step ago; NULL: they are like others */
  void *open_now;          /* the same of before this half step */
};

/* The same where some media are tensors. */
struct gpu_shaped_pass : gpu_tile_pass {
  const void *applied[2]; /* as gpu_applied has them, of the fields that change */
};
template <bool SHAPED> using gpu_pass = std::conditional_t<SHAPED, gpu_shaped_pass, gpu_tile_pass>;

/* PENALISED: faces between elements have a penalty, which looks at the neighbours' part of the field that changes as
 * well. STAGED: a stage, else half a step. SHAPED: some media are tensors. A group of warps has GROUP elements.
 * RECORDS: the numbers that the products keep by face.
 *
 * Where one field changes and there is no penalty, a tile looks at the other field and updates the first in `own`.
 * Otherwise the tile has both fields with their traces, one behind the other (E, H if both change; else the one under
 * the curl and the one that changes). A field that changes does so in its place, once all have looked at it. */
template <int P, typename REAL, bool PENALISED, bool STAGED, bool SHAPED, int GROUP, int WARPS_A_GROUP, typename FACTOR,
          typename RECORDS>
struct gpu_tile {
  using orbits = gpu_orbits<P>;
  static constexpr bool SINGLE = sizeof(REAL) == 4;
  static constexpr gpu_tile_size SIZE = gpu_tile_size_of(SINGLE, PENALISED, STAGED, P);
  static_assert((SIZE.products == BY_LANES) == (gpu_by_lanes(SINGLE, P) != 0), "the operators are laid out for others");
  static constexpr int NP = DG_NP(P), NF = DG_NF(P), GROUP_SIZE = GROUP;
  static constexpr int ELEMENTS = SIZE.elements, GROUPS = ELEMENTS / GROUP, WARPS = GROUPS * WARPS_A_GROUP;
  static constexpr int THREADS = 32 * WARPS;
  static constexpr bool BOTH = STAGED && SIZE.together; /* fields change, one update each */
  static constexpr int FIELDS = PENALISED || BOTH ? 2 : 1, CHANGING = BOTH ? 2 : 1;
  static constexpr bool IN_PLACE = FIELDS == 2;
  static constexpr int STRIDE = static_cast<int>(gpu_stride(P)), COMPONENT = static_cast<int>(gpu_component(P));
  /* Rows of fields with traces. Their strides make the columns of eight elements meet in few banks. */
  static constexpr int ROW = STRIDE + (sizeof(REAL) == 4 ? 0 : P == 5 ? 4 : P == 1 && PENALISED ? 2 : 0);
  /* The copying of rows that do not come in one piece: short rows 16 bytes a lane, which is faster, others by a bulk
   * copy each. */
  static constexpr bool SHORT = P <= 4;
  static constexpr int OWN_ROW = IN_PLACE || SHORT ? ROW : STRIDE;
  static constexpr bool OWN_PIECED = OWN_ROW != STRIDE && SHORT;
  static_assert(ELEMENTS % GROUP == 0 && THREADS <= 1024, "no such tile");
  static_assert(WARPS_A_GROUP == 1 || GROUPS < 16, "a group of warps needs a barrier of its own");
  static_assert(OWN_ROW == STRIDE || OWN_PIECED || GROUP == 8, "rows are copied a lane each");

  /* Packed traces from outside: of each component the pieces that have some of a face's nodes. Tiles have 1.23 times as
   * many faces as elements outside (16 to 64 elements of a mesh by Gmsh), and 1.2 to 1.8 faces an element. Where there
   * is room for rows, rows come faster, by bulk copies. */
  static constexpr bool COMPACT = gpu_face_pieces(P) > 0 && (PENALISED || STAGED);
  static constexpr int FACE_PIECES = COMPACT ? gpu_face_pieces(P) : 0;
  static constexpr int NODES = COMPACT ? 36 : 17; /* rows of `nodes` */

  struct memory {
    /* Barriers that count arrivals: of a tile; of a list of traces; of a group's rows that change. */
    uint64_t full, listed, grouped[GROUPS];
    alignas(16) int4 where[4]; /* this tile and the next two, by their round */
    alignas(16) FACTOR fragment[orbits::fragments][32];
    /* The nodes of faces (see node_at), by 4 face + neighbour's face: in rows; from 16 on in packed traces, and from 32
     * on the pieces of these by face. Row 16 is for gathered traces where none are packed. */
    alignas(16) uint8_t nodes[NODES][32];
    alignas(16) RECORDS records;
    /* Bulk copies bring or take the arrays from here on. They are slower, kernels by up to 18 %, where they do not
     * begin at a multiple of 32 bytes. */
    alignas(32) REAL metric[ELEMENTS][6];        /* g/J; where a tile has one field, what its equation applies */
    alignas(32) uint16_t neighbour[ELEMENTS][4]; /* 4 * row + face; rows from ELEMENTS on are outside */
    alignas(32) uint32_t flux[ELEMENTS][4];      /* indices, two bytes or four */
    alignas(32) uint32_t medium[ELEMENTS];
    alignas(128) REAL own[IN_PLACE ? 4 : ELEMENTS * OWN_ROW];
  };
  static constexpr size_t FIXED = (sizeof(memory) + 127) / 128 * 128;
  static constexpr size_t ROWS = sizeof(REAL) * ELEMENTS * ROW * FIELDS;
  static constexpr size_t ROOM = gpu_shared_memory / SIZE.blocks - 1024;
  static constexpr size_t trace_of(int numbers) { return sizeof(uint32_t) + sizeof(REAL) * numbers * FIELDS; }
  /* Whole rows of neighbours outside are copied where there is room for as many as tiles have on average: one copy a
   * row instead of one a number. */
  static constexpr int OFTEN = ELEMENTS <= 16 ? 32 : 16 + 3 * ELEMENTS / 4;
  static constexpr bool WHOLE = !COMPACT && STRIDE * sizeof(REAL) % 16 == 0 &&
                                gpu_traces_of(ROOM, FIXED + ROWS, trace_of(ROW), ELEMENTS) >= OFTEN;
  static constexpr int APART = COMPACT ? 2 * FACE_PIECES : NF; /* numbers of a component, unless whole */
  static constexpr int OUTSIDE = WHOLE ? ROW : 3 * APART;
  static constexpr size_t TRACE = trace_of(OUTSIDE);
  /* The traces from outside for which there is room, a multiple of 4. */
  static constexpr int TRACES = gpu_traces_of(ROOM, FIXED + ROWS, TRACE, ELEMENTS);
  static_assert(TRACES >= 32, "no room for the traces of eight elements");
  static_assert(ELEMENTS * ROW * sizeof(REAL) % 16 == 0, "bulk copies take multiples of 16 bytes");
  /* The same where there is room for a block of curved elements, too. */
  static constexpr size_t BESIDE = FIELDS == 1 && !STAGED && !SINGLE ? gpu_room_beside(P) : 0;
  static constexpr int TRACES_BESIDE =
      gpu_traces_of((gpu_shared_memory - BESIDE) / SIZE.blocks - 1024, FIXED + ROWS, TRACE, ELEMENTS);
  static_assert(TRACES_BESIDE >= 32 && TRACES_BESIDE <= TRACES && (BESIDE == 0 || FIELDS == 1), "no such room");
  static constexpr size_t shared(int traces) { return FIXED + ROWS + static_cast<size_t>(traces) * TRACE; }
  static constexpr size_t FIELD = ELEMENTS * ROW + TRACES * OUTSIDE; /* numbers of a field with its traces */

  memory &t;
  REAL *under;    /* [FIELDS] of [ELEMENTS][ROW], then [TRACES][ROW] or [TRACES][3][APART] */
  uint32_t *list; /* [tiling.traces] */
  const gpu_tables &tables;
  const gpu_pass<SHAPED> &pass;
  int lane = threadIdx.x % 32, group = threadIdx.x / 32 / WARPS_A_GROUP, member = threadIdx.x / 32 % WARPS_A_GROUP;
  int number = 0;     /* of this tile in pass.tile */
  unsigned round = 0; /* how many tiles came before; all barriers go on by a phase a tile */
  int rows = 0;       /* elements of the group in this tile */
  unsigned left = 0;  /* a bit for each of them that is left to another kernel */

  __device__ gpu_tile(unsigned char *shared, const gpu_tables &tables, const gpu_pass<SHAPED> &pass)
      : t(*reinterpret_cast<memory *>(shared)), under(reinterpret_cast<REAL *>(shared + FIXED)),
        list(reinterpret_cast<uint32_t *>(shared + FIXED + ROWS +
                                          static_cast<unsigned>(FIELDS == 1 ? tables.tiling.traces : TRACES) *
                                              (TRACE - sizeof(uint32_t)))),
        tables(tables), pass(pass)
  {
  }

  /* The field (of `under`, if it has two) that changes in update j, and the one under the curl. */
  __device__ static constexpr int changing(int j) { return BOTH ? j : 1; }
  __device__ static constexpr int curled(int j) { return BOTH ? 1 - j : 0; }
  __device__ int equation(int j) const { return BOTH ? j : pass.equation; }
  /* The group's rows of the field that changes in update j. */
  __device__ REAL *own_rows(int j) const
  {
    return (IN_PLACE ? under + changing(j) * FIELD : t.own) + GROUP * group * OWN_ROW;
  }

  /* The place of node m of a face in a row of `nodes`. The nodes 4 k + t of lane t of four stand together. */
  __device__ static constexpr int node_at(int m) { return GROUP == 8 ? m % 4 * 8 + m / 4 : m; }

  /* The block's first tile. */
  __device__ int first_number() const
  {
    const int blocks = static_cast<int>(gridDim.x), least = pass.first + static_cast<int>(blockIdx.x);
    return pass.backwards && least < pass.end ? least + (pass.end - 1 - least) / blocks * blocks : least;
  }
  /* The number of the tile `later` rounds from now, whether there is one, and where it is. */
  __device__ int number_of(int later) const
  {
    const int blocks = static_cast<int>(gridDim.x);
    return number + later * (pass.backwards ? -blocks : blocks);
  }
  __device__ bool is_there(int later) const { return number_of(later) >= pass.first && number_of(later) < pass.end; }
  __device__ int4 &where(int later) const { return t.where[(round + static_cast<unsigned>(later)) % 4]; }

  /* Loads all that comes from no kernel before this one, the tables of the first tile among it. */
  __device__ void prepare()
  {
    if (threadIdx.x == 0) {
      where(0) = pass.tile[number];
      gpu_barrier_init(&t.full, 1 + THREADS);
      gpu_barrier_init(&t.listed, 1 + 32);
      for (int i = 0; i < GROUPS; i++) gpu_barrier_init(&t.grouped[i], OWN_PIECED ? 33 : 1);
      gpu_barriers_ready();
      load_tables(0, sizeof t.fragment);
      gpu_bulk_load(t.fragment, tables.fragment, sizeof t.fragment, &t.full);
    }
    if (threadIdx.x < 32) {
      __syncwarp();
      load_list(0);
    }
    for (int i = threadIdx.x; i < 32 * (COMPACT ? 32 : 17); i += THREADS) {
      int m = i % 32, row = i / 32, n = m;
      if (m >= NF) n = 0;
      else if (row < 16) n = tables.face_node[row % 4 * NF + tables.face_place[row / 4 * NF + m]];
      else if (COMPACT) n = tables.face_packed[row % 4 * NF + tables.face_place[(row - 16) / 4 * NF + m]];
      t.nodes[row][node_at(m)] = static_cast<uint8_t>(n);
    }
    for (int f = 0; f < 4; f++)
      for (int i = threadIdx.x; i < FACE_PIECES; i += THREADS)
        t.nodes[NODES - 4 + f][i] = tables.face_piece[f * FACE_PIECES + i];
  }

  __device__ int rows_of(int later) const { return min(GROUP, 8 * where(later).y - GROUP * group); }
  __device__ size_t first_element(int later) const { return 8 * static_cast<size_t>(where(later).x); }

  __device__ void enter() { rows = max(0, rows_of(0)); }

  /* Has the pass elements that it leaves to another kernel, which may run beside it? */
  __device__ bool leaves() const { return !STAGED && pass.dead >= 0; }
  __device__ void look_for_left()
  {
    if (leaves()) left = __ballot_sync(~0u, lane < rows && medium_index(GROUP * group + lane) == pass.dead);
  }
  __device__ bool is_left(int row) const { return !STAGED && (left >> row & 1) != 0; }

  /* ---- loading and storing */

  /* Fields whose rows come with the tile; the groups load the rows of the others. */
  static constexpr int STEADY = BOTH ? 0 : 1;

  /* Loads the tables of a tile; for thread 0. From here on the barrier expects all bytes that bulk copies bring with
   * the tile, and `more` besides. */
  __device__ void load_tables(int later, uint32_t more = 0)
  {
    const size_t first = first_element(later);
    const int count = 8 * where(later).y, outside = where(later).w;
    const uint32_t flux = tables.flux.wide ? 16 : 8, medium = tables.medium.wide ? 4 : 2;
    const int in_bulk = (ROW == STRIDE || !SHORT ? STEADY * count : 0) + (WHOLE && !SHORT ? FIELDS * outside : 0);
    const uint32_t rows = STRIDE * sizeof(REAL) * in_bulk;
    gpu_barrier_expect(&t.full, more + rows + count * (6 * sizeof(REAL) + sizeof t.neighbour[0] + flux + medium));
    const void *metric = tables.metric;
    if constexpr (SHAPED && !IN_PLACE) metric = pass.applied[0];
    gpu_bulk_load(t.metric, static_cast<const REAL *>(metric) + 6 * first, 6 * count * sizeof(REAL), &t.full);
    gpu_bulk_load(t.neighbour, tables.tiling.neighbour + 4 * first, count * sizeof t.neighbour[0], &t.full);
    gpu_bulk_load(t.flux, static_cast<const char *>(tables.flux.data) + flux * first, flux * count, &t.full);
    gpu_bulk_load(t.medium, static_cast<const char *>(tables.medium.data) + medium * first, medium * count, &t.full);
  }

  /* Loads the rows that do not change, and the rows or traces of the tile's neighbours outside. `list` has arrived. */
  __device__ void load_rows(int later)
  {
    const size_t first = first_element(later);
    const int count = 8 * where(later).y, outside = where(later).w;
    if (threadIdx.x == 0 && STEADY > 0 && ROW == STRIDE)
      gpu_bulk_load(under, field(0) + first * STRIDE, count * STRIDE * sizeof(REAL), &t.full);
    if (STEADY > 0 && ROW != STRIDE)
      copy_rows<1>(count, 0, [first](int i) { return static_cast<unsigned>(first) + static_cast<unsigned>(i); });
    if (WHOLE) copy_rows<FIELDS>(outside, ELEMENTS, [this](int i) { return list[i] / 16; });
    if (COMPACT) pack(outside);
    else if (!WHOLE) gather(outside);
    gpu_copies_arrive(&t.full);
  }

  __device__ const REAL *field(int k) const { return static_cast<const REAL *>(pass.field[k]); }

  /* Copies rows element(0), element(1), ... of COUNT fields to rows `to`, `to` + 1, ... */
  template <int COUNT, typename ELEMENT> __device__ void copy_rows(int count, int to, ELEMENT element)
  {
    const int warp = threadIdx.x / 32;
    for (int row = warp; row < count && !SHORT; row += WARPS)
      if (lane < COUNT)
        gpu_bulk_load(under + lane * FIELD + (to + row) * ROW,
                      (lane == 0 ? field(0) : field(COUNT - 1)) + static_cast<size_t>(element(row)) * STRIDE,
                      STRIDE * sizeof(REAL), &t.full);
    constexpr int BUNCH = PIECES < 16 ? 4 : 1, APART = WARPS * PIECED_ROWS; /* load numbers first: they take time */
    for (int row = warp * PIECED_ROWS + pieced_row; row < count && SHORT; row += BUNCH * APART) {
      unsigned from[BUNCH];
#pragma unroll
      for (int i = 0; i < BUNCH; i++) from[i] = row + i * APART < count ? element(row + i * APART) : 0;
#pragma unroll
      for (int i = 0; i < BUNCH; i++)
#pragma unroll
        for (int k = 0; k < COUNT && row + i * APART < count; k++)
          copy_pieces(under + k * FIELD + (to + row + i * APART) * ROW,
                      field(k) + static_cast<size_t>(from[i]) * STRIDE);
    }
  }

  /* Pieces of 16 bytes, with a lane each: of a short row, or of several such rows. */
  static constexpr int NUMBERS = 16 / sizeof(REAL), PIECES = STRIDE / NUMBERS;
  static constexpr int PIECED_ROWS = PIECES < 32 ? 32 / PIECES : 1; /* at a time */
  const int piece = PIECES < 32 ? lane % PIECES : lane;
  const int pieced_row = PIECES < 32 ? (lane < PIECED_ROWS * PIECES ? lane / PIECES : 1 << 16) : 0;

  __device__ void copy_pieces(REAL *to, const REAL *from) const
  {
#pragma unroll
    for (int i = 0; i < PIECES; i += 32)
      if (i + 32 <= PIECES || PIECES < 32 || piece + i < PIECES)
        gpu_copy_sixteen(to + NUMBERS * (piece + i), from + NUMBERS * (piece + i));
  }

  /* Copies the traces from outside, a piece of all components at a time. */
  __device__ void pack(unsigned outside)
  {
    constexpr unsigned pieces = COMPACT ? FACE_PIECES : 1;
    const REAL *const fields[2] = {field(0), field(FIELDS - 1)};
#pragma unroll 2
    for (unsigned i = threadIdx.x; i < outside * pieces; i += THREADS) {
      const unsigned h = i / pieces, k = i % pieces, entry = list[h];
      REAL *to = under + ELEMENTS * ROW + h * OUTSIDE + 2 * k;
      const size_t at = gpu_at(P, entry / 16, 0, 2u * t.nodes[NODES - 4 + entry % 4][k]);
#pragma unroll
      for (int j = 0; j < FIELDS; j++)
        for (int c = 0; c < 3; c++) gpu_copy_two(to + j * FIELD + c * APART, fields[j] + at + c * COMPONENT);
    }
  }

  /* Copies the traces from outside number by number. */
  __device__ void gather(int outside)
  {
    REAL *traces = under + ELEMENTS * ROW;
    const REAL *const fields[2] = {field(0), field(FIELDS - 1)};
#pragma unroll 2
    for (int i = threadIdx.x; i < outside * NF; i += THREADS) {
      const int h = i / NF, m = i % NF;
      const uint32_t entry = list[h];
      const size_t at = gpu_at(P, entry / 16, 0, t.nodes[entry % 16][node_at(m)]);
#pragma unroll
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < FIELDS; k++)
          gpu_copy_number(traces + k * FIELD + (3 * h + c) * NF + m, fields[k] + at + c * COMPONENT);
    }
  }

  /* Loads the list of a tile, and the place of the tile behind it; for the first warp. The list comes piece by piece,
   * because a bulk copy would want a fence of all who have read the list before. */
  __device__ void load_list(int later)
  {
    const uint32_t *from = tables.tiling.trace + where(later).z;
    const bool more = is_there(later + 1);
    if (lane == 0) gpu_barrier_expect(&t.listed, more ? sizeof(int4) : 0);
    if (lane == 0 && more) gpu_bulk_load(&where(later + 1), pass.tile + number_of(later + 1), sizeof(int4), &t.listed);
    for (int i = 4 * lane; i < where(later).w; i += 4 * 32) gpu_copy_sixteen(list + i, from + i);
    gpu_copies_arrive(&t.listed);
  }

  /* Loads the group's rows of the fields that change, once the rows of the tile before have been taken away; for the
   * group's first warp. The rows are those of this tile, unless they are needed from the tile's beginning. */
  __device__ void load_group(int later = 0)
  {
    const int count = rows_of(later);
    const size_t at = (first_element(later) + GROUP * group) * STRIDE;
    if (count <= 0) {
      if (lane == 0) gpu_barrier_expect(&t.grouped[group], 0);
      if (OWN_PIECED) gpu_copies_arrive(&t.grouped[group]);
      return;
    }
    gpu_bulk_wait_read();
    if (leaves()) __syncwarp(); /* each lane has stored rows */
    if (lane == 0) {
      const uint32_t bytes = static_cast<uint32_t>(count * STRIDE * sizeof(REAL));
      gpu_barrier_expect(&t.grouped[group], OWN_PIECED ? 0 : CHANGING * bytes);
      for (int j = 0; j < CHANGING && OWN_ROW == STRIDE; j++)
        gpu_bulk_load(own_rows(j), field(changing(j)) + at, bytes, &t.grouped[group]);
    }
    for (int j = 0; j < CHANGING && OWN_ROW != STRIDE; j++) {
      const REAL *from = field(changing(j)) + at;
      if (!SHORT && lane < count)
        gpu_bulk_load(own_rows(j) + lane * OWN_ROW, from + lane * STRIDE, STRIDE * sizeof(REAL), &t.grouped[group]);
      for (int row = pieced_row; row < count && SHORT; row += PIECED_ROWS)
        copy_pieces(own_rows(j) + row * OWN_ROW, from + row * STRIDE);
    }
    if (OWN_PIECED) gpu_copies_arrive(&t.grouped[group]);
  }

  /* ---- the Runge-Kutta registers, which lanes read and write in the card's memory themselves */

  /* Requests the tile's part of the registers into the second cache; for thread 0. */
  __device__ void fetch_registers() const
  {
    if (!STAGED || pass.a == 0) return;
    const uint32_t bytes = 8 * static_cast<uint32_t>(where(0).y) * STRIDE * sizeof(REAL);
    for (int j = 0; j < CHANGING; j++)
      gpu_bulk_fetch(static_cast<const REAL *>(pass.registers[j]) + first_element(0) * STRIDE, bytes);
  }
  /* The register of update j: number 0 of row k. Number i lies 8 i behind it. */
  __device__ REAL *registers(int j, int k) const
  {
    return static_cast<REAL *>(pass.registers[j]) + gpu_register_at(P, first_element(0) + static_cast<size_t>(k), 0);
  }
  __device__ REAL read_register(const REAL *registers, int i) const { return pass.a != 0 ? registers[8 * i] : 0; }
  __device__ static void write_register(REAL *registers, int i, REAL value) { registers[8 * i] = value; }

  /* Waits for the group's own rows, or for those of all groups. */
  __device__ void wait_group() { gpu_barrier_wait(&t.grouped[group], round & 1); }
  __device__ void wait_groups()
  {
    for (int g = 0; g < GROUPS; g++) gpu_barrier_wait(&t.grouped[g], round & 1);
  }

  __device__ void store_group()
  {
    const uint32_t bytes = static_cast<uint32_t>(rows * STRIDE * sizeof(REAL));
    const size_t at = (first_element(0) + GROUP * group) * STRIDE;
    for (int j = 0; j < CHANGING; j++) {
      REAL *result = static_cast<REAL *>(pass.result[j]);
      if (result == nullptr) continue;
      if (OWN_ROW != STRIDE) store_rows(result + at, own_rows(j));
      else if (left != 0) store_others(result + at, own_rows(j));
      else if (lane == 0) gpu_bulk_store(result + at, own_rows(j), bytes);
    }
    gpu_bulk_commit();
    if (OWN_PIECED) __syncwarp(); /* the rows that were read may now be overwritten */
  }

  /* Stores the rows that are not left to another kernel; only where rows are multiples of 16 bytes. */
  __device__ void store_others(REAL *to, const REAL *from) const
  {
    if (lane < rows && !is_left(lane)) gpu_bulk_store(to + lane * STRIDE, from + lane * STRIDE, STRIDE * sizeof(REAL));
  }

  __device__ void store_rows(REAL *to, const REAL *from) const
  {
    if (!SHORT && lane < rows && !is_left(lane))
      gpu_bulk_store(to + lane * STRIDE, from + lane * OWN_ROW, STRIDE * sizeof(REAL));
    for (int row = pieced_row; row < rows && SHORT; row += PIECED_ROWS)
#pragma unroll
      for (int i = 0; i < PIECES; i += 32)
        if ((i + 32 <= PIECES || PIECES < 32 || piece + i < PIECES) && !is_left(row))
          *reinterpret_cast<float4 *>(to + row * STRIDE + NUMBERS * (piece + i)) =
              *reinterpret_cast<const float4 *>(from + row * OWN_ROW + NUMBERS * (piece + i));
  }

  __device__ void meet_group()
  {
    if (WARPS_A_GROUP == 1) __syncwarp();
    else gpu_barrier_named(1 + group, 32 * WARPS_A_GROUP);
  }

  /* ---- faces and elements of the tile */

  template <typename INDEX> __device__ static int index(const void *data, int i)
  {
    return static_cast<int>(static_cast<const INDEX *>(data)[i]);
  }

  /* Six numbers of row k in the card's memory. */
  __device__ const REAL *six_of(const void *all, int k) const
  {
    return static_cast<const REAL *>(all) + 6 * (first_element(0) + static_cast<size_t>(k));
  }
  /* Before update J: makes the numbers of row k those that its equation applies, where t.metric has others. */
  template <int J> __device__ void turn_to([[maybe_unused]] int k, [[maybe_unused]] REAL g[6]) const
  {
    if constexpr (SHAPED && IN_PLACE)
      for (int i = 0; i < 6; i++) g[i] = six_of(pass.applied[J], k)[i];
  }

  /* Computes what a face is like in update j. */
  __device__ void look_at_face(int j, int f, int k, gpu_far_face<REAL> &far, gpu_face_factors<REAL> &factors) const
  {
    using far_face = gpu_far_face<REAL>;
    const int i = 4 * k + f, whole_code = t.neighbour[k][f] & ~GPU_OPEN, code = whole_code / 4, nf = whole_code % 4;
    const int kind = tables.flux.wide ? index<int32_t>(t.flux, i) : index<uint16_t>(t.flux, i);
    const struct mx_face_flux flux = tables.flux_table[kind];
    const bool inside = code != k, apart = !WHOLE && code >= ELEMENTS;
    const REAL twice = static_cast<REAL>(2 * (equation(j) == 0 ? flux.h_jump : flux.e_jump));
    const REAL penalty = static_cast<REAL>(2 * (equation(j) == 0 ? flux.e_penalty : -flux.h_penalty));
    const unsigned size = sizeof(REAL), step = size * static_cast<unsigned>(apart ? APART : COMPONENT);
    const unsigned start =
        gpu_shared_address(under) +
        size * static_cast<unsigned>(apart ? ELEMENTS * ROW + (code - ELEMENTS) * OUTSIDE : code * ROW);
    far.info = 32u * static_cast<unsigned>((apart ? 16 : 0) + (apart && !COMPACT ? 0 : 4 * f + nf));
#pragma unroll
    for (int c = 0; c < 3; c++) { /* vertex (c + 1) ^ f of the face is one of the neighbour's, by their order */
      const int vertex = (c + 1) ^ f, place = vertex - (vertex > f ? 1 : 0), its = place + (place >= nf ? 1 : 0);
      const int theirs = (its ^ nf) - 1;
      far.at[c] = start + step * static_cast<unsigned>(theirs);
      if (gpu_changes_sign(theirs, nf)) far.info |= far_face::FLIPPED << c;
    }
    if (!inside) far.info |= far_face::ALONE;
    factors.far = inside ? twice : 1 - twice;
    factors.near = inside ? 1 - twice : 0;
    REAL scale = 0, g11 = 0, g12 = 0, g22 = 0;
    if (PENALISED || penalty != 0) { /* without a branch the faces' long chains of operations run side by side */
      const REAL *g = SHAPED && !IN_PLACE ? six_of(tables.metric, k) : t.metric[k];
      REAL ab = gpu_changes_sign(2, f) ? -g[1] : g[1], ac = gpu_changes_sign(1, f) ? -g[2] : g[2];
      REAL bc = gpu_changes_sign(0, f) ? -g[4] : g[4];
      g11 = g[0] - 2 * ab + g[3], g12 = g[0] - ab - ac + bc, g22 = g[0] - 2 * ac + g[5];
      /* Minus: bimedians have another orientation than r, s, t. */
      const REAL root = -penalty * gpu_inverse_root(g11 * g22 - g12 * g12);
      scale = penalty != 0 ? root : 0;
    }
    factors.inverse[0] = scale * g22;
    factors.inverse[1] = -scale * g12;
    factors.inverse[2] = scale * g11;
    if (factors.near != 0 || (!PENALISED && penalty != 0) || is_open(f, k)) far.info |= far_face::UNCOMMON;
  }

  /* The factor of the metric's product in update j, and the factor of the old value that is added. */
  __device__ REAL change_factor(int j, int k) const
  {
    return static_cast<REAL>(pass.scale * medium(k).factor[equation(j)]);
  }
  __device__ REAL keep_factor(int j, int k) const
  {
    return static_cast<REAL>(pass.scale * medium(k).decay[equation(j)]);
  }
  __device__ int medium_index(int k) const
  {
    return tables.medium.wide ? index<int32_t>(t.medium, k) : index<uint16_t>(t.medium, k);
  }
  __device__ const gpu_medium &medium(int k) const { return tables.medium_table[medium_index(k)]; }

  /* The near trace at node n of face f of a row. */
  __device__ static void near_trace(int f, const REAL *row, int n, REAL edge[2])
  {
    REAL x[3];
#pragma unroll
    for (int c = 0; c < 3; c++) {
      x[c] = row[c * COMPONENT + n];
      if (gpu_changes_sign(c, f)) x[c] = -x[c];
    }
    gpu_edges(x[0], x[1], x[2], edge);
  }

  /* Is it a face with a trace that this pass extrapolates? */
  __device__ bool is_open(int f, int k) const
  {
    return !STAGED && (t.neighbour[k][f] & GPU_OPEN) != 0 && pass.open_before != nullptr;
  }

  __device__ int open_slot(int f, int k) const
  {
    return tables.open_slot[4 * (first_element(0) + static_cast<size_t>(k)) + f];
  }

  /* Computes what face f of row k has beyond far traces. */
  __device__ void look_at_uncommon(int j, int f, int k, gpu_uncommon_face<REAL> &face) const
  {
    gpu_far_face<REAL> far;
    gpu_face_factors<REAL> factors;
    look_at_face(j, f, k, far, factors);
    const bool penalised = far.alone() && factors.inverse[0] != 0, open = penalised && is_open(f, k);
    face.near = factors.near;
    face.slot = open ? open_slot(f, k) : -1;
    face.penalised = penalised && (!PENALISED || open);
    for (int i = 0; i < 3; i++) face.inverse[i] = factors.inverse[i];
  }

  /* The flux of update J at node m of face f of row k beyond the jump of far traces: near traces with another weight
   * than 1/2; on a boundary its penalty, where there is no penalty elsewhere; on an open face the addition of the
   * penalty's extrapolation by half a step (share/doc/design/cuda.md), for which the trace is kept. Several warps may
   * do the same. */
  template <int J>
  __device__ void uncommon(int f, int k, int m, const gpu_uncommon_face<REAL> &face, REAL &p, REAL &q) const
  {
    const int node = t.nodes[5 * f][node_at(m)];
    p = q = 0;
    if (face.near != 0) {
      REAL edge[2];
      near_trace(f, under + curled(J) * FIELD + k * ROW, node, edge);
      p = -face.near * edge[1];
      q = face.near * edge[0];
    }
    if (!face.penalised) return;
    const REAL *own = own_rows(J) + (k - GROUP * group) * OWN_ROW + node;
    REAL along[2], edge[2];
    gpu_along(f, own[0], own[COMPONENT], own[2 * COMPONENT], along);
    for (int part = 0; part < 2; part++) {
      const REAL now = along[part];
      along[part] = PENALISED ? 0 : -now;
      if (face.slot < 0) continue;
      const size_t at = (2 * static_cast<size_t>(face.slot) + part) * NF + tables.face_place[f * NF + m];
      along[part] -= static_cast<REAL>(0.5) * (now - static_cast<const REAL *>(pass.open_before)[at]);
      static_cast<REAL *>(pass.open_now)[at] = now;
    }
    gpu_to_frame(f, along, edge);
    p += face.inverse[0] * edge[0] + face.inverse[1] * edge[1];
    q += face.inverse[1] * edge[0] + face.inverse[2] * edge[1];
  }

  /* The field that changes in update J, at node m of face f of row k. */
  template <int J> __device__ void near_own(int f, int k, int m, REAL near[3]) const
  {
    const REAL *at = under + changing(J) * FIELD + k * ROW + t.nodes[5 * f][node_at(m)];
#pragma unroll
    for (int c = 0; c < 3; c++) near[c] = at[c * COMPONENT];
  }

  /* Adds the penalty of face f to p and q. The changing field is `near` on this side; on the other side it is the far
   * trace at far_node. */
  template <int J>
  __device__ void penalise(int f, const REAL near[3], const gpu_far_face<REAL> &far, int far_node,
                           const REAL inverse[3], REAL &p, REAL &q) const
  {
    const REAL there = far.alone() ? 0 : 1;
    REAL x[3], edge[2];
#pragma unroll
    for (int c = 0; c < 3; c++) {
      const REAL theirs = far.trace(c, far_node, static_cast<unsigned>(changing(J) * FIELD * sizeof(REAL)));
      x[c] = there * theirs + (gpu_changes_sign(c, f) ? near[c] : -near[c]);
    }
    gpu_edges(x[0], x[1], x[2], edge);
    p += inverse[0] * edge[0] + inverse[1] * edge[1];
    q += inverse[1] * edge[0] + inverse[2] * edge[1];
  }

  /* Adds the change of a node. */
  __device__ void change(REAL by, REAL keep, REAL &own, REAL &in_register) const
  {
    by += keep * own;
    if (STAGED) {
      by += static_cast<REAL>(pass.a) * in_register;
      in_register = by;
      by *= static_cast<REAL>(pass.b);
    }
    own += by;
  }
};
