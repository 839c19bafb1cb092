/* A part that takes shorter steps (maxwell/backend/fine.h); part of fused_body.h, once for every precision. */

static int NAME(attach)(struct NAME(state) * state, const int32_t *element, struct dg_error *err)
{
  state->whole = element;
  if (NAME(new_field)(state, &state->kept, err) != 0) return err->code;
  return NAME(new_field)(state, &state->change, err);
}

/* The row of the part's element e in the whole. */
static inline size_t NAME(whole_row)(const struct NAME(state) * part, const struct NAME(state) * whole, size_t e)
{
  return NAME(row_of)(whole, (size_t)part->whole[e]) * whole->row;
}

static int NAME(keep)(struct NAME(state) * part, struct NAME(state) * whole, struct dg_error *err)
{
  if (whole == NULL) {
    memset(part->kept, 0, part->numbers * sizeof(REAL));
    return 0;
  }
  const REAL *H = whole->field[1];
#pragma omp parallel for num_threads(part->threads) schedule(static)
  for (size_t e = 0; e < part->problem->K; e++)
    memcpy(part->kept + NAME(row_of)(part, e) * part->row, H + NAME(whole_row)(part, whole, e),
           part->row * sizeof(REAL));
  return err->code;
}

static int NAME(take)(struct NAME(state) * part, struct NAME(state) * whole, double by, struct dg_error *err)
{
  const REAL factor = (REAL)by;
  const REAL *after = whole->field[1];
#pragma omp parallel for num_threads(part->threads) schedule(static)
  for (size_t e = 0; e < part->problem->K; e++) {
    const size_t to = NAME(row_of)(part, e) * part->row, from = NAME(whole_row)(part, whole, e);
#pragma omp simd
    for (size_t i = 0; i < part->row; i++) {
      const REAL change = after[from + i] - part->kept[to + i];
      part->change[to + i] = change;
      part->field[1][to + i] = factor * change;
      part->field[0][to + i] = 0;
    }
  }
  return err->code;
}

static int NAME(scale)(struct NAME(state) * part, double by, struct dg_error *err)
{
  const REAL factor = (REAL)by;
  REAL *H = part->field[1];
#pragma omp parallel for simd num_threads(part->threads) schedule(static)
  for (size_t i = 0; i < part->numbers; i++) H[i] *= factor;
  return err->code;
}

static int NAME(fine_pass)(struct NAME(state) * part, int equation, double scale, double share, struct dg_error *err)
{
  const struct mx_fused_half half = {.equation = equation,
                                     .own = part->field[equation],
                                     .other = part->field[1 - equation],
                                     .result = part->field[equation],
                                     .fine = true,
                                     .scale = scale,
                                     .share = share,
                                     .plus = equation == 1 ? part->change : NULL};
  const struct NAME(pass) pass = {.set = equation == 0 ? MX_CORE : MX_ALL, .half = &half};
  if (NAME(send_traces)(part, &part->field[1 - equation], err) != 0) return err->code;
  NAME(run)(part, &pass, MX_INNER);
  if (NAME(receive_traces)(part, &part->field[1 - equation], err) != 0) return err->code;
  if (NAME(any_outer)(part, pass.set)) NAME(run)(part, &pass, MX_OUTER);
  return 0;
}

static int NAME(give)(struct NAME(state) * part, struct NAME(state) * whole, double by, struct dg_error *err)
{
  const REAL factor = (REAL)by;
  REAL *to = whole->field[1];
#pragma omp parallel for num_threads(part->threads) schedule(static)
  for (size_t e = 0; e < part->problem->K; e++) {
    const size_t from = NAME(row_of)(part, e) * part->row, at = NAME(whole_row)(part, whole, e);
#pragma omp simd
    for (size_t i = 0; i < part->row; i++) to[at + i] = part->kept[from + i] + factor * part->field[1][from + i];
  }
  return err->code;
}
