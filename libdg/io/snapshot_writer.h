/* The seam of snapshots: the data of a snapshot of nodal fields and of a grid of values, and the table of functions
 * that a format of files fills. The code that has fields knows no format. A format is one file (or folder) that fills
 * the table, and one line in the list of formats (libdg/io/formats.h). libdg/io/silo/silo_writer.h is the first.
 *
 * Every element of a snapshot looks as its order: writers show order^3 linear tetrahedra between its nodes, or the
 * polynomial itself; values are not averaged between elements unless asked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/comm/comm.h"
#include "libdg/files/ledger.h"
#include "libdg/io/node_merge.h"
#include "libdg/mesh/mesh.h"
#include "libdg/ref/reference.h"

struct dg_snapshot_field {
  const char *name; /* "E": a vector has its name, and its components are Ex, Ey, Ez; a scalar keeps its name */
  const char *unit; /* "V/m" */
  int components;   /* 1 or 3 */
  bool per_element; /* false: value[K][components][Np] at the nodes; true: value[K][components] */
  const double *value;
  double divisor;     /* of the values, on their way to the file; 0: none */
  const char *suffix; /* "_re": the vector E_re has the components Ex_re, Ey_re, Ez_re; NULL: none */
};

static inline const char *dg_snapshot_suffix(const struct dg_snapshot_field *field)
{
  return field->suffix != NULL ? field->suffix : "";
}

/* All borrowed. */
struct dg_snapshot {
  const struct dg_mesh *mesh;
  const struct dg_reference *ref;
  double time; /* s */
  int cycle;   /* step number */
  size_t fields;
  const struct dg_snapshot_field *field;
  const struct dg_node_merge *merge; /* nodes at the same point become one, with the average; NULL: they stay apart */
  bool mesh_once;                    /* the mesh stands in a file that the snapshots of a series share */
  bool single;                       /* values are written as floats; coordinates never */
  struct dg_ledger *ledger;          /* is told of every file before it is created; NULL: nobody is */
  int files;                         /* of several ranks: at most so many have a file open; 0: the writer's number */
};

struct dg_grid_field {
  const char *name, *suffix; /* "E", "_re": the vector E_re has the components Ex_re, Ey_re, Ez_re; a scalar is E_re */
  const char *unit;          /* "V/m" */
  int components;            /* 1 or 3 */
  const double *value;       /* component c of point i at [i * stride + c] */
  size_t stride;
};

/* Values on a grid of n0 x n1 points of a surface. */
struct dg_grid {
  size_t n[2];              /* points along the two edges, 2 or more each */
  const double (*point)[3]; /* [n1][n0] metres */
  double time;
  int cycle;
  size_t fields;
  const struct dg_grid_field *field;
  struct dg_ledger *ledger; /* is told of the file before it is created; NULL: nobody is */
};

/* A snapshot of a series, for the file that lists them. */
struct dg_snapshot_entry {
  const char *name; /* relative to the list */
  double time;      /* s */
};

/* What a snapshot has, for an estimate of its size. */
struct dg_snapshot_amounts {
  double at_nodes, per_element; /* numbers at each node, and numbers for each element */
  double number;                /* bytes of a number */
};

/* A format of snapshots. Paths are "folder/name" and the writer's ending. A file appears under its name only when it is
 * complete, and of a snapshot the file `path` last; after an error on any rank there is none. Errors: DG_ENVIRONMENT
 * with the path and the system's reason, DG_INPUT for what the format cannot hold. */
struct dg_snapshot_writer {
  const char *name;             /* "silo", as scripts and messages call it */
  const char *ending;           /* ".silo" */
  const char *(*version)(void); /* of its library */
  /* Names that a series of snapshots "fields_STEP" may have in its folder, NULL-terminated: '$' stands for the digits
   * of the step, '#' for other digits, '@' for hexadecimal ones. */
  const char *const *names;
  const char *folder; /* inside of that folder, which `names` mention; NULL: there is none */
  /* The state of a series: snapshots of one mesh, order and merge in one folder. NULL behind an error. */
  int (*open)(void **series, struct dg_error *err);
  void (*close)(void *series); /* NULL is safe */
  /* Collective. Writes one snapshot. */
  int (*write)(void *series, const char *path, const struct dg_snapshot *snapshot, struct dg_comm *comm,
               struct dg_error *err);
  /* Writing a snapshot in two halves. in_halves says whether several ranks can do so. write_part writes this rank's
   * part, which `job` is then (NULL behind an error). It says nothing to other ranks, so that a thread may write while
   * another one uses the communicator. finish is collective: it writes the rest, and the job is gone in any case.
   * abandon removes the part instead. One rank alone, and several where in_halves is false, take `write`. */
  bool (*in_halves)(int files, bool average, const struct dg_comm *comm);
  int (*write_part)(void *series, void **job, const char *path, const struct dg_snapshot *snapshot,
                    struct dg_comm *comm, struct dg_error *err);
  int (*finish)(void *job, struct dg_error *err);
  void (*abandon)(void *job);
  /* Bytes of the host that writing a snapshot of K elements takes beside the values themselves, on one rank.
   * `averages`: how many components become averages at shared points; 0 without a merge. */
  size_t (*memory)(size_t K, const struct dg_reference *ref, size_t averages);
  /* Bytes of the file of a snapshot of K elements: of its values, and of its mesh. Little comes around them. */
  void (*file_bytes)(double K, const struct dg_reference *ref, const struct dg_snapshot_amounts *amounts,
                     double bytes[2]);
  /* Writes a grid in a file of its own; one rank. NULL: the format has no grids. */
  int (*write_grid)(const char *path, const struct dg_grid *grid, struct dg_error *err);
  /* The file, among `names`, that lists the snapshots of a series with their times, and its writer; it replaces the
   * list of before. NULL: the format has none. */
  const char *list;
  int (*write_list)(const char *path, size_t count, const struct dg_snapshot_entry *entry, struct dg_ledger *ledger,
                    struct dg_error *err);
};
