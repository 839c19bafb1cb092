/* Identities: a run can go on from another one's checkpoint only if both have the same identity. */
#pragma once

#include "maxwell/scene/scene.h"

/* Makes a text with a line "key = value" for everything that the fields or the files depend on: the mesh (digests of
 * its elements and vertices, which do not depend on the ranks), order, precision, integrator, flux, step, and the
 * script's keys, functions by their code and all that it reads. The text leaves out how long the run goes on, the
 * backend, progress, checkpoints, and the output folder's name. Collective; rank 0 alone gets the text (free it with
 * dg_free), the others NULL. */
int mx_identity(char **text, const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;

/* Compares two identities. DG_INPUT, with the first line that differs, if they are not the same. */
int mx_identity_compare(const char *checkpoint, const char *now, struct dg_error *err) DG_MUST_USE;
