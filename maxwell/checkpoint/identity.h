/* Identities: two runs must have the same for one to go on where the other was interrupted. */
#pragma once

#include "maxwell/setup/setup.h"

/* A text, a line "key = value" for everything that the fields or the files depend on: the mesh (digests of its elements
 * and vertices, which do not depend on the ranks), order, precision, integrator, flux, step, and the script's keys,
 * functions by what they do. Left out: how long the run goes on, the backend, progress, checkpoints, the output
 * folder's name. Collective; rank 0 alone gets the text (free it with dg_free), the others NULL. */
int mx_identity(char **text, const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;

/* DG_INPUT when the texts differ: says the first line that does. */
int mx_identity_compare(const char *checkpoint, const char *now, struct dg_error *err) DG_MUST_USE;
