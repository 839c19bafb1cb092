/* The state of a run before the first time step: the user's wishes, and the mesh, the tables, the sources and the step
 * that follow from them (setup_build.h makes them). A run reads it; the summary (maxwell/output/summary.h) has what the
 * run takes and finds. */
#pragma once

#include "libdg/base/clock.h"
#include "libdg/base/log.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/backend/backend.h"
#include "maxwell/far/far_field.h"
#include "maxwell/levels/levels.h"
#include "maxwell/measure/measure.h"
#include "maxwell/model/config.h"
#include "maxwell/phasor/phasors.h"
#include "maxwell/problem/layer_shape.h"
#include "maxwell/resonance/resonances.h"
#include "maxwell/scene/scene.h"
#include "maxwell/shell/checkpoint_files.h"
#include "maxwell/sources/sources.h"

struct mx_setup {
  /* The members that the caller gave. */
  const struct mx_config *config; /* borrowed */
  const struct mx_origin *origin; /* origin of the configuration and of its functions; borrowed; NULL: a program in C */
  struct dg_log *log;             /* borrowed, may be NULL; rank 0 alone has one */
  struct dg_comm *comm;           /* borrowed; NULL: one rank */
  /* The members that set-up made. */
  const struct mx_backend_ops *ops;
  struct dg_mesh mesh;   /* this rank's part */
  struct mx_ranks ranks; /* where the other parts are */
  struct dg_mesh_report mesh_report;
  char *mesh_kept; /* the file in which this rank keeps its mesh; NULL: none */
  struct mx_partition partition;
  struct dg_reference ref;
  struct mx_layers layers; /* perfectly matched ones, drawn or extruded */
  double *temperature;     /* [K] at which materials that change with it are; NULL: none does */
  struct mx_problem problem;
  struct mx_levels levels; /* local time steps; none: count 0 */
  struct mx_assignment assignment;
  struct mx_sources sources;
  struct mx_mesh_worth worth; /* which frequencies the mesh holds */
  struct mx_doubts *doubts;   /* of all that the run writes; once the run is over, too */
  struct mx_measures measures;
  struct mx_far_fields far;
  struct mx_phasors phasors;
  size_t unknowns;                        /* 6 Np elements, of all ranks */
  double limit;                           /* largest stable step, s; 0 where none is known (Euler) */
  double single_limit;                    /* that of one level */
  double certain;                         /* share of the limit that the search vouches for; 1 for Euler */
  size_t limit_elements, limit_clustered; /* as in stability.h */
  int limit_applications;
  double step;              /* s */
  struct mx_step_plan plan; /* the step with the automatic one that it was made of; before: that of the checkpoint */
  long steps;
  struct mx_quiet quiet;         /* when the sources have ended */
  struct mx_grid_loss grid_loss; /* of resonances in the middle of their bands; zero without output.resonances */
  double ringing, patience;      /* s: output.resonances listens from here on, and has enough there; 0 without it */
  int lua_threads;               /* threads that call the script's functions, of the rank that has fewest */
  double meshing_seconds, setup_seconds; /* wall clock */
  double started;                        /* mx_clock when set-up began */
};

void mx_setup_release(struct mx_setup *setup);
/* The run as others see it (maxwell/scene/scene.h), without backend and folder. */
struct mx_scene mx_setup_scene(struct mx_setup *setup);
/* Releases what mx_setup_renew (setup_build.h) makes again: all behind mesh and layers. */
void mx_setup_release_tables(struct mx_setup *setup);

/* Adds the memory that is needed at least to an error that says that memory is used up. */
void mx_setup_explain(const struct mx_setup *setup, struct dg_error *err);
