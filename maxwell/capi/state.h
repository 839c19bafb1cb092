/* The state behind the interface of libcurlew.so, which the sources of this folder share. */
#pragma once

#include "maxwell/capi/curlew.h"
#include "maxwell/output/watchdog.h"
#include "maxwell/setup/setup.h"
#include "maxwell/shell/script/script.h"

/* A function of the caller's as the solver sees it. */
struct mx_caller {
  struct mx_function base; /* its `self` is this */
  struct curlew_function given;
};

/* What a measure has recorded. */
struct mx_kept {
  size_t rows, room;
  double *time, *value; /* [room], [room][values] */
};

struct mx_stepped;

struct curlew_simulation {
  struct dg_log *log;
  struct mx_script *script;
  struct mx_config config;
  struct mx_setup setup;
  size_t callers;
  struct mx_caller *caller; /* [callers] */
  bool ran;                 /* curlew_run has used it up */
  /* Steps. */
  struct mx_backend *backend; /* NULL: no step has been asked for */
  struct mx_watchdog watchdog;
  struct mx_kept *kept;   /* [measures] */
  double *port_amplitude; /* [ports.functionals] */
  long n;                 /* steps done */
  int stage;              /* stages done of step n: 0, or those before the look */
  bool failed;            /* a step has failed: fields are of no time */
  /* A run that is stepped (stepped.h). NULL: none. */
  struct mx_stepped *stepped;
  long snapshot; /* 1 + the step at which the last one was asked for */
};

/* Gives the caller the error. Returns its code. */
int mx_capi_give(struct curlew_error *error, const struct dg_error *err);
/* Releases what steps need. */
void mx_capi_end_steps(struct curlew_simulation *simulation);
