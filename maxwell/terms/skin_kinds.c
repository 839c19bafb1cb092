/* The kinds of walls with a state, a row for each: skins.h has their formulas. Backends, the limit of the step and the
 * balance of energy walk over faces and ask the rows. */
#include "maxwell/terms/skins.h"

/* ---- walls and sheets of metal */

static void wall_step(const struct mx_skin *skin, size_t q, double dt, size_t n, const double *drive, double *now)
{
  const double c = 0.5 * dt * skin->rate[q];
  for (size_t i = 0; i < n; i++) now[i] = 2 * (now[i] + c * drive[i]) / (1 + c) - now[i];
}

static void wall_rate(const struct mx_skin *skin, size_t q, size_t n, const double *drive, const double *now,
                      double *rate)
{
  for (size_t i = 0; i < n; i++) rate[i] = skin->rate[q] * (drive[i] - now[i]);
}

static void wall_value(const struct mx_skin *skin, size_t n, const double *own, const double *far, double *value)
{
  for (size_t i = 0; i < n; i++) value[i] = 0;
  for (size_t q = 0; q < skin->poles; q++)
    for (size_t i = 0; i < n; i++)
      value[i] += skin->resistance[q] * own[q * n + i] + (far != NULL ? skin->transfer[q] * far[q * n + i] : 0);
}

static void wall_numbers(const struct mx_skin *skin, size_t q, double step, double number[2])
{
  const double c = 0.5 * step * skin->rate[q];
  number[0] = skin->resistance[q];
  number[1] = step > 0 ? c / (1 + c) : skin->rate[q];
}

static double wall_weight(const struct mx_skin *skin, size_t q, bool stored)
{
  return (stored ? 0.5 / skin->rate[q] : 1) * skin->resistance[q];
}

static struct mx_face_flux wall_flux(const struct mx_skin *skin, double own, double other)
{
  (void)own, (void)other;
  struct mx_face_flux flux = {.e_jump = 1, .h_penalty = skin->direct};
  for (size_t k = 0; k < skin->poles; k++) flux.h_penalty += skin->resistance[k];
  return flux;
}

#define MX_WALL_OPS                                                                                                    \
  .equation = MX_FARADAY, .step = wall_step, .rate = wall_rate, .value = wall_value, .numbers = wall_numbers,          \
  .weight = wall_weight, .flux = wall_flux

const struct mx_skin_ops mx_skin_of_wall = {.name = "metal wall", MX_WALL_OPS};
const struct mx_skin_ops mx_skin_of_sheet = {.name = "sheet of metal", MX_WALL_OPS};

/* ---- films */

static void film_step(const struct mx_skin *skin, size_t q, double dt, size_t n, const double *drive, double *now)
{
  const double c = 0.5 * dt * skin->damping;
  (void)q;
  for (size_t i = 0; i < n; i++) now[i] = ((1 - c) * now[i] + dt * skin->drude * drive[i]) / (1 + c);
}

static void film_rate(const struct mx_skin *skin, size_t q, size_t n, const double *drive, const double *now,
                      double *rate)
{
  (void)q;
  for (size_t i = 0; i < n; i++) rate[i] = skin->drude * drive[i] - skin->damping * now[i];
}

static void film_value(const struct mx_skin *skin, size_t n, const double *own, const double *far, double *value)
{
  (void)skin, (void)far;
  for (size_t i = 0; i < n; i++) value[i] = own[i];
}

static void film_numbers(const struct mx_skin *skin, size_t q, double step, double number[2])
{
  const double c = 0.5 * step * skin->damping;
  (void)q;
  number[0] = step > 0 ? step * skin->drude / (1 + c) : skin->drude;
  number[1] = step > 0 ? (1 - c) / (1 + c) : skin->damping;
}

static double film_weight(const struct mx_skin *skin, size_t q, bool stored)
{
  (void)q;
  return 0.5 * (stored ? 0.5 : skin->damping) / skin->drude;
}

static struct mx_face_flux film_flux(const struct mx_skin *skin, double own, double other)
{
  (void)skin;
  struct mx_face_flux flux = mx_face_flux(own, other, 1);
  flux.h_penalty = 0;
  return flux;
}

#define MX_FILM_OPS                                                                                                    \
  .equation = MX_AMPERE, .step = film_step, .rate = film_rate, .value = film_value, .numbers = film_numbers,           \
  .weight = film_weight, .flux = film_flux

const struct mx_skin_ops mx_skin_of_film = {.name = "film", MX_FILM_OPS};

#define MX_SKIN_ROW(kind, row) [kind] = &mx_skin_of_##row,
const struct mx_skin_ops *const mx_skins[] = {MX_SKIN_KINDS(MX_SKIN_ROW)};
#undef MX_SKIN_ROW
