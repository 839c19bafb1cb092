/* What a hook of a script is shown of a run, and what it answers. The run (maxwell/hooks) fills the one, the script
 * (maxwell/shell/script/script_hook.c) the other; neither knows the other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/hooks/derived.h"
#include "maxwell/shell/hooks/table.h"

/* A table of results. A script finds it as sim.LIST.NAME, sim.NAME without a list, sim.LIST.NAME.PART with a part. */
struct mx_result {
  const char *list; /* "probes"; NULL: none */
  const char *name; /* "centre" */
  const char *part; /* "spectrum"; NULL: the record itself */
  char *path;       /* its file */
  bool at_end;      /* the file is there at the end of the run only */
  bool live;        /* until then `fetch` gives what there is so far */
  bool may_lack;    /* there may be no file; without one the script finds nil */
  bool there;       /* of what may lack: there is one */
};

struct mx_results {
  long step, steps;
  double time;             /* s */
  bool ended;              /* the run is over */
  const char *stop_reason; /* of a run that is over; else NULL */
  size_t count;
  struct mx_result *result; /* [count] */
  /* Fills an empty table with what there is so far of a live result. */
  int (*fetch)(void *self, size_t result, struct mx_table *table, struct dg_error *err);
  void *self;
};

enum { MX_WHY = 200 };

/* The answer of a hook; {0} to begin with. Release `derived`. */
struct mx_verdict {
  bool stop; /* the run is to stop */
  char why[MX_WHY];
  struct mx_derived_list derived; /* what the hook returned, sorted */
};
