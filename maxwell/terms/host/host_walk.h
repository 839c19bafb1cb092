/* Walks over the kinds of terms on the host (host_row.h): part of the bodies of `reference` and `cpu`, after all
 * kinds. */

#define MX_HOST_ROW(kind) &NAME(kind##_term),
static const struct NAME(term) *const NAME(terms)[MX_TERMS] = {MX_TERM_ROWS(MX_HOST_ROW)};
#undef MX_HOST_ROW

static int NAME(new_terms)(struct NAME(state) * state, struct dg_error *err)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->create != NULL && NAME(terms)[i]->create(state, err) != 0) return err->code;
  return 0;
}

static void NAME(free_terms)(struct NAME(state) * state)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->destroy != NULL) NAME(terms)[i]->destroy(state);
}

static void NAME(start_terms)(struct NAME(state) * state, REAL *const field[2])
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->start != NULL) NAME(terms)[i]->start(state, field);
}

static void NAME(start_terms_back)(struct NAME(state) * state, REAL *H)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->start_back != NULL) NAME(terms)[i]->start_back(state, H);
}

static int NAME(before_pass)(struct NAME(state) * state, enum mx_equation equation, int s, REAL *const field[2],
                             struct dg_error *err)
{
  for (int i = MX_TERMS; i-- > 0;)
    if (NAME(terms)[i]->before != NULL && NAME(terms)[i]->before(state, equation, s, field, err) != 0) return err->code;
  return 0;
}

static void NAME(lift_terms)(struct NAME(state) * state, enum mx_equation equation, const struct NAME(lift) * lift)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->lift != NULL) NAME(terms)[i]->lift(state, equation, lift);
}

static void NAME(after_step)(struct NAME(state) * state, enum mx_equation equation, REAL *field)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->after_step != NULL && !state->starting) NAME(terms)[i]->after_step(state, equation, field);
}

static void NAME(after_rates)(struct NAME(state) * state, const struct NAME(response_stage) * stage)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->after_rates != NULL) NAME(terms)[i]->after_rates(state, stage);
}

static void NAME(energy_of_terms)(const struct NAME(state) * state, double energy[2])
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->energy != NULL) NAME(terms)[i]->energy(state, energy);
}

/* Copies items of an array of states. Returns false if it is an array of the fields. */
static bool NAME(copy_terms)(struct NAME(state) * state, const struct mx_state_array *of, size_t first, size_t count,
                             double *to, const double *from)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->copy != NULL && NAME(terms)[i]->list == of->list) {
      NAME(terms)[i]->copy(state, of, first, count, to, from);
      return true;
    }
  return false;
}

static int NAME(terms_loaded)(struct NAME(state) * state, struct dg_error *err)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (NAME(terms)[i]->loaded != NULL && NAME(terms)[i]->loaded(state, err) != 0) return err->code;
  return 0;
}
