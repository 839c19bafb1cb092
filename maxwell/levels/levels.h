/* Local time steps: leapfrog whose H takes shorter steps where elements are small, so that they do not set the step of
 * all (share/doc/design/levels.md has the derivation).
 *
 * A level is a set of elements, its core, and the rim around it: the elements that share a face with the core. What a
 * pass adds to H of core and rim goes through a filter, a polynomial of the operator mu^-1 C' chi eps^-1 C that acts on
 * the core (chi: 1 there, else 0):
 *
 *   t_0 = 1, t_1 = nu = 1 + eta/m^2, t_k+1 = 2 nu t_k - t_k-1,  alpha = 2 m U_m-1(nu)/t_m
 *   Y_0 = 0, Y_1 = w/(alpha nu),  t_k+1 Y_k+1 = 2 t_k [nu Y_k + (w - dt^2 L Y_k)/alpha] - t_k-1 Y_k-1,  F w = 2 Y_m
 *
 * Sources: C. Carle, M. Hochbruck, A. Sturm, On leapfrog-Chebyshev schemes, SIAM J. Numer. Anal. 58 (2020) 2404; M.
 * Grote, S. Michel, S. Sauter, Stabilized leapfrog based local time-stepping, Math. Comp. 90 (2021) 2603. There the
 * filter acts on the field with the second derivative; here it acts on what is added to H, because poles and losses of
 * the electric field then stay outside of it.
 *
 * As steps: with D_k = 2 t_k/(t_k+1 alpha) and B_k = t_k-1/t_k+1 the recurrence is that of two fields G and Y,
 *
 *   G_k+1 = G_k + (D_k/c_k+1) dt eps^-1 C Y_k on the core,   Y_k+1 = Y_k + s_k+1 w - c_k+1 dt mu^-1 C' G_k+1,
 *   c_1 = 1, c_k+1 = B_k c_k,   s_1 = 1/(alpha nu), s_k+1 = B_k s_k + D_k,
 *
 * the passes of leapfrog on the part. Levels nest: the pass of Y is filtered by the next level. */
#pragma once

#include "maxwell/problem/problem.h"

enum { MX_LEVELS_MAX = 8, MX_SUBSTEPS_MAX = 64 };

/* A level that takes m shorter steps of H in one of the level around it. */
struct mx_level {
  struct mx_problem problem; /* core and rim alone, without losses, poles, sources and penalties */
  int32_t *element;          /* [problem.K] their numbers in the problem of the level around them */
  int64_t *global;           /* [problem.K + its ghosts] their numbers in the whole mesh, or NULL */
  int m;                     /* shorter steps, at least 1 */
  double eta;                /* damping */
  double alone;              /* the limit of the part alone (c0 dt), set by who searches for it */
};

/* The levels of a problem, from the outer one to the inner one. */
struct mx_levels {
  int count; /* 0: all elements take the same steps */
  struct mx_level level[MX_LEVELS_MAX];
  struct mx_face_flux (*flux)[4]; /* [K of the whole] as they were before penalties went */
  double *alone;                  /* [K of the whole] the step at which an element enters the core (c0 dt), or NULL */
};

/* Adds a level around core[K of the innermost level so far; else of `whole`], which must not be empty on all ranks.
 * DG_BUG if core or rim have what only the whole can do (mx_level_takes). Takes the penalty off the faces of the core,
 * in `whole` and on both sides. Collective. */
int mx_levels_add(struct mx_levels *levels, struct mx_problem *whole, const bool *core, int m, double eta,
                  struct dg_error *err) DG_MUST_USE;
/* Gives the faces of the core this share[K of the whole] of their penalties, the less of the two sides. Collective. */
int mx_levels_leave(const struct mx_levels *levels, struct mx_problem *whole, const double *share,
                    struct dg_error *err) DG_MUST_USE;
/* Gives a part of a problem with levels those levels, as far as it has elements of them (mx_problem.depth), and leaves
 * its penalties as they are. The part is on one rank. */
int mx_levels_like(struct mx_levels *levels, struct mx_problem *part, const struct mx_levels *from,
                   struct dg_error *err) DG_MUST_USE;
void mx_levels_release(struct mx_levels *levels);
/* Releases them, and gives the whole its penalties back. */
void mx_levels_undo(struct mx_levels *levels, struct mx_problem *whole);

/* Bytes of the tables of all levels. */
size_t mx_levels_bytes(const struct mx_levels *levels, const struct mx_problem *whole);

/* May the element belong to a core or a rim? Not if its H has losses or poles, if it has a layer, or if one of its
 * faces is more than a wall of metal or a face between elements. */
bool mx_level_takes(const struct mx_problem *problem, size_t e);
