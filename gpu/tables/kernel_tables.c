/* The tables of a problem in the card's form. */
#include <math.h>
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/tables/curved_tables.h"
#include "gpu/tables/kernel_tables.h"
#include "gpu/tables/tiles.h"
#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/face_weights.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/backend/frame/symmetry.h"

/* Do faces between elements have a penalty? Then a half step needs the old values of neighbours. */
static bool penalty_inside(const struct mx_problem *problem)
{
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      const struct mx_face_flux *flux = &problem->flux[e][f];
      if (problem->neighbour[e][f] >= 0 && (flux->e_penalty != 0 || flux->h_penalty != 0)) return true;
    }
  return false;
}

bool gpu_works_in_place(const struct mx_problem *problem, const struct mx_backend_options *options)
{
  return mx_scheme_of(options)->staggered && !penalty_inside(problem) && !mx_any_loss(problem, MX_FARADAY);
}

/* ---- by order */

/* The place on the card of number i of symmetry.node: orbits of four by their members, then the other nodes as they
 * are. */
static size_t place_of(int order, size_t i)
{
  const size_t quads = (size_t)MX_QUADS(order);
  return i < 4 * quads ? i % 4 * quads + i / 4 : i;
}

size_t gpu_list_pieces(int order, const int32_t *face_node, uint8_t *piece, int32_t *packed)
{
  enum { NONE = UINT8_MAX };
  const size_t Nf = (size_t)DG_NF(order);
  uint8_t found[4][DG_NP_MAX];
  size_t number[4] = {0}, most = 0;
  for (size_t f = 0; f < 4; f++) {
    uint8_t place[DG_NP_MAX]; /* of a piece in the list */
    memset(place, NONE, sizeof place);
    for (size_t m = 0; m < Nf; m++) place[face_node[f * Nf + m] / 2] = 0;
    for (int i = 0; i < DG_NP(order); i++) {
      if (place[i] == NONE) continue;
      place[i] = (uint8_t)number[f];
      found[f][number[f]++] = (uint8_t)i;
    }
    for (size_t m = 0; m < Nf && packed != NULL; m++) {
      const int32_t node = face_node[f * Nf + m];
      packed[f * Nf + m] = 2 * place[node / 2] + node % 2;
    }
    if (number[f] > most) most = number[f];
  }
  for (size_t f = 0; f < 4 && piece != NULL; f++)
    for (size_t i = 0; i < most; i++) piece[f * most + i] = found[f][i < number[f] ? i : number[f] - 1];
  return most;
}

static int pack_pieces(struct mx_backend *backend, const int32_t *face_node, struct dg_error *err)
{
  const int order = backend->tables.order;
  const size_t faces = 4 * (size_t)DG_NF(order);
  uint8_t piece[4 * DG_NP_MAX];
  int32_t packed[4 * DG_NF_MAX];
  if (gpu_face_pieces(order) == 0) return 0;
  const size_t count = gpu_list_pieces(order, face_node, piece, packed);
  DG_BUG_IF(count != (size_t)gpu_face_pieces(order), "faces of order %d have %zu pieces", order, count);
  if (gpu_new_copy(&backend->card, &backend->tables.face_piece, piece, 4 * count, "tables", err) != 0) return err->code;
  return gpu_new_copy(&backend->card, &backend->tables.face_packed, packed, faces * sizeof *packed, "tables", err);
}

/* The number of conflicts in shared memory's banks when lanes read four nodes of a face at a time, for all steps. Rows
 * of eight elements begin at multiples of four numbers (tile.cuh), so the places of the nodes modulo 4 count. All lanes
 * read the near side, and the far side in all its positions. */
static int clash(const int32_t *face_node, const int32_t *face_place, size_t Nf, const int32_t *order)
{
  int sum = 0;
  for (size_t f = 0; f < 4; f++)
    for (size_t nf = 0; nf < 4; nf++)
      for (size_t k = 0; k < Nf; k += 4) {
        int count[4] = {0};
        for (size_t i = k; i < Nf && i < k + 4; i++)
          count[face_node[nf * Nf + (size_t)face_place[f * Nf + (size_t)order[i]]] % 4]++;
        for (int bank = 0; bank < 4; bank++) sum += (nf == f ? 6 : 1) * count[bank] * count[bank];
      }
  return sum;
}

/* Finds the order in which the kernels of tensor.cuh take a face's nodes: swaps two nodes as long as that makes
 * conflicts fewer. */
static void order_face(const struct mx_backend *backend, const int32_t *face_node, const int32_t *face_place, size_t Nf,
                       int32_t *order)
{
  for (size_t i = 0; i < Nf; i++) order[i] = (int32_t)i;
  if (gpu_by_lanes(backend->tables.single, backend->tables.order)) return;
  int least = clash(face_node, face_place, Nf, order);
  for (bool better = true; better;) {
    better = false;
    for (size_t i = 0; i < Nf; i++)
      for (size_t j = i + 1; j < Nf; j++) {
        const int32_t was = order[i];
        order[i] = order[j], order[j] = was;
        const int now = clash(face_node, face_place, Nf, order);
        if (now < least) least = now, better = true;
        else order[j] = order[i], order[i] = was;
      }
  }
}

static int pack_nodes(struct mx_backend *backend, const struct mx_symmetry *symmetry, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf;
  int32_t *face_node = NULL, *face_place = NULL, ordered[4 * DG_NF_MAX];
  if (DG_NEW(backend->node, Np, err) != 0 || DG_NEW(backend->place, Np, err) != 0 ||
      DG_NEW(face_node, 4 * Nf, err) != 0 || DG_NEW(face_place, 4 * Nf, err) != 0)
    goto fail;
  for (size_t i = 0; i < Np; i++) {
    const size_t place = place_of(ref->order, i);
    backend->node[place] = symmetry->node[i];
    backend->place[symmetry->node[i]] = (int32_t)place;
  }
  for (size_t f = 0; f < 4; f++)
    for (size_t m = 0; m < Nf; m++) {
      face_node[f * Nf + m] = backend->place[ref->face_node[f * Nf + m]];
      DG_BUG_IF(f == 0 && ref->order <= 2 && face_node[m] != gpu_face_node(ref->order, (int)m),
                "face 0 has other nodes");
      face_place[f * Nf + (size_t)symmetry->place[f * Nf + m]] = (int32_t)m;
    }
  order_face(backend, face_node, face_place, Nf, backend->face_order);
  for (size_t i = 0; i < 4 * Nf; i++) ordered[i] = face_place[i / Nf * Nf + (size_t)backend->face_order[i % Nf]];
  if (gpu_new_copy(&backend->card, &backend->tables.face_node, face_node, 4 * Nf * sizeof *face_node, "tables", err) !=
          0 ||
      gpu_new_copy(&backend->card, &backend->tables.face_place, ordered, 4 * Nf * sizeof *ordered, "tables", err) !=
          0 ||
      pack_pieces(backend, face_node, err) != 0)
    goto fail;
fail:
  dg_free(face_node);
  dg_free(face_place);
  return err->code;
}

static int pack_matrices(struct mx_backend *backend, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  size_t Np = (size_t)ref->Np, faces = 4 * (size_t)ref->Nf, real = backend->real;
  void *derivative = NULL, *lift = NULL;
  if (dg_alloc(&derivative, 3 * Np * Np, real, err) != 0 || dg_alloc(&lift, faces * Np, real, err) != 0) goto fail;
  for (size_t i = 0; i < Np; i++) {
    const size_t row = (size_t)backend->node[i];
    for (size_t j = 0; j < Np; j++) {
      const size_t at = row * Np + (size_t)backend->node[j];
      for (size_t c = 0; c < 3; c++) { /* x_a = (x_r - x_s - x_t) / 2, and so on */
        double along = 0;
        for (size_t a = 0; a < 3; a++) along += (a == c ? 0.5 : -0.5) * ref->D[a][at];
        gpu_put(backend, derivative, (c * Np + j) * Np + i, along);
      }
    }
    for (size_t m = 0; m < faces; m++) gpu_put(backend, lift, m * Np + i, 0.5 * ref->lift[row * faces + m]);
  }
  if (gpu_new_copy(&backend->card, &backend->tables.derivative, derivative, 3 * Np * Np * real, "matrices", err) != 0 ||
      gpu_new_copy(&backend->card, &backend->tables.lift, lift, faces * Np * real, "matrices", err) != 0)
    goto fail;
fail:
  dg_free(derivative);
  dg_free(lift);
  return err->code;
}

/* ---- operators between sectors, for tensor cores and the mass matrix
 *
 * The unknowns of an operator are the orbits, in all four sectors. The operator multiplies the sum over an orbit's four
 * members: the two nodes of a pair count twice in it, and the fixed node four times. Where a sector does not have an
 * orbit, the rows and columns of the orbit are zero. */

/* The number of the unknown of sector s that orbit o is, or -1 for none. */
static int unknown(int order, int s, size_t o)
{
  const size_t quads = (size_t)MX_QUADS(order), pairs = (size_t)MX_PAIRS(order);
  if (o < quads || (s == 0 && o < mx_sector_size(order, 0))) return (int)o;
  o -= quads;
  return s > 0 && o < 3 * pairs && o / pairs == (size_t)s - 1 ? (int)(quads + o % pairs) : -1;
}

/* How often a node of orbit o is among its four members. */
static int repeated(int order, size_t o)
{
  const size_t quads = (size_t)MX_QUADS(order), pairs = (size_t)MX_PAIRS(order);
  return o < quads ? 1 : o < quads + 3 * pairs ? 2 : 4;
}

/* The orbit of a node, and a half turn that leads from its first member there. */
static size_t orbit_of(const struct mx_symmetry *symmetry, int order, int32_t node, int *turn)
{
  const size_t quads = (size_t)MX_QUADS(order), pairs = (size_t)MX_PAIRS(order);
  size_t i = 0;
  while (symmetry->node[i] != node) i++;
  *turn = 0;
  if (i < 4 * quads) {
    *turn = (int)(i % 4);
    return i / 4;
  }
  i -= 4 * quads;
  if (i < 6 * pairs && i % 2 == 1) *turn = (int)(i / 2 / pairs + 1) == 1 ? 2 : 1;
  return quads + (i < 6 * pairs ? i / 2 : 3 * pairs);
}

/* Packs the mass matrix column by column: the rows of the sectors stand behind each other, and each sector has the rows
 * of its own orbits. An entry is between the sums over the four members of an orbit on each side. */
static int pack_mass(struct mx_backend *backend, const struct mx_symmetry *symmetry, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  const size_t Np = (size_t)ref->Np, orbits = mx_sector_size(ref->order, 0);
  double *mass;
  if (DG_NEW(mass, orbits * Np, err) != 0) return err->code;
  size_t row = 0;
  for (int s = 0; s < 4; s++)
    for (size_t out = 0; out < orbits; out++) {
      if (unknown(ref->order, s, out) < 0) continue;
      for (size_t in = 0; in < orbits; in++) {
        const int i = unknown(ref->order, s, out), j = unknown(ref->order, s, in);
        if (j < 0) continue;
        mass[(size_t)j * Np + row] = mx_symmetry_mass(symmetry, ref, s, (size_t)i, (size_t)j) /
                                     (repeated(ref->order, out) * repeated(ref->order, in));
      }
      row++;
    }
  DG_BUG_IF(row != Np, "sectors of order %d have %zu rows", ref->order, row);
  (void)!gpu_new_copy(&backend->card, &backend->tables.mass, mass, orbits * Np * sizeof *mass, "matrices", err);
  dg_free(mass);
  return err->code;
}

/* An entry of the lift for a flux of 2 w (far - near): a quarter of the matrix, one half for the half of curl and flux
 * (MX_FROM_ALONG), and one for 2 w. */
static double lift_between(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int s, size_t out,
                           size_t m)
{
  const int i = unknown(ref->order, s, out);
  return i < 0 || m >= (size_t)ref->Nf ? 0 : 0.25 * mx_symmetry_lift(symmetry, ref, s, (size_t)i, m);
}

/* The derivative along bimedian c = 1, 2, 3 from orbit `in` of a sector to orbit `out` of from ^ c, with the near half
 * of the flux between elements, which couples the same components of the same sectors. */
static double derivative_between(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int c, int from,
                                 size_t out, size_t in)
{
  const int order = ref->order, i = unknown(order, from ^ c, out), j = unknown(order, from, in);
  if (i < 0 || j < 0) return 0;
  double sum = mx_symmetry_derivative(symmetry, ref, c, from, (size_t)i, (size_t)j) / repeated(order, in);
  for (size_t m = 0; m < (size_t)ref->Nf; m++) {
    int turn;
    if (orbit_of(symmetry, order, ref->face_node[m], &turn) != in) continue;
    const bool changes = from != 0 && turn != 0 && turn != from;
    sum += (changes ? -1 : 1) * lift_between(symmetry, ref, from ^ c, out, m);
  }
  return sum;
}

void gpu_split_number(double x, float two[2])
{
  uint32_t bits;
  two[0] = (float)x;
  memcpy(&bits, &two[0], sizeof bits);
  bits = (bits + 0x1000u) & 0xffffe000u;
  memcpy(&two[0], &bits, sizeof bits);
  two[1] = (float)(x - (double)two[0]);
}

static void put_factor(const struct mx_backend *backend, void *fragment, size_t i, double value)
{
  if (backend->tables.single && !gpu_by_lanes(1, backend->tables.order))
    gpu_split_number(value, (float *)fragment + 2 * i);
  else gpu_put(backend, fragment, i, value);
}

/* The orbit in a slot of sector s, or -1 for none. Slots are the places of a sector's orbits in fragments. Where pairs
 * are packed, the slot behind the quads has in sector s the pair that g_s keeps (in sector 0 the pair that g_1 keeps),
 * so that sectors 1 to 3 have eight orbits. The other pairs of sector 0 go where tensor.cuh reads them, or where they
 * come out. */
static int orbit_in(int order, int s, size_t slot, bool comes_out)
{
  const size_t quads = (size_t)MX_QUADS(order);
  if (!gpu_packs_pairs(order) || slot < quads) return (int)slot;
  if (slot == quads) return (int)quads + (s == 0 ? 0 : s - 1);
  if (s != 0) return -1;
  if (!comes_out) return slot <= quads + 3 ? (int)slot : -1;
  return slot == quads + 1   ? (int)quads + 3
         : slot == quads + 4 ? (int)quads + 1
         : slot == quads + 8 ? (int)quads + 2
                             : -1;
}

/* The slot of a column of the products. Of a warp's lanes that have the same element, lane t gets columns 2 t and 2 t +
 * 1 of a product with eight. These columns are slots t and t + 4, so that the orbits that the lanes update at a time
 * stand next to each other. */
static size_t slot_of_column(const struct mx_backend *backend, size_t column)
{
  const bool lanes = gpu_by_lanes(backend->tables.single, backend->tables.order);
  return lanes ? column : column / 2 + 4 * (column % 2);
}

static double derivative_in(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int c, int from,
                            size_t out, size_t in)
{
  const int to = orbit_in(ref->order, from ^ c, out, true), of = orbit_in(ref->order, from, in, false);
  const bool packed = gpu_packs_pairs(ref->order) && in >= (size_t)MX_QUADS(ref->order); /* half as many members */
  return to < 0 || of < 0 ? 0 : (packed ? 2 : 1) * derivative_between(symmetry, ref, c, from, (size_t)to, (size_t)of);
}

static double lift_in(const struct mx_symmetry *symmetry, const struct dg_reference *ref, const int32_t *face_order,
                      int s, size_t out, size_t m)
{
  const int to = orbit_in(ref->order, s, out, true);
  return to < 0 || m >= (size_t)ref->Nf ? 0 : lift_between(symmetry, ref, s, (size_t)to, (size_t)face_order[m]);
}

/* For a product that takes two steps: the fragment of the first step gets the high parts of both steps, and that of the
 * second one the low parts. *first: where the fragment of the first step begins. `place`: the fragment of the step at
 * hand, which is number `step`. */
static void pair_steps(const struct mx_backend *backend, void *fragment, size_t step, size_t place, size_t *first)
{
  if (!gpu_two_steps(backend->tables.single, backend->tables.order)) return;
  if (step % 2 == 0) {
    *first = place;
    return;
  }
  float *one = (float *)fragment + 2 * *first, *other = (float *)fragment + 2 * place;
  for (size_t lane = 0; lane < 32; lane++) {
    const float low = one[2 * lane + 1];
    one[2 * lane + 1] = other[2 * lane];
    other[2 * lane] = low;
  }
}

/* Packs the fragments as the lanes of a warp read them. A fragment is four columns of eight rows, and lane l has row l
 * / 4 of column l % 4. These rows are the columns of the products. First come the derivatives [4 slots][sector they
 * come from][bimedian][8 slots], then the lifts [4 face nodes][sector][8 slots]; fragments for which a sector has no
 * orbits are left out (gpu_orbits in orbits.cuh counts them too). */
static int pack_fragments(struct mx_backend *backend, const struct mx_symmetry *symmetry, struct dg_error *err)
{
  enum { EIGHTS_MAX = (MX_SECTOR_0(DG_ORDER_MAX) + 7) / 8 };
  const struct dg_reference *ref = backend->problem->ref;
  const size_t all = mx_sector_size(ref->order, 0), few = mx_sector_size(ref->order, 1), Nf = (size_t)ref->Nf;
  const bool packed = gpu_packs_pairs(ref->order);
  const size_t most = (12 * ((all + 3) / 4) + 4 * ((Nf + 3) / 4)) * ((all + 7) / 8) * 32;
  size_t size[4]; /* orbits of a sector */
  size_t next = 0, first[4][3][EIGHTS_MAX];
  void *fragment;
  for (int s = 0; s < 4; s++) size[s] = packed && s > 0 ? few : all;
  if (dg_alloc(&fragment, most, sizeof(double), err) != 0) return err->code;
  for (size_t in = 0; in < all; in += 4)
    for (int from = 0; from < 4; from++)
      for (int c = 1; c <= 3 && in < size[from]; c++)
        for (size_t out = 0; out < size[from ^ c]; out += 8, next += 32) {
          for (size_t l = 0; l < 32; l++)
            put_factor(backend, fragment, next + l,
                       derivative_in(symmetry, ref, c, from, out + slot_of_column(backend, l / 4), in + l % 4));
          pair_steps(backend, fragment, in / 4, next, &first[from][c - 1][out / 8]);
        }
  for (size_t m = 0; m < Nf; m += 4)
    for (int s = 0; s < 4; s++)
      for (size_t out = 0; out < size[s]; out += 8, next += 32) {
        for (size_t l = 0; l < 32; l++)
          put_factor(backend, fragment, next + l,
                     lift_in(symmetry, ref, backend->face_order, s, out + slot_of_column(backend, l / 4), m + l % 4));
        pair_steps(backend, fragment, m / 4, next, &first[s][0][out / 8]);
      }
  (void)!gpu_new_copy(&backend->card, &backend->tables.fragment, fragment, next * sizeof(double), "matrices", err);
  dg_free(fragment);
  return err->code;
}

/* ---- by element */

bool gpu_applies_tensors(const struct mx_problem *problem, int equation)
{
  for (size_t i = 0; i < problem->shapes; i++) {
    const double *m = problem->shape[i].inverse[equation];
    if (m[0] != 1 || m[1] != 0 || m[2] != 0 || m[3] != 1 || m[4] != 0 || m[5] != 1) return true;
  }
  return false;
}

/* Packs x_a . x_b / J of all elements, with the inverse tensors of an equation between the tangents, or without (-1).
 */
static int pack_six(struct mx_backend *backend, int equation, const void **packed, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  void *metric;
  if (dg_alloc_untouched(&metric, 6 * backend->padded, backend->real, err) != 0) return err->code;
  for (size_t i = 6 * problem->K; i < 6 * backend->padded; i++) gpu_put(backend, metric, i, i % 6 % 5 % 3 == 0);
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_tensor *tensor = equation < 0 ? NULL : mx_tensor_of(problem, e);
    double x[3][3], jacobian = mx_frame_tangents(problem->metric[e], x);
    for (size_t a = 0, k = 0; a < 3; a++)
      for (size_t b = a; b < 3; b++, k++) {
        const double product = tensor != NULL ? mx_tensor_product(tensor->inverse[equation], x[a], x[b])
                                              : x[a][0] * x[b][0] + x[a][1] * x[b][1] + x[a][2] * x[b][2];
        gpu_put(backend, metric, 6 * e + k, product / jacobian);
      }
  }
  (void)!gpu_new_copy(&backend->card, packed, metric, 6 * backend->padded * backend->real, "the geometry", err);
  dg_free(metric);
  return err->code;
}

static int pack_metric(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_tables *tables = &backend->tables;
  if (pack_six(backend, -1, &tables->metric, err) != 0) return err->code;
  for (int i = 0; i < 2; i++) {
    backend->applied.of[i] = tables->metric;
    if (gpu_applies_tensors(backend->problem, i) && pack_six(backend, i, &backend->applied.of[i], err) != 0)
      return err->code;
  }
  return 0;
}

static int pack_neighbours(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  int32_t(*neighbour)[4];
  if (DG_NEW(neighbour, problem->K, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++)
    for (size_t f = 0; f < 4; f++) {
      const int32_t code = problem->neighbour[e][f];
      const size_t row = code < 0 ? 0 : gpu_row(problem, backend->padded, (size_t)code / 4);
      neighbour[e][f] = code < 0 ? code : (int32_t)(4 * row) + code % 4;
    }
  (void)!gpu_new_copy(&backend->card, &backend->tables.neighbour, neighbour, problem->K * sizeof *neighbour,
                      "neighbours", err);
  dg_free(neighbour);
  return err->code;
}

/* Packs index[count], whose values are below `kinds`, with two bytes each or four. Overwrites index. */
static int pack_index(struct mx_backend *backend, struct gpu_index *packed, int32_t *index, size_t count, size_t kinds,
                      struct dg_error *err)
{
  packed->wide = kinds > UINT16_MAX;
  uint16_t *narrow = (uint16_t *)(void *)index; /* the narrow ones never overtake the wide ones */
  for (size_t i = 0; i < count && !packed->wide; i++) {
    const uint16_t value = (uint16_t)index[i];
    memcpy(narrow + i, &value, sizeof value);
  }
  return gpu_new_copy(&backend->card, &packed->data, index, count * (packed->wide ? sizeof(int32_t) : sizeof(uint16_t)),
                      "indices", err);
}

static int pack_fluxes(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct mx_face_flux *table = NULL;
  size_t count;
  int32_t(*index)[4];
  if (DG_NEW(index, backend->padded, err) != 0) return err->code;
  if (mx_distinct_fluxes(problem, index, &table, &count, err) != 0) goto fail;
  if (pack_index(backend, &backend->tables.flux, (int32_t *)index, 4 * backend->padded, count, err) != 0 ||
      gpu_new_copy(&backend->card, &backend->tables.flux_table, table, count * sizeof *table, "fluxes", err) != 0)
    goto fail;
fail:
  dg_free(index);
  dg_free(table);
  return err->code;
}

/* The medium of an element. With `start`, half a step of leapfrog by -1 with this medium takes H back from t = 0
 * (time/medium.h). */
static struct gpu_medium medium_of(const struct mx_backend *backend, size_t e, bool start)
{
  struct gpu_medium medium;
  for (int i = 0; i < 2; i++) {
    const enum mx_equation equation = (enum mx_equation)i;
    const struct mx_medium_update update = mx_update_of(backend->problem, &backend->options, equation, e);
    const double gain = update.gain / mx_medium_of(backend->problem, equation, e).storage;
    const double by = start ? update.back : 1;
    medium.factor[i] = by * (equation == MX_AMPERE ? gain : -gain);
    medium.decay[i] = -by * update.loss;
    medium.weight[i] = update.inertia;
    medium.lag[i] = update.lag;
  }
  return medium;
}

enum { KEYS = 5 + 2 * (1 + MX_POLE_PARAMETERS) };

/* The numbers that tell media apart: the medium's own, whether E rests there, and those of the responses that have a
 * share in the update. */
static void key_of(const struct mx_problem *problem, size_t e, double key[KEYS])
{
  memset(key, 0, KEYS * sizeof *key);
  for (int i = 0; i < 2; i++) {
    const struct mx_medium medium = mx_medium_of(problem, (enum mx_equation)i, e);
    key[2 * i] = medium.storage;
    key[2 * i + 1] = medium.loss;
  }
  key[4] = mx_rests(problem, e);
  for (int i = 0; i < 2; i++) {
    double *own = key + 5 + i * (1 + MX_POLE_PARAMETERS);
    size_t entry;
    const struct mx_response *response = mx_problem_poles(problem, (enum mx_equation)i, e, &entry);
    if (response == NULL) continue;
    own[0] = 1 + (double)response->kind;
    memcpy(own + 1, mx_response_parameter(response, entry),
           (size_t)mx_responses[response->kind]->parameters * sizeof *key);
  }
}

static size_t hash(const double key[KEYS], size_t mask)
{
  uint64_t word[KEYS], h = 0;
  memcpy(word, key, sizeof word);
  for (size_t i = 0; i < KEYS; i++) {
    h = (h ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15); /* as in face_weights.c */
    h ^= h >> 32;
  }
  return h & mask;
}

static bool same_key(const double a[KEYS], const double b[KEYS])
{
  for (size_t i = 0; i < KEYS; i++)
    if (a[i] != b[i]) return false;
  return true;
}

/* Numbers the different media in the order in which they occur; first[] is an element of each. */
static size_t number_media(const struct mx_problem *problem, int32_t *index, int32_t *first, uint32_t *slot,
                           size_t mask)
{
  size_t count = 0;
  for (size_t e = 0; e < problem->K; e++) {
    double key[KEYS], other[KEYS];
    key_of(problem, e, key);
    size_t at = hash(key, mask);
    for (; slot[at] != 0; at = (at + 1) & mask) {
      key_of(problem, (size_t)first[slot[at] - 1], other);
      if (same_key(key, other)) break;
    }
    if (slot[at] == 0) {
      first[count] = (int32_t)e;
      slot[at] = (uint32_t)++count;
    }
    index[e] = (int32_t)(slot[at] - 1);
  }
  return count;
}

static int pack_media(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  size_t slots = 16;
  int32_t *index = NULL, *first = NULL;
  uint32_t *slot = NULL;
  struct gpu_medium *table = NULL;
  while (slots < 2 * problem->K) slots *= 2;
  if (DG_NEW(index, backend->padded, err) != 0 || DG_NEW(first, problem->K, err) != 0 || DG_NEW(slot, slots, err) != 0)
    goto fail;
  size_t count = number_media(problem, index, first, slot, slots - 1);
  const size_t kinds = count + (problem->curves.count > 0), bytes = kinds * sizeof *table; /* behind them a dead one */
  if (DG_NEW(table, kinds, err) != 0 || gpu_take_out_curves(backend, index, (int32_t)count, err) != 0) goto fail;
  backend->tables.dead = kinds > count ? (int)count : -1;
  for (size_t i = 0; i < count; i++) table[i] = medium_of(backend, (size_t)first[i], false);
  if (pack_index(backend, &backend->tables.medium, index, backend->padded, kinds, err) != 0 ||
      gpu_new_copy(&backend->card, &backend->tables.medium_table, table, bytes, "media", err) != 0)
    goto fail;
  for (size_t i = 0; i < count; i++) table[i] = medium_of(backend, (size_t)first[i], true);
  if (gpu_new_copy(&backend->card, &backend->start_media, table, bytes, "media", err) != 0) goto fail;
fail:
  dg_free(index);
  dg_free(first);
  dg_free(slot);
  dg_free(table);
  return err->code;
}

int gpu_pack_tables(struct mx_backend *backend, struct dg_error *err)
{
  struct mx_symmetry symmetry;
  if (mx_symmetry_init(&symmetry, backend->problem->ref, err) != 0) return err->code;
  backend->tables.penalty_inside = penalty_inside(backend->problem);
  if (pack_nodes(backend, &symmetry, err) != 0 || pack_matrices(backend, err) != 0 ||
      pack_mass(backend, &symmetry, err) != 0 || pack_fragments(backend, &symmetry, err) != 0 ||
      pack_metric(backend, err) != 0 || pack_neighbours(backend, err) != 0 || pack_fluxes(backend, err) != 0 ||
      pack_media(backend, err) != 0 || gpu_pack_curves(backend, err) != 0 || gpu_pack_tiles(backend, err) != 0)
    goto fail;
fail:
  mx_symmetry_release(&symmetry);
  return err->code;
}
