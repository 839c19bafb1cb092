/* A run as those see it who observe, write and report: what was asked for, what was built for it, and how it runs. They
 * are handed a scene and not the set-up (maxwell/setup/setup.h), which owns what stands here and is alone in making it.
 *
 * The set-up makes one. It holds until the set-up makes its tables anew. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/far/far_field.h"
#include "maxwell/levels/levels.h"
#include "maxwell/measure/measure.h"
#include "maxwell/model/config.h"
#include "maxwell/phasor/phasors.h"
#include "maxwell/problem/layer_shape.h"
#include "maxwell/resonance/resonances.h"
#include "maxwell/shell/checkpoint_files.h"
#include "maxwell/shell/folder.h"
#include "maxwell/sources/sources.h"
#include "maxwell/statics/conductors.h"
#include "maxwell/worth/asked/asked.h"

/* The partition of a mesh among ranks. */
struct mx_partition {
  size_t smallest, largest; /* elements of the smallest and the largest part */
  double mean;
  size_t cut;    /* faces between parts */
  double work;   /* of the part that has most, over the mean, as kinds of elements are weighed */
  double passes; /* over this part in a step, in passes over a plain element */
};

/* All pointers are borrowed. */
struct mx_scene {
  /* What was asked for. */
  const struct mx_config *config;
  const struct mx_origin *origin; /* of the configuration and of its functions; NULL: a program in C */
  struct dg_log *log;             /* may be NULL; rank 0 alone has one */
  struct dg_comm *comm;           /* NULL: one rank */
  /* What was built. */
  const struct mx_backend_ops *ops;
  const struct dg_mesh *mesh;   /* this rank's part */
  const struct mx_ranks *ranks; /* where the other parts are */
  const struct mx_partition *partition;
  const struct dg_reference *ref;
  const struct mx_layers *layers; /* perfectly matched ones, drawn or extruded */
  const struct mx_problem *problem;
  const struct mx_levels *levels; /* of local time steps */
  const struct mx_assignment *assignment;
  struct mx_sources *sources;
  const struct mx_mesh_worth *worth; /* which frequencies the mesh holds */
  struct mx_doubts *doubts;          /* of all that the run writes */
  struct mx_measures *measures;
  struct mx_far_fields *far;
  struct mx_phasors *phasors;
  bool keeps_mesh; /* ranks keep their parts of the mesh in files */
  size_t unknowns; /* 6 Np elements, of all ranks */
  /* How it runs. */
  double step;                     /* s */
  double limit;                    /* largest stable step, s; 0 where none is known (Euler) */
  double single_limit;             /* that without local time steps */
  const struct mx_step_plan *plan; /* the step with the automatic one that it was made of */
  long steps;
  double ringing, patience;      /* s: output.resonances listens from here on, and has enough there; 0 without it */
  double started;                /* mx_clock when set-up began */
  const struct mx_quiet *quiet;  /* when the sources have ended */
  struct mx_grid_loss grid_loss; /* of resonances in the middle of their bands; zero without output.resonances */
  /* Where it runs; NULL before it begins. */
  struct mx_backend *backend;
  struct mx_folder *folder;
  struct mx_records *records; /* the rows of measures, once their recorder is open */
};

struct mx_backend_options mx_scene_backend_options(const struct mx_scene *scene);
/* What doubts need to know. */
struct mx_asked_place mx_scene_asked(const struct mx_scene *scene);
/* What output.resonances needs to know. */
struct mx_resonance_scene mx_scene_resonance_scene(const struct mx_scene *scene);
/* What the fields at t = 0 need to know. */
struct mx_statics_place mx_scene_statics(const struct mx_scene *scene);
/* gpu.transport, as devices that solve want it (libdg/solve/device.h). */
enum dg_answer mx_scene_direct(const struct mx_scene *scene);
