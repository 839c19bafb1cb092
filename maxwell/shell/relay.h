/* Work that leaves the time loop: jobs in a few slots go through stages, each with threads of its own, one behind the
 * other. A stage begins them in the order in which they were handed over, as many at a time as it has threads, and lets
 * them pass in that order.
 *
 * The loop takes the next slot, fills what belongs to it, and hands it over; slot, and what is in it, belong to the
 * stages until the last one is done with it. One thread takes, hands over, waits and stops. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

enum { MX_RELAY_STAGES = 2 };

struct mx_relay; /* opaque */

/* The work of a stage on a slot, in one of its threads: 0 or the code in err. Behind a job that failed none is begun;
 * those that were handed over go through as they are. */
typedef int mx_relay_work(void *context, size_t slot, struct dg_error *err);

struct mx_relay_stage {
  mx_relay_work *work;
  size_t threads; /* at least 1; fewer when the system does not give them */
  size_t most;    /* jobs that may be in this stage and those before it, else taking waits; of the last at most the
                     slots */
};

/* Starts the threads, which take no signals. NULL in *relay where the system gives a stage none: then the caller does
 * the work itself. */
int mx_relay_start(struct mx_relay **relay, size_t slots, size_t stages, const struct mx_relay_stage *stage,
                   void *context, struct dg_error *err) DG_MUST_USE;
/* The next slot, 0 to slots - 1 in turn; waits until it is free, *waited seconds are added to. Errors: a stage's, in
 * whose words it is; the same again with every further call of this and of the next two. */
int mx_relay_take(struct mx_relay *relay, size_t *slot, double *waited, struct dg_error *err) DG_MUST_USE;
void mx_relay_hand_over(struct mx_relay *relay);
/* Has a stage failed? Does not wait. */
int mx_relay_poll(struct mx_relay *relay, struct dg_error *err) DG_MUST_USE;
/* Waits until no more than `left` of the jobs that were handed over are under way. */
int mx_relay_finish(struct mx_relay *relay, size_t left, double *waited, struct dg_error *err) DG_MUST_USE;
/* Jobs that went through the last stage, as all before them, without an error, and seconds that all threads have
 * worked. */
size_t mx_relay_done(struct mx_relay *relay);
double mx_relay_seconds(struct mx_relay *relay);
/* Waits for all that was handed over and ends the threads. NULL is safe. */
void mx_relay_stop(struct mx_relay *relay);
