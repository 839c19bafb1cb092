/* Metal walls: faces behind which a wave enters the skin of a metal (maxwell/model/media/metal.h).
 *
 * With n outwards, h = -n x H is the current of the wall, and the skin is a row of resistors R_k beside inductors:
 *
 *   E* = R h - V,   n x H* = n x H-,   R = sum of R_k,   V = sum of R_k I_k,   dI_k/dt = a_k (h - I_k),
 *
 * tangential and at every node. In the flux that is a wall of metal with the penalty R on H (its row has the flux), and
 * with -V as the field beyond the face. Only the equation of H sees the wall.
 *
 * Energy: the sum of R_k I_k^2/(2 a_k) over the wall is stored, and the sum of R_k (h - I_k)^2 is lost.
 *
 * Leapfrog has I_k beside H, at half steps, and takes the mean of old and new. h is extrapolated to the middle as on
 * other open faces. A mode z = exp(j phi) sees Zs(2j/dt tan(phi/2)) times e^{-j phi/2} (3 - e^{-j phi})/2, whose real
 * part is Re Zs c (3 - 2 c^2) + 2 Im Zs s^3 with c = cos(phi/2), s = sin(phi/2): not negative, since Im Zs has the sign
 * of s. So the theorem of the limit (share/doc/design/time.md) holds, and at z = -1 the means and so V vanish: the
 * limit is that of the penalty R, and the search needs no state. Runge-Kutta has I_k as it has E and H, and the search
 * too.
 *
 * On a curved face h is the projection of -n x H in the inner product of the penalty, the metric at the points of the
 * face's rule, so that the energy is exact there as well. */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/model/media/metal_sheet.h"
#include "maxwell/problem/curve_tables.h"
#include "maxwell/problem/curved.h"
#include "maxwell/problem/problem.h"

/* A kind of walls with a state, by its numbers. Currents and rates are [3][Nf] of pole q, n = 3 Nf. */
struct mx_skin_ops {
  const char *name;
  /* The equation that takes its value. MX_FARADAY: a wall, which is driven by h and gives V. MX_AMPERE: a film between
   * two media, which is driven by E* and gives J. */
  enum mx_equation equation;
  /* Leapfrog: takes the currents a step further, by the mean of old and new in what they lose. */
  void (*step)(const struct mx_skin *skin, size_t q, double dt, size_t n, const double *drive, double *now);
  /* Runge-Kutta: their rate. */
  void (*rate)(const struct mx_skin *skin, size_t q, size_t n, const double *drive, const double *now, double *rate);
  /* value[n] = V or J of own[poles][n] and of the currents of the other face; far may be NULL. */
  void (*value)(const struct mx_skin *skin, size_t n, const double *own, const double *far, double *value);
  /* Gives the numbers of a pole, as skin_points.h takes them. step: of leapfrog; 0: those of the rate. */
  void (*numbers)(const struct mx_skin *skin, size_t q, double step, double number[2]);
  /* The weight of the square of a current in the energy, and of that of drive less current in the loss; of a film that
   * of a current in both, and half of it, since both sides have the film. */
  double (*weight)(const struct mx_skin *skin, size_t q, bool stored);
  /* The flux of a face between these impedances; a wall knows no other one. */
  struct mx_face_flux (*flux)(const struct mx_skin *skin, double own, double other);
};

#define MX_SKIN_EXTERN(kind, row) extern const struct mx_skin_ops mx_skin_of_##row;
MX_SKIN_KINDS(MX_SKIN_EXTERN)
#undef MX_SKIN_EXTERN
extern const struct mx_skin_ops *const mx_skins[];

static inline const struct mx_skin_ops *mx_skin_row(const struct mx_skin *skin) { return mx_skins[skin->kind]; }
static inline void mx_skin_numbers(const struct mx_skin *skin, size_t q, double step, double number[2])
{
  mx_skin_row(skin)->numbers(skin, q, step, number);
}
/* Is it a wall, and not a film between two media? */
static inline bool mx_skin_is_wall(const struct mx_skin *skin) { return mx_skins[skin->kind]->equation == MX_FARADAY; }

/* What the faces on metal walls need, once for a backend, in double precision. */
struct mx_skin_tables {
  const struct mx_problem *problem; /* borrowed */
  size_t *curve;   /* [skin_faces] 1 + the number of the face's element in `curves`; 0: it is straight */
  double **curved; /* [skin_faces] of a curved face [2 Nf][2 Nf], along t1 and t2 at the nodes: H to h; else NULL */
  struct mx_curve_tables curves; /* of the curved elements with a metal wall */
};

/* Release in any case. */
int mx_skin_tables_init(struct mx_skin_tables *tables, const struct mx_problem *problem,
                        struct dg_error *err) DG_MUST_USE;
void mx_skin_tables_release(struct mx_skin_tables *tables);

/* The metal of face k of the list. */
static inline const struct mx_skin *mx_skin_of(const struct mx_problem *problem, size_t k)
{
  const int32_t face = problem->skin_face[k];
  return &problem->metal[problem->skin[face / 4][face % 4] - 1];
}

/* h[3][Nf] of H[3][Nf] on face k of the list, Cartesian. */
void mx_skin_current(const struct mx_skin_tables *tables, size_t k, const double *H, double *h);
/* The integral of u . v over face k, [3][Nf] each, tangential, as the penalty takes it. */
double mx_skin_product(const struct mx_skin_tables *tables, size_t k, const double *u, const double *v);
/* G[2 Nf][2 Nf] of a face of a curved element, whose sums with components along t1 and t2 at the nodes are the
 * integrals of mx_skin_product. */
void mx_skin_weigh(const struct mx_skin_tables *tables, size_t k, double *G);
/* v[3][Nf], whose sum of products with any w is the integral of u . w. */
void mx_skin_mass(const struct mx_skin_tables *tables, size_t k, const double *u, double *v);
/* The sum over the poles of weight(R, a) times the square of I_k - shift: stored and lost energy. state[poles][3][Nf];
 * shift[3][Nf] or NULL. stored: the weights are R_k/(2 a_k); else R_k. Of a film half of its energy. */
double mx_skin_squares(const struct mx_skin_tables *tables, size_t k, bool stored, const double *state,
                       const double *shift);

/* ---- sheets of metal
 *
 * Each face of a sheet is such a wall, with R of its own, and the two speak to each other through their currents
 * (maxwell/model/media/metal_sheet.h), I of this face and I' of the other one:
 *
 *   V = sum of R_k I_k + Q_k I'_k,   R = direct + sum of R_k,   sum of Q_k = -direct.
 *
 * Energy: the sum of (R_k (I^2 + I'^2) + 2 Q_k I.I')/(2 a_k) is stored and direct (h + h')^2 with the like of
 * h - I is lost; |Q_k| <= R_k. All the rest is as above: at z = -1 V vanishes and R acts on each face alone. */

/* The sum over the poles of weight(Q, a) times I_k.I'_k on face k: one half of what the two faces of a sheet store, or
 * lose, besides mx_skin_squares of each. own[poles][3][Nf], far of the other face. */
double mx_sheet_products(const struct mx_skin_tables *tables, size_t k, bool stored, const double *own,
                         const double *far);

/* ---- films
 *
 * A film of graphene between two media carries J = D/(s + gamma) E*, a resistor and an inductor in series. With the
 * centred values of a face, E* = w- E- + w+ E+, w- = Y-/(Y- + Y+), and n x H*+ - n x H*- = J:
 *
 *   the equation of E of each side loses w J,   dJ/dt = D E* - gamma J.
 *
 * Only the equation of E sees the film. [E] is an error and has its penalty, [H] is J and has none. J^2/(2 D) is
 * stored, gamma J^2/D is lost; both sides keep J, and each counts half of that. Leapfrog has J beside H, with the mean
 * of old and new in the loss alone: J and E are one more skew pair, which the search for the limit knows.
 * D = e^2 kT/(pi hbar^2) (mu/kT + 2 log(1 + exp(-mu/kT))): G. W. Hanson, J. Appl. Phys. 103 (2008) 064302, (3). */

/* E* of the tangential parts of own[3][Nf] and far[3][Nf] on face k of the list. */
void mx_film_field(const struct mx_skin_tables *tables, size_t k, const double *own, const double *far, double *E);
/* The field beyond face k which, in the penalty on E, makes its equation lose w J: this times -J. */
static inline double mx_film_factor(const struct mx_problem *problem, size_t k)
{
  const struct mx_face_flux *flux = &problem->flux[problem->skin_face[k] / 4][problem->skin_face[k] % 4];
  return flux->h_jump / flux->e_penalty;
}
