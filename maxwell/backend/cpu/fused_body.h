/* Fields and time stepping of the `cpu` backend, once for every precision: the file that includes it defines REAL,
 * LANES and NAME(x). Layout and formulas: fused.h.
 *
 * Where faces between elements have a penalty, the next values go to a buffer, because the penalty needs the
 * neighbours' old ones; written past the caches, that costs no traffic. Leapfrog changes one field at a time and takes
 * turns with one buffer. Without such a penalty it works in place, but for steps that are observed: they keep the old
 * H.
 *
 * Blocks have either straight or curved elements (fused_curves.h), so that straight ones do not pay for the others. The
 * elements of a mesh with curved ones therefore stand in another order; `home` has their rows. */

/* The tables of curved elements: mx_fused_curves has the arrays of the same names. */
struct NAME(curves) {
  REAL *at, *project, *face_at, *face_project, *metric, *face;
  int32_t *point;                /* [Nq] points of the rule by orbit */
  struct mx_curve_tables tables; /* the rule alone, for work on the host outside of the kernels */
  struct mx_squares squares;
};

#include "maxwell/terms/host/host_row.h"

struct NAME(state) {
  const struct mx_problem *problem;
  struct mx_backend_options options;
  struct mx_schedule schedule;
  const struct mx_fused_kernels *kernels;
  struct mx_fused fused;
  int threads;
  size_t row;             /* numbers of an element */
  size_t blocks, numbers; /* of a field without its ghosts, padded to whole blocks */
  /* The blocks of a set's straight and of its curved elements. In memory come the straight inner ones, the curved inner
   * ones, the straight outer ones, the curved outer ones. */
  struct mx_set over[MX_SETS][2];
  size_t ghost_blocks; /* behind the others */
  int32_t *home;       /* [K] rows of the elements; NULL: as they are numbered */
  int32_t *resident;   /* [blocks][W] elements of the rows, -1: none; NULL: as they are numbered */
  REAL *field[2];      /* E, H */
  REAL *spare[2];      /* buffers that take their next values; leapfrog has the first alone */
  REAL *room[10];      /* what the fields, buffers, registers and sums were allocated as */
  size_t rooms;
  REAL *kept, *change; /* of a part that takes shorter steps: H of the whole before its pass, and what the pass added */
  const int32_t *whole; /* [K] its elements in the whole; borrowed */
  bool in_place;        /* leapfrog: no face between two elements has a penalty */
  REAL *registers[2];   /* runge-kutta: dt times the rates, or the second register */
  REAL *sum[2];         /* of schemes with sums */
  double *mass;
  REAL *matrix, *metric[2], *decay[2], *jump[2], *penalty[2];
  REAL *plain[2]; /* NULL: no medium has a tensor */
  bool lossy[2];
  size_t open_elements;
  int32_t *open_element; /* [open_elements] elements with a kept face: an open one, or one on a sheet */
  REAL *open;       /* leapfrog: [kept faces][2][Nf] the extrapolation's part in the jump of the field that changes */
  REAL *before[2];  /* leapfrog: [kept faces][3][Nf] the fields one step ago there; of H on sheets: its jump */
  int32_t *nowhere; /* mx_fused */
  int32_t *orbit, *node, *place, *gather, *neighbour, *weight;
  uint8_t *flags;
  int *term_threads; /* [terms] threads that add a source term */
  /* [terms][count][nodes] of terms in curved elements, with which their vectors become covariant, or densities; else
   * NULL */
  double (**term_frame)[3][3];
  struct mx_fused_functional *functional;
  struct NAME(curves) curves;
  void *own[MX_TERMS]; /* of the terms that act around a pass (maxwell/terms/host/host_row.h) */
  bool observed;
  bool within;                            /* a step with sums is under way: the fields as they are lie in spare */
  bool starting;                          /* H goes half a step back: responses have not begun */
  struct dg_exchange *exchange;           /* with other ranks, or NULL */
  int travelling;                         /* fields whose traces travel at a time */
  double halo_seconds;                    /* time in which the backend only packed, waited and unpacked */
  const struct mx_stage_sources *sources; /* of the stage in progress */
  struct mx_profile *profile;             /* borrowed, or NULL */
};

/* ---- where things are */

static inline size_t NAME(row_of)(const struct NAME(state) * state, size_t e)
{
  return state->home != NULL ? (size_t)state->home[e] : e;
}

/* The element of a row, SIZE_MAX: none. */
static inline size_t NAME(resident)(const struct NAME(state) * state, size_t row)
{
  if (state->resident == NULL) return row < state->problem->K ? row : SIZE_MAX;
  return state->resident[row] >= 0 ? (size_t)state->resident[row] : SIZE_MAX;
}

static inline size_t NAME(at)(const struct NAME(state) * state, size_t e, size_t c, size_t i)
{
  return NAME(row_of)(state, e) * state->row + 3 * i + c;
}

static inline const struct mx_layer_kernels *NAME(layer_kernels)(const struct NAME(state) * state)
{
  return state->kernels->layers;
}

/* Has a block curved elements? */
static inline bool NAME(curved_block)(const struct NAME(state) * state, size_t block)
{
  const struct mx_set *curved = &state->over[MX_ALL][1];
  return block >= curved->first[MX_OUTER] || (block >= curved->first[MX_INNER] && block < curved->end[MX_INNER]);
}

static inline bool NAME(is_curved)(const struct NAME(state) * state, size_t e)
{
  return state->home != NULL && NAME(curved_block)(state, NAME(row_of)(state, e) / LANES);
}

/* The metric at node i of element e, which gives the frame of the vectors there; *own is storage for it. */
static inline const double *NAME(node_metric)(const struct NAME(state) * state, size_t e, size_t i, double own[9])
{
  if (!NAME(is_curved)(state, e)) return state->problem->metric[e];
  const struct dg_reference *ref = state->problem->ref;
  const double place[3] = {ref->r[i], ref->s[i], ref->t[i]};
  (void)mx_curve_metric(state->problem, (size_t)mx_curve_find(state->problem, e), place, own);
  return own;
}

/* The vector at node i of element e, in Cartesian components. */
static inline void NAME(vector)(const struct NAME(state) * state, const REAL *field, size_t e, size_t i, double v[3])
{
  double u[3], g[3][3], own[9];
  mx_frame_gradients(NAME(node_metric)(state, e, i, own), g);
  for (size_t c = 0; c < 3; c++) u[c] = (double)field[NAME(at)(state, e, c, i)];
  for (size_t b = 0; b < 3; b++) v[b] = u[0] * g[0][b] + u[1] * g[1][b] + u[2] * g[2][b];
}

/* The frame of an element of a layer, which is straight. */
static inline bool NAME(frame)(const struct mx_problem *problem, size_t e, double gradient[3][3], double tangent[3][3])
{
  mx_frame_gradients(problem->metric[e], gradient);
  (void)mx_frame_tangents(problem->metric[e], tangent);
  return true;
}

#include "maxwell/backend/cpu/fused_halo.h"
#include "maxwell/terms/host/host_responses.h"

static inline void NAME(node_vector)(const struct NAME(state) * state, const REAL *field, size_t e, size_t i,
                                     double v[3])
{
  NAME(vector)(state, field, e, i, v);
}

static inline void NAME(kept_vector)(const struct NAME(state) * state, size_t e, size_t f, size_t m, double v[3])
{
  const struct dg_reference *ref = state->problem->ref;
  const size_t Nf = (size_t)ref->Nf, slot = (size_t)mx_kept_slot(state->problem, e, (int)f);
  const REAL *u = state->before[1] + slot * 3 * Nf + m;
  double g[3][3], own[9];
  mx_frame_gradients(NAME(node_metric)(state, e, (size_t)ref->face_node[f * Nf + m], own), g);
  for (size_t b = 0; b < 3; b++) v[b] = (double)u[0] * g[0][b] + (double)u[Nf] * g[1][b] + (double)u[2 * Nf] * g[2][b];
}

static inline REAL *NAME(kept)(const struct NAME(state) * state, enum mx_equation equation)
{
  return state->before[equation];
}

#include "maxwell/backend/cpu/fused_curves.h"
#include "maxwell/backend/cpu/fused_terms.h"
#include "maxwell/terms/host/host_fused.h"
#include "maxwell/terms/host/host_skins.h"
#include "maxwell/terms/host/host_walk.h"

/* ---- set-up */

static void NAME(free_state)(struct NAME(state) * state)
{
  if (state == NULL) return;
  void *arrays[] = {state->matrix,       state->metric[0], state->metric[1],  state->decay[0],   state->decay[1],
                    state->jump[0],      state->jump[1],   state->penalty[0], state->penalty[1], state->open,
                    state->open_element, state->node,      state->gather,     state->neighbour,  state->weight,
                    state->flags,        state->orbit,     state->place,      state->mass,       state->before[0],
                    state->before[1],    state->nowhere,   state->home,       state->resident,   state->plain[0],
                    state->plain[1]};
  for (size_t i = 0; i < state->rooms; i++) dg_free(state->room[i]);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  NAME(free_curves)(&state->curves);
  NAME(free_terms)(state);
  mx_fused_free_functionals(state->functional, state->problem->functionals);
  dg_exchange_free(state->exchange);
  dg_free(state);
}

/* Packs the operators' entries in the order in which the kernels read them (ORDERED(curl)), and the tables of nodes. */
static int NAME(pack_matrices)(struct NAME(state) * state, struct dg_error *err)
{
  const struct dg_reference *ref = state->problem->ref;
  size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf, k = 0;
  struct mx_symmetry symmetry = {0};
  if (mx_symmetry_init(&symmetry, ref, err) != 0 || DG_NEW(state->matrix, 3 * Np * (Np + Nf), err) != 0) goto fail;
  for (int a = 1; a <= 3; a++)
    for (int s = 0; s < 4; s++) {
      int b = a % 3 + 1, c = b % 3 + 1;
      size_t n = mx_sector_size(ref->order, s), rows = (size_t)state->kernels->order[ref->order]->rows[s > 0];
      for (size_t first = 0; first < n; first += rows) {
        /* at order 1 the derivatives into the other sectors are zero, and the kernels have no columns for them */
        const bool derivatives = ref->order > 1 || s == 0;
        for (size_t j = 0; derivatives && j < mx_sector_size(ref->order, s ^ b); j++)
          for (size_t i = first; i < first + rows; i++)
            state->matrix[k++] = (REAL)mx_symmetry_derivative(&symmetry, ref, b, s ^ b, i, j);
        for (size_t j = 0; derivatives && j < mx_sector_size(ref->order, s ^ c); j++)
          for (size_t i = first; i < first + rows; i++)
            state->matrix[k++] = (REAL)-mx_symmetry_derivative(&symmetry, ref, c, s ^ c, i, j);
        /* the kernels take jumps along -t1 and -t2, and the Jacobian of (a, b, c) */
        for (size_t m = 0; m < Nf; m++)
          for (size_t i = first; i < first + rows; i++)
            state->matrix[k++] = (REAL)(-0.5 * mx_symmetry_lift(&symmetry, ref, s, i, m));
      }
    }
  const size_t first_sector = mx_sector_size(ref->order, 0), other = mx_sector_size(ref->order, 1);
  if (DG_NEW(state->mass, first_sector * first_sector + 3 * other * other, err) != 0) goto fail;
  k = 0;
  for (int s = 0; s < 4; s++)
    for (size_t i = 0; i < mx_sector_size(ref->order, s); i++)
      for (size_t j = 0; j < mx_sector_size(ref->order, s); j++)
        state->mass[k++] = mx_symmetry_mass(&symmetry, ref, s, i, j);
  if (DG_NEW(state->node, 4 * Nf, err) != 0 || DG_NEW(state->gather, Nf * LANES, err) != 0) goto fail;
  for (size_t m = 0; m < 4 * Nf; m++) state->node[m] = ref->face_node[m];
  for (size_t m = 0; m < Nf; m++)
    for (size_t l = 0; l < LANES; l++) state->gather[m * LANES + l] = 3 * ref->face_node[l % 4 * Nf + m];
  check_nodes(ref, &symmetry);
  state->orbit = symmetry.node;
  state->place = symmetry.place;
  symmetry = (struct mx_symmetry){0};
fail:
  mx_symmetry_release(&symmetry);
  return err->code;
}

/* The six products of the tangents times the factor, with a tensor between them or NULL, to the lane of a row. */
static void NAME(put_metric)(REAL *metric, size_t row, double factor, const double tensor[6], const double x[3][3])
{
  for (size_t a = 0, k = 0; a < 3; a++)
    for (size_t b = a; b < 3; b++, k++) {
      const double product = tensor != NULL ? mx_tensor_product(tensor, x[a], x[b])
                                            : x[a][0] * x[b][0] + x[a][1] * x[b][1] + x[a][2] * x[b][2];
      metric[(row / LANES * 6 + k) * LANES + row % LANES] = (REAL)(factor * product);
    }
}

/* Packs dt/(eps J) g and -dt/(mu J) g of every straight element, dt/eps and -dt/mu of curved ones, and the factors of
 * their losses. */
static int NAME(pack_metric)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  for (int equation = 0; equation < 2; equation++) {
    state->lossy[equation] = mx_any_decay(problem, &state->options, (enum mx_equation)equation);
    if (DG_NEW(state->metric[equation], state->blocks * 6 * LANES, err) != 0 ||
        (problem->shapes > 0 && DG_NEW(state->plain[equation], state->blocks * 6 * LANES, err) != 0) ||
        DG_NEW(state->decay[equation], (state->lossy[equation] ? state->blocks : 1) * LANES, err) != 0)
      return err->code;
  }
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t row = 0; row < state->blocks * LANES; row++) {
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* for lanes without an element */
    const size_t e = NAME(resident)(state, row);
    const bool there = e != SIZE_MAX, curved = NAME(curved_block)(state, row / LANES);
    const struct mx_tensor *tensor = there ? mx_tensor_of(problem, e) : NULL;
    double x[3][3], jacobian = mx_frame_tangents(there ? problem->metric[e] : unit, x);
    for (int equation = 0; equation < 2; equation++) {
      struct mx_medium_update update = {.gain = state->options.step};
      if (there) update = mx_update_of(problem, &state->options, (enum mx_equation)equation, e);
      const double storage = there ? mx_medium_of(problem, (enum mx_equation)equation, e).storage : 1;
      const double factor = (equation == 0 ? update.gain : -update.gain) / storage;
      if (state->lossy[equation]) state->decay[equation][row] = (REAL)-update.loss;
      if (curved) {
        for (size_t k = 0; k < 6; k++)
          state->metric[equation][(row / LANES * 6 + k) * LANES + row % LANES] = (REAL)(k == 0 ? factor : 0);
        continue;
      }
      NAME(put_metric)
      (state->metric[equation], row, factor / jacobian, tensor != NULL ? tensor->inverse[equation] : NULL,
       (const double(*)[3])x);
      if (state->plain[equation] != NULL)
        NAME(put_metric)(state->plain[equation], row, factor / jacobian, NULL, (const double(*)[3])x);
    }
  }
  return 0;
}

/* Packs the neighbours, the table of different flux weights, and the flags of blocks. */
static int NAME(pack_faces)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  size_t faces = state->blocks * 4 * LANES, count;
  const int32_t zeros = (int32_t)(state->row * LANES * (state->blocks + state->ghost_blocks)); /* a row of zeros */
  const int32_t ghosts = 4 * (int32_t)(NAME(ghost)(state, 0) - problem->K); /* added to the problem's codes of ghosts */
  struct mx_face_flux *table = NULL;
  if (DG_NEW(state->neighbour, faces, err) != 0 || DG_NEW(state->weight, faces, err) != 0 ||
      DG_NEW(state->flags, state->blocks, err) != 0 || DG_NEW(state->nowhere, LANES, err) != 0)
    return err->code;
  for (size_t l = 0; l < LANES; l++) state->nowhere[l] = zeros;
  int32_t(*index)[4];
  if (DG_NEW(index, problem->K, err) != 0) return err->code;
  if (mx_distinct_fluxes(problem, index, &table, &count, err) != 0) goto fail;
  for (int equation = 0; equation < 2; equation++) {
    if (DG_NEW(state->jump[equation], count, err) != 0 || DG_NEW(state->penalty[equation], count, err) != 0) goto fail;
    for (size_t i = 0; i < count; i++) {
      state->jump[equation][i] = (REAL)(equation == 0 ? table[i].h_jump : table[i].e_jump);
      state->penalty[equation][i] = (REAL)(equation == 0 ? table[i].e_penalty : table[i].h_penalty);
    }
  }
  bool between = false; /* a penalty on a face between two elements */
#pragma omp parallel for num_threads(state->threads) schedule(static) reduction(|| : between)
  for (size_t block = 0; block < state->blocks; block++) {
    bool uniform = true, penalty = false;
    for (size_t f = 0; f < 4; f++)
      for (size_t l = 0; l < LANES; l++) {
        const size_t e = NAME(resident)(state, block * LANES + l), at = (block * 4 + f) * LANES + l;
        const bool there = e != SIZE_MAX;
        int32_t code = there ? problem->neighbour[e][f] : MX_GHOST;
        if (code >= 0 && (size_t)code / 4 >= problem->K) code += ghosts;
        else if (code >= 0) code = 4 * (int32_t)NAME(row_of)(state, (size_t)code / 4) + code % 4;
        state->neighbour[at] = code >= 0 ? (int32_t)state->row * (code / 4) + code % 4 : zeros;
        state->weight[at] = there ? index[e][f] : 0;
        uniform = uniform && state->weight[at] == 0;
        const struct mx_face_flux *weights = &table[state->weight[at]];
        const bool penalised = weights->e_penalty != 0 || weights->h_penalty != 0;
        penalty = penalty || penalised;
        between = between || (penalised && code >= 0);
      }
    state->flags[block] = (uint8_t)((uniform ? MX_BLOCK_UNIFORM : 0) | (penalty ? MX_BLOCK_PENALTY : 0));
  }
  state->in_place = mx_scheme_of(&state->options)->staggered && !between;
fail:
  dg_free(index);
  dg_free(table);
  return err->code;
}

/* Allocates a field. The threads that will work on a page zero it, so that the page lies near its thread. Large arrays
 * begin at the beginning of a page, and numbers at the same place of several pages fall on the same few lines of a
 * cache: every field therefore begins a little further behind. */
static int NAME(new_field)(struct NAME(state) * state, REAL **field, struct dg_error *err)
{
  enum { APART = 277 * MX_FUSED_BYTES / sizeof(REAL) }; /* an odd number of lines, more than four pages of 4 KiB */
  const size_t per_block = state->row * LANES, shift = state->rooms * APART;
  /* The last block is zeros. Kernels read one number behind it. */
  const size_t rest = (state->ghost_blocks + 1) * per_block + LANES;
  REAL **room = &state->room[state->rooms];
  if (dg_alloc_untouched(room, shift + state->numbers + rest, sizeof **room, err) != 0) return err->code;
  *field = *room + shift;
  state->rooms++;
  memset(*field + state->numbers, 0, rest * sizeof(REAL));
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t block = 0; block < state->blocks; block++)
    memset(*field + block * per_block, 0, per_block * sizeof(REAL));
  return 0;
}

static int NAME(pack_functionals)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  size_t Np = (size_t)problem->ref->Np;
  if (DG_NEW(state->functional, problem->functionals, err) != 0) return err->code;
  for (size_t f = 0; f < problem->functionals; f++) {
    const struct mx_functional *from = &problem->functional[f];
    struct mx_fused_functional *to = &state->functional[f];
    to->count = 3 * from->count;
    if (DG_NEW(to->index, to->count, err) != 0 || DG_NEW(to->weight, to->count, err) != 0) return err->code;
    for (size_t k = 0; k < from->count; k++) {
      size_t e = from->index[k] / (3 * Np), b = from->index[k] / Np % 3, i = from->index[k] % Np;
      double gradient[3][3], own[9];
      mx_frame_gradients(NAME(node_metric)(state, e, i, own), gradient);
      for (size_t a = 0; a < 3; a++) {
        to->index[3 * k + a] = NAME(at)(state, e, a, i);
        to->weight[3 * k + a] = from->weight[k] * gradient[a][b];
      }
    }
  }
  return 0;
}

static int NAME(list_open)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  if (DG_NEW(state->open_element, mx_kept_faces(problem), err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++) {
    bool open = false;
    for (int f = 0; f < 4; f++) open = open || mx_kept_slot(problem, e, f) >= 0;
    if (open) state->open_element[state->open_elements++] = (int32_t)e;
  }
  return 0;
}

static int NAME(new_fields)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_scheme *scheme = mx_scheme_of(&state->options);
  for (int i = 0; i < 2; i++)
    if (NAME(new_field)(state, &state->field[i], err) != 0 ||
        ((i == 0 || !scheme->staggered) && NAME(new_field)(state, &state->spare[i], err) != 0) ||
        (!scheme->staggered && NAME(new_field)(state, &state->registers[i], err) != 0) ||
        (scheme->sums && NAME(new_field)(state, &state->sum[i], err) != 0))
      return err->code;
  return 0;
}

static int NAME(new_state)(struct NAME(state) * *result, const struct mx_problem *problem,
                           const struct mx_backend_options *options, struct dg_error *err)
{
  struct NAME(state) * state;
  if (DG_NEW(state, 1, err) != 0) return err->code;
  const size_t Nf = (size_t)problem->ref->Nf;
  const struct mx_scheme *scheme = mx_scheme_of(options);
  state->problem = problem;
  state->options = *options;
  state->schedule = mx_schedule_of(options->integrator, problem);
  state->row = MX_FUSED_ROW((size_t)problem->ref->order);
  if (NAME(lay_out)(state, err) != 0) goto fail;
  state->numbers = state->blocks * state->row * LANES;
  state->threads = mx_fused_threads(state->blocks);
  if (state->numbers + (state->ghost_blocks + 1) * state->row * LANES > INT32_MAX) {
    (void)dg_fail(err, DG_INPUT, "the cpu backend takes at most %zu elements of this order a process; there are %zu",
                  (size_t)INT32_MAX / state->row, problem->K);
    goto fail;
  }
  if (find_kernels(options->precision == MX_SINGLE, &state->kernels, err) != 0 ||
      NAME(pack_matrices)(state, err) != 0 || NAME(pack_metric)(state, err) != 0 || NAME(pack_faces)(state, err) != 0 ||
      NAME(pack_curves)(state, err) != 0 || NAME(pack_functionals)(state, err) != 0 ||
      NAME(new_terms)(state, err) != 0 || NAME(new_exchange)(state, err) != 0 || NAME(new_fields)(state, err) != 0)
    goto fail;
  const size_t kept = mx_kept_faces(problem) * Nf;
  if (NAME(list_open)(state, err) != 0 ||
      (scheme->staggered && (DG_NEW(state->open, kept * 2, err) != 0 || DG_NEW(state->before[0], kept * 3, err) != 0 ||
                             DG_NEW(state->before[1], kept * 3, err) != 0)))
    goto fail;
  state->fused =
      (struct mx_fused){.order = problem->ref->order,
                        .nowhere = state->nowhere,
                        .stream = mx_fused_streams((scheme->staggered ? 3 : 6) * state->numbers * sizeof(REAL)),
                        .blocks = state->blocks,
                        .ahead = mx_fused_ahead(2 * state->row * MX_FUSED_BYTES),
                        .ahead_far = 4,
                        .near = 128 * (int32_t)state->row,
                        .matrix = state->matrix,
                        .mass = state->mass,
                        .orbit = state->orbit,
                        .node = state->node,
                        .place = state->place,
                        .gather = state->gather,
                        .neighbour = state->neighbour,
                        .weight = state->weight,
                        .flags = state->flags,
                        .jump = {state->jump[0], state->jump[1]},
                        .penalty = {state->penalty[0], state->penalty[1]},
                        .metric = {state->metric[0], state->metric[1]},
                        .plain = {problem->shapes > 0 ? state->plain[0] : state->metric[0],
                                  problem->shapes > 0 ? state->plain[1] : state->metric[1]},
                        .decay = {state->decay[0], state->decay[1]},
                        .lossy = {state->lossy[0], state->lossy[1]},
                        .curves = NAME(fused_curves)(state)};
  *result = state;
  return 0;
fail:
  NAME(free_state)(state);
  return err->code;
}

#include "maxwell/backend/cpu/fused_step.h"
#include "maxwell/backend/cpu/fused_fine.h"
#include "maxwell/backend/cpu/fused_checkpoint.h"
#include "maxwell/backend/cpu/fused_observe.h"
