/* Walls with a state in the search for the largest step: their currents, [skin_faces][poles][3][Nf], in the vectors of
 * the search. limit_terms.h has the row. */
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/terms/rates/limit_terms.h"
#include "maxwell/terms/rates/skin_rates.h"

struct skins {
  struct mx_skin_tables tables;
  size_t width;  /* numbers of a face */
  double *value; /* [skin_faces][3][Nf] V or J */
};

static void destroy(struct mx_limit_part *part)
{
  struct skins *skins = part->own;
  mx_skin_tables_release(&skins->tables);
  dg_free(skins->value);
  dg_free(skins);
}

static bool any_film(const struct mx_problem *problem)
{
  for (size_t i = 0; i < problem->metals; i++)
    if (!mx_skin_is_wall(&problem->metal[i])) return true;
  return false;
}

static int create(struct mx_limit_part *part, struct dg_error *err)
{
  const struct mx_problem *problem = part->problem;
  struct skins *skins;
  if (problem->skin_faces == 0 || (part->staggered && !any_film(problem))) return 0;
  if (DG_NEW(skins, 1, err) != 0) return err->code;
  part->own = skins;
  skins->width = mx_skin_poles(problem) * 3 * (size_t)problem->ref->Nf;
  part->numbers = problem->skin_faces * skins->width;
  if (mx_skin_tables_init(&skins->tables, problem, err) != 0) return err->code;
  return DG_NEW(skins->value, problem->skin_faces * 3 * (size_t)problem->ref->Nf, err);
}

/* at_face[3][Nf] = the field on the own side of face k, or beyond it. */
static void take_face(const struct mx_problem *problem, size_t k, bool beyond, const double *field, double *at_face)
{
  const struct dg_reference *ref = problem->ref;
  const size_t Nf = (size_t)ref->Nf, Np = (size_t)ref->Np;
  const int32_t own = problem->skin_face[k], code = beyond ? problem->neighbour[own / 4][own % 4] : own;
  for (size_t i = 0; i < 3 * Nf; i++)
    at_face[i] =
        code < 0
            ? 0
            : field[(3 * (size_t)(code / 4) + i / Nf) * Np + (size_t)ref->face_node[(size_t)(code % 4) * Nf + i % Nf]];
}

/* The currents of the other face of a sheet of metal; NULL: there is none here. */
static const double *far_currents(const struct mx_limit_part *part, size_t k, const double *currents)
{
  const struct skins *skins = part->own;
  const int32_t own = part->problem->skin_face[k], code = part->problem->far[own / 4][own % 4] - 1;
  if (code < 0) return NULL;
  return currents + (size_t)mx_skin_slot(part->problem, (size_t)code / 4, code % 4) * skins->width;
}

static void rate_film(const struct mx_limit_part *part, size_t k, const double *const field[2], const double *now,
                      double *rate)
{
  const struct skins *skins = part->own;
  const struct mx_skin *skin = mx_skin_of(part->problem, k);
  const size_t n = 3 * (size_t)part->problem->ref->Nf;
  double own[3 * DG_NF_MAX] = {0}, far[3 * DG_NF_MAX] = {0}, E[3 * DG_NF_MAX] = {0}, number[2];
  take_face(part->problem, k, false, field[0], own);
  take_face(part->problem, k, true, field[0], far);
  mx_film_field(&skins->tables, k, own, far, E);
  mx_skin_numbers(skin, 0, 0, number);
  if (part->staggered)
    for (size_t i = 0; i < n; i++) rate[i] = number[0] * E[i]; /* without losses */
  else mx_skin_row(skin)->rate(skin, 0, n, E, now, rate);
  memcpy(skins->value + k * n, now, n * sizeof *now);
}

static void rate_wall(const struct mx_limit_part *part, size_t k, const double *const field[2], const double *now,
                      const double *beyond, double *rate)
{
  const struct skins *skins = part->own;
  const struct mx_skin *skin = mx_skin_of(part->problem, k);
  const size_t n = 3 * (size_t)part->problem->ref->Nf;
  double own[3 * DG_NF_MAX] = {0}, h[3 * DG_NF_MAX] = {0}, *V = skins->value + k * n;
  take_face(part->problem, k, false, field[1], own);
  mx_skin_current(&skins->tables, k, own, h);
  for (size_t q = 0; q < skin->poles; q++) {
    mx_skin_row(skin)->rate(skin, q, n, h, now + q * n, rate + q * n);
    for (size_t i = 0; i < n; i++) {
      V[i] += skin->resistance[q] * now[q * n + i];
      if (beyond != NULL) V[i] += skin->transfer[q] * beyond[q * n + i];
    }
  }
}

/* The rates of the currents, and V or J of each face. Leapfrog's limit takes no wall. */
static void rate_skins(const struct mx_limit_part *part, const double *const field[2], const double *currents,
                       double *rates)
{
  const struct mx_problem *problem = part->problem;
  const struct skins *skins = part->own;
  const size_t n = 3 * (size_t)problem->ref->Nf, width = skins->width;
  memset(skins->value, 0, problem->skin_faces * n * sizeof *skins->value);
  memset(rates, 0, part->numbers * sizeof *rates);
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const double *now = currents + k * width;
    if (!mx_skin_is_wall(mx_skin_of(problem, k))) rate_film(part, k, field, now, rates + k * width);
    else if (!part->staggered) rate_wall(part, k, field, now, far_currents(part, k, currents), rates + k * width);
  }
}

static void rate(const struct mx_limit_part *part, const double *const field[2], const double *x, double *y,
                 double *const rates[2])
{
  const struct skins *skins = part->own;
  rate_skins(part, field, x, y);
  mx_add_skins(part->problem, part->matrices, MX_FARADAY, skins->value, rates[1]);
  mx_add_skins(part->problem, part->matrices, MX_AMPERE, skins->value, rates[0]);
}

/* The densities of curved elements with a film, whose field has changed without them. */
static void find_densities(const struct mx_limit_part *part, const double *E, double *of_E)
{
  const struct mx_problem *problem = part->problem;
  const struct mx_curve_tables *curves = mx_matrices_curves_double(part->matrices);
  const size_t numbers = 3 * (size_t)problem->ref->Np;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const size_t e = (size_t)problem->skin_face[k] / 4;
    const ptrdiff_t c = curves->count > 0 && !mx_skin_is_wall(mx_skin_of(problem, k)) ? mx_curve_find(problem, e) : -1;
    double u[3 * DG_NP_MAX];
    if (c < 0) continue;
    mx_curve_covariant(curves, (size_t)c, E + numbers * e, u);
    mx_curve_unweigh(curves, (size_t)c, u, of_E + numbers * (size_t)c);
  }
}

/* Of E and J: -C J and -C^T E. */
static void symmetric(const struct mx_limit_part *part, const double *const field[2], const double *x, double *y,
                      double *E, double *density)
{
  const struct skins *skins = part->own;
  rate_skins(part, field, x, y);
  for (size_t i = 0; i < part->numbers; i++) y[i] = -y[i];
  mx_add_skins(part->problem, part->matrices, MX_AMPERE, skins->value, E);
  if (density != NULL) find_densities(part, E, density);
}

/* y = M x of the currents. Those of a film have the weight of their energy, which Lanczos iteration needs: J^2/(2 D),
 * half of it on each side, or all of it where the part ends at the film. Those of a metal wall, R_k I_k^2/(2 a_k), have
 * the diagonal of the mass of their face. Directions that no current takes have some weight, too. */
static void weigh(const struct mx_limit_part *part, const double *x, double *y)
{
  const struct mx_problem *problem = part->problem;
  const struct skins *skins = part->own;
  const size_t Nf = (size_t)problem->ref->Nf, n = 3 * Nf, width = skins->width;
  double number[2];
  for (size_t i = 0; i < part->numbers; i++) {
    const size_t k = i / width, q = i % width / n, m = i % Nf;
    const struct mx_skin *skin = mx_skin_of(problem, k);
    const size_t e = (size_t)problem->skin_face[k] / 4, f = (size_t)problem->skin_face[k] % 4;
    const double of_pole = q < skin->poles && mx_skin_is_wall(skin) ? skin->resistance[q] / skin->rate[q] : 1;
    y[i] = of_pole * problem->face_scale[e][f] * problem->jacobian[e] * problem->ref->face_mass[m * Nf + m] * x[i];
  }
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const int32_t face = problem->skin_face[k];
    const struct mx_skin *skin = mx_skin_of(problem, k);
    if (mx_skin_is_wall(skin)) continue;
    mx_skin_mass(&skins->tables, k, x + k * width, y + k * width);
    mx_skin_numbers(skin, 0, 0, number);
    for (size_t i = 0; i < n; i++)
      y[k * width + i] *= (problem->neighbour[face / 4][face % 4] < 0 ? 1 : 0.5) / number[0];
  }
}

const struct mx_limit_row mx_limit_of_skins = {
    .of_faces = true, .create = create, .destroy = destroy, .rate = rate, .symmetric = symmetric, .weigh = weigh};
