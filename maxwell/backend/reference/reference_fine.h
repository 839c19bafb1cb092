/* A part that takes shorter steps (maxwell/backend/fine.h); part of reference_body.h, once for every precision. */

static int NAME(attach)(struct NAME(state) * state, const int32_t *element, struct dg_error *err)
{
  state->whole = element;
  if (DG_NEW(state->kept, state->n, err) != 0) return err->code;
  return DG_NEW(state->change, state->n, err);
}

/* Where element e of the part begins in the whole. */
static inline size_t NAME(whole_at)(const struct NAME(state) * part, size_t e)
{
  return 3 * (size_t)part->problem->ref->Np * (size_t)part->whole[e];
}

static int NAME(keep)(struct NAME(state) * part, struct NAME(state) * whole, struct dg_error *err)
{
  const size_t numbers = 3 * (size_t)part->problem->ref->Np;
  if (whole == NULL) memset(part->kept, 0, part->n * sizeof(REAL));
  for (size_t e = 0; e < part->problem->K && whole != NULL; e++)
    memcpy(part->kept + numbers * e, whole->H + NAME(whole_at)(part, e), numbers * sizeof(REAL));
  return err->code;
}

static int NAME(take)(struct NAME(state) * part, struct NAME(state) * whole, double by, struct dg_error *err)
{
  const size_t numbers = 3 * (size_t)part->problem->ref->Np;
  for (size_t i = 0; i < part->n; i++) {
    part->change[i] = whole->H[NAME(whole_at)(part, i / numbers) + i % numbers] - part->kept[i];
    part->H[i] = (REAL)by * part->change[i];
    part->E[i] = 0;
  }
  return err->code;
}

static int NAME(scale)(struct NAME(state) * part, double by, struct dg_error *err)
{
  for (size_t i = 0; i < part->n; i++) part->H[i] *= (REAL)by;
  return err->code;
}

static int NAME(fine_pass)(struct NAME(state) * part, int equation, double scale, double share, struct dg_error *err)
{
  const size_t numbers = 3 * (size_t)part->problem->ref->Np;
  REAL *to = equation == MX_AMPERE ? part->E : part->H;
  if (NAME(fill_ghosts)(part, err) != 0) return err->code;
  NAME(rate)(part, (enum mx_equation)equation, 0, NULL, part->rate_E);
  for (size_t e = 0; e < part->problem->K; e++) {
    const REAL add = (REAL)(scale * NAME(update_of)(part, (enum mx_equation)equation, e).gain);
    for (size_t i = e * numbers; i < (e + 1) * numbers; i++) {
      to[i] += add * part->rate_E[i];
      if (equation == MX_FARADAY) to[i] += (REAL)share * part->change[i];
    }
  }
  return 0;
}

static int NAME(give)(struct NAME(state) * part, struct NAME(state) * whole, double by, struct dg_error *err)
{
  const size_t numbers = 3 * (size_t)part->problem->ref->Np;
  for (size_t i = 0; i < part->n; i++)
    whole->H[NAME(whole_at)(part, i / numbers) + i % numbers] = part->kept[i] + (REAL)by * part->H[i];
  return err->code;
}
