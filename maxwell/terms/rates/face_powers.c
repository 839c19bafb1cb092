/* What metal walls, sheets and films lose: face_powers.h has the formulas. The balance of energy calls it. */
#include "maxwell/terms/rates/face_powers.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/terms/skin_frame.h"
#include "maxwell/terms/rates/skin_rates.h"
#include "maxwell/terms/terms.h"

static bool is_staggered(const struct mx_face_powers *of) { return mx_scheme_of(&of->powers->options)->staggered; }

static void add_to_rate(const void *terms, enum mx_equation equation, double *rate)
{
  const struct mx_face_powers *of = terms;
  mx_add_skins(of->powers->problem, of->powers->matrices, equation, of->value, rate);
}

int mx_face_powers_init(struct mx_face_powers *of, struct mx_powers *powers, const struct mx_backend_ops *ops,
                        struct dg_error *err)
{
  const struct mx_problem *problem = powers->problem;
  *of = (struct mx_face_powers){.powers = powers, .ops = ops, .trace = 3 * (size_t)problem->ref->Nf};
  of->width = mx_skin_poles(problem) * of->trace;
  if (problem->skin_faces == 0 && !mx_any_sheet(problem)) return 0; /* other ranks may have both faces of a sheet */
  const size_t own = problem->skin_faces * of->width, traces = problem->skin_faces * of->trace;
  if (mx_skin_tables_init(&of->tables, problem, err) != 0 ||
      mx_sheet_links_init(&of->links, problem, of->width, err) != 0)
    return err->code;
  const size_t all = own + of->links.sent * of->width;
  if (DG_NEW(of->saved, own, err) != 0 || DG_NEW(of->now, all, err) != 0 || DG_NEW(of->before, all, err) != 0 ||
      DG_NEW(of->H, traces, err) != 0 || DG_NEW(of->drive[0], traces, err) != 0 ||
      DG_NEW(of->drive[1], traces, err) != 0 || DG_NEW(of->value, traces, err) != 0 ||
      DG_NEW(of->ago, traces, err) != 0)
    return err->code;
  powers->terms = of;
  powers->add_terms = add_to_rate;
  return 0;
}

void mx_face_powers_release(struct mx_face_powers *of)
{
  double *const arrays[] = {of->saved, of->now, of->before, of->H, of->drive[0], of->drive[1], of->value, of->ago};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
  mx_sheet_links_release(&of->links);
  if (of->tables.problem != NULL) mx_skin_tables_release(&of->tables);
  *of = (struct mx_face_powers){0};
}

size_t mx_face_powers_bytes(const struct mx_problem *problem)
{
  return problem->skin_faces * 3 * (size_t)problem->ref->Nf * (3 * mx_skin_poles(problem) + 5) * sizeof(double);
}

double mx_face_powers_fastest(const struct mx_problem *problem)
{
  double fastest = 0;
  for (size_t i = 0; i < problem->metals && problem->skin_faces > 0; i++) {
    fastest = fmax(fastest, problem->metal[i].damping);
    for (size_t q = 0; q < problem->metal[i].poles && mx_skin_is_wall(&problem->metal[i]); q++)
      fastest = fmax(fastest, problem->metal[i].rate[q]);
  }
  return fastest;
}

static void swap(double **a, double **b)
{
  double *c = *a;
  *a = *b;
  *b = c;
}

/* Fetches currents[skin_faces][poles][3][Nf], Cartesian. */
static int fetch(const struct mx_face_powers *of, struct mx_backend *backend, double *currents, struct dg_error *err)
{
  const struct mx_problem *problem = of->powers->problem;
  const int array = (int)mx_state_arrays(problem) - 1;
  if (of->ops->save(backend, array, 0, problem->skin_faces, currents, err) != 0) return err->code;
  for (size_t k = 0; k < problem->skin_faces && of->ops->components == MX_COVARIANT_TANGENTIAL; k++)
    mx_turn_currents(problem, (size_t)problem->skin_face[k] / 4, (size_t)problem->skin_face[k] % 4,
                     mx_skin_poles(problem), true, currents + k * of->width);
  return 0;
}

/* The array of the state with the traces of H of one step ago. */
static struct mx_state_array kept_H(const struct mx_face_powers *of, int *array)
{
  for (*array = 0;; ++*array) {
    const struct mx_state_array one =
        mx_state_array(of->powers->problem, of->powers->options.integrator, (size_t)*array);
    if (one.list == MX_STATE_OF_FACES && one.field == MX_FARADAY) return one;
  }
}

int mx_face_powers_resume(struct mx_face_powers *of, struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = of->powers->problem;
  int array;
  double *kept = NULL;
  if (problem->skin_faces == 0 || !is_staggered(of)) return 0;
  const struct mx_state_array traces = kept_H(of, &array);
  if (fetch(of, backend, of->saved, err) != 0 || DG_NEW(kept, traces.items * of->trace, err) != 0 ||
      of->ops->save(backend, array, 0, traces.items, kept, err) != 0)
    goto fail;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const size_t e = (size_t)problem->skin_face[k] / 4, f = (size_t)problem->skin_face[k] % 4;
    const ptrdiff_t slot = mx_kept_slot(problem, e, (int)f);
    if (slot < 0) continue; /* a film */
    memcpy(of->H + k * of->trace, kept + (size_t)slot * of->trace, of->trace * sizeof *kept);
    if (of->ops->components != MX_CARTESIAN) mx_turn_currents(problem, e, f, 1, true, of->H + k * of->trace);
  }
  of->resumed = true;
fail:
  dg_free(kept);
  return err->code;
}

/* The currents of the other face of sheet k, out of now or before; NULL: there is none. */
static const double *far_of(const struct mx_face_powers *of, size_t k, const double *currents)
{
  const ptrdiff_t row = mx_sheet_links_row(&of->links, k, of->powers->problem->skin_faces);
  return row >= 0 ? currents + (size_t)row * of->width : NULL;
}

/* Puts what other ranks have of sheets behind the own currents of now. */
static int exchange(struct mx_face_powers *of, struct dg_error *err)
{
  struct mx_sheet_links *links = &of->links;
  const size_t bytes = of->width * sizeof(double);
  if (links->exchange == NULL) return 0;
  for (size_t i = 0; i < links->sent; i++)
    memcpy(mx_sheet_links_to_send(links, i), of->now + links->send[i] * of->width, bytes);
  if (mx_sheet_links_exchange(links, err) != 0) return err->code;
  memcpy(of->now + of->powers->problem->skin_faces * of->width, dg_exchange_receive_buffer(links->exchange),
         links->sent * bytes);
  return 0;
}

/* V of a wall or a sheet, or J of a film. */
static void find_value(struct mx_face_powers *of, size_t k)
{
  const struct mx_skin *skin = mx_skin_of(of->powers->problem, k);
  const double *own = of->now + k * of->width, *far = far_of(of, k, of->now);
  for (size_t i = 0; i < of->trace; i++) {
    double value = 0;
    for (size_t q = 0; q < skin->poles; q++) {
      value += (mx_skin_is_wall(skin) ? skin->resistance[q] : 1) * own[q * of->trace + i];
      if (far != NULL) value += skin->transfer[q] * far[q * of->trace + i];
    }
    of->value[k * of->trace + i] = value;
  }
}

int mx_face_powers_look(struct mx_face_powers *of, struct mx_backend *backend, struct dg_error *err)
{
  const size_t faces = of->powers->problem->skin_faces;
  if (of->tables.problem == NULL) return 0; /* there are none */
  swap(&of->now, &of->before);
  swap(&of->value, &of->ago);
  if (faces > 0 && fetch(of, backend, of->now, err) != 0) return err->code;
  for (size_t i = 0; i < faces * of->width && is_staggered(of); i++) {
    const double later = of->now[i];
    of->now[i] = 0.5 * (later + of->saved[i]);
    of->saved[i] = later;
  }
  if (exchange(of, err) != 0) return err->code;
  for (size_t k = 0; k < faces; k++) find_value(of, k);
  return 0;
}

/* trace[3][Nf] of a field on face k. */
static void take_trace(const struct mx_face_powers *of, size_t k, const double *field, double *trace)
{
  const struct dg_reference *ref = of->powers->problem->ref;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf, e = (size_t)of->powers->problem->skin_face[k] / 4,
               f = (size_t)of->powers->problem->skin_face[k] % 4;
  for (size_t c = 0; c < 3; c++)
    for (size_t m = 0; m < Nf; m++) trace[c * Nf + m] = field[(3 * e + c) * Np + (size_t)ref->face_node[f * Nf + m]];
}

/* What the penalty takes beyond the product of the currents u and v of H and G. It is nothing but on curved faces,
 * where the currents are projections. */
static double beyond_currents(const struct mx_face_powers *of, size_t k, const double *H, const double *G,
                              const double *u, const double *v)
{
  const struct mx_skin *skin = mx_skin_of(of->powers->problem, k);
  double resistance = skin->direct;
  if (of->tables.curve[k] == 0) return 0;
  for (size_t q = 0; q < skin->poles; q++) resistance += skin->resistance[q];
  return resistance * (mx_skin_product(&of->tables, k, H, G) - mx_skin_product(&of->tables, k, u, v));
}

/* Twice what a sheet takes on face k beside the wall that the face is, for the sums of drive and currents over the two
 * looks: direct h.drive - Q_k (h + (drive - I_k)/2).I'_k. */
static double taken_through(const struct mx_face_powers *of, size_t k, const double *h, const double *drive,
                            const double *now, const double *before)
{
  const struct mx_skin *skin = mx_skin_of(of->powers->problem, k);
  const double *far[2] = {far_of(of, k, now), far_of(of, k, before)};
  double u[3 * DG_NF_MAX] = {0}, v[3 * DG_NF_MAX] = {0}, sum = 0;
  if (far[0] == NULL) return 0;
  sum = skin->direct * mx_skin_product(&of->tables, k, h, drive);
  for (size_t q = 0; q < skin->poles; q++) {
    if (skin->transfer[q] == 0) continue;
    for (size_t i = 0; i < of->trace; i++) {
      const size_t at = q * of->trace + i;
      u[i] = h[i] + 0.5 * (drive[i] - now[k * of->width + at] - before[k * of->width + at]);
      v[i] = far[0][at] + far[1][at];
    }
    sum -= skin->transfer[q] * mx_skin_product(&of->tables, k, u, v);
  }
  return sum;
}

double mx_face_powers_loss(const struct mx_face_powers *of, const double *H)
{
  const struct mx_problem *problem = of->powers->problem;
  double sum = 0;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const bool film = !mx_skin_is_wall(mx_skin_of(problem, k));
    double trace[3 * DG_NF_MAX] = {0}, h[3 * DG_NF_MAX] = {0}, twice[3 * DG_NF_MAX];
    if (!film && is_staggered(of)) continue;
    if (!film) {
      take_trace(of, k, H, trace);
      mx_skin_current(&of->tables, k, trace, h);
      sum += beyond_currents(of, k, trace, trace, h, h);
    }
    sum += mx_skin_squares(&of->tables, k, false, of->now + k * of->width, film ? NULL : h);
    for (size_t i = 0; i < of->trace; i++) twice[i] = 2 * h[i];
    sum += 0.5 * taken_through(of, k, h, twice, of->now, of->now);
  }
  return sum;
}

/* The energy that wall or face k of a sheet has lost in a step, from H in its middle. */
static double lost_in_step(const struct mx_face_powers *of, size_t k, const double *H)
{
  const struct mx_skin *skin = mx_skin_of(of->powers->problem, k);
  const size_t at = k * of->trace;
  double h[3 * DG_NF_MAX], drive[3 * DG_NF_MAX], both[3 * DG_NF_MAX], u[3 * DG_NF_MAX] = {0}, v[3 * DG_NF_MAX] = {0},
                                                                            sum = 0;
  for (size_t i = 0; i < of->trace; i++) both[i] = of->drive[0][at + i] + of->drive[1][at + i];
  mx_skin_current(&of->tables, k, H, h);
  mx_skin_current(&of->tables, k, both, drive);
  for (size_t q = 0; q < skin->poles; q++) {
    for (size_t i = 0; i < of->trace; i++) {
      const double currents =
          of->now[k * of->width + q * of->trace + i] + of->before[k * of->width + q * of->trace + i];
      u[i] = drive[i] - currents;
      v[i] = h[i] - 0.5 * currents;
    }
    sum += skin->resistance[q] * mx_skin_product(&of->tables, k, u, v);
  }
  sum += taken_through(of, k, h, drive, of->now, of->before) + beyond_currents(of, k, H, both, h, drive);
  return 0.5 * of->powers->options.step * sum;
}

double mx_face_powers_step(struct mx_face_powers *of, bool first, const double *H)
{
  const struct mx_problem *problem = of->powers->problem;
  double sum = 0;
  if (problem->skin_faces == 0) return 0;
  swap(&of->drive[0], &of->drive[1]);
  for (size_t k = 0; k < problem->skin_faces; k++) {
    double trace[3 * DG_NF_MAX] = {0}, *before = of->H + k * of->trace;
    if (!mx_skin_is_wall(mx_skin_of(problem, k))) continue;
    take_trace(of, k, H, trace);
    for (size_t i = 0; i < of->trace; i++)
      of->drive[0][k * of->trace + i] = trace[i] + (first && !of->resumed ? 0 : 0.5 * (trace[i] - before[i]));
    memcpy(before, trace, of->trace * sizeof *trace);
    if (!first) sum += lost_in_step(of, k, trace);
  }
  return sum;
}

void mx_face_powers_middle(struct mx_face_powers *of)
{
  for (size_t i = 0; i < of->powers->problem->skin_faces * of->trace; i++)
    of->value[i] = 0.5 * (of->value[i] + of->ago[i]);
}
