/* Silo snapshots of nodal fields that look as their order: every element becomes order^3 linear tetrahedra between its
 * own nodes; values are not averaged between elements unless asked. */
#pragma once

#include <stdbool.h>

#include "libdg/mesh/mesh.h"
#include "libdg/ref/reference.h"

struct dg_silo_field {
  const char *name; /* "E": written as Ex, Ey, Ez and the vector expression E; a scalar keeps its name */
  const char *unit; /* "V/m" */
  int components;   /* 1 or 3 */
  bool per_element; /* false: value[K][components][Np] at the nodes; true: value[K][components], zone-centred */
  const double *value;
};

struct dg_silo_snapshot {
  const struct dg_mesh *mesh;
  const struct dg_reference *ref;
  double time;  /* s */
  int cycle;    /* step number */
  bool average; /* true: nodes at the same point are merged and their values averaged */
  size_t fields;
  const struct dg_silo_field *field;
};

/* Writes `path` (the root file: a multi-block mesh "mesh" and multi-block variables over the blocks; in a serial run
 * the only block is the directory block_000000 of the same file). The file appears under its name only when it is
 * complete: it is written beside it (.part) and renamed. Errors: DG_ENVIRONMENT with the path and the system's reason;
 * DG_INPUT when the nodes or sub-tetrahedra are more than Silo can count in one block (int). */
int dg_silo_write(const char *path, const struct dg_silo_snapshot *snapshot, struct dg_error *err) DG_MUST_USE;
const char *dg_silo_version(void);
