/* The state behind the interface of libcurlew.so, which the sources of this folder share. */
#pragma once

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>

#include "maxwell/capi/curlew.h"
#include "maxwell/output/watchdog.h"
#include "maxwell/setup/setup.h"
#include "maxwell/shell/script/script.h"
#include "maxwell/step/stepper.h"

/* A function of the caller's as the solver sees it. */
struct mx_caller {
  struct mx_function base; /* its `self` is this */
  struct curlew_simulation *simulation;
  struct curlew_function given;
};

/* What a measure has recorded. */
struct mx_kept {
  size_t rows, room;
  double *time, *value; /* [room], [room][values] */
};

struct mx_stepped;

struct curlew_simulation {
  /* Who may call it (maxwell/capi/guard.h). */
  struct curlew_simulation *next; /* of the list of all that live */
  pthread_t at_work;              /* the thread of the call, and its locale before */
  locale_t hosts;
  bool busy, doomed;       /* a call is at work; its end frees the simulation */
  int readers;             /* calls that look at what does not change */
  atomic_bool interrupted; /* the call at work is to end */
  struct dg_log *log;
  struct mx_script *script;
  struct mx_config config;
  struct mx_setup setup;
  struct mx_scene scene; /* of the steps, once they have begun */
  size_t callers;
  struct mx_caller *caller; /* [callers] */
  bool ran;                 /* curlew_run has used it up */
  /* Steps. */
  struct mx_backend *backend; /* NULL: no step has been asked for */
  struct mx_watchdog watchdog;
  struct mx_kept *kept; /* [measures] */
  struct mx_stepper stepper;
  atomic_long n; /* steps done; other threads may ask */
  bool failed;   /* a step has failed: fields are of no time */
  /* A run that is stepped (stepped.h). NULL: none. */
  struct mx_stepped *_Atomic stepped;
  long snapshot; /* 1 + the step at which the last one was asked for */
};

/* Releases what steps need. */
void mx_capi_end_steps(struct curlew_simulation *simulation);
