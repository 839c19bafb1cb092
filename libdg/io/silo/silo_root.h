/* The objects of a snapshot that join its blocks: a multi-block mesh, multi-block variables and the expressions that
 * make vectors of them. Private to this folder. */
#pragma once

#include "libdg/io/silo/silo_file.h"
#include "libdg/io/snapshot_writer.h"

/* Makes the name of a variable: "Ex", or the name of the field for a scalar. */
void dg_silo_variable_name(const struct dg_snapshot_field *field, int component, char name[DG_SILO_NAME]);
size_t dg_silo_variables(size_t fields, const struct dg_snapshot_field *field);

/* The root's record of a block: [0..2] smallest, [3..5] largest coordinate of the mesh, [DG_SILO_ZONES], and two
 * numbers for every variable, smallest and largest value, the wrong way round when there is none but NaN.
 * [DG_SILO_MESH] are the bits by which its writer knows the mesh. */
enum { DG_SILO_ZONES = 6, DG_SILO_MESH, DG_SILO_VARIABLES };
static inline size_t dg_silo_record(size_t variables) { return DG_SILO_VARIABLES + 2 * variables; }

struct dg_silo_root {
  double time;
  int cycle;
  int blocks;
  const char *const *place; /* [blocks] "block_000000", or "blocks/fields_000100_0001.silo:/block_000004" */
  const char *const *mesh;  /* [blocks] the same for their meshes */
  const double *record;     /* [blocks][dg_silo_record()] */
  size_t fields;
  const struct dg_snapshot_field *field;
};

int dg_silo_write_root(const struct dg_silo_file *file, const struct dg_silo_root *root,
                       struct dg_error *err) DG_MUST_USE;
