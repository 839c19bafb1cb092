/* Traces that travel between ranks; part of fused_body.h, once for every precision.
 *
 * Behind the blocks of a field's own elements stand those of the ghosts, one for every face of the halo. A ghost has
 * values only at the nodes on that face, and of these only the two components along t1 and t2 mean anything. The sender
 * forms these two components in the arithmetic of the kernels, and they travel: the far side sees the same numbers as
 * if it had the element. Bloch phases turn them on the way (libdg/halo/halo.h). Buffers are [faces][fields][2][Nf]. */

/* The row of ghost i. Ghosts begin at a block of their own. */
static inline size_t NAME(ghost)(const struct NAME(state) * state, size_t i) { return state->blocks * LANES + i; }

static int NAME(new_exchange)(struct NAME(state) * state, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  if (problem->halo == NULL) return 0;
  state->travelling = mx_fields_under_curl(mx_scheme_of(&state->options));
  return dg_exchange_new(&state->exchange, problem->comm, problem->halo->peers, problem->halo->peer,
                         (size_t)state->travelling * 2 * (size_t)problem->ref->Nf * sizeof(REAL), err);
}

/* Sends the traces of field[state->travelling]. */
static int NAME(send_traces)(struct NAME(state) * state, REAL *const *field, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  if (state->exchange == NULL) return 0;
  double start = omp_get_wtime();
  struct mx_mark mark = mx_phase_begin(state->profile);
  const struct dg_reference *ref = problem->ref;
  size_t Nf = (size_t)ref->Nf, fields = (size_t)state->travelling;
  REAL *buffer = dg_exchange_send_buffer(state->exchange);
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t k = 0; k < problem->halo->faces; k++) {
    size_t e = (size_t)problem->halo->send[k] / 4;
    int f = problem->halo->send[k] % 4;
    for (size_t q = 0; q < fields; q++)
      for (size_t m = 0; m < Nf; m++) {
        const REAL *u = field[q] + NAME(at)(state, e, 0, (size_t)ref->face_node[(size_t)f * Nf + m]);
        REAL along[2], *to = buffer + (k * fields + q) * 2 * Nf;
        MX_ALONG(f, u[0], u[1], u[2], along);
        to[m] = along[0];
        to[Nf + m] = along[1];
      }
  }
  _Generic(buffer, double *: dg_halo_turn_double, float *: dg_halo_turn_single)(problem->halo, fields * 2 * Nf, buffer);
  (void)!dg_exchange_start(state->exchange, err);
  mx_phase_end(state->profile, mark, "halo", (struct mx_cost){0, 0});
  state->halo_seconds += omp_get_wtime() - start;
  return err->code;
}

/* Receives the traces of the other ranks. */
static int NAME(receive_traces)(struct NAME(state) * state, REAL *const *field, struct dg_error *err)
{
  const struct mx_problem *problem = state->problem;
  if (state->exchange == NULL) return 0;
  double start = omp_get_wtime();
  struct mx_mark mark = mx_phase_begin(state->profile);
  const struct dg_reference *ref = problem->ref;
  size_t Nf = (size_t)ref->Nf, fields = (size_t)state->travelling;
  const REAL *buffer = dg_exchange_receive_buffer(state->exchange);
  if (dg_exchange_finish(state->exchange, err) != 0) return err->code;
#pragma omp parallel for num_threads(state->threads) schedule(static)
  for (size_t k = 0; k < problem->halo->faces; k++) {
    int f = problem->halo->receive[k] % 4;
    for (size_t q = 0; q < fields; q++)
      for (size_t m = 0; m < Nf; m++) {
        const REAL *from = buffer + (k * fields + q) * 2 * Nf;
        size_t node = (size_t)ref->face_node[(size_t)f * Nf + m];
        REAL *u = field[q] + NAME(ghost)(state, k) * state->row + 3 * node;
        MX_WITH_ALONG(f, from[m], from[Nf + m], u);
      }
  }
  mx_phase_end(state->profile, mark, "halo", (struct mx_cost){0, 0});
  state->halo_seconds += omp_get_wtime() - start;
  return 0;
}
