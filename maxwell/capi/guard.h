/* Who may call a simulation of libcurlew.so now: nobody while a call of it is at work, be it in another thread or in
 * one of its own functions; nobody in a process that was forked from the one that made it; nobody after its end. All
 * live simulations stand in one list, so that a pointer to one that was freed is an error and no crash.
 *
 * A fork copies the memory, but no other thread: neither those of OpenMP, nor those of runs, nor whoever holds a lock
 * that is copied with it. A child therefore touches nothing of its parent's, and leaves folders and locks alone. */
#pragma once

#include "maxwell/capi/state.h"

/* May this process make simulations? DG_INPUT: it was forked from one that has. */
int mx_capi_may_begin(struct dg_error *err) DG_MUST_USE;
/* Adds a simulation to the list. */
void mx_capi_add(struct curlew_simulation *simulation);

/* Sets the library's locale for the calling thread (libdg/base/plain_locale.h), and the host's again. */
void mx_capi_plain(struct curlew_simulation *simulation);
void mx_capi_hosts(struct curlew_simulation *simulation);

/* Begins a call that nobody may disturb. DG_INPUT: not now. */
int mx_capi_enter(struct curlew_simulation *simulation, struct dg_error *err) DG_MUST_USE;
/* Ends it, and frees the simulation if somebody has asked for that meanwhile. Gives the caller the error and returns
 * its code. */
int mx_capi_leave(struct curlew_simulation *simulation, struct curlew_error *error, const struct dg_error *err);
/* Gives the caller the error of a call that could not begin. Returns its code. */
int mx_capi_give(struct curlew_error *error, const struct dg_error *err);

/* Begins to read what does not change while calls are at work, and what is atomic. False: there is no such simulation,
 * and mx_capi_read is not called. Between the two nobody can free it. */
bool mx_capi_look(const struct curlew_simulation *simulation);
void mx_capi_looked(const struct curlew_simulation *simulation);

/* Takes a simulation off the list, for its end. DG_INPUT: a call of it is at work; `later`: the call's end frees it. */
int mx_capi_remove(struct curlew_simulation *simulation, bool later, struct dg_error *err) DG_MUST_USE;

/* Brackets a function of the caller's, in the thread that carries it out; it has the host's locale. A child that was
 * forked within the function ends here: it lacks the threads that would go on. */
struct mx_capi_frame {
  const struct curlew_simulation *simulation;
  struct mx_capi_frame *outer;
  locale_t plain;
};
void mx_capi_call(struct mx_capi_frame *frame, const struct curlew_simulation *simulation);
void mx_capi_called(struct mx_capi_frame *frame);
