/* Resistive sheets on the card. All functions do nothing where there are none. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

/* Faces on resistive sheets, in the order of mx_problem.sheet_face; all of the card (sheets.c). */
struct gpu_own_sheets {
  size_t count;
  struct gpu_entries straight, curved;
  double *factor;                /* [count] of E */
  void *taken, *before[2], *own; /* gpu_sheets has them; the last two for leapfrog only */
};

int gpu_new_sheets(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The bytes of the card that they take. */
size_t gpu_sheet_bytes(const struct mx_problem *problem, bool staggered, size_t real);
/* Before half a step of leapfrog: works out what the sheets add, and keeps what the next one extrapolates. `start`:
 * only keeps. */
int gpu_sheets_before(struct mx_backend *backend, int equation, bool start, struct dg_error *err) DG_MUST_USE;
/* Behind the half step: adds it. */
int gpu_add_sheets(struct mx_backend *backend, int equation, void *to, struct dg_error *err) DG_MUST_USE;
/* Adds to half a step by -1, which takes H back from t = 0, with the media of the start. */
int gpu_start_sheets(struct mx_backend *backend, void *to, struct dg_error *err) DG_MUST_USE;
/* Adds to a stage, whose rates are those of E: to the registers, and b times to `also`, which may be NULL. */
int gpu_stage_sheets(struct mx_backend *backend, const void *E, void *const also[2], double b,
                     struct dg_error *err) DG_MUST_USE;
