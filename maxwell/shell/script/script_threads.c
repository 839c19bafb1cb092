/* Copies of a script in threads of their own, which share the calls of a function at many nodes, and the trials that
 * find functions which depend on more than their arguments. */
#include "maxwell/shell/script/script_threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/emergency.h"
#include "libdg/base/plain_locale.h"
#include "libdg/base/memory.h"
#include "maxwell/shell/script/script_compare.h"

enum {
  CALLS_A_THREAD = 1000, /* at least: waking a thread takes as long as some hundred short ones */
  TRIED = 8,             /* places at which a function is tried */
};

enum trust { UNKNOWN, SEEMS_SAME, IS_SAME, ALONE };

struct member {
  struct mx_crew *crew;
  int index; /* of its part of the calls; the caller has part 0 */
  pthread_t thread;
  struct mx_script *copy;
  uint64_t digest;
  bool certain;
  struct dg_error err;
};

struct mx_crew {
  struct mx_script *script;
  struct mx_copying copying;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int members;
  struct member *member;
  unsigned long round; /* how often there were calls */
  int sharing;         /* threads in this round, the caller among them */
  int working;         /* members that are not at their end */
  bool quit;
  const struct mx_calls *calls;
  int functions;
  unsigned char *trust; /* [functions] enum trust, by handle */
};

/* A member's part of the calls: for so many threads the same one every time. */
static int call_part(struct mx_script *script, const struct mx_calls *calls, int sharing, int index,
                     struct dg_error *err)
{
  const size_t first = calls->at.count * (size_t)index / (size_t)sharing;
  return mx_call_part(script, calls, first, calls->at.count * ((size_t)index + 1) / (size_t)sharing, err);
}

static void *work(void *argument)
{
  struct member *member = argument;
  struct mx_crew *crew = member->crew;
  unsigned long seen = 0;
  (void)dg_locale_plain();
  if (crew->copying.copy(&member->copy, crew->script, &member->err) == 0)
    member->certain = mx_same_digest(member->copy, true, &member->digest);
  pthread_mutex_lock(&crew->mutex);
  for (;;) {
    if (--crew->working == 0) pthread_cond_broadcast(&crew->changed);
    while (!crew->quit && (crew->round == seen || member->index >= crew->sharing)) {
      seen = crew->round;
      pthread_cond_wait(&crew->changed, &crew->mutex);
    }
    if (crew->quit) break;
    seen = crew->round;
    const struct mx_calls *calls = crew->calls;
    const int sharing = crew->sharing;
    pthread_mutex_unlock(&crew->mutex);
    member->err = (struct dg_error){0};
    (void)!call_part(member->copy, calls, sharing, member->index, &member->err); /* the caller takes the error */
    pthread_mutex_lock(&crew->mutex);
  }
  pthread_mutex_unlock(&crew->mutex);
  return NULL;
}

/* ---- beginning and end */

static void wait_for_members(struct mx_crew *crew)
{
  pthread_mutex_lock(&crew->mutex);
  while (crew->working > 0) pthread_cond_wait(&crew->changed, &crew->mutex);
  pthread_mutex_unlock(&crew->mutex);
}

void mx_crew_free(struct mx_crew *crew)
{
  if (crew == NULL) return;
  wait_for_members(crew);
  pthread_mutex_lock(&crew->mutex);
  crew->quit = true;
  pthread_cond_broadcast(&crew->changed);
  pthread_mutex_unlock(&crew->mutex);
  for (int i = 0; i < crew->members; i++) {
    pthread_join(crew->member[i].thread, NULL);
    crew->copying.free(crew->member[i].copy);
  }
  pthread_mutex_destroy(&crew->mutex);
  pthread_cond_destroy(&crew->changed);
  dg_free(crew->member);
  dg_free(crew->trust);
  dg_free(crew);
}

void mx_crew_interrupt(struct mx_crew *crew, const volatile sig_atomic_t *flag)
{
  for (int i = 0; crew != NULL && i < crew->members; i++) mx_watch_interrupt(crew->member[i].copy->watch, flag);
}

static int count_functions(const struct mx_value *value)
{
  int count = value->type == MX_FUNCTION ? mx_state_function(value->function)->handle + 1 : 0;
  for (size_t i = 0; value->type == MX_TABLE && i < value->count; i++) {
    const int inner = count_functions(&value->entry[i].value);
    if (inner > count) count = inner;
  }
  return count;
}

/* Starts as many members as there can be, which begin to run the script. */
static int start_members(struct mx_crew *crew, int members, struct dg_error *err)
{
  sigset_t others, before;
  if (DG_NEW(crew->member, (size_t)members, err) != 0 || DG_NEW(crew->trust, (size_t)crew->functions, err) != 0)
    return err->code;
  dg_emergency_mask(&others); /* but for the one that ends calls */
  sigdelset(&others, SIGURG);
  pthread_sigmask(SIG_SETMASK, &others, &before);
  pthread_mutex_lock(&crew->mutex); /* nobody counts itself before all are counted */
  for (; crew->members < members; crew->members++) {
    struct member *member = &crew->member[crew->members];
    *member = (struct member){.crew = crew, .index = crew->members + 1};
    if (pthread_create(&member->thread, NULL, work, member) != 0) break;
    crew->working++;
  }
  pthread_mutex_unlock(&crew->mutex);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (crew->members == 0) return dg_fail(err, DG_ENVIRONMENT, "no thread can be started");
  return 0;
}

/* Says whether all members have the same as the script. */
static int compare_members(struct mx_crew *crew, bool certain, uint64_t digest, struct dg_error *err)
{
  for (int i = 0; i < crew->members; i++) {
    const struct member *member = &crew->member[i];
    if (member->err.code != DG_OK) return dg_fail(err, DG_INPUT, "the script fails: %s", member->err.message);
    if (!certain || !member->certain)
      return dg_fail(err, DG_INPUT, "its tables cannot be compared, such as those with tables as keys");
    if (member->digest != digest || !mx_same_tree(&crew->script->root, &member->copy->root))
      return dg_fail(err, DG_INPUT, "the script comes to something else: it reads a clock, or a file has changed");
  }
  return 0;
}

void mx_crew_start(struct mx_script *script, int threads, const struct mx_copying *copying)
{
  struct mx_crew *crew;
  struct dg_error err = {0};
  uint64_t digest;
  const size_t room = script->bytes > 0 ? script->bytes_max / script->bytes : 1;
  if (script->threads > 0) threads = script->threads;
  if (script->crew != NULL || threads < 2) return;
  if (script->library.trust) {
    snprintf(script->alone, sizeof script->alone, "a trusted script may do what must not be done twice");
    return;
  }
  if ((size_t)threads > room) threads = (int)room;
  if (threads < 2) {
    snprintf(script->alone, sizeof script->alone,
             "there is no memory for the script's tables in each of several threads");
    return;
  }
  if (DG_NEW(crew, 1, &err) != 0) goto fail;
  crew->script = script;
  crew->copying = *copying;
  crew->functions = count_functions(&script->root);
  pthread_mutex_init(&crew->mutex, NULL);
  pthread_cond_init(&crew->changed, NULL);
  if (start_members(crew, threads - 1, &err) != 0) goto fail;
  const bool certain = mx_same_digest(script, true, &digest);
  wait_for_members(crew);
  if (compare_members(crew, certain, digest, &err) != 0) goto fail;
  script->crew = crew;
  return;
fail:
  mx_crew_free(crew);
  snprintf(script->alone, sizeof script->alone, "run again for another thread, %.150s", err.message);
}

int mx_crew_threads(const struct mx_crew *crew) { return crew != NULL ? crew->members + 1 : 1; }

/* ---- which functions may be shared */

static const char not_the_same[] = "does not give the same whenever it is called with the same numbers";

static void leave_alone(struct mx_crew *crew, const struct mx_calls *calls, const char *why)
{
  crew->trust[calls->function->handle] = ALONE;
  snprintf(crew->script->alone, sizeof crew->script->alone, "%.40s %.140s", calls->at.what, why);
}

struct trial {
  double x[TRIED][3], out[TRIED][3];
};

/* Calls the function at all places of the trial, from the first or from the last. */
static int call_trial(struct mx_script *copy, const struct mx_calls *calls, struct trial *trial, bool forward,
                      struct dg_error *err)
{
  struct mx_calls part = *calls;
  copy->reads_clock = false;
  copy->quiet = true;
  memset(trial->out, 0, sizeof trial->out);
  for (size_t i = 0; i < TRIED && err->code == DG_OK; i++) {
    const size_t k = forward ? i : TRIED - 1 - i;
    part.at.x = (const double(*)[3])trial->x + k;
    part.out = trial->out[k];
    part.at.count = 1;
    (void)!mx_call_part(copy, &part, 0, 1, err);
  }
  copy->quiet = false;
  if (err->code == DG_OK && copy->reads_clock) (void)dg_fail(err, DG_INPUT, "reads a clock");
  return err->code;
}

void mx_crew_try(struct mx_crew *crew, const struct mx_calls *calls)
{
  struct dg_error err = {0};
  struct trial first, other;
  if (calls->at.x == NULL || calls->at.count < 2 * CALLS_A_THREAD || crew->trust[calls->function->handle] == ALONE)
    return;
  for (size_t i = 0; i < TRIED; i++)
    memcpy(first.x[i], calls->at.x[i * (calls->at.count - 1) / (TRIED - 1)], sizeof first.x[i]);
  other = first;
  struct mx_script *one = crew->member[0].copy, *last = crew->member[crew->members - 1].copy;
  if (call_trial(one, calls, &first, true, &err) == 0 && call_trial(one, calls, &other, true, &err) == 0 &&
      mx_same_numbers(3 * TRIED, first.out[0], other.out[0]) && call_trial(last, calls, &other, false, &err) == 0 &&
      mx_same_numbers(3 * TRIED, first.out[0], other.out[0])) {
    if (crew->trust[calls->function->handle] == UNKNOWN) crew->trust[calls->function->handle] = SEEMS_SAME;
    return;
  }
  leave_alone(crew, calls, err.code != DG_OK ? err.message : not_the_same);
}

/* ---- calls */

/* Says whether a member finds the same as the caller at some places of the caller's part, other ones every time. The
 * caller's own state sees no more calls than it would alone. */
static bool agrees(const struct mx_crew *crew, const struct mx_calls *calls, int places, size_t *k)
{
  const size_t own = calls->at.count / (size_t)crew->sharing, outputs = (size_t)calls->at.components;
  struct mx_script *copy = crew->member[crew->round % (unsigned long)(crew->sharing - 1)].copy;
  bool same = true;
  copy->quiet = true;
  for (int i = 0; i < places && same; i++) {
    struct dg_error err = {0};
    struct mx_calls one = *calls;
    double there[3];
    *k = (crew->round + (unsigned long)i) * 7919 % own;
    one.at.count = 1;
    one.at.x = calls->at.x + *k;
    one.out = there;
    same = mx_call_part(copy, &one, 0, 1, &err) == 0 && mx_same_numbers(outputs, there, calls->out + *k * outputs);
  }
  copy->quiet = false;
  return same;
}

/* Takes the errors that the members have found. At first the caller can still do their part itself, as if there were
 * none. */
static int check_members(struct mx_crew *crew, const struct mx_calls *calls, struct dg_error *err)
{
  unsigned char *trust = &crew->trust[calls->function->handle];
  const struct dg_error *failed = NULL;
  size_t k = 0;
  for (int i = crew->sharing - 2; i >= 0; i--)
    if (crew->member[i].err.code != DG_OK) failed = &crew->member[i].err;
  if (failed != NULL && *trust == IS_SAME) {
    *err = *failed;
    return err->code;
  }
  if (failed == NULL && agrees(crew, calls, *trust == IS_SAME ? 1 : TRIED, &k)) {
    *trust = IS_SAME;
    return 0;
  }
  if (*trust != IS_SAME) {
    leave_alone(crew, calls, failed != NULL ? failed->message : not_the_same);
    return mx_call_part(crew->script, calls, calls->at.count / (size_t)crew->sharing, calls->at.count, err);
  }
  return dg_fail(err, DG_INPUT,
                 "%s: %s gives one thread something else than another at (%.6g, %.6g, %.6g): it must depend on its "
                 "arguments alone; --lua-threads 1 calls it in one thread",
                 crew->script->path, calls->at.what, calls->at.x[k][0], calls->at.x[k][1], calls->at.x[k][2]);
}

static int call_together(struct mx_crew *crew, const struct mx_calls *calls, int sharing, struct dg_error *err)
{
  pthread_mutex_lock(&crew->mutex);
  crew->calls = calls;
  crew->sharing = sharing;
  crew->working = sharing - 1;
  crew->round++;
  pthread_cond_broadcast(&crew->changed);
  pthread_mutex_unlock(&crew->mutex);
  (void)!call_part(crew->script, calls, sharing, 0, err);
  wait_for_members(crew);
  if (err->code != DG_OK) return err->code;
  return check_members(crew, calls, err);
}

int mx_crew_call(struct mx_crew *crew, const struct mx_calls *calls, struct dg_error *err)
{
  const struct mx_places *at = &calls->at;
  const size_t useful = at->count / CALLS_A_THREAD;
  if (at->x == NULL || at->count < 2 * CALLS_A_THREAD) return mx_call_part(crew->script, calls, 0, at->count, err);
  if (crew->trust[calls->function->handle] == UNKNOWN) mx_crew_try(crew, calls);
  if (crew->trust[calls->function->handle] == ALONE) return mx_call_part(crew->script, calls, 0, at->count, err);
  const int all = crew->members + 1;
  return call_together(crew, calls, useful < (size_t)all ? (int)useful : all, err);
}
