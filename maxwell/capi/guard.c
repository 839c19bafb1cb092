/* The list of live simulations and who may call them; guard.h has the idea. Every function of curlew.h begins here. */
#define _POSIX_C_SOURCE 200809L
#include "maxwell/capi/guard.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "libdg/base/plain_locale.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unread = PTHREAD_COND_INITIALIZER; /* nobody reads a simulation any more */
static struct curlew_simulation *first;                  /* of the list */
static atomic_long owner;                                /* the process that uses the library; 0: none yet */
static _Thread_local struct mx_capi_frame *inside;       /* the function that this thread carries out */

/* Was this process forked from the one that uses the library? Asked before every lock: in a child it may be held for
 * ever. */
static bool is_child(void)
{
  const long process = atomic_load(&owner);
  return process != 0 && process != (long)getpid();
}

static int refuse_child(struct dg_error *err)
{
  return dg_fail(
      err, DG_INPUT,
      "this process was forked from process %ld, which uses Curlew, and has none of its threads: start it as "
      "a program of its own (in Python multiprocessing.get_context('spawn'), or curlew.run)",
      atomic_load(&owner));
}

int mx_capi_may_begin(struct dg_error *err)
{
  long none = 0;
  (void)atomic_compare_exchange_strong(&owner, &none, (long)getpid());
  return is_child() ? refuse_child(err) : 0;
}

void mx_capi_plain(struct curlew_simulation *simulation)
{
  simulation->at_work = pthread_self();
  simulation->hosts = dg_locale_plain();
}

void mx_capi_hosts(struct curlew_simulation *simulation) { (void)dg_locale_back(simulation->hosts); }

void mx_capi_add(struct curlew_simulation *simulation)
{
  pthread_mutex_lock(&lock);
  simulation->next = first;
  first = simulation;
  pthread_mutex_unlock(&lock);
}

/* Where the list names a simulation; NULL: nowhere. With the lock. */
static struct curlew_simulation **place_of(const struct curlew_simulation *simulation)
{
  for (struct curlew_simulation **place = &first; *place != NULL; place = &(*place)->next)
    if (*place == simulation) return place;
  return NULL;
}

static bool calls(const struct curlew_simulation *simulation)
{
  for (const struct mx_capi_frame *frame = inside; frame != NULL; frame = frame->outer)
    if (frame->simulation == simulation) return true;
  return false;
}

/* Why a simulation cannot be called now. With the lock. */
static int refused(const struct curlew_simulation *simulation, struct dg_error *err)
{
  if (place_of(simulation) == NULL) return dg_fail(err, DG_INPUT, "there is no such simulation: it has been freed");
  if (calls(simulation)) /* also between two calls: sources of the next step are evaluated early, in another thread */
    return dg_fail(err, DG_INPUT,
                   "a function of a simulation cannot step, look at or close it: the simulation is at work until the "
                   "function returns");
  if (!simulation->busy) return 0;
  return dg_fail(err, DG_INPUT, "the simulation is at work in another thread: it takes one call at a time");
}

int mx_capi_enter(struct curlew_simulation *simulation, struct dg_error *err)
{
  if (is_child()) return refuse_child(err);
  pthread_mutex_lock(&lock);
  if (refused(simulation, err) == 0) {
    simulation->busy = true;
    atomic_store(&simulation->interrupted, false); /* of an earlier call */
  }
  pthread_mutex_unlock(&lock);
  if (err->code == DG_OK) mx_capi_plain(simulation);
  return err->code;
}

int mx_capi_leave(struct curlew_simulation *simulation, struct curlew_error *error, const struct dg_error *err)
{
  const int code = mx_capi_give(error, err);
  mx_capi_hosts(simulation);
  pthread_mutex_lock(&lock);
  simulation->busy = false;
  const bool doomed = simulation->doomed;
  pthread_mutex_unlock(&lock);
  if (doomed) curlew_free(simulation);
  return code;
}

bool mx_capi_look(const struct curlew_simulation *simulation)
{
  if (is_child()) return true; /* its copy, which nobody changes */
  pthread_mutex_lock(&lock);
  struct curlew_simulation **const place = place_of(simulation);
  if (place != NULL) (*place)->readers++;
  pthread_mutex_unlock(&lock);
  return place != NULL;
}

void mx_capi_looked(const struct curlew_simulation *simulation)
{
  if (is_child()) return;
  pthread_mutex_lock(&lock);
  struct curlew_simulation **const place = place_of(simulation);
  if (place != NULL && --(*place)->readers == 0) pthread_cond_broadcast(&unread);
  pthread_mutex_unlock(&lock);
}

int mx_capi_remove(struct curlew_simulation *simulation, bool later, struct dg_error *err)
{
  if (is_child()) return refuse_child(err);
  pthread_mutex_lock(&lock);
  if (refused(simulation, err) == 0) {
    simulation->busy = true; /* for whoever waits with us */
    while (simulation->readers > 0) pthread_cond_wait(&unread, &lock);
    struct curlew_simulation **const place = place_of(simulation);
    *place = simulation->next;
  } else if (later && place_of(simulation) != NULL) {
    simulation->doomed = true;
    atomic_store(&simulation->interrupted, true);
  }
  pthread_mutex_unlock(&lock);
  return err->code;
}

int curlew_interrupt(struct curlew_simulation *simulation)
{
  if (is_child() || !mx_capi_look(simulation)) return 0;
  atomic_store(&simulation->interrupted, true);
  mx_capi_looked(simulation);
  return 1;
}

void mx_capi_call(struct mx_capi_frame *frame, const struct curlew_simulation *simulation)
{
  const bool own = pthread_equal(simulation->at_work, pthread_self()) != 0;
  *frame = (struct mx_capi_frame){
      .simulation = simulation, .outer = inside, .plain = dg_locale_back(own ? simulation->hosts : LC_GLOBAL_LOCALE)};
  inside = frame;
}

void mx_capi_called(struct mx_capi_frame *frame)
{
  static const char said[] = "curlew: a function forked, and its child came back from it: the child ends here; end it "
                             "within the function (os._exit)\n";
  (void)dg_locale_back(frame->plain);
  inside = frame->outer;
  if (!is_child()) return;
  (void)!write(STDERR_FILENO, said, sizeof said - 1);
  _exit(DG_INPUT);
}
