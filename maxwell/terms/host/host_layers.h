/* Perfectly matched layers on the host: the part of host_responses.h that makes their rule and calls their kernels
 * (layer_kernel.h), once for every precision. The file that includes it defines NAME(layer_kernels)(state). */

static void NAME(free_layer_rule)(struct mx_layer_rule *rule)
{
  if (rule == NULL) return;
  dg_free(rule->at);
  dg_free(rule->project);
  dg_free(rule->barycentric);
  dg_free(rule);
}

/* Makes a matrix[rows][columns] into runs of rows. */
static int NAME(pack_runs)(void **runs, size_t rows, size_t columns, const double *matrix, struct dg_error *err)
{
  REAL *to;
  if (DG_NEW(to, (rows + MX_LAYER_RUN - 1) / MX_LAYER_RUN * MX_LAYER_RUN * columns, err) != 0) return err->code;
  *runs = to;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      to[(i / MX_LAYER_RUN * columns + j) * MX_LAYER_RUN + i % MX_LAYER_RUN] = (REAL)matrix[i * columns + j];
  return 0;
}

static int NAME(new_layer_rule)(struct mx_layer_rule **result, const struct NAME(state) * state, struct dg_error *err)
{
  const struct dg_reference *ref = state->problem->ref;
  struct dg_quadrature quadrature;
  struct mx_layer_rule *rule;
  REAL *barycentric;
  if (dg_quadrature_init(&quadrature, ref, err) != 0) return err->code;
  if (DG_NEW(*result, 1, err) != 0) goto fail;
  rule = *result;
  rule->Np = (size_t)ref->Np;
  rule->Nq = (size_t)quadrature.volume.points;
  rule->by_node = NAME(at)(state, 0, 0, 1) - NAME(at)(state, 0, 0, 0);
  rule->by_component = NAME(at)(state, 0, 1, 0) - NAME(at)(state, 0, 0, 0);
  if (NAME(pack_runs)(&rule->at, rule->Nq, rule->Np, quadrature.at, err) != 0 ||
      NAME(pack_runs)(&rule->project, rule->Np, rule->Nq, quadrature.project, err) != 0 ||
      DG_NEW(barycentric, 4 * rule->Nq, err) != 0)
    goto fail;
  rule->barycentric = barycentric;
  for (size_t q = 0; q < rule->Nq; q++)
    for (size_t v = 0; v < 4; v++) barycentric[v * rule->Nq + q] = (REAL)quadrature.volume.place[q][v];
fail:
  dg_quadrature_release(&quadrature);
  return err->code;
}

/* Adds to the rates of a stage what a layer gives, for one field of an entry whose states begin at `first`. */
static inline void NAME(layer_stage)(const struct NAME(state) * state, enum mx_response_kind kind, int of, size_t e,
                                     const REAL *c, size_t first, size_t numbers, const struct NAME(response) * own,
                                     const struct NAME(response_stage) * stage)
{
  const struct mx_layer_rule *rule = own->rule;
  const REAL *from = NAME(stage_states)(own, stage);
  REAL rate[3 * 3 * DG_RULE_POINTS_MAX];
  MX_LAYER_ALIGN REAL added[3][MX_LAYER_POINTS];
  const size_t begin = NAME(at)(state, e, 0, 0);
  NAME(layer_kernels)(state)->rate(kind, rule, of, c, from + first, stage->field[of] + begin, rate, added);
  for (size_t i = 0; i < numbers; i++) NAME(state_stage)(own, stage->rule, first + i, rate[i]);
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < rule->Np; i++)
      NAME(field_stage)(stage, of, begin + i * rule->by_node + k * rule->by_component, added[k][i]);
}
