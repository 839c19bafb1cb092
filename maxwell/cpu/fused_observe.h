/* What is observed of the `cpu` backend's fields; the end of fused_body.h, once for every precision. */

/* H one half step ago, or H itself where both fields live at the same time: what is observed is the mean. */
static const REAL *NAME(other_H)(const struct NAME(state) * state)
{
  if (state->options.integrator != MX_LEAPFROG) return state->field[1];
  DG_BUG_IF(!state->observed, "values of a leapfrog step were asked for that was not observed");
  return state->spare[1];
}

/* Integral over element e of u.v on the reference tetrahedron. */
static double NAME(product)(const struct NAME(state) * state, size_t e, const REAL *u, const REAL *v)
{
  const struct dg_reference *ref = state->problem->ref;
  size_t Np = (size_t)ref->Np;
  double a[3][DG_NP_MAX], b[3][DG_NP_MAX], sum = 0;
  for (size_t i = 0; i < Np; i++) {
    double p[3], q[3];
    NAME(vector)(state, u, e, i, p);
    NAME(vector)(state, v, e, i, q);
    for (int c = 0; c < 3; c++) a[c][i] = p[c], b[c][i] = q[c];
  }
  for (size_t i = 0; i < Np; i++) {
    double row[3] = {0, 0, 0};
    for (size_t j = 0; j < Np; j++)
      for (int c = 0; c < 3; c++) row[c] += ref->mass[i * Np + j] * b[c][j];
    for (int c = 0; c < 3; c++) sum += a[c][i] * row[c];
  }
  return sum;
}

static void NAME(energy)(const struct NAME(state) * state, double *electric, double *magnetic)
{
  const struct mx_problem *problem = state->problem;
  const REAL *H_other = NAME(other_H)(state);
  double e_sum = 0, h_sum = 0;
#pragma omp parallel for num_threads(state->threads) schedule(static) reduction(+ : e_sum, h_sum)
  for (size_t e = 0; e < problem->K; e++) {
    double half = 0.5 * problem->jacobian[e];
    e_sum += half * problem->epsilon[e] * NAME(product)(state, e, state->field[0], state->field[0]);
    h_sum += half * problem->mu[e] * NAME(product)(state, e, H_other, state->field[1]);
  }
  *electric = e_sum;
  *magnetic = h_sum;
}

static void NAME(sample)(const struct NAME(state) * state, size_t count, const struct mx_point *point,
                         double (*value)[6])
{
  const REAL *H_other = NAME(other_H)(state);
  size_t Np = (size_t)state->problem->ref->Np;
  for (size_t k = 0; k < count; k++) {
    size_t e = point[k].element, first = point[k].weight != NULL ? 0 : point[k].node;
    size_t nodes = point[k].weight != NULL ? Np : 1;
    memset(value[k], 0, sizeof value[k]);
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
  const REAL *H_other = centred ? NAME(other_H)(state) : state->field[1];
  for (size_t k = 0; k < count; k++) {
    const struct mx_fused_functional *functional = &state->functional[first + k];
    bool magnetic = state->problem->functional[first + k].magnetic;
    const REAL *a = state->field[magnetic], *b = magnetic ? H_other : a;
    double sum = 0;
    for (size_t i = 0; i < functional->count; i++)
      sum += functional->weight[i] * 0.5 * ((double)a[functional->index[i]] + (double)b[functional->index[i]]);
    value[k] = sum;
  }
}

static void NAME(loss)(const struct NAME(state) * state, size_t count, const int32_t *element, double *loss)
{
  const struct mx_problem *problem = state->problem;
  double sum = 0;
#pragma omp parallel for num_threads(state->threads) schedule(static) reduction(+ : sum)
  for (size_t k = 0; k < count; k++) {
    size_t e = (size_t)element[k];
    if (problem->sigma[e] > 0)
      sum += problem->jacobian[e] * problem->sigma[e] * NAME(product)(state, e, state->field[0], state->field[0]);
  }
  *loss = sum;
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
  double largest = 0;
  for (int field = 0; field < 2; field++)
    for (size_t i = 0; i < Np; i++) {
      double v[3];
      NAME(vector)(state, state->field[field], e, i, v);
      for (int c = 0; c < 3; c++) {
        double size = fabs(v[c]);
        finite = finite && size <= DBL_MAX;
        if (size > largest) largest = size;
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
    for (size_t e = 0; e < state->problem->K; e++) mine = mx_fused_worse(mine, NAME(check_element)(state, e));
#pragma omp critical
    worst = mx_fused_worse(worst, mine);
  }
  *check = worst;
}
