/* Ends calls that take too long: a thread looks at the clock, so that the calls themselves, of which there may be one
 * a node and step, need not. Private to the script reader; knows no Lua.
 */
#pragma once

#include <signal.h>

#include "libdg/base/error.h"

enum mx_watch_reason { MX_WATCH_NONE, MX_WATCH_TOO_LONG, MX_WATCH_INTERRUPTED };

struct mx_watch; /* opaque */

/* stop(context, why) is called in the thread that is in a call, from a signal handler (of SIGURG, which means nothing
 * to a process that does not ask for it): when one call has taken `seconds`, infinity for no limit, or 2
 * when the flag of mx_watch_interrupt is set. It is called again, about ten times a second, until the call
 * ends. DG_ENVIRONMENT: no thread
 * can be started. Free with mx_watch_free; NULL is safe. */
int mx_watch_new(struct mx_watch **watch, double seconds, void (*stop)(void *context, enum mx_watch_reason why),
                 void *context, struct dg_error *err) DG_MUST_USE;
void mx_watch_free(struct mx_watch *watch);
/* A flag that a signal handler sets when the run is to end; NULL: none. */
void mx_watch_interrupt(struct mx_watch *watch, const volatile sig_atomic_t *flag);

/* Another limit for calls from now on. */
void mx_watch_limit(struct mx_watch *watch, double seconds);

/* Begins a call. Calls are not nested, and there is one at a time. */
void mx_watch_enter(struct mx_watch *watch);
/* Ends a call and begins the next, where calls follow each other. */
void mx_watch_next(struct mx_watch *watch);
void mx_watch_leave(struct mx_watch *watch);
