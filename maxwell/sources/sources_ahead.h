/* A thread that evaluates general sources of a stage to come while the backend works on this one. The carrier of a
 * function may share its calls among more threads. sources.c is the only caller.
 *
 * While an evaluation is under way nobody else may call functions; mx_ahead_wait waits for its end. */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"

struct mx_ahead;

/* Starts the thread. *ahead is NULL where the machine has no second processor: the caller then evaluates itself. The
 * thread calls evaluate(context, s, t, err) for stage s at time t. */
int mx_ahead_start(struct mx_ahead **ahead, int (*evaluate)(void *context, int s, double t, struct dg_error *err),
                   void *context, struct dg_error *err) DG_MUST_USE;
/* Asks for the values of stage s at time t (s). No evaluation may be under way. */
void mx_ahead_ask(struct mx_ahead *ahead, int s, double t);
/* Returns true if these values were asked for. The function then waits for them, and gives the thread's error, if any.
 */
bool mx_ahead_take(struct mx_ahead *ahead, int s, double t, struct dg_error *err);
/* Waits until no evaluation is under way. The values that were asked for can still be taken. */
void mx_ahead_wait(struct mx_ahead *ahead);
/* Seconds that the thread has spent in evaluations. No evaluation may be under way. */
double mx_ahead_seconds(struct mx_ahead *ahead);
/* Waits for the evaluation under way and ends the thread. NULL is safe. */
void mx_ahead_stop(struct mx_ahead *ahead);
