/* The functions that the host calls on the card: structs of pointers into the card's memory, and launchers with C
 * linkage. A launcher returns at once; its value says whether the launch was accepted.
 *
 * `void *` arrays hold numbers of the tables' precision. Formulas and components are those of
 * maxwell/backend/cpu/fused.h, the layout is that of layout.h. Nodes are in the card's order everywhere. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpu/runtime/runtime.h"
#include "maxwell/problem/flux.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Indices below 2^16 take two bytes, others four. */
struct gpu_index {
  const void *data;
  int wide; /* int32_t, else uint16_t */
};

/* The numbers of an element's medium, combined with those of the step. Elements share the entries of a table. */
struct gpu_medium {
  double factor[2]; /* dt/eps, -dt/mu, with losses the gain of time/medium.h in the place of dt: times g/J the change */
  double decay[2];  /* times the old field: what losses add to its change; by equation as all here */
  double weight[2]; /* of the energy: inertia */
  double lag[2];    /* of the energy, and less of it: of H behind and before where leapfrog's H has losses */
};

/* The mesh cut into tiles of consecutive elements, for the kernels of tile.cuh; a tile is a multiple of eight
 * elements, the last ones may be padding. */
struct gpu_tiling {
  int count;                 /* of tiles; 0: there are none */
  int inner;                 /* of them, those of the inner elements */
  int blocks;                /* that the card has room for */
  int traces;                /* of a tile, at most: what blocks have room for */
  int apart;                 /* multiprocessors that the inner elements leave to the others */
  const int4 *tile;          /* [count] first eight elements, number of eights, first trace, number of traces */
  const int4 *dealt;         /* the same in the order in which blocks take them, of inner and outer elements */
  const uint32_t *trace;     /* from outside: 16 * row of a field, + 4 * face of the tile's element + face there unless
                                whole */
  const uint16_t *neighbour; /* [K][4] 4 * row + face: rows of the tile, then, behind all rows that there could be, its
                                traces; a boundary is its own neighbour, of an open face with GPU_OPEN */
};
enum { GPU_OPEN = 1 << 15 };

/* The limits of a tile that the kernels of tile.cuh ask for. */
struct gpu_tile_shape {
  int elements, traces; /* at most; the first trace has the number of the first row behind the elements' */
  int whole;            /* traces are whole rows, each once; else a face each */
  int blocks;           /* that a multiprocessor has room for */
  int beside;           /* traces where a multiprocessor has room for a block of curved elements besides */
};

/* The tables of a problem, immutable. An element has 6 numbers, 16 bytes of neighbours, 4 indices of fluxes and one of
 * the medium. Arrays by element are padded to a multiple of eight elements. */
struct gpu_tables {
  int order, single;
  int architecture; /* 10 * major + minor */
  int processors;
  size_t K, inner;          /* elements; the first `inner`, a multiple of eight or all, need nothing of other ranks */
  const void *metric;       /* [K][6] g/J: aa, ab, ac, bb, bc, cc */
  const int32_t *neighbour; /* [K][4] 4 * row of a field + face; negative: the ghost state is zero */
  struct gpu_index flux;    /* [K][4] into flux_table */
  struct gpu_index medium;  /* [K] into medium_table */
  const struct mx_face_flux *flux_table;
  const struct gpu_medium *medium_table;
  const int32_t *open_slot;   /* [K][4] of an open face, else negative; NULL: none are the tiles' business */
  const void *derivative;     /* [3][Np][Np] along the bimedians, column by column: entry (i, j) at [j][i] */
  const void *lift;           /* [4 Nf][Np] half of the lift, column by column: MX_FROM_ALONG makes twice the flux */
  const double *mass;         /* [MX_SECTOR_0][Np] blocks by sectors, rows behind each other (kernel_tables.c) */
  const int32_t *face_node;   /* [4][Nf] */
  const int32_t *face_place;  /* [4][Nf] which node of face f is g_f of node m of face 0, in kernel_tables.c's order */
  const uint8_t *face_piece;  /* [4][gpu_face_pieces] pairs of numbers of a component that have nodes of the face */
  const int32_t *face_packed; /* [4][Nf] where in these, one behind the other, node m of the face is */
  const void *fragment;       /* operators between sectors (kernel_tables.c) */
  struct gpu_tiling tiling;
  int dead;           /* the medium in `medium` of elements that have kernels of their own; -1: there are none */
  int penalty_inside; /* some face between elements has a penalty */
};

/* The elements that a launch works on. */
enum gpu_part { GPU_ALL, GPU_INNER, GPU_OUTER, GPU_SOME };

/* Some elements, whose results are rows 0 .. count - 1. */
struct gpu_some {
  size_t first, count;
  int tile, tiles;        /* where there are tiles: those of elements first .. first + count - 1 and no others */
  const int32_t *element; /* [count], in any order, and by the plain kernels; NULL: first .. first + count - 1 */
};

/* One equation of leapfrog: result = own + scale (decay own + factor metric (...)). */
struct gpu_half {
  enum gpu_part part;
  struct gpu_some some; /* of GPU_SOME */
  int equation;         /* 0: E changes, 1: H */
  double scale;
  const void *own, *other;
  void *result; /* may be own where no face between elements has a penalty: then nobody else reads own; with padding
                   where there are tiles */
  int leaves;   /* writes no result of elements whose medium is `dead`; only where there are tiles, in double precision.
                   The next kernel may begin once this one has: it waits for its end on its own */
  /* With tables.open_slot, traces of `own` on open faces as gpu_open has them, of one step ago, and what becomes of
   * them; the penalty takes its extrapolation. NULL: it takes `own`. */
  const void *open_before;
  void *open_now;
};

/* One stage of a low-storage Runge-Kutta scheme: register = a register + dt rate, result = field + b register; by
 * equation. Where there are tiles, gpu_register_at tells where a number of a register lies. */
struct gpu_stage {
  enum gpu_part part;
  double a, b;
  const void *field[2];
  void *registers[2], *result[2]; /* results may be NULL */
  int backwards;                  /* the last elements first, as far as tiles go */
};

/* What each equation applies to its rates, [K][6] of straight elements: x_a . tensor^-1 x_b / J in media that are
 * tensors, else g/J. Where an equation has no tensors, it is gpu_tables.metric itself. It is no part of gpu_tables, so
 * that kernels without tensors are what they would be if there were none. */
struct gpu_applied {
  const void *of[2];
};

/* The kernels of one order, by precision: double, single. Defined by order.cu.in, a file an order. */
struct gpu_order {
  gpuError_t (*half[2])(const struct gpu_tables *, const struct gpu_applied *, const struct gpu_half *, gpuStream_t);
  gpuError_t (*stage[2])(const struct gpu_tables *, const struct gpu_applied *, const struct gpu_stage *, gpuStream_t);
  struct gpu_tile_shape (*shape[2])(int penalty_inside, int staged); /* zero: none with tiles */
};
extern const struct gpu_order gpu_order_1, gpu_order_2, gpu_order_3, gpu_order_4, gpu_order_5, gpu_order_6, gpu_order_7,
    gpu_order_8;

/* The sums of a scheme with sums (maxwell/time/schedule.h), on `count` numbers, behind the rates of a pass: sum =
 * (start in the first pass, else sum) + weight change; stage = start + next change; and behind the last pass start =
 * sum. */
struct gpu_sums {
  double weight, next;
  int first, last;
  size_t count;
  void *start, *stage, *sum;
  const void *change; /* a stage's register */
};
gpuError_t gpu_add_sums(const struct gpu_tables *tables, const struct gpu_sums *sums, gpuStream_t stream);

/* ---- faces that are shared with other ranks (halo.cu)
 *
 * Behind the elements of a field (padded to a multiple of eight) lie ghosts: a row for every shared face, in which only
 * the numbers at the nodes of that face are ever set. A field sends two numbers a node. They are the differences
 * between the traces along the face's three vertices, in the form in which the kernels of the far side take them. */

struct gpu_halo_faces {
  size_t count;
  int fields;         /* of which traces travel */
  const int32_t *own; /* [count] 4 * element + face, this side */
  const int32_t *far; /* [count] 4 * row of the ghost + face, far side */
  void *field[2];     /* [fields] */
  void *buffer;       /* [count][fields][2][Nf] */
};
gpuError_t gpu_halo_pack(const struct gpu_tables *tables, const struct gpu_halo_faces *faces, gpuStream_t stream);
gpuError_t gpu_halo_unpack(const struct gpu_tables *tables, const struct gpu_halo_faces *faces, gpuStream_t stream);

/* ---- sources and open faces (behind_pass.cu) */

/* Elements or faces that a kernel adds something to. The entries of an element are added one after the other, so that
 * sums do not depend on chance. */
struct gpu_entries {
  int groups;           /* different elements */
  const int32_t *start; /* [groups + 1] into entry */
  const int32_t *entry; /* [count] numbers of entries, those of an element next to each other in ascending order */
  const int32_t *where; /* [count] by number of entry: element, or 4 * element + face */
};

/* Values number * node_number[entry][N] * part[entry][parts][N]; nothing if part is NULL. A jump has two parts, along
 * t1 and t2; a current has three covariant components. */
struct gpu_values {
  const void *part;
  const void *node_number; /* NULL: 1 */
  double number;
};

struct gpu_addition {
  int equation;
  struct gpu_entries entries;
  struct gpu_values other, own; /* jumps of the field under the curl, and of the one that changes; currents: own */
  void *to, *also;              /* to += the addition; also += b times the addition, may be NULL */
  int to_register;              /* `to` is a stage's register, else a field, as `also` is */
  double b;
  const void *applied; /* jumps: what the equation applies in straight elements */
};
gpuError_t gpu_add_jumps(const struct gpu_tables *tables, const struct gpu_addition *addition, gpuStream_t stream);
gpuError_t gpu_add_currents(const struct gpu_tables *tables, const struct gpu_addition *addition, gpuStream_t stream);

/* Before a half step, on open faces: change[face][2][Nf] = -(field - before)/2 along t1 and t2, then before = field.
 * With `start`, change = 0. */
struct gpu_open {
  size_t count;
  const int32_t *where; /* [count] 4 * element + face */
  void *before, *change;
  int start;
};
gpuError_t gpu_remember_open(const struct gpu_tables *tables, const struct gpu_open *open, const void *field,
                             gpuStream_t stream);

/* On faces of resistive sheets, what is added to the jumps along t1 and t2 (maxwell/problem/flux.h):
 *   taken  to [E]: -sheet E of the own side;
 *   own    before half a step of leapfrog, to the jump of the field that changes: of E, -sheet (1.5 now - 0.5 before)
 *          of the own side; of H, 0.5 (now - before) of its jump. Then before = now. */
struct gpu_sheets {
  size_t count;
  int equation;
  int start;            /* before = now, and nothing else */
  const int32_t *where; /* [count] 4 * element + face */
  const double *sheet;  /* [count] */
  const void *field[2]; /* E, H */
  void *taken;          /* [count][2][Nf]; NULL: it is not wanted */
  void *before, *own;   /* the same; NULL in a stage */
};
gpuError_t gpu_sheet_jumps(const struct gpu_tables *tables, const struct gpu_sheets *sheets, gpuStream_t stream);

/* ---- observation (observe.cu); sums are over parts that the host adds up in their order */

enum { GPU_SUM_PARTS = 1024 };

/* part[GPU_SUM_PARTS] of the sum of factor * integral of u.v over elements. Without a list these are elements first ..
 * first + count - 1, whose eps or mu is the factor and of which u has rows of its own. With a list they are the
 * elements listed, with a factor each. With `metric` one of gpu_applied, the integral is of u.(tensor v). */
struct gpu_product {
  const void *u, *v;
  int weight;   /* 0, 1: of gpu_medium, 2, 3: its lag; without a list */
  int more;     /* adds to `part` */
  int own_rows; /* with a list: row i of u and v is that of its i-th element */
  size_t first, count;
  const int32_t *element; /* [count] or NULL */
  const double *factor;   /* [count] of the list */
  const int32_t *number;  /* [K] which curved element it is, or -1: curved ones are left out; NULL: none are curved */
  const void *metric;     /* [K][6] of straight elements */
  double *part;
};
gpuError_t gpu_products(const struct gpu_tables *tables, const struct gpu_product *product, gpuStream_t stream);

/* value[point][6]: covariant components of E and of (H + H_other)/2. */
struct gpu_points {
  size_t count;
  const int32_t *element;         /* [count] */
  const int32_t *row, *other_row; /* [count] of H and H_other */
  const int32_t *node;            /* [count] or -1: weights[count][Np] are taken */
  const double *weight;
  const void *E, *H, *H_other;
  double *value;
};
gpuError_t gpu_sample(const struct gpu_tables *tables, const struct gpu_points *points, gpuStream_t stream);

/* A number of a field that has rows for a list of elements only. */
struct gpu_place {
  uint32_t row, at; /* at: in the row */
};

/* part[k] = sum over i = first[k] .. first[k + 1] - 1 of weight[i] (u + v)/2 at place[i]. The row of the place is
 * row[place.row] of u and other_row[place.row] of v; where these lists are NULL, it is place.row - first_row. */
struct gpu_sum {
  int order;
  size_t count;
  const uint64_t *first; /* [count + 1] */
  const struct gpu_place *place;
  const int32_t *row, *other_row;
  size_t first_row;
  const double *weight;
  const void *u, *v;
  const uint8_t *takes_v; /* [count] v alone instead of the mean, else u alone; NULL: the mean */
  double *part;
};
gpuError_t gpu_weighted_sums(const struct gpu_tables *tables, const struct gpu_sum *sum, gpuStream_t stream);

/* Rows that a field had for some elements. */
struct gpu_kept {
  size_t count;
  const int32_t *element; /* [count] ascending */
  void *row;              /* [count] */
};
gpuError_t gpu_keep_rows(const struct gpu_tables *tables, const struct gpu_kept *kept, const void *field,
                         gpuStream_t stream);

/* to = weight kept + (1 - weight) field, for the rows of `kept`. `to` has the rows of elements first, first + 1, ..,
 * among which all of `kept` are; or those of element[rows], some of which are in `kept`. */
struct gpu_put_back {
  struct gpu_kept kept;
  size_t first, rows;
  const int32_t *element; /* [rows] or NULL */
  double weight;
  const void *field;
  void *to;
};
gpuError_t gpu_put_rows_back(const struct gpu_tables *tables, const struct gpu_put_back *back, gpuStream_t stream);

/* to = (u + v)/2, `count` numbers. */
gpuError_t gpu_mean(int single, size_t count, const void *u, const void *v, void *to, gpuStream_t stream);

/* The largest Cartesian component of E and H in each of the elements first .. first + count - 1, or infinity where one
 * is not finite. gradient[count][9]: the gradients of the bimedians' coordinates. */
struct gpu_largest {
  size_t first, count;
  const double *gradient;
  const void *E, *H;
  double *largest; /* [count] */
};
gpuError_t gpu_largest_component(const struct gpu_tables *tables, const struct gpu_largest *check, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
