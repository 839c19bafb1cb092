/* Bloch phases (`bloch = { kx, ky, kz }`): fields that are exp(-j k.x) times periodic ones, with e^{jwt} as everywhere.
 * The mesh gets a set of elements for the real and one for the imaginary part (libdg/mesh/sets.h), and what crosses
 * periodic sides turns (libdg/halo/halo.h). Sources and initial fields of the script are the periodic factor: they are
 * multiplied by exp(-j k.x). setup_mesh.c calls it. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/halo/halo.h"
#include "maxwell/model/config.h"

/* Refuses what has no Bloch phase, and a wave vector without periodic boundaries (DG_INPUT with the place in the
 * script). Not collective. */
int mx_bloch_check(const struct mx_config *config, struct dg_error *err) DG_MUST_USE;

/* Gives this rank's part its two sets of elements. DG_INPUT: k has a part along which the mesh has no period. Each rank
 * calls it, and the log is rank 0's. */
int mx_bloch_pair(const struct mx_config *config, struct dg_mesh *mesh, struct dg_log *log,
                  struct dg_error *err) DG_MUST_USE;
