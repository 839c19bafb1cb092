/* The mesh of a run, and its parts for ranks. setup_build.c and run.c call it. */
#pragma once

#include "libdg/files/ledger.h"
#include "maxwell/setup/setup.h"

/* The place of the mesh in the output folder, where an earlier run has kept it or this one will. */
struct mx_keeping {
  const char *folder; /* borrowed; NULL: there is no folder, and nothing is kept */
  bool remesh;        /* --remesh: the kept mesh is not used */
  bool restart;       /* this run goes on from the one that made the mesh */
};

/* Takes the mesh from an earlier run, reads or makes it, and shares it out. Fills in mesh, ranks, partition and their
 * description. Collective. Errors: DG_INPUT with the place of mesh.file; those of libdg/mesh/load. */
int mx_setup_make_mesh(struct mx_setup *setup, const struct mx_keeping *keeping, struct dg_error *err) DG_MUST_USE;
/* Writes a mesh that was made to the place where the next run finds it. The folder mesh/ must exist. A file that cannot
 * be written is a warning. Collective. */
int mx_setup_keep_mesh(struct mx_setup *setup, struct dg_ledger *ledger, struct dg_error *err) DG_MUST_USE;

/* Logs how many elements are curved, and refuses what does not take them. Call it when the mesh is there and layers are
 * chosen. Collective. */
int mx_check_curved(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
