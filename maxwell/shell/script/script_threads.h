/* Threads that call the script's functions, each in a copy of the script's state; mx_origin.start_threads says what
 * they are for. Private to the script reader.
 */
#pragma once

#include <stdbool.h>

#include "maxwell/shell/script/script_call.h"

struct mx_crew; /* opaque */

/* How to make and free a copy of a script: it is run again, in a state of its own, which has the same functions under
 * the same handles if nothing is different; from any thread. It does not print, and the script must outlive it. */
struct mx_copying {
  int (*copy)(struct mx_script **copy, const struct mx_script *script, struct dg_error *err);
  void (*free)(struct mx_script *copy);
};

/* Lets mx_crew_call use so many threads (or as many as the script's limits say), the caller among them. The script must
 * come to the same in all states, in all that functions can reach; a trusted script, which may do anything, is not run
 * again. Before functions are called. Every state has the limits of the script, and all of them together, as they are
 * then, not more memory than one may have. The crew becomes the script's; without one script->alone says why. */
void mx_crew_start(struct mx_script *script, int threads, const struct mx_copying *copying);
int mx_crew_threads(const struct mx_crew *crew);                                 /* 1 of NULL */
void mx_crew_free(struct mx_crew *crew);                                         /* NULL is safe */
void mx_crew_interrupt(struct mx_crew *crew, const volatile sig_atomic_t *flag); /* NULL is safe */

/* All calls, by several threads where there are many and the function may be shared. An error is that of the first
 * place, in order, that has one; then what is in `out` is not defined. DG_INPUT also when threads disagree about a
 * place, one of which is looked at each time. */
int mx_crew_call(struct mx_crew *crew, const struct mx_calls *calls, struct dg_error *err) DG_MUST_USE;
/* Tries a function at some of these places and their time, in other threads' states: several times and in another
 * order. If it does not give the same, fails or reads a clock, it is from now on called by one thread. Functions that
 * nobody has tried are when they are first called many times. */
void mx_crew_try(struct mx_crew *crew, const struct mx_calls *calls);
