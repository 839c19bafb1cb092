/* The state of the `cpu` backend for checkpoints; part of fused_body.h, once for every precision. One thread copies:
 * the disk is slower, and pieces are so small that starting threads for each took longer than the copy. */

static void NAME(save)(struct NAME(state) * state, int array, size_t first, size_t count, double *value)
{
  size_t Np = (size_t)state->problem->ref->Np;
  const struct mx_state_array of = mx_state_array(state->problem, state->options.integrator, (size_t)array);
  if (NAME(copy_terms)(state, &of, first, count, value, NULL)) return;
  const REAL *field = state->field[of.field];
  for (size_t k = 0; k < count; k++)
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++) value[(3 * k + c) * Np + i] = (double)field[NAME(at)(state, first + k, c, i)];
}

static void NAME(load)(struct NAME(state) * state, int array, size_t first, size_t count, const double *value)
{
  size_t Np = (size_t)state->problem->ref->Np;
  const struct mx_state_array of = mx_state_array(state->problem, state->options.integrator, (size_t)array);
  if (NAME(copy_terms)(state, &of, first, count, NULL, value)) return;
  REAL *field = state->field[of.field];
  for (size_t k = 0; k < count; k++)
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++) field[NAME(at)(state, first + k, c, i)] = (REAL)value[(3 * k + c) * Np + i];
}

/* Exchanges the traces of H where leapfrog needs them: its first half step uses the neighbours' H as the last one left
 * it. All other traces travel when they are needed. */
static int NAME(loaded)(struct NAME(state) * state, struct dg_error *err)
{
  state->observed = false;
  if (NAME(terms_loaded)(state, err) != 0) return err->code;
  if (!mx_scheme_of(&state->options)->staggered) return 0;
  if (NAME(send_traces)(state, &state->field[1], err) != 0) return err->code;
  return NAME(receive_traces)(state, &state->field[1], err);
}
