/* A run with all of its output that the caller steps. It lives in a thread of its own, which does what `curlew run`
 * does (maxwell/run/run.h); thread and caller take turns, so that one of them always waits. Whatever concerns the
 * backend happens in the run's thread. simulation.c and steps.c call this. */
#pragma once

#include "maxwell/capi/state.h"

struct mx_loop;

/* What is done while the fields of t_n can be looked at. loop: the run's. */
typedef int (*mx_capi_work)(struct curlew_simulation *simulation, struct mx_loop *loop, void *what,
                            struct dg_error *err);

/* Begins a run in a folder and takes it to its first step. `options` are copied, but not their `self`. */
int mx_stepped_begin(struct curlew_simulation *simulation, const struct curlew_run_options *options,
                     struct dg_error *err) DG_MUST_USE;
/* Makes so many steps of all runs for S-parameters; stands before the last step of the last one and at the end. */
int mx_stepped_advance(struct curlew_simulation *simulation, long steps, struct dg_error *err) DG_MUST_USE;
/* Does `work` when the fields of this step can be looked at. */
int mx_stepped_look(struct curlew_simulation *simulation, mx_capi_work work, void *what,
                    struct dg_error *err) DG_MUST_USE;
int mx_stepped_checkpoint(struct curlew_simulation *simulation, struct dg_error *err) DG_MUST_USE;
/* Ends the run: at its end, or now with a checkpoint. */
int mx_stepped_finish(struct curlew_simulation *simulation, struct dg_error *err) DG_MUST_USE;
int mx_stepped_stop(struct curlew_simulation *simulation, struct dg_error *err) DG_MUST_USE;
void mx_stepped_describe(const struct curlew_simulation *simulation, struct curlew_position *position);
/* Does a run go on? Asks the caller's `look`, if there is one, and whether the run was interrupted; simulation.c. */
bool mx_capi_ask(struct curlew_simulation *simulation, const struct curlew_run_options *options, long n, long steps,
                 double t);
/* Ends the run now, without a checkpoint, if it has not ended. Safe where none was begun. */
void mx_stepped_free(struct curlew_simulation *simulation);
