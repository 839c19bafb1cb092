/* A run as a session with parts: the fields at t = 0, the fields in time, heat. run.c has what knows no field: folder,
 * log, summary, identity, and the order of things. What a part does at each of its steps is a row; run.c walks over the
 * rows of those that the script asks for. Private to this folder. */
#pragma once

#include "maxwell/backend/profiled.h"
#include "maxwell/output/summary.h"
#include "maxwell/session/checkpoints.h"
#include "maxwell/setup/setup.h"
#include "maxwell/statics/statics.h"

struct mx_run_options;

struct mx_session {
  struct mx_setup *setup; /* borrowed, as the folder and the options are */
  struct mx_folder *folder;
  const struct mx_run_options *options;
  struct mx_scene scene; /* of the set-up as it is now */
  struct mx_summary summary;
  char *identity; /* rank 0's */
  size_t first;   /* the part with which the run begins: it goes on there, and needs none before it */
  /* The fields at t = 0. */
  struct mx_statics statics;
  double *E, *H; /* until the backend has them */
  /* The fields in time. */
  const struct mx_backend_ops *ops; /* those of the backend, or a profile in front of them */
  struct mx_backend *backend;
  struct mx_profile profile;
  struct mx_profiled profiled;
  struct mx_checkpoint fields_from; /* if they go on */
  bool repeated;                    /* they run again, for heat */
  /* Heat. */
  struct mx_checkpoint heat_from;
};

/* The steps of a part, in their order; collective but for MX_CLAIM. */
enum mx_part_step {
  MX_CHECK, /* what is wrong is said before anything is computed */
  MX_FIND,  /* with --restart: finds its checkpoint; the last part is asked first */
  MX_BEGIN, /* makes its state, before the folder is the run's */
  MX_CLAIM, /* rank 0: writes what is known then into the run's folder */
  MX_ADVANCE,
  MX_PART_STEPS
};

struct mx_part {
  bool (*is_in)(const struct mx_config *config);                                /* is it asked for? */
  int (*step[MX_PART_STEPS])(struct mx_session *session, struct dg_error *err); /* NULL: nothing is to be done */
  void (*release)(struct mx_session *session);                                  /* what it made; it may begin again */
};

extern const struct mx_part mx_start_part, mx_fields_part, mx_heat_part;
enum { MX_START_PART, MX_FIELDS_PART, MX_HEAT_PART, MX_PARTS };

/* Takes parts first..end-1 through a step. */
int mx_session_walk(struct mx_session *session, enum mx_part_step step, size_t first, size_t end,
                    struct dg_error *err) DG_MUST_USE;
