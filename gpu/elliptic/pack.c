/* Makes the tables of the elliptic operator for the card: reference matrices, tiles of elements, and where each unknown
 * finds what elements and faces give to it. solver.c calls it. */
#include "gpu/elliptic/pack.h"

#include <stdlib.h>

#include "gpu/elliptic/tensor.h"
#include "gpu/runtime/errors.h"
#include "libdg/base/memory.h"

struct packing {
  struct gpu_elliptic *op;
  struct gpu_memory *card;
  const struct dg_elliptic *from, *more;
  struct dg_elliptic_view view;
  size_t lanes;
};

/* The place of node i of element e in tables of tiles. */
static size_t place_of(const struct packing *p, size_t e, size_t i)
{
  const size_t Np = (size_t)p->op->Np;
  return (e / p->lanes * Np + i) * p->lanes + e % p->lanes;
}

static int send(const struct packing *p, void *pointer, const void *host, size_t bytes, struct dg_error *err)
{
  return gpu_new_copy(p->card, pointer, host, bytes, "the elliptic operator", err);
}

static int pack_matrices(const struct packing *p, struct dg_error *err)
{
  const size_t Np = (size_t)p->view.Np, modes = (size_t)p->view.modes, pairs = (modes + 1) / 2, quads = (Np + 3) / 4;
  double *forward = NULL, *backward = NULL, *mass = NULL;
  if (DG_NEW(forward, pairs * Np * 6, err) != 0 || DG_NEW(backward, quads * 3 * modes * 4, err) != 0 ||
      DG_NEW(mass, quads * Np * 4, err) != 0)
    goto fail;
  for (size_t m = 0; m < modes; m++)
    for (size_t j = 0; j < Np; j++)
      for (size_t a = 0; a < 3; a++) {
        const double entry = p->view.B[(m * Np + j) * 3 + a];
        forward[((m / 2 * Np + j) * 2 + m % 2) * 3 + a] = entry;
        backward[(j / 4 * 3 * modes + 3 * m + a) * 4 + j % 4] = entry;
      }
  for (size_t i = 0; i < Np; i++)
    for (size_t j = 0; j < Np; j++) mass[(i / 4 * Np + j) * 4 + i % 4] = p->view.mass[i * Np + j];
  if (send(p, &p->op->forward, forward, pairs * Np * 6 * sizeof *forward, err) != 0 ||
      send(p, &p->op->backward, backward, quads * 3 * modes * 4 * sizeof *backward, err) != 0)
    goto fail;
  (void)!send(p, &p->op->mass, mass, quads * Np * 4 * sizeof *mass, err);
fail:
  dg_free(forward);
  dg_free(backward);
  dg_free(mass);
  return err->code;
}

/* Operators as the second factor of products on tensor cores: a step of such a product takes four rows and eight
 * columns, of which thread `lane` has row lane % 4 of column lane / 4. The columns of B^T come in pairs, one a thread
 * and slot: slot 3 g + a has derivative a of the modes 4 g .. 4 g + 3. */
static double forward_at(const struct packing *p, size_t tile, size_t step, size_t lane)
{
  const size_t column = lane / 4, slot = 2 * (tile % 3) + column % 2 + tile / 3 * 6;
  const size_t mode = 4 * (slot / 3) + column / 2, node = 4 * step + lane % 4, Np = (size_t)p->view.Np;
  if (mode >= (size_t)p->view.modes || node >= Np) return 0;
  return p->view.B[(mode * Np + node) * 3 + slot % 3];
}

static double backward_at(const struct packing *p, size_t slot, size_t block, size_t lane)
{
  const size_t mode = 4 * (slot / 3) + lane % 4, node = 8 * block + lane / 4, Np = (size_t)p->view.Np;
  if (mode >= (size_t)p->view.modes || node >= Np) return 0;
  return p->view.B[(mode * Np + node) * 3 + slot % 3];
}

static double mass_at(const struct packing *p, size_t step, size_t block, size_t lane)
{
  const size_t from = 4 * step + lane % 4, to = 8 * block + lane / 4, Np = (size_t)p->view.Np;
  return from < Np && to < Np ? p->view.mass[to * Np + from] : 0;
}

static int pack_operators(const struct packing *p, struct dg_error *err)
{
  const size_t Np = (size_t)p->view.Np, groups = ((size_t)p->view.modes + 3) / 4, steps = (Np + 3) / 4;
  const size_t blocks = (Np + 7) / 8, tiles = (3 * groups + 1) / 2;
  double *all = NULL, *next;
  if (DG_NEW(all, 32 * (tiles * steps + 3 * groups * blocks + steps * blocks), err) != 0) return err->code;
  next = all;
  for (size_t t = 0; t < tiles; t++)
    for (size_t k = 0; k < steps; k++)
      for (size_t lane = 0; lane < 32; lane++) *next++ = forward_at(p, t, k, lane);
  for (size_t s = 0; s < 3 * groups; s++)
    for (size_t n = 0; n < blocks; n++)
      for (size_t lane = 0; lane < 32; lane++) *next++ = backward_at(p, s, n, lane);
  for (size_t k = 0; k < steps; k++)
    for (size_t n = 0; n < blocks; n++)
      for (size_t lane = 0; lane < 32; lane++) *next++ = mass_at(p, k, n, lane);
  (void)!send(p, &p->op->operators, all, (size_t)(next - all) * sizeof *all, err);
  dg_free(all);
  return err->code;
}

/* Tensor cores, where the card has those that tensor.cu knows. */
static int look_at_card(const struct packing *p, struct dg_error *err)
{
  int device;
  gpuDeviceProp card;
  if (gpu_check(gpuGetDevice(&device), "looking for the card", err) != 0 ||
      gpu_check(gpuGetDeviceProperties(&card, device), "looking for the card", err) != 0)
    return err->code;
  p->op->processors = card.multiProcessorCount;
#ifdef CURLEW_HIP
  const bool tensor_cores = false;
#else
  const bool tensor_cores = card.major >= 9;
#endif
  if (tensor_cores && p->op->order <= GPU_TENSOR_ORDERS) return pack_operators(p, err);
  return 0;
}

/* Metric, densities and unknowns of the elements. Lanes behind the last element have a metric of 0. */
static int pack_tiles(const struct packing *p, struct dg_error *err)
{
  const size_t lanes = p->lanes, padded = p->op->tiles * lanes, Np = (size_t)p->op->Np;
  double *metric = NULL, *density = NULL, *more = NULL;
  int32_t *node = NULL;
  if (DG_NEW(metric, 6 * padded, err) != 0 || DG_NEW(density, padded, err) != 0 || DG_NEW(more, padded, err) != 0 ||
      DG_NEW(node, Np * padded, err) != 0)
    goto fail;
  for (size_t e = 0; e < p->op->K; e++) {
    double G[6], unused[6];
    dg_elliptic_element(p->from, e, G, &density[e]);
    if (p->more != NULL) dg_elliptic_element(p->more, e, unused, &more[e]);
    for (size_t q = 0; q < 6; q++) metric[(e / lanes * 6 + q) * lanes + e % lanes] = G[q];
    for (size_t i = 0; i < Np; i++) node[place_of(p, e, i)] = p->view.space->number[e * Np + i];
  }
  if (send(p, &p->op->metric, metric, 6 * padded * sizeof *metric, err) != 0 ||
      send(p, &p->op->density, density, padded * sizeof *density, err) != 0 ||
      (p->more != NULL && send(p, &p->op->more, more, padded * sizeof *more, err) != 0))
    goto fail;
  (void)!send(p, &p->op->node, node, Np * padded * sizeof *node, err);
fail:
  dg_free(metric);
  dg_free(density);
  dg_free(more);
  dg_free(node);
  return err->code;
}

static int pack_curves(const struct packing *p, struct dg_error *err)
{
  const struct dg_elliptic_view *view = &p->view;
  const size_t bytes = view->curved * (size_t)view->Np * (size_t)view->Np * sizeof(double);
  p->op->curved = view->curved;
  if (view->curved == 0) return 0;
  if (send(p, &p->op->curve, view->curve, view->curved * sizeof *view->curve, err) != 0 ||
      send(p, &p->op->curved_stiffness, view->curved_stiffness, bytes, err) != 0 ||
      send(p, &p->op->curved_mass, view->curved_mass, bytes, err) != 0)
    return err->code;
  return p->more != NULL ? send(p, &p->op->curved_more, dg_elliptic_look(p->more).curved_mass, bytes, err) : 0;
}

/* node[faces][Nf] is also what the rows need. */
static int pack_faces(const struct packing *p, int32_t **node, struct dg_error *err)
{
  const struct dg_elliptic_view *view = &p->view;
  const struct dg_reference *ref = &view->space->ref;
  const size_t Nf = (size_t)ref->Nf, Np = (size_t)ref->Np;
  p->op->faces = view->faces;
  if (DG_NEW(*node, view->faces * Nf, err) != 0 || view->faces == 0) return err->code;
  for (size_t n = 0; n < view->faces; n++)
    for (size_t i = 0; i < Nf; i++) {
      const size_t e = (size_t)view->face[n] / 4, f = (size_t)view->face[n] % 4;
      (*node)[n * Nf + i] = view->space->number[e * Np + (size_t)ref->face_node[f * Nf + i]];
    }
  if (send(p, &p->op->face_node, *node, view->faces * Nf * sizeof **node, err) != 0) return err->code;
  return send(p, &p->op->face, view->face_matrix, view->faces * Nf * Nf * sizeof(double), err);
}

/* The sums of tiles. */
struct sums {
  size_t count;
  int32_t *first;          /* [tiles + 1] */
  int32_t *unknown;        /* [count] */
  uint16_t *begin, *entry; /* as in kernels.h */
};

/* Lists the unknowns of a tile, each once, in sums->unknown from sums->count on; length[]: how many nodes of the tile
 * each has; local[unknown]: its place in the list. Returns their number. */
static size_t list_unknowns(const struct packing *p, size_t tile, struct sums *sums, int32_t *stamp, int32_t *local,
                            int *length)
{
  const size_t Np = (size_t)p->op->Np, begin = tile * p->lanes;
  const size_t end = begin + p->lanes < p->op->K ? begin + p->lanes : p->op->K;
  const int32_t *number = p->view.space->number;
  size_t count = 0;
  for (size_t n = begin * Np; n < end * Np; n++) {
    const int32_t r = number[n];
    if (stamp[r] != (int32_t)tile + 1) {
      stamp[r] = (int32_t)tile + 1;
      local[r] = (int32_t)count;
      length[count] = 0;
      sums->unknown[sums->count + count++] = r;
    }
    length[local[r]]++;
  }
  return count;
}

/* Sorts the list by length, the longest first: threads beside each other then take as long. */
static int by_length(const void *a, const void *b)
{
  const int32_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void add_sums(const struct packing *p, size_t tile, struct sums *sums, int32_t *stamp, int32_t *local,
                     int *length, int32_t (*pair)[2])
{
  const size_t Np = (size_t)p->op->Np, start = tile * p->lanes;
  const size_t end = start + p->lanes < p->op->K ? start + p->lanes : p->op->K;
  const size_t count = list_unknowns(p, tile, sums, stamp, local, length);
  uint16_t *begin = sums->begin + sums->count + tile, *entry = sums->entry + tile * Np * p->lanes;
  int32_t *unknown = sums->unknown + sums->count;
  for (size_t k = 0; k < count; k++) pair[k][0] = length[k], pair[k][1] = unknown[k];
  qsort(pair, count, sizeof *pair, by_length);
  int at = 0;
  for (size_t k = 0; k < count; k++) {
    unknown[k] = pair[k][1];
    begin[k] = (uint16_t)at;
    local[unknown[k]] = at; /* where its next entry goes */
    at += pair[k][0];
  }
  begin[count] = (uint16_t)at;
  for (size_t i = 0; i < Np; i++)
    for (size_t e = start; e < end; e++)
      entry[local[p->view.space->number[e * Np + i]]++] = (uint16_t)(i * p->lanes + e % p->lanes);
  sums->first[tile] = (int32_t)sums->count;
  sums->count += count;
}

static int make_sums(const struct packing *p, struct sums *sums, struct dg_error *err)
{
  const size_t nodes = (size_t)p->op->Np * p->lanes, tiles = p->op->tiles, count = p->view.space->count;
  int32_t *stamp = NULL, *local = NULL, (*pair)[2] = NULL;
  int *length = NULL;
  if (DG_NEW(sums->first, tiles + 1, err) == 0 && DG_NEW(sums->unknown, tiles * nodes, err) == 0 &&
      DG_NEW(sums->begin, tiles * nodes + tiles, err) == 0 && DG_NEW(sums->entry, tiles * nodes, err) == 0 &&
      DG_NEW(stamp, count, err) == 0 && DG_NEW(local, count, err) == 0 && DG_NEW(length, nodes, err) == 0 &&
      DG_NEW(pair, nodes, err) == 0) {
    for (size_t tile = 0; tile < tiles; tile++) add_sums(p, tile, sums, stamp, local, length, pair);
    sums->first[tiles] = (int32_t)sums->count;
  }
  dg_free(stamp);
  dg_free(local);
  dg_free(length);
  dg_free(pair);
  return err->code;
}

static int send_sums(const struct packing *p, const struct sums *sums, struct dg_error *err)
{
  const size_t nodes = (size_t)p->op->Np * p->lanes, tiles = p->op->tiles;
  p->op->sums = sums->count;
  if (send(p, &p->op->first, sums->first, (tiles + 1) * sizeof *sums->first, err) != 0 ||
      send(p, &p->op->begin, sums->begin, (sums->count + tiles) * sizeof *sums->begin, err) != 0)
    return err->code;
  return send(p, &p->op->entry, sums->entry, tiles * nodes * sizeof *sums->entry, err);
}

static void release_sums(struct sums *sums)
{
  dg_free(sums->first);
  dg_free(sums->unknown);
  dg_free(sums->begin);
  dg_free(sums->entry);
}

/* Where each unknown finds its places: rows[count + 1], and entries. */
struct rows {
  size_t *begin;
  int32_t *entry;
};

/* The unknowns of all places in their order: sums of tiles, curved elements, faces. */
static int list_places(const struct packing *p, const struct sums *sums, const int32_t *face_node, int32_t **unknown,
                       size_t *places, struct dg_error *err)
{
  const size_t Np = (size_t)p->op->Np, face_nodes = p->op->faces * (size_t)p->op->Nf;
  size_t n = 0;
  *places = sums->count + p->op->curved * Np + face_nodes;
  if (DG_NEW(*unknown, *places, err) != 0) return err->code;
  for (size_t k = 0; k < sums->count; k++) (*unknown)[n++] = sums->unknown[k];
  for (size_t c = 0; c < p->op->curved; c++)
    for (size_t i = 0; i < Np; i++) (*unknown)[n++] = p->view.space->number[(size_t)p->view.curve[c] * Np + i];
  for (size_t k = 0; k < face_nodes; k++) (*unknown)[n++] = face_node[k];
  return 0;
}

static int make_rows(const struct packing *p, const int32_t *unknown, size_t places, struct rows *rows,
                     struct dg_error *err)
{
  const size_t count = p->view.space->count;
  size_t *next = NULL;
  if (DG_NEW(rows->begin, count + 1, err) == 0 && DG_NEW(rows->entry, places, err) == 0 &&
      DG_NEW(next, count + 1, err) == 0) {
    for (size_t n = 0; n < places; n++) rows->begin[unknown[n] + 1]++;
    for (size_t r = 0; r < count; r++) next[r + 1] = rows->begin[r + 1] += rows->begin[r];
    for (size_t n = 0; n < places; n++) rows->entry[next[unknown[n]]++] = (int32_t)n;
  }
  dg_free(next);
  return err->code;
}

static size_t pieces_of(size_t length)
{
  return length > GPU_ELLIPTIC_LONG ? (length + GPU_ELLIPTIC_PIECE - 1) / GPU_ELLIPTIC_PIECE : 0;
}

/* The rows as the kernels read them: a long row, such as that of a body, has its pieces as entries. */
struct split {
  int32_t *row, *slot, *piece_row, *piece_slot;
  size_t slots, pieces, piece_slots;
};

static int split_rows(const struct packing *p, const struct rows *rows, size_t behind, struct split *split,
                      struct dg_error *err)
{
  const size_t count = p->view.space->count, all = rows->begin[count];
  size_t pieces = 0;
  for (size_t r = 0; r < count; r++) pieces += pieces_of(rows->begin[r + 1] - rows->begin[r]);
  if (DG_NEW(split->row, count + 1, err) != 0 || DG_NEW(split->slot, all + pieces, err) != 0 ||
      DG_NEW(split->piece_row, pieces + 1, err) != 0 || DG_NEW(split->piece_slot, all, err) != 0)
    return err->code;
  for (size_t r = 0; r < count; r++) {
    const size_t end = rows->begin[r + 1];
    const bool is_long = pieces_of(end - rows->begin[r]) > 0;
    for (size_t n = rows->begin[r]; n < end; n++) {
      if (is_long && (n - rows->begin[r]) % GPU_ELLIPTIC_PIECE == 0) {
        split->piece_row[split->pieces] = (int32_t)split->piece_slots;
        split->slot[split->slots++] = (int32_t)(behind + split->pieces++);
      }
      if (is_long) split->piece_slot[split->piece_slots++] = rows->entry[n];
      else split->slot[split->slots++] = rows->entry[n];
    }
    split->row[r + 1] = (int32_t)split->slots;
  }
  split->piece_row[split->pieces] = (int32_t)split->piece_slots;
  return 0;
}

static int send_split(const struct packing *p, const struct split *split, struct dg_error *err)
{
  struct gpu_elliptic *op = p->op;
  op->pieces = split->pieces;
  if (send(p, &op->row, split->row, (op->count + 1) * sizeof *split->row, err) != 0 ||
      send(p, &op->slot, split->slot, split->slots * sizeof *split->slot, err) != 0 ||
      send(p, &op->piece_row, split->piece_row, (split->pieces + 1) * sizeof *split->piece_row, err) != 0)
    return err->code;
  return send(p, &op->piece_slot, split->piece_slot, split->piece_slots * sizeof *split->piece_slot, err);
}

static int pack_rows(const struct packing *p, const int32_t *face_node, size_t *places, struct dg_error *err)
{
  struct sums sums = {0};
  struct rows rows = {0};
  struct split split = {0};
  int32_t *unknown = NULL;
  p->op->count = p->view.space->count;
  if (make_sums(p, &sums, err) == 0 && send_sums(p, &sums, err) == 0 &&
      list_places(p, &sums, face_node, &unknown, places, err) == 0 && make_rows(p, unknown, *places, &rows, err) == 0 &&
      split_rows(p, &rows, *places, &split, err) == 0 && send_split(p, &split, err) == 0)
    *places += split.pieces;
  release_sums(&sums);
  dg_free(unknown);
  dg_free(rows.begin);
  dg_free(rows.entry);
  dg_free(split.row);
  dg_free(split.slot);
  dg_free(split.piece_row);
  dg_free(split.piece_slot);
  return err->code;
}

/* Places of curved elements and of faces. */
static size_t view_places(const struct dg_elliptic_view *view)
{
  return view->curved * (size_t)view->Np + view->faces * (size_t)view->space->ref.Nf;
}

int gpu_elliptic_pack(struct gpu_elliptic *op, struct gpu_memory *card, const struct dg_elliptic *from,
                      const struct dg_elliptic *more, size_t *places, struct dg_error *err)
{
  struct packing p = {.op = op, .card = card, .from = from, .more = more, .view = dg_elliptic_look(from)};
  const struct dg_reference *ref = &p.view.space->ref;
  int32_t *face_node = NULL;
  p.lanes = (size_t)gpu_elliptic_lanes(ref->order);
  op->order = ref->order;
  op->Np = ref->Np;
  op->Nf = ref->Nf;
  op->modes = p.view.modes;
  op->K = p.view.space->mesh->K;
  op->tiles = (op->K + p.lanes - 1) / p.lanes;
  if (op->tiles * p.lanes * (size_t)op->Np > INT32_MAX / 2 || view_places(&p.view) > INT32_MAX / 2)
    return dg_fail(err, DG_INPUT, "there are more than 2^30 nodes for one card");
  if (look_at_card(&p, err) == 0 && pack_matrices(&p, err) == 0 && pack_tiles(&p, err) == 0 &&
      pack_curves(&p, err) == 0 && pack_faces(&p, &face_node, err) == 0)
    (void)!pack_rows(&p, face_node, places, err);
  dg_free(face_node);
  return err->code;
}
