/* Compares the initial fields that a script gives with what the elements hold of them: between the nodes, at the points
 * of a rule of integration. asked.h says when. */
#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/geometry/geometry.h"
#include "libdg/ref/rule.h"
#include "maxwell/worth/asked/asked.h"

enum { POINTS = 200000 }; /* of all elements together, about */

struct trial {
  const struct mx_asked_place *place;
  struct dg_quadrature rule;
  size_t every;     /* one element of so many is looked at */
  double (*x)[3];   /* [Np + Nq] */
  double (*f)[3];   /* [Np + Nq] */
  double square[3]; /* of the difference, of the field, and how often the function failed */
};

static void try_element(struct trial *trial, const struct mx_function *function, const char *what, size_t e)
{
  const struct mx_asked_place *place = trial->place;
  const struct dg_reference *ref = place->problem->ref;
  const size_t Np = (size_t)ref->Np, Nq = (size_t)trial->rule.volume.points;
  struct dg_error failed = {0};
  const struct mx_places places = {
      .what = what, .count = Np + Nq, .x = (const double(*)[3])trial->x, .components = 3, .trial = true};
  for (size_t i = 0; i < Np; i++) dg_geometry_point(place->mesh, e, ref->r[i], ref->s[i], ref->t[i], trial->x[i]);
  for (size_t q = 0; q < Nq; q++) {
    const double *at = trial->rule.place[q];
    dg_geometry_point(place->mesh, e, at[0], at[1], at[2], trial->x[Np + q]);
  }
  if (mx_function_values(function, &places, *trial->f, &failed) != 0) {
    trial->square[2]++; /* an error of the run, at its beginning */
    return;
  }
  for (size_t q = 0; q < Nq; q++)
    for (int c = 0; c < 3; c++) {
      const double weight = place->problem->jacobian[e] * trial->rule.volume.weight[q], given = trial->f[Np + q][c];
      double held = 0;
      for (size_t i = 0; i < Np; i++) held += trial->rule.at[q * Np + i] * trial->f[i][c];
      trial->square[0] += weight * (given - held) * (given - held);
      trial->square[1] += weight * given * given;
    }
}

static int judge(struct trial *trial, const struct mx_function *function, const char *what, struct dg_error *err)
{
  const double much = 0.02;
  const struct mx_asked_place *place = trial->place;
  if (function == NULL) return 0;
  for (int i = 0; i < 3; i++) trial->square[i] = 0;
  for (size_t e = 0; e < place->mesh->K && trial->square[2] == 0; e += trial->every)
    try_element(trial, function, what, e);
  if (dg_comm_reduce(place->problem->comm, DG_SUM, 3, trial->square, err) != 0) return err->code;
  const double error = trial->square[1] > 0 ? sqrt(trial->square[0] / trial->square[1]) : 0;
  if (trial->square[2] == 0 && error > much)
    mx_doubt(place->doubts, place->log, MX_DOUBT_MESH, what, "",
             "%s: the elements do not hold the field that is given: between the nodes it is wrong by %.2g %% (root of "
             "the mean square); make elements smaller or the order higher",
             what, 100 * error);
  return 0;
}

int mx_doubt_initial(const struct mx_asked_place *place, struct dg_error *err)
{
  const struct mx_config *config = place->config;
  struct trial trial = {.place = place};
  if (config->initial.E == NULL && config->initial.H == NULL) return 0;
  if (dg_quadrature_init(&trial.rule, place->problem->ref, err) != 0) goto fail;
  const size_t points = (size_t)place->problem->ref->Np + (size_t)trial.rule.volume.points;
  trial.every = 1 + points * place->mesh->whole.K / POINTS;
  if (DG_NEW(trial.x, points, err) == 0 && DG_NEW(trial.f, points, err) == 0 &&
      judge(&trial, config->initial.E, "initial.E", err) == 0)
    (void)!judge(&trial, config->initial.H, "initial.H", err);
fail:
  dg_free(trial.x);
  dg_free(trial.f);
  dg_quadrature_release(&trial.rule);
  return err->code;
}
