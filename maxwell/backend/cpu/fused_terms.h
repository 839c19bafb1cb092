/* Source terms of the `cpu` backend, and what is lifted on single faces, which the kernels do not know; part of
 * fused_body.h, once for every precision. */

/* The six numbers of an element as a matrix. */
static void NAME(matrix_of)(const REAL *metric, size_t row, double M[3][3])
{
  for (size_t a = 0, k = 0; a < 3; a++)
    for (size_t c = a; c < 3; c++, k++) M[a][c] = M[c][a] = (double)metric[(row / LANES * 6 + k) * LANES + row % LANES];
}

/* Adds the lift on face f to element e. jumps[2][Nf] are of the field under the curl (may be NULL) and of the field
 * that changes, both along t1 and t2. to += lifted, also += b lifted (may be NULL). */
static void NAME(lift_face)(struct NAME(state) * state, int equation, size_t e, size_t f, const double *other,
                            const double *own, REAL *to, REAL *also, double b)
{
  const struct mx_problem *problem = state->problem;
  const struct dg_reference *ref = problem->ref;
  size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf;
  const struct mx_face_flux *weights = &problem->flux[e][f];
  if (NAME(is_curved)(state, e)) {
    NAME(lift_curved_face)(state, equation, e, f, other, own, to, also, b);
    return;
  }
  const size_t row = NAME(row_of)(state, e);
  double M[3][3], plain[3][3], inverse[3], flux[3][DG_NF_MAX];
  double jump_weight = equation == 0 ? weights->h_jump : weights->e_jump;
  NAME(matrix_of)(state->metric[equation], row, M);
  NAME(matrix_of)((const REAL *)state->fused.plain[equation], row, plain);
  mx_frame_face_metric((int)f, (const double(*)[3])plain, equation == 0 ? weights->e_penalty : weights->h_penalty,
                       inverse);
  if (f % 2 == 1) jump_weight = -jump_weight;
  for (size_t m = 0; m < Nf; m++) {
    double along[2] = {0, 0};
    if (other != NULL) {
      along[0] -= jump_weight * other[Nf + m];
      along[1] += jump_weight * other[m];
    }
    along[0] += inverse[0] * own[m] + inverse[1] * own[Nf + m];
    along[1] += inverse[1] * own[m] + inverse[2] * own[Nf + m];
    MX_FROM_ALONG(f, along[0], along[1], flux[0][m], flux[1][m], flux[2][m]);
    for (int c = 0; c < 3; c++) flux[c][m] *= 0.5;
  }
  for (size_t i = 0; i < Np; i++) {
    double lifted[3] = {0, 0, 0};
    for (size_t m = 0; m < Nf; m++)
      for (size_t c = 0; c < 3; c++) lifted[c] += ref->lift[i * 4 * Nf + f * Nf + m] * flux[c][m];
    for (size_t a = 0; a < 3; a++) {
      double change = M[a][0] * lifted[0] + M[a][1] * lifted[1] + M[a][2] * lifted[2];
      size_t at = NAME(at)(state, e, a, i);
      to[at] += (REAL)change;
      if (also != NULL) also[at] += (REAL)(b * change);
    }
  }
}

/* The frames of a term with an entry in a curved element: of jumps the tangents at the nodes of the face, of currents
 * the gradients at the nodes times minus the Jacobian. They are work of 1 us each: too much for every step. */
static int NAME(frame_term)(const struct NAME(state) * state, const struct mx_term *term, double (**result)[3][3],
                            struct dg_error *err)
{
  const struct dg_reference *ref = state->problem->ref;
  const bool current = term->kind == MX_CURRENT;
  const size_t nodes = current ? (size_t)ref->Np : (size_t)ref->Nf;
  for (size_t k = 0; k < term->count; k++) {
    const size_t e = (size_t)term->where[k] / (current ? 1 : 4), f = (size_t)term->where[k] % 4;
    if (!NAME(is_curved)(state, e)) continue;
    if (*result == NULL && DG_NEW(*result, term->count * nodes, err) != 0) return err->code;
    for (size_t m = 0; m < nodes; m++) {
      double own[9], tangent[3][3], (*to)[3] = (*result)[k * nodes + m];
      const double *metric = NAME(node_metric)(state, e, current ? m : (size_t)ref->face_node[f * nodes + m], own);
      const double jacobian = mx_frame_tangents(metric, tangent);
      if (current) mx_frame_gradients(metric, to);
      else memcpy(to, tangent, sizeof tangent);
      for (size_t i = 0; i < 9 && current; i++) to[i / 3][i % 3] *= -jacobian;
    }
  }
  return 0;
}

static int NAME(share_terms)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  if (DG_NEW(state->term_threads, problem->terms, err) != 0) return err->code;
  for (size_t t = 0; t < problem->terms; t++)
    state->term_threads[t] = mx_fused_term_threads(&problem->term[t], state->threads);
  if (DG_NEW(state->term_frame, problem->terms, err) != 0) return err->code;
  for (size_t t = 0; t < problem->terms; t++)
    if (NAME(frame_term)(state, &problem->term[t], &state->term_frame[t], err) != 0) return err->code;
  return 0;
}

static void NAME(free_shares)(struct NAME(state) * state)
{
  for (size_t t = 0; state->term_frame != NULL && t < state->problem->terms; t++) dg_free(state->term_frame[t]);
  dg_free(state->term_frame);
  dg_free(state->term_threads);
}

/* Adds entries first..last-1 of a term of jumps. */
static void NAME(add_jump)(struct NAME(state) * state, int equation, const struct mx_term *term, size_t first,
                           size_t last, const double *curl, const double *penalty, REAL *to, REAL *also, double b)
{
  size_t Nf = (size_t)state->problem->ref->Nf;
  bool ampere = equation == 0;
  double(*const frame)[3][3] = state->term_frame[term - state->problem->term];
  for (size_t k = first; k < last; k++) {
    size_t e = (size_t)term->where[k] / 4, f = (size_t)term->where[k] % 4;
    const bool curved = NAME(is_curved)(state, e);
    double of_element[3][3], other[2 * DG_NF_MAX], own[2 * DG_NF_MAX];
    (void)mx_frame_tangents(state->problem->metric[e], of_element);
    for (size_t m = 0; m < Nf; m++) {
      double v[3], u[3], along[2];
      const double(*x)[3] = (const double(*)[3])(curved ? frame[k * Nf + m] : of_element);
      mx_fused_term_vector(term, ampere ? term->H : term->E, curl, term->into_H == ampere, Nf, k, m, v);
      for (size_t a = 0; a < 3; a++) u[a] = x[a][0] * v[0] + x[a][1] * v[1] + x[a][2] * v[2];
      MX_ALONG(f, u[0], u[1], u[2], along);
      other[m] = along[0];
      other[Nf + m] = along[1];
      mx_fused_term_vector(term, ampere ? term->E : term->H, penalty, term->into_H != ampere, Nf, k, m, v);
      for (size_t a = 0; a < 3; a++) u[a] = x[a][0] * v[0] + x[a][1] * v[1] + x[a][2] * v[2];
      MX_ALONG(f, u[0], u[1], u[2], along);
      own[m] = along[0];
      own[Nf + m] = along[1];
    }
    NAME(lift_face)(state, equation, e, f, other, own, to, also, b);
  }
}

static void NAME(add_current)(struct NAME(state) * state, const struct mx_term *term, size_t first, size_t last,
                              const double *value, REAL *to, REAL *also, double b)
{
  const struct mx_problem *problem = state->problem;
  size_t Np = (size_t)problem->ref->Np;
  for (size_t k = first; k < last; k++) {
    size_t e = (size_t)term->where[k];
    if (NAME(is_curved)(state, e)) {
      NAME(add_curved_current)(state, term, k, value, to, also, b);
      continue;
    }
    const struct mx_tensor *tensor = mx_tensor_of(problem, e);
    double x[3][3], factor = mx_update_of(problem, &state->options, MX_AMPERE, e).gain / problem->epsilon[e];
    (void)mx_frame_tangents(problem->metric[e], x);
    for (size_t i = 0; i < Np; i++) {
      double v[3];
      mx_fused_term_vector(term, term->E, value, true, Np, k, i, v);
      if (tensor != NULL) {
        const double given[3] = {v[0], v[1], v[2]};
        mx_tensor_apply(tensor->inverse[MX_AMPERE], given, v);
      }
      for (size_t a = 0; a < 3; a++) {
        double change = -factor * (x[a][0] * v[0] + x[a][1] * v[1] + x[a][2] * v[2]);
        size_t at = NAME(at)(state, e, a, i);
        to[at] += (REAL)change;
        if (also != NULL) also[at] += (REAL)(b * change);
      }
    }
  }
}

/* Adds the sources of one equation. */
static void NAME(lift_sources)(struct NAME(state) * state, enum mx_equation equation, const struct NAME(lift) * lift)
{
  const struct mx_problem *problem = state->problem;
  const struct mx_stage_sources *sources = state->sources;
  if (sources == NULL) return;
  struct mx_mark mark = mx_phase_begin(state->profile);
  for (size_t t = 0; t < problem->terms; t++) {
    const struct mx_term *term = &problem->term[t];
    const double *curl = sources->curl[t], *penalty = sources->penalty[t];
    if (term->kind == MX_CURRENT && equation != 0) continue;
#pragma omp parallel num_threads(state->term_threads[t])
    {
      size_t first, last;
      mx_fused_share_term(term, omp_get_num_threads(), omp_get_thread_num(), &first, &last);
      if (term->kind == MX_JUMP)
        NAME(add_jump)(state, (int)equation, term, first, last, curl, penalty, lift->to, lift->also, lift->b);
      else NAME(add_current)(state, term, first, last, curl, lift->to, lift->also, lift->b);
    }
  }
  mx_phase_end(state->profile, mark, "sources, added", mx_cost_sources(problem, equation, sizeof(REAL)));
}

static const struct NAME(term)
    NAME(sources_term) = {.create = NAME(share_terms), .destroy = NAME(free_shares), .lift = NAME(lift_sources)};
