/* Metal walls, films and sheets with a state on the card. All functions do nothing where there are none. Where ranks
 * share sheets, the functions that are called collective are so, and wait for the card. */
#pragma once

#include "gpu/kernels/skins/skins.h"
#include "maxwell/backend/backend.h"
#include "maxwell/backend/sheet_links.h"

/* The faces on metal walls, on films, or on sheets (skins.c). */
struct gpu_own_skins {
  struct gpu_skins at;
  struct gpu_entries straight, curved;
  size_t *of; /* of the host: [at.count] numbers in mx_problem.skin_face, ascending */
};

/* The currents of sheets that ranks share, through the host's memory (skins.c). */
struct gpu_sheet_links {
  struct mx_sheet_links at;
  int32_t *send; /* of the card: [at.sent] places in the list of sheets */
  double *item;  /* of the card: [at.sent][at.width] */
};

/* Collective. */
int gpu_new_skins(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_skins(struct mx_backend *backend);
/* The bytes of the card that they take. */
size_t gpu_skin_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real);
/* At t = 0 no current flows. */
int gpu_start_skins(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Behind half a step of leapfrog, while the traces on open faces are those that it had: adds to the field. Behind that
 * of H the currents go on. Collective. */
int gpu_end_half_skins(struct mx_backend *backend, int equation, void *to, struct dg_error *err) DG_MUST_USE;
/* Adds to stage s, whose rates are those of `field`: to the registers, and b times to `also`, which may be NULL.
 * Collective. */
int gpu_stage_skins(struct mx_backend *backend, int s, void *const field[2], void *const also[2],
                    struct dg_error *err) DG_MUST_USE;
/* Adds twice the stored energies to the parts of a sum, on the card. */
int gpu_add_skin_energies(struct mx_backend *backend, double *part, struct dg_error *err) DG_MUST_USE;
/* Copies the currents of faces first..first+count-1 of the problem's to value `to`, or, if that is NULL, from `from`:
 * [count][poles][3][Nf], of which only the components along the face mean anything. */
int gpu_copy_skins(struct mx_backend *backend, size_t first, size_t count, double *to, const double *from,
                   struct dg_error *err) DG_MUST_USE;

/* Behind the loading of currents. Collective. */
int gpu_loaded_skins(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
