/* Curved elements of the `cpu` backend beside the kernels: the order of rows, tables, and work on single elements; part
 * of fused_body.h, once for every precision. maxwell/problem/curved.h has the method, fused_curved.h the kernels.
 *
 * The tables in memory are those of the kernels: six numbers a point of the rule, and two a point of a face where
 * there is a penalty. Work outside of the kernels reads them, too, so that it sees the same operators. */

static void NAME(free_curves)(struct NAME(curves) * curves)
{
  void *arrays[] = {curves->at,     curves->project, curves->face_at, curves->face_project,
                    curves->metric, curves->face,    curves->point};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  mx_curve_tables_release(&curves->tables);
  mx_squares_release(&curves->squares);
}

/* ---- rows */

/* The blocks with the core's elements, which come first in each run of `over`: core[rim][curved] of them. Where a block
 * has elements of both runs, it belongs to the outer one. */
static void NAME(lay_out_core)(struct NAME(state) * state, size_t core[2][2])
{
  for (int curved = 0; curved < 2; curved++)
    for (int rim = 0; rim < 2; rim++) {
      const struct mx_set *all = &state->over[MX_ALL][curved];
      struct mx_set *over = &state->over[MX_CORE][curved];
      const size_t blocks = (core[rim][curved] + LANES - 1) / LANES, room = all->end[rim] - all->first[rim];
      over->first[rim] = all->first[rim];
      over->end[rim] = all->first[rim] + (blocks < room ? blocks : room);
    }
}

/* Gives every element its row: straight and curved ones have blocks of their own. Without curved ones rows are
 * elements. */
static int NAME(lay_out)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  const struct mx_curves *curves = &problem->curves;
  const struct mx_set *core = &problem->set[MX_CORE];
  const size_t inner = problem->set[MX_ALL].end[MX_INNER];
  struct mx_set *over = state->over[MX_ALL];
  size_t count[2][2] = {{inner, 0}, {problem->K - inner, 0}}, next[2][2], at = 0; /* by rim, and straight or curved */
  size_t of_core[2][2] = {{core->end[MX_INNER], 0}, {core->end[MX_OUTER] - core->first[MX_OUTER], 0}};
  state->ghost_blocks = (problem->ghosts + LANES - 1) / LANES;
  if (curves->count == 0) {
    state->blocks = (problem->K + LANES - 1) / LANES;
    over[0] = mx_set_of(inner < problem->K ? inner / LANES : state->blocks, state->blocks);
    over[1] =
        (struct mx_set){.first = {over[0].end[MX_INNER], state->blocks}, .end = {over[0].end[MX_INNER], state->blocks}};
    /* the block where the runs meet */
    if (of_core[MX_OUTER][0] > 0) of_core[MX_OUTER][0] = core->end[MX_OUTER] - over[0].end[MX_INNER] * LANES;
    else if (core->end[MX_INNER] > over[0].end[MX_INNER] * LANES)
      of_core[MX_OUTER][0] = core->end[MX_INNER] - over[0].end[MX_INNER] * LANES;
    NAME(lay_out_core)(state, of_core);
    return 0;
  }
  for (size_t k = 0; k < curves->count; k++) {
    const size_t e = (size_t)curves->where[k];
    const enum mx_rim rim = e < inner ? MX_INNER : MX_OUTER;
    count[rim][0]--;
    count[rim][1]++;
    if (mx_rests(problem, e)) continue;
    of_core[rim][0]--;
    of_core[rim][1]++;
  }
  for (int rim = 0; rim < 2; rim++)
    for (int curved = 0; curved < 2; curved++) {
      over[curved].first[rim] = at;
      next[rim][curved] = at * LANES;
      over[curved].end[rim] = at += (count[rim][curved] + LANES - 1) / LANES;
    }
  NAME(lay_out_core)(state, of_core);
  state->blocks = at;
  if (DG_NEW(state->home, problem->K, err) != 0 || DG_NEW(state->resident, state->blocks * LANES, err) != 0)
    return err->code;
  for (size_t row = 0; row < state->blocks * LANES; row++) state->resident[row] = -1;
  for (size_t e = 0, k = 0; e < problem->K; e++) {
    const bool curved = k < curves->count && (size_t)curves->where[k] == e;
    const size_t row = next[e < inner ? MX_INNER : MX_OUTER][curved]++;
    if (curved) k++;
    state->home[e] = (int32_t)row;
    state->resident[row] = (int32_t)e;
  }
  return 0;
}

/* The number of the element's block among those of curved elements. */
static size_t NAME(curved_number)(const struct NAME(state) * state, size_t e)
{
  const size_t block = NAME(row_of)(state, e) / LANES;
  const struct mx_set *curved = &state->over[MX_ALL][1];
  if (block < curved->end[MX_INNER]) return block - curved->first[MX_INNER];
  return block - curved->first[MX_OUTER] + curved->end[MX_INNER] - curved->first[MX_INNER];
}

static struct mx_fused_curves NAME(fused_curves)(const struct NAME(state) * state)
{
  const struct NAME(curves) *curves = &state->curves;
  const struct mx_set *curved = &state->over[MX_ALL][1];
  return (struct mx_fused_curves){.at = curves->at,
                                  .project = curves->project,
                                  .face_at = curves->face_at,
                                  .face_project = curves->face_project,
                                  .metric = curves->metric,
                                  .face = curves->face,
                                  .first = {curved->first[MX_INNER], curved->first[MX_OUTER]},
                                  .last = curved->end[MX_INNER]};
}

/* ---- tables */

/* Appends a matrix in the order in which the kernels read it (ORDERED(apply)). */
static REAL *NAME(pack_goes)(const double *matrix, size_t rows, size_t columns, size_t most, REAL *to)
{
  const size_t go = MX_ROWS_A_GO(rows, most);
  for (size_t first = 0; first < rows; first += go)
    for (size_t j = 0; j < columns; j++)
      for (size_t i = first; i < first + go; i++) *to++ = i < rows ? (REAL)matrix[i * columns + j] : 0;
  return to;
}

static size_t NAME(goes_size)(size_t rows, size_t columns, size_t most)
{
  const size_t go = MX_ROWS_A_GO(rows, most);
  return (rows + go - 1) / go * go * columns;
}

/* Packs interpolation to the points and projection back, by sectors. */
static int NAME(pack_sectors)(struct NAME(state) * state, struct dg_error *err)
{
  struct NAME(curves) *curves = &state->curves;
  const struct dg_reference *ref = state->problem->ref;
  const size_t most = (size_t)state->kernels->curved_rows, points = mx_point_sector_size(ref->order, 0),
               nodes = mx_sector_size(ref->order, 0);
  const struct mx_symmetry symmetry = {.node = state->orbit, .place = state->place};
  double *matrix = NULL;
  size_t sizes[2] = {0, 0};
  for (int s = 0; s < 4; s++) {
    const size_t n = mx_sector_size(ref->order, s), m = mx_point_sector_size(ref->order, s);
    sizes[0] += NAME(goes_size)(m, n, most);
    sizes[1] += NAME(goes_size)(n, m, most);
  }
  if (DG_NEW(matrix, points * nodes, err) != 0 || DG_NEW(curves->at, sizes[0], err) != 0 ||
      DG_NEW(curves->project, sizes[1], err) != 0)
    goto fail;
  REAL *at = curves->at, *project = curves->project;
  for (int s = 0; s < 4; s++) {
    const size_t n = mx_sector_size(ref->order, s), m = mx_point_sector_size(ref->order, s);
    for (size_t k = 0; k < m * n; k++)
      matrix[k] = mx_points_at(curves->point, &symmetry, ref, &curves->tables.rule, s, k / n, k % n);
    at = NAME(pack_goes)(matrix, m, n, most, at);
    for (size_t k = 0; k < m * n; k++)
      matrix[k] = mx_points_project(curves->point, &symmetry, ref, &curves->tables.rule, s, k / m, k % m);
    project = NAME(pack_goes)(matrix, n, m, most, project);
  }
fail:
  dg_free(matrix);
  return err->code;
}

/* Fills the weights at the points of curved element k, and the metrics of its faces. */
static void NAME(pack_curve)(struct NAME(state) * state, size_t k)
{
  const struct mx_problem *problem = state->problem;
  const struct dg_quadrature *rule = &state->curves.tables.rule;
  const size_t e = (size_t)problem->curves.where[k], lane = NAME(row_of)(state, e) % LANES;
  const size_t block = NAME(curved_number)(state, e), Nq = (size_t)rule->volume.points, Nfq = (size_t)rule->face.points;
  double metric[9], x[3][3], g[3][3];
  for (size_t q = 0; q < Nq; q++) {
    (void)mx_curve_metric(problem, k, rule->place[state->curves.point[q]], metric);
    const double jacobian = mx_frame_tangents(metric, x);
    for (size_t a = 0, i = 0; a < 3; a++)
      for (size_t b = a; b < 3; b++, i++)
        state->curves.metric[((block * Nq + q) * 6 + i) * LANES + lane] = (REAL)(dg_dot(x[a], x[b]) / jacobian);
  }
  for (size_t f = 0; f < 4 && state->curves.face != NULL; f++)
    for (size_t q = 0; q < Nfq; q++) {
      double place[3], inverse[3];
      dg_face_place((int)f, rule->face.place[q], place);
      (void)mx_curve_metric(problem, k, place, metric);
      const double jacobian = mx_frame_tangents(metric, x);
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) g[a][b] = dg_dot(x[a], x[b]) / jacobian;
      mx_frame_face_metric((int)f, (const double(*)[3])g, 1, inverse);
      const double sign = -copysign(1, g[0][0]); /* frame.h */
      REAL *to = state->curves.face + ((block * 4 + f) * Nfq + q) * 2 * LANES + lane;
      to[0] = (REAL)(0.5 * sign * (inverse[0] - inverse[2]));
      to[LANES] = (REAL)(sign * inverse[1]);
    }
}

static int NAME(pack_curves)(struct NAME(state) * state, struct dg_error *err)
{
  struct NAME(curves) *curves = &state->curves;
  const struct mx_problem *problem = state->problem;
  const struct dg_reference *ref = problem->ref;
  const struct mx_set *curved = &state->over[MX_ALL][1];
  const size_t blocks = curved->end[MX_INNER] - curved->first[MX_INNER] + state->blocks - curved->first[MX_OUTER];
  const size_t most = (size_t)state->kernels->curved_rows, Nf = (size_t)ref->Nf;
  bool penalty = false; /* in any block, be it that of a lane without an element */
  if (problem->curves.count == 0) return 0;
  for (size_t block = 0; block < state->blocks; block++)
    penalty = penalty || (NAME(curved_block)(state, block) && (state->flags[block] & MX_BLOCK_PENALTY) != 0);
  if (mx_curve_rule_init(&curves->tables, ref, err) != 0) return err->code;
  const size_t Nq = (size_t)curves->tables.rule.volume.points, Nfq = (size_t)curves->tables.rule.face.points;
  DG_BUG_IF(Nfq != MX_FACE_POINTS((size_t)ref->order), "a face has %zu points", Nfq);
  if (DG_NEW(curves->point, Nq, err) != 0) return err->code;
  mx_points_by_orbit(curves->point, &curves->tables.rule.volume, ref->order);
  const struct mx_symmetry symmetry = {.node = state->orbit, .place = state->place};
  if (mx_squares_init(&curves->squares, state->kernels->squares, ref, &curves->tables.rule, curves->point, &symmetry,
                      err) != 0 ||
      NAME(pack_sectors)(state, err) != 0 || DG_NEW(curves->metric, blocks * Nq * 6 * LANES, err) != 0 ||
      (penalty && DG_NEW(curves->face, blocks * 4 * Nfq * 2 * LANES, err) != 0) ||
      DG_NEW(curves->face_at, NAME(goes_size)(Nfq, Nf, most), err) != 0 ||
      DG_NEW(curves->face_project, NAME(goes_size)(Nf, Nfq, most), err) != 0)
    return err->code;
  (void)NAME(pack_goes)(curves->tables.rule.face_at, Nfq, Nf, most, curves->face_at);
  (void)NAME(pack_goes)(curves->tables.rule.face_project, Nf, Nfq, most, curves->face_project);
  /* The kernels take the sign of the map from the first number, and squares a positive metric, also in lanes without
   * an element. */
  for (size_t i = 0; i < blocks * Nq * LANES; i++)
    for (size_t k = 0; k < 6; k++)
      curves->metric[(i / LANES * 6 + k) * LANES + i % LANES] = k == 0 || k == 3 || k == 5 ? 1 : 0;
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t k = 0; k < problem->curves.count; k++) NAME(pack_curve)(state, k);
  return 0;
}

/* ---- single elements */

enum { NAME(MOST_POINTS) = MX_POINTS(DG_ORDER_MAX) };

/* The tables of one curved element, number 0 of the result; weight[Nq] is storage for them. */
static struct mx_curve_tables NAME(tables_of)(const struct NAME(state) * state, size_t e, double (*weight)[6])
{
  struct mx_curve_tables tables = state->curves.tables;
  const size_t Nq = (size_t)tables.rule.volume.points, block = NAME(curved_number)(state, e);
  const REAL *metric = state->curves.metric + block * Nq * 6 * LANES + NAME(row_of)(state, e) % LANES;
  for (size_t q = 0; q < Nq; q++)
    for (size_t i = 0; i < 6; i++) weight[state->curves.point[q]][i] = (double)metric[(q * 6 + i) * LANES];
  tables.weight = weight;
  return tables;
}

/* Adds what a density[3][Np] changes in curved element e: to += change, also += b change (may be NULL). */
static void NAME(add_density)(struct NAME(state) * state, int equation, size_t e, const double *density, REAL *to,
                              REAL *also, double b)
{
  const size_t Np = (size_t)state->problem->ref->Np, row = NAME(row_of)(state, e);
  const double gain = (double)state->metric[equation][row / LANES * 6 * LANES + row % LANES];
  double weight[NAME(MOST_POINTS)][6], change[3 * DG_NP_MAX];
  const struct mx_curve_tables tables = NAME(tables_of)(state, e, weight);
  mx_curve_weigh(&tables, 0, density, change);
  for (size_t i = 0; i < Np; i++)
    for (size_t a = 0; a < 3; a++) {
      const size_t at = NAME(at)(state, e, a, i);
      to[at] += (REAL)(gain * change[a * Np + i]);
      if (also != NULL) also[at] += (REAL)(b * (gain * change[a * Np + i]));
    }
}

/* NAME(lift_face) of a curved element. */
static void NAME(lift_curved_face)(struct NAME(state) * state, int equation, size_t e, size_t f, const double *other,
                                   const double *own, REAL *to, REAL *also, double b)
{
  const struct mx_problem *problem = state->problem;
  const struct dg_reference *ref = problem->ref;
  const struct dg_quadrature *rule = &state->curves.tables.rule;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf, Nfq = (size_t)rule->face.points;
  const struct mx_face_flux *weights = &problem->flux[e][f];
  const double side = f % 2 == 1 ? -1 : 1, jump_weight = side * (equation == 0 ? weights->h_jump : weights->e_jump);
  const double sign = -copysign(
      1, (double)state->curves.metric[NAME(curved_number)(state, e) * 6 * LANES * (size_t)rule->volume.points +
                                      NAME(row_of)(state, e) % LANES]);
  const double penalty = sign * (equation == 0 ? weights->e_penalty : -weights->h_penalty);
  double along[2][DG_NF_MAX] = {{0}}, density[3 * DG_NP_MAX] = {0};
  for (size_t m = 0; m < Nf && other != NULL; m++) {
    along[0][m] = -jump_weight * other[Nf + m];
    along[1][m] = jump_weight * other[m];
  }
  const size_t here = (NAME(curved_number)(state, e) * 4 + f) * Nfq * 2 * LANES + NAME(row_of)(state, e) % LANES;
  for (size_t q = 0; q < Nfq && penalty != 0; q++) {
    const REAL *metric = state->curves.face + here + q * 2 * LANES;
    double v[2] = {0, 0};
    for (size_t m = 0; m < Nf; m++)
      for (size_t k = 0; k < 2; k++) v[k] += rule->face_at[q * Nf + m] * own[k * Nf + m];
    const double d = (double)metric[0], beside = (double)metric[LANES], mean = sqrt(1 + d * d + beside * beside);
    const double p = penalty * ((mean + d) * v[0] + beside * v[1]), r = penalty * (beside * v[0] + (mean - d) * v[1]);
    for (size_t m = 0; m < Nf; m++) {
      along[0][m] += rule->face_project[m * Nfq + q] * p;
      along[1][m] += rule->face_project[m * Nfq + q] * r;
    }
  }
  for (size_t m = 0; m < Nf; m++) {
    double flux[3];
    MX_FROM_ALONG(f, along[0][m], along[1][m], flux[0], flux[1], flux[2]);
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++) density[c * Np + i] += 0.5 * flux[c] * ref->lift[i * 4 * Nf + f * Nf + m];
  }
  NAME(add_density)(state, equation, e, density, to, also, b);
}

/* Adds entry k of a term of currents, in a curved element. */
static void NAME(add_curved_current)(struct NAME(state) * state, const struct mx_term *term, size_t k,
                                     const double *value, REAL *to, REAL *also, double b)
{
  const size_t Np = (size_t)state->problem->ref->Np, e = (size_t)term->where[k];
  double density[3 * DG_NP_MAX];
  double(*const frame)[3][3] = state->term_frame[term - state->problem->term];
  for (size_t i = 0; i < Np; i++) {
    double v[3];
    mx_fused_term_vector(term, term->E, value, true, Np, k, i, v);
    for (size_t a = 0; a < 3; a++) density[a * Np + i] = dg_dot(frame[k * Np + i][a], v);
  }
  NAME(add_density)(state, 0, e, density, to, also, b);
}

/* ---- squares: eight elements of a block at a time */

enum { NAME(MOST_SQUARES) = 5 };

/* Fields whose squares are wanted: a u + b v. */
struct NAME(mix) {
  double a, b;
  const REAL *u, *v;
};

/* square[count][8]: the integrals of squares over the curved elements in rows 8 octet .. 8 octet + 7, of fields
 * [count][3 node + component][8]. `beside`: squares.h */
static void NAME(square_fields)(const struct NAME(state) * state, size_t octet, size_t count, const double *field,
                                const size_t *beside, double (*square)[MX_SQUARE_LANES])
{
  const size_t Nq = (size_t)state->curves.tables.rule.volume.points, first = octet * MX_SQUARE_LANES;
  const REAL *metric = state->curves.metric + MX_CURVED(&state->fused, first / LANES) * Nq * 6 * LANES + first % LANES;
  _Alignas(64) double room[6 * MX_SQUARE_POINTS * MX_SQUARE_LANES];
  for (size_t i = 0; i < 6 * Nq; i++)
    for (size_t l = 0; l < MX_SQUARE_LANES; l++) room[i * MX_SQUARE_LANES + l] = (double)metric[i * LANES + l];
  const struct mx_square_fields fields = {.metric = room, .field = field, .count = count, .beside = beside};
  state->kernels->squares->squares(&state->curves.squares, &fields, square[0]);
  /* metrics have the Jacobian of (a, b, c), half that of (r, s, t) */
  for (size_t i = 0; i < count * MX_SQUARE_LANES; i++) square[i / MX_SQUARE_LANES][i % MX_SQUARE_LANES] *= 2;
}

static void NAME(curved_squares)(const struct NAME(state) * state, size_t octet, size_t count,
                                 const struct NAME(mix) * mix, const size_t *beside, double (*square)[MX_SQUARE_LANES])
{
  const size_t numbers = 3 * (size_t)state->problem->ref->Np, row = state->row;
  _Alignas(64) double field[NAME(MOST_SQUARES) * 3 * DG_NP_MAX * MX_SQUARE_LANES];
  double *to = field;
  for (size_t k = 0; k < count; k++) {
    const REAL *u = mix[k].u + octet * MX_SQUARE_LANES * row, *v = mix[k].v + octet * MX_SQUARE_LANES * row;
    for (size_t i = 0; i < numbers; i++)
      for (size_t l = 0; l < MX_SQUARE_LANES; l++)
        *to++ = mix[k].a * (double)u[l * row + i] + mix[k].b * (double)v[l * row + i];
  }
  NAME(square_fields)(state, octet, count, field, beside, square);
}

/* The integral of the square of covariant u[3][Np] over curved element e. */
static double NAME(curved_square)(const struct NAME(state) * state, size_t e, const double *u)
{
  static const size_t alone[1] = {0};
  const size_t Np = (size_t)state->problem->ref->Np, row = NAME(row_of)(state, e);
  _Alignas(64) double field[3 * DG_NP_MAX * MX_SQUARE_LANES] = {0};
  double square[1][MX_SQUARE_LANES];
  for (size_t c = 0; c < 3; c++)
    for (size_t i = 0; i < Np; i++) field[(3 * i + c) * MX_SQUARE_LANES + row % MX_SQUARE_LANES] = u[c * Np + i];
  NAME(square_fields)(state, row / MX_SQUARE_LANES, 1, field, alone, square);
  return square[0][row % MX_SQUARE_LANES];
}
