/* Observed values of the `cpu` backend's fields; the end of fused_body.h, once for every precision. */

/* H one half step ago, or H itself where both fields live at the same time. Observed values take the mean of this and
 * H. */
static const REAL *NAME(other_H)(const struct NAME(state) * state)
{
  if (!mx_scheme_of(&state->options)->staggered) return state->field[1];
  DG_BUG_IF(!state->observed, "values of a leapfrog step were asked for that was not observed");
  return state->spare[0];
}

/* Products of the gradients of a, b, c in element e. Times the products of covariant components they are u.v, or with a
 * tensor, which may be NULL, u . tensor v. */
static void NAME(inverse_metric)(const struct mx_problem *problem, size_t e, const double *tensor, double inverse[6])
{
  double g[3][3];
  mx_frame_gradients(problem->metric[e], g);
  for (int a = 0, k = 0; a < 3; a++)
    for (int b = a; b < 3; b++, k++)
      inverse[k] = tensor != NULL ? mx_tensor_product(tensor, g[a], g[b])
                                  : g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
}

/* The same with the tensor of the medium. */
static void NAME(inverse_medium)(const struct mx_problem *problem, size_t e, int equation, double inverse[6])
{
  const struct mx_tensor *tensor = mx_tensor_of(problem, e);
  NAME(inverse_metric)(problem, e, tensor != NULL ? tensor->shape[equation] : NULL, inverse);
}

/* Integrals on the reference tetrahedron, for the elements of a block. */
struct NAME(products) {
  double of[6][LANES];
};

static struct NAME(products)
    NAME(integrate)(const struct NAME(state) * state, size_t block, const REAL *u, const REAL *v)
{
  struct NAME(products) products;
  state->kernels->order[state->problem->ref->order]->products(&state->fused, u, v, block, &products.of[0][0]);
  return products;
}

static double NAME(contract)(const struct NAME(products) * products, const double inverse[6], size_t lane)
{
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += inverse[k] * products->of[k][lane];
  return sum;
}

/* The integral of a square of entry k. The function fills a block of its own, which has the vector in the element's
 * lane. */
static double NAME(square)(const struct NAME(state) * state, size_t r, size_t k, const struct mx_square *square)
{
  const struct mx_problem *problem = state->problem;
  const struct mx_response *response = &problem->response[r];
  const size_t Np = (size_t)problem->ref->Np, e = (size_t)response->where[k], lane = NAME(row_of)(state, e) % LANES;
  const REAL *field = state->field[response->of], *before = response->of == 0 ? field : NAME(other_H)(state);
  _Alignas(MX_FUSED_BYTES) REAL v[MX_FUSED_ROW(DG_ORDER_MAX) * LANES + LANES] = {0};
  double inverse[6];
  if (NAME(is_curved)(state, e)) {
    double u[3 * DG_NP_MAX];
    for (size_t i = 0; i < Np; i++)
      for (size_t c = 0; c < 3; c++)
        u[c * Np + i] =
            NAME(response_vector)(state, response, &NAME(responses_of)(state)[r], k, square, field, before, c, i);
    return square->weight * NAME(curved_square)(state, e, u);
  }
  for (size_t i = 0; i < Np; i++)
    for (size_t c = 0; c < 3; c++)
      v[lane * state->row + 3 * i + c] =
          (REAL)NAME(response_vector)(state, response, &NAME(responses_of)(state)[r], k, square, field, before, c, i);
  const struct NAME(products) products = NAME(integrate)(state, 0, v, v);
  NAME(inverse_metric)(problem, e, NULL, inverse);
  return square->weight * problem->jacobian[e] * NAME(contract)(&products, inverse, lane);
}

/* The integral of the squares of entry k, its energy or its loss. */
static double NAME(squares)(const struct NAME(state) * state, size_t r, size_t k, bool loss)
{
  const struct mx_response *response = &state->problem->response[r];
  const struct mx_response_entry entry = NAME(entry_of)(state, response, k);
  const int squares = loss ? mx_responses[response->kind]->states : mx_response_squares(response);
  double sum = 0;
  for (int q = 0; q < squares; q++) {
    const struct mx_square *square = loss ? &entry.loss[q] : &entry.energy[q];
    if (square->weight != 0) sum += NAME(square)(state, r, k, square);
  }
  return sum;
}

/* Adds the energies of eight rows of curved elements. H . H_other is the square of their mean less that of half their
 * difference, and the lag of time/medium.h counts the difference of their squares. */
static void NAME(curved_energies)(const struct NAME(state) * state, size_t octet, bool lags, double *electric,
                                  double *magnetic)
{
  static const size_t beside[] = {0, 1, 1, 3, 4};
  const REAL *E = state->field[0], *H = state->field[1], *before = NAME(other_H)(state);
  const struct NAME(mix)
      mix[] = {{1, 0, E, E}, {0.5, 0.5, H, before}, {0.5, -0.5, H, before}, {1, 0, H, H}, {1, 0, before, before}};
  double square[NAME(MOST_SQUARES)][MX_SQUARE_LANES] = {{0}};
  NAME(curved_squares)(state, octet, lags ? 5 : H != before ? 3 : 2, mix, beside, square);
  for (size_t l = 0; l < MX_SQUARE_LANES; l++) {
    const size_t e = NAME(resident)(state, octet * MX_SQUARE_LANES + l);
    if (e == SIZE_MAX) continue;
    const struct mx_medium_update of_H = mx_update_of(state->problem, &state->options, MX_FARADAY, e);
    *electric += 0.5 * mx_update_of(state->problem, &state->options, MX_AMPERE, e).inertia * square[0][l];
    *magnetic += 0.5 * of_H.inertia * (square[1][l] - square[2][l]);
    *magnetic -= 0.5 * of_H.lag * (square[3][l] - square[4][l]);
  }
}

static void NAME(energy_of_responses)(const struct NAME(state) * state, double energy[2])
{
  const struct mx_problem *problem = state->problem;
  for (size_t r = 0; r < problem->responses; r++) {
    if (!mx_response_has_energy(&problem->response[r])) continue;
    double sum = 0;
#pragma omp parallel for num_threads(state->threads) schedule(static) reduction(+ : sum)
    for (size_t k = 0; k < problem->response[r].count; k++) sum += NAME(squares)(state, r, k, false);
    energy[problem->response[r].of == 0 ? 0 : 1] += sum;
  }
}

static void NAME(energy)(const struct NAME(state) * state, double *electric, double *magnetic)
{
  const struct mx_problem *problem = state->problem;
  const REAL *H_other = NAME(other_H)(state);
  const bool lags = state->lossy[1] && H_other != state->field[1]; /* H's energy has the lag of time/medium.h */
  double e_sum = 0, h_sum = 0;
#pragma omp parallel for num_threads(state->threads) schedule(static) reduction(+ : e_sum, h_sum)
  for (size_t block = 0; block < state->blocks; block++) {
    if (NAME(curved_block)(state, block)) {
      const size_t octets = LANES / MX_SQUARE_LANES;
      for (size_t i = 0; i < octets; i++) NAME(curved_energies)(state, block * octets + i, lags, &e_sum, &h_sum);
      continue;
    }
    const struct NAME(products) E = NAME(integrate)(state, block, state->field[0], state->field[0]);
    const struct NAME(products) H = NAME(integrate)(state, block, H_other, state->field[1]);
    struct NAME(products) after = {0}, before = {0};
    if (lags) {
      after = NAME(integrate)(state, block, state->field[1], state->field[1]);
      before = NAME(integrate)(state, block, H_other, H_other);
    }
    for (size_t lane = 0; lane < LANES; lane++) {
      const size_t e = NAME(resident)(state, block * LANES + lane);
      if (e == SIZE_MAX) break;
      const struct mx_medium_update of_H = mx_update_of(problem, &state->options, MX_FARADAY, e);
      double inverse[6], half = 0.5 * problem->jacobian[e];
      NAME(inverse_medium)(problem, e, 0, inverse);
      e_sum += half * mx_update_of(problem, &state->options, MX_AMPERE, e).inertia * NAME(contract)(&E, inverse, lane);
      if (problem->tensor[e] > 0) NAME(inverse_medium)(problem, e, 1, inverse);
      h_sum += half * of_H.inertia * NAME(contract)(&H, inverse, lane);
      if (of_H.lag > 0)
        h_sum -= half * of_H.lag * (NAME(contract)(&after, inverse, lane) - NAME(contract)(&before, inverse, lane));
    }
  }
  double sum[2] = {e_sum, h_sum};
  NAME(energy_of_terms)(state, sum);
  *electric = sum[0];
  *magnetic = sum[1];
}

/* Turns covariant components with the frame of a place. */
static void NAME(turn_sample)(const double metric[9], const double u[6], double value[6])
{
  double g[3][3];
  mx_frame_gradients(metric, g);
  for (int c = 0; c < 6; c++)
    value[c] = u[c / 3 * 3] * g[0][c % 3] + u[c / 3 * 3 + 1] * g[1][c % 3] + u[c / 3 * 3 + 2] * g[2][c % 3];
}

/* A sample in a curved element. */
static void NAME(curved_sample)(const struct NAME(state) * state, const struct mx_point *point, double value[6])
{
  const REAL *of[3] = {state->field[0], state->field[1], NAME(other_H)(state)};
  double u[6] = {0};
  for (size_t i = 0; i < (size_t)state->problem->ref->Np; i++)
    for (size_t c = 0; c < 3; c++) {
      const size_t at = NAME(at)(state, point->element, c, i);
      u[c] += point->weight[i] * (double)of[0][at];
      u[3 + c] += point->weight[i] * 0.5 * ((double)of[1][at] + (double)of[2][at]);
    }
  NAME(turn_sample)(point->metric, u, value);
}

static void NAME(sample)(const struct NAME(state) * state, size_t count, const struct mx_point *point,
                         double (*value)[6])
{
  enum { MANY = 1000 }; /* of a few points threads would only cost time */
  const REAL *H_other = NAME(other_H)(state);
  size_t Np = (size_t)state->problem->ref->Np;
#pragma omp parallel for num_threads(state->threads) schedule(static) if (count >= MANY)
  for (size_t k = 0; k < count; k++) {
    size_t e = point[k].element, first = point[k].weight != NULL ? 0 : point[k].node;
    size_t nodes = point[k].weight != NULL ? Np : 1;
    memset(value[k], 0, sizeof value[k]);
    if (point[k].weight != NULL && point[k].metric != NULL) {
      NAME(curved_sample)(state, &point[k], value[k]);
      continue;
    }
    for (size_t i = first; i < first + nodes; i++) {
      double w = point[k].weight != NULL ? point[k].weight[i] : 1, E[3], H[3], before[3];
      NAME(vector)(state, state->field[0], e, i, E);
      NAME(vector)(state, state->field[1], e, i, H);
      NAME(vector)(state, H_other, e, i, before);
      for (int c = 0; c < 3; c++) {
        value[k][c] += w * E[c];
        value[k][3 + c] += w * 0.5 * (H[c] + before[c]);
      }
    }
  }
}

static void NAME(functionals)(const struct NAME(state) * state, size_t first, size_t count, bool centred, double *value)
{
  REAL *const *field = !centred && state->within ? state->spare : state->field;
  const REAL *H_other = centred ? NAME(other_H)(state) : field[1];
  for (size_t k = 0; k < count; k++) {
    const struct mx_fused_functional *functional = &state->functional[first + k];
    bool magnetic = state->problem->functional[first + k].magnetic;
    const REAL *a = field[magnetic], *b = magnetic ? H_other : a;
    double sum = 0;
    for (size_t i = 0; i < functional->count; i++)
      sum += functional->weight[i] * 0.5 * ((double)a[functional->index[i]] + (double)b[functional->index[i]]);
    value[k] = sum;
  }
}

/* Integrates the losses of an equation. For H the mean counts: a quarter of H.H, H_other.H_other and twice H.H_other.
 */
static struct NAME(products) NAME(integrate_lost)(const struct NAME(state) * state, int equation, size_t block)
{
  const REAL *u = state->field[equation], *v = equation == 0 ? u : NAME(other_H)(state);
  struct NAME(products) sum = NAME(integrate)(state, block, u, u);
  if (u == v) return sum;
  const struct NAME(products) other = NAME(integrate)(state, block, v, v), mixed = NAME(integrate)(state, block, u, v);
  for (int k = 0; k < 6; k++)
    for (size_t l = 0; l < LANES; l++) sum.of[k][l] = 0.25 * (sum.of[k][l] + other.of[k][l]) + 0.5 * mixed.of[k][l];
  return sum;
}

/* Integrals of the squares of a field at t_n, in eight rows of curved elements. */
static void NAME(curved_lost)(const struct NAME(state) * state, int equation, size_t octet,
                              double (*square)[MX_SQUARE_LANES])
{
  static const size_t alone[1] = {0};
  const REAL *u = state->field[equation];
  const struct NAME(mix) mix = {0.5, 0.5, u, equation == 0 ? u : NAME(other_H)(state)};
  NAME(curved_squares)(state, octet, 1, &mix, alone, square);
}

static double NAME(loss_of)(const struct NAME(state) * state, int equation, size_t count, const int32_t *element)
{
  const struct mx_problem *problem = state->problem;
  double sum = 0;
  if (!mx_any_loss(problem, (enum mx_equation)equation) && problem->responses == 0) return 0;
#pragma omp parallel num_threads(state->threads) reduction(+ : sum)
  {
    struct NAME(products) lost = {0};
    double of_curved[1][MX_SQUARE_LANES];
    size_t block = SIZE_MAX, octet = SIZE_MAX; /* of `lost` and `of_curved`; elements of a list stand together */
#pragma omp for schedule(static)
    for (size_t k = 0; k < count; k++) {
      size_t e = (size_t)element[k];
      const double loss = mx_medium_of(problem, (enum mx_equation)equation, e).loss;
      double inverse[6];
      size_t entry;
      const struct mx_response *response = mx_problem_poles(problem, (enum mx_equation)equation, e, &entry);
      if (response != NULL) sum += NAME(squares)(state, (size_t)(response - problem->response), entry, true);
      if (!(loss > 0)) continue;
      const size_t row = NAME(row_of)(state, e);
      if (NAME(is_curved)(state, e)) {
        if (row / MX_SQUARE_LANES != octet)
          NAME(curved_lost)(state, equation, octet = row / MX_SQUARE_LANES, of_curved);
        sum += loss * of_curved[0][row % MX_SQUARE_LANES];
        continue;
      }
      if (row / LANES != block) lost = NAME(integrate_lost)(state, equation, block = row / LANES);
      NAME(inverse_medium)(problem, e, equation, inverse);
      sum += problem->jacobian[e] * loss * NAME(contract)(&lost, inverse, row % LANES);
    }
  }
  return sum;
}

static void NAME(loss)(const struct NAME(state) * state, size_t count, const int32_t *element, double *loss)
{
  *loss = NAME(loss_of)(state, 0, count, element) + NAME(loss_of)(state, 1, count, element);
}

static void NAME(download)(const struct NAME(state) * state, double *E, double *H)
{
  const REAL *H_other = NAME(other_H)(state);
  const struct mx_problem *problem = state->problem;
  size_t Np = (size_t)problem->ref->Np;
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t e = 0; e < problem->K; e++)
    for (size_t i = 0; i < Np; i++) {
      double v[3], before[3];
      NAME(vector)(state, state->field[0], e, i, v);
      for (size_t c = 0; E != NULL && c < 3; c++) E[(3 * e + c) * Np + i] = v[c];
      NAME(vector)(state, state->field[1], e, i, v);
      NAME(vector)(state, H_other, e, i, before);
      for (size_t c = 0; H != NULL && c < 3; c++) H[(3 * e + c) * Np + i] = 0.5 * (v[c] + before[c]);
    }
}

static struct mx_field_check NAME(check_element)(const struct NAME(state) * state, size_t e)
{
  size_t Np = (size_t)state->problem->ref->Np;
  bool finite = true;
  double largest = 0, g[3][3], own[9];
  mx_frame_gradients(state->problem->metric[e], g);
  for (size_t i = 0; i < Np; i++) {
    if (NAME(is_curved)(state, e)) mx_frame_gradients(NAME(node_metric)(state, e, i, own), g);
    for (int field = 0; field < 2; field++) {
      const REAL *u = state->field[field] + NAME(at)(state, e, 0, i);
      for (int b = 0; b < 3; b++) {
        const double size = fabs((double)u[0] * g[0][b] + (double)u[1] * g[1][b] + (double)u[2] * g[2][b]);
        finite = finite && size <= DBL_MAX;
        if (size > largest) largest = size;
      }
    }
  }
  return (struct mx_field_check){.finite = finite, .element = e, .largest = finite ? largest : INFINITY};
}

static void NAME(check)(const struct NAME(state) * state, struct mx_field_check *check)
{
  struct mx_field_check worst = {.finite = true};
#pragma omp parallel num_threads(state->threads)
  {
    struct mx_field_check mine = {.finite = true};
#pragma omp for schedule(static) nowait
    for (size_t e = 0; e < state->problem->K; e++) mine = mx_worse_check(mine, NAME(check_element)(state, e));
#pragma omp critical
    worst = mx_worse_check(worst, mine);
  }
  *check = worst;
}
