/* Work that leaves the time loop: jobs in a few slots go through stages, each with threads of its own, one behind the
 * other. A stage begins the jobs in the order in which they were handed over, as many at a time as it has threads, and
 * lets them pass in that order.
 *
 * The loop takes the next slot, fills it, and hands it over. The slot and its content then belong to the stages until
 * the last one is done with it. One thread takes, hands over, waits and stops. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

enum { MX_RELAY_STAGES = 2 };

struct mx_relay; /* opaque */

/* The work of a stage on a slot, in one of its threads: returns 0 or the code in err. Behind a job that failed none is
 * begun; those that were handed over go through as they are. */
typedef int mx_relay_work(void *context, size_t slot, struct dg_error *err);

struct mx_relay_stage {
  mx_relay_work *work;
  size_t threads; /* at least 1; fewer when the system does not give them */
  size_t most;    /* jobs that may be in this stage and those before it, else taking waits; of the last at most the
                     slots */
};

/* Starts the threads, which take no signals. *relay is NULL where the system gives a stage no thread: the caller then
 * does the work itself. */
int mx_relay_start(struct mx_relay **relay, size_t slots, size_t stages, const struct mx_relay_stage *stage,
                   void *context, struct dg_error *err) DG_MUST_USE;
/* Takes the next slot, 0 to slots - 1 in turn. The function waits until the slot is free, and adds the seconds to
 * *waited. Errors are a stage's, in its words; every further call of this function and of the next two gives the same
 * error. */
int mx_relay_take(struct mx_relay *relay, size_t *slot, double *waited, struct dg_error *err) DG_MUST_USE;
void mx_relay_hand_over(struct mx_relay *relay);
/* Gives the error of a stage that has failed. Does not wait. */
int mx_relay_poll(struct mx_relay *relay, struct dg_error *err) DG_MUST_USE;
/* Waits until no more than `left` of the jobs that were handed over are under way. */
int mx_relay_finish(struct mx_relay *relay, size_t left, double *waited, struct dg_error *err) DG_MUST_USE;
/* Counts the jobs that went through the last stage without an error, as did all before them. */
size_t mx_relay_done(struct mx_relay *relay);
double mx_relay_seconds(struct mx_relay *relay);
/* Waits for all that was handed over and ends the threads. NULL is safe. */
void mx_relay_stop(struct mx_relay *relay);
