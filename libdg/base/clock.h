/* Wall-clock seconds for the phases of a run. */
#pragma once

/* Seconds since some fixed moment; never goes back. */
double mx_clock(void);

struct mx_seconds { /* as summary.json shows them */
  double meshing, setup, stepping, halo, sources, output;
  double sources_ahead;    /* Lua in its own thread, while the loop went on */
  double snapshots;        /* of `output`: in which the loop was held up by snapshots */
  double snapshots_behind; /* conversion and files in threads of their own, while the loop went on */
};
