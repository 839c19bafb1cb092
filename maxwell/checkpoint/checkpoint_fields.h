/* The fields in a checkpoint, one file a rank: element numbers in the whole mesh, E and H, and in leapfrog the traces
 * on open faces of one step ago (maxwell/terms/state_arrays.h). Private to checkpoint*.c. */
#pragma once

#include "libdg/files/ledger.h"
#include "maxwell/scene/scene.h"

/* Bytes of this rank's file, without HDF5's own. */
size_t mx_fields_bytes(const struct mx_scene *scene);
/* Saves this rank's file; not collective. Fields that are no longer numbers get no file, and *finite is false. */
int mx_fields_save(const char *folder, struct dg_ledger *ledger, long number, const struct mx_scene *scene,
                   struct mx_backend *backend, bool *finite, uint64_t *digest, struct dg_error *err) DG_MUST_USE;
void mx_fields_remove(const char *folder, long number, long rank);
/* Loads from the files of `parts` ranks, which must have been checked (dg_store_check), in the components that they
 * were written in. Collective. */
int mx_fields_load(const char *folder, long number, long parts, enum mx_components components,
                   const struct mx_scene *scene, struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
