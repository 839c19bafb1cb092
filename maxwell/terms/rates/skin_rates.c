/* Adds walls with a state to the right-hand side: skin_rates.h. */
#include "maxwell/terms/rates/skin_rates.h"

void mx_add_skins(const struct mx_problem *problem, const struct mx_matrices_double *matrices,
                  enum mx_equation equation, const double *value, double *rate)
{
  const size_t n = 3 * (size_t)problem->ref->Nf;
  const double none[3 * DG_NF_MAX] = {0};
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const bool wall = equation == MX_FARADAY;
    const double factor = wall ? 1 : mx_film_factor(problem, k);
    double jump[3 * DG_NF_MAX];
    if (mx_skin_row(mx_skin_of(problem, k))->equation != equation) continue;
    for (size_t i = 0; i < n; i++) jump[i] = -factor * value[k * n + i];
    mx_lift_jump_double(problem, matrices, equation, (size_t)problem->skin_face[k] / 4,
                        (size_t)problem->skin_face[k] % 4, wall ? jump : none, wall ? none : jump, rate);
  }
}
