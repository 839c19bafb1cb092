/* What metal walls, sheets and films lose (maxwell/terms/skins.h), on the host: at every look of the balance their
 * currents come from the backend. Powers are V^2 (divided by eta0: watts), as all in powers.h. What they store is part
 * of the backend's energy.
 *
 * Runge-Kutta: the sum of R_k (h - I_k)^2, and gamma J^2/D, at whole steps. Leapfrog has currents at half steps, whose
 * means are those of whole steps. Its films lose the trapezoidal sum of gamma J^2/D of these means. For its walls let
 * d_k(n) = h~(n) - I_k(n) with the extrapolated h~. A step takes dt/2 <h(n+1/2), R_k (d_k(n) + d_k(n+1))> from the
 * fields and stores dt/4 <d_k(n) + d_k(n+1), R_k (I_k(n) + I_k(n+1))>. The rest is lost, exactly.
 *
 * Sheets: W_k = R_k I_k + Q_k I'_k takes the place of R_k I_k, and R all resistors and `direct`. What both faces of a
 * sheet store changes by the sum over them of <dI_k/dt, W_k>/a_k, so that each face needs the other one's I' alone:
 *
 *   R h^2 - (2 h - I_k).W_k,   dt/2 [R h.D - (h + (D - J_k)/2).(W_k(n) + W_k(n+1))],
 *
 * are lost, with h(n+1/2), D = h~(n) + h~(n+1) and J_k = I_k(n) + I_k(n+1). */
#pragma once

#include "maxwell/terms/sheet_links.h"
#include "maxwell/output/powers/powers.h"
#include "maxwell/terms/skins.h"

struct mx_face_powers {
  const struct mx_powers *powers; /* borrowed */
  const struct mx_backend_ops *ops;
  struct mx_skin_tables tables;
  size_t width, trace;         /* numbers of a face: poles * 3 * Nf, 3 * Nf */
  struct mx_sheet_links links; /* the two faces of sheets */
  double *saved;               /* [faces][poles][3][Nf] leapfrog: of half a step behind the last look */
  double *now, *before;        /* the same at the last looks, and what other ranks have of sheets behind it */
  double *H;                   /* [faces][3][Nf] leapfrog: half a step before the last look */
  double *drive[2];            /* the same: the extrapolated H at the last look, and at the one before */
  bool resumed;                /* H is known before the first look */
  double *value, *ago;         /* the same: V or J at the last looks */
};

/* Collective where the metals have a sheet, as mx_face_powers_look is. Without walls, sheets and films it allocates
 * nothing, and all that follows does nothing. Release in any case. */
int mx_face_powers_init(struct mx_face_powers *of, struct mx_powers *powers, const struct mx_backend_ops *ops,
                        struct dg_error *err) DG_MUST_USE;
void mx_face_powers_release(struct mx_face_powers *of);
size_t mx_face_powers_bytes(const struct mx_problem *problem);
/* Leapfrog, before the first step of a run that goes on: takes the currents and H of half a step before. At the start
 * of others no current flows. */
int mx_face_powers_resume(struct mx_face_powers *of, struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Makes `now` into `before`, and takes the currents as they are observed. */
int mx_face_powers_look(struct mx_face_powers *of, struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The power that is lost now: in leapfrog that of films alone. */
double mx_face_powers_loss(const struct mx_face_powers *of, const double *H);
/* Leapfrog: the energy, V^2 m, that walls have lost since the look before. H: of half a step before the last look. */
double mx_face_powers_step(struct mx_face_powers *of, bool first, const double *H);
/* The fastest rate of a current, 1/m. */
double mx_face_powers_fastest(const struct mx_problem *problem);
/* For the rates of the middle of a step (mx_powers.add_terms): the values become means of the last two looks. */
void mx_face_powers_middle(struct mx_face_powers *of);
