/* The mesh of a run, and its parts for ranks. */
#pragma once

#include "libdg/files/ledger.h"
#include "maxwell/setup/setup.h"

/* The mesh that an earlier run has kept in its output folder, or this one will. */
struct mx_keeping {
  const char *folder; /* borrowed; NULL: there is none, and nothing is kept */
  bool remesh;        /* it is not used: --remesh */
  bool restart;       /* this is the run that made it, going on */
};

/* Takes the mesh from an earlier run, reads or makes it, and shares it out: mesh, ranks, partition and what is said of
 * them. Collective. Errors: DG_INPUT with the place of mesh.file; those of libdg/mesh/load. */
int mx_setup_make_mesh(struct mx_setup *setup, const struct mx_keeping *keeping, struct dg_error *err) DG_MUST_USE;
/* Writes a mesh that was made to where the next run finds it; the folder mesh/ is there. What cannot be written is a
 * warning. Collective. */
int mx_setup_keep_mesh(struct mx_setup *setup, struct dg_ledger *ledger, struct dg_error *err) DG_MUST_USE;
