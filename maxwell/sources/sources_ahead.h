/* A thread that evaluates general sources of a stage to come while the backend works on this one. Who
 * carries their functions out may share the calls among others.
 *
 * While something is under way nobody else may call functions (mx_ahead_wait).
 */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"

struct mx_ahead;

/* Starts the thread; NULL in *ahead where the machine has no second processor: then the caller evaluates itself.
 * evaluate(context, s, t, err) is what the thread calls for stage s at time t. */
int mx_ahead_start(struct mx_ahead **ahead, int (*evaluate)(void *context, int s, double t, struct dg_error *err),
                   void *context, struct dg_error *err) DG_MUST_USE;
/* Asks for the values of stage s at time t (s). Nothing may be under way. */
void mx_ahead_ask(struct mx_ahead *ahead, int s, double t);
/* True if these values were asked for: then waits for them, and gives the thread's error, if any. */
bool mx_ahead_take(struct mx_ahead *ahead, int s, double t, struct dg_error *err);
/* Until nothing is under way; what was asked for stays to be taken. */
void mx_ahead_wait(struct mx_ahead *ahead);
/* Seconds that the thread has spent in evaluations; nothing may be under way. */
double mx_ahead_seconds(struct mx_ahead *ahead);
/* Waits for what is under way and ends the thread. NULL is safe. */
void mx_ahead_stop(struct mx_ahead *ahead);
