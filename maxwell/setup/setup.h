/* Everything between the checked configuration and the first time step: mesh, reference element, tables, time step.
 * `curlew run` and `curlew check` share it.
 */
#pragma once

#include "libdg/base/log.h"
#include "libdg/files/ledger.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/backend/backend.h"
#include "maxwell/model/config.h"
#include "maxwell/shell/profile.h"
#include "libdg/base/clock.h"
#include "maxwell/measure/measure.h"
#include "maxwell/sources/sources.h"

/* How a mesh was shared out. */
struct mx_partition {
  size_t smallest, largest; /* elements of a part */
  double mean;
  size_t cut; /* faces between parts */
};

/* What a step on several ranks would take if nothing but memory and messages cost time (model.h); of the slowest rank
 * each, all ranks busy at the same time. */
struct mx_model {
  double copy;    /* bytes read and written a second */
  double latency; /* of an exchange with all neighbours, seconds */
  double rate;    /* bytes sent a second in a longer one; 0: the halo is too small to tell */
  double fields;  /* seconds a step to stream the fields */
  double halo;    /* seconds a step for the messages alone */
  double hidden;  /* of them, what the interior elements can cover */
};

/* The mesh that an earlier run has kept in its output folder, or this one will. */
struct mx_keeping {
  const char *folder; /* borrowed; NULL: there is none, and nothing is kept */
  bool remesh;        /* it is not used: --remesh */
  bool restart;       /* this is the run that made it, going on */
};

struct mx_setup {
  const struct mx_config *config; /* borrowed */
  const struct mx_origin *origin; /* of the configuration, and of its functions; borrowed; NULL: a program in C */
  struct dg_log *log;             /* borrowed, may be NULL; rank 0 alone has one */
  struct dg_comm *comm;           /* borrowed; NULL: one rank */
  const struct mx_backend_ops *ops;
  struct dg_mesh mesh;   /* this rank's part */
  struct mx_ranks ranks; /* where the rest is */
  struct dg_mesh_report mesh_report;
  char *mesh_kept; /* the file in which this rank keeps its mesh; NULL: none */
  struct mx_partition partition;
  struct dg_reference ref;
  struct mx_problem problem;
  struct mx_assignment assignment;
  struct mx_sources sources;
  struct mx_measures measures;
  size_t unknowns;                        /* 6 Np elements, of all ranks */
  double limit;                           /* largest stable step, s; 0 where none is known (Euler) */
  double certain;                         /* of it: what the search for it vouches for; 1 for Euler */
  size_t limit_elements, limit_clustered; /* as in stability.h */
  int limit_applications;
  double step; /* s */
  long steps;
  int threads;     /* of the backend, once it was made */
  int lua_threads; /* that call the script's functions, of the rank that has fewest */
  struct mx_seconds seconds;
  struct mx_model model; /* several ranks only */
  double halo_least; /* seconds for the halo of the rank that took least; seconds.halo is of the one that took most */
  const char *transport;          /* of the halo, between cards (mx_halo_use); NULL: none */
  double halo_bytes, peak_memory; /* that a rank sends in a step, and has had: the most of all ranks, behind the run */
  double card_memory;             /* bytes of its card, likewise; 0: none */
  bool resume;                    /* set by the caller before mx_run: go on from the last checkpoint */
  double started;                 /* mx_clock when set-up began */
  bool profiling;                 /* set by the caller before mx_run */
  struct mx_profile profile;
  struct mx_backend_ops profiled; /* then `ops` is this */
};

/* Takes the mesh from an earlier run, reads or makes it, builds the tables and finds the step. Errors as those of its
 * parts, and DG_INPUT for a given step beyond the limit (the message names it), DG_ENVIRONMENT for a backend that
 * cannot run here. Collective over comm. keeping may be NULL: nothing is kept. */
int mx_setup_init(struct mx_setup *setup, const struct mx_config *config, const struct mx_origin *origin,
                  struct dg_log *log, struct dg_comm *comm, const struct mx_keeping *keeping,
                  struct dg_error *err) DG_MUST_USE;
/* Writes a mesh that was made to where the next run finds it; the folder mesh/ is there. What cannot be written is a
 * warning. Collective. */
int mx_setup_keep_mesh(struct mx_setup *setup, struct dg_ledger *ledger, struct dg_error *err) DG_MUST_USE;
void mx_setup_release(struct mx_setup *setup);

/* Bytes of the backend's fields, of the tables, and of the buffers for snapshots and measurements. */
struct mx_memory {
  size_t fields, tables, output;
};
struct mx_memory mx_setup_memory(const struct mx_setup *setup);

/* An error that says that memory is used up is also told how much is needed at least. */
void mx_setup_explain(const struct mx_setup *setup, struct dg_error *err);

/* Says which conductors relax faster than a step, and what that means. Collective. */
int mx_report_conductors(const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;

/* `curlew check`: says what a run would do. */
int mx_check(const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;

struct mx_backend_options mx_setup_backend_options(const struct mx_setup *setup);
