/* Jobs that leave the loop: in their order, no more than there is room for, and what happens when one fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <cmocka.h>

#include "libdg/base/memory.h"
#include "maxwell/shell/relay.h"

enum { SLOTS = 3, JOBS = 200 };

/* What the stages do, and a gate that the test opens for so many jobs of a stage. */
struct plan {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  size_t open[MX_RELAY_STAGES], through[MX_RELAY_STAGES];
  size_t slot[MX_RELAY_STAGES][JOBS]; /* of the jobs that came, in their order */
  int value[SLOTS];                   /* filled by the loop; the first stage doubles it */
  int seen[JOBS];                     /* by the last stage */
  size_t fails[MX_RELAY_STAGES];      /* job whose work fails */
};

static void begin(struct plan *plan)
{
  *plan = (struct plan){.open = {JOBS, JOBS}, .fails = {SIZE_MAX, SIZE_MAX}};
  pthread_mutex_init(&plan->mutex, NULL);
  pthread_cond_init(&plan->changed, NULL);
}

static void end(struct plan *plan)
{
  pthread_mutex_destroy(&plan->mutex);
  pthread_cond_destroy(&plan->changed);
}

static void open_gate(struct plan *plan, int stage, size_t jobs)
{
  pthread_mutex_lock(&plan->mutex);
  plan->open[stage] = jobs;
  pthread_cond_broadcast(&plan->changed);
  pthread_mutex_unlock(&plan->mutex);
}

static size_t through(struct plan *plan, int stage)
{
  pthread_mutex_lock(&plan->mutex);
  const size_t jobs = plan->through[stage];
  pthread_mutex_unlock(&plan->mutex);
  return jobs;
}

static int pass(struct plan *plan, int stage, size_t slot, struct dg_error *err)
{
  pthread_mutex_lock(&plan->mutex);
  const size_t job = plan->through[stage];
  while (plan->open[stage] <= job) pthread_cond_wait(&plan->changed, &plan->mutex);
  plan->slot[stage][job] = slot;
  plan->through[stage]++;
  const bool fails = plan->fails[stage] == job;
  pthread_mutex_unlock(&plan->mutex);
  return fails ? dg_fail(err, DG_ENVIRONMENT, "stage %d, job %zu", stage, job) : 0;
}

static int first(void *context, size_t slot, struct dg_error *err)
{
  struct plan *plan = context;
  if (pass(plan, 0, slot, err) != 0) return err->code;
  plan->value[slot] *= 2;
  return 0;
}

static int last(void *context, size_t slot, struct dg_error *err)
{
  struct plan *plan = context;
  if (pass(plan, 1, slot, err) != 0) return err->code;
  plan->seen[plan->through[1] - 1] = plan->value[slot]; /* nobody else's while this stage has the slot */
  return 0;
}

static struct mx_relay *start(struct plan *plan, size_t most)
{
  const struct mx_relay_stage stage[] = {{.work = first, .threads = 1, .most = most},
                                         {.work = last, .threads = 1, .most = SLOTS}};
  struct mx_relay *relay;
  struct dg_error err = {0};
  assert_int_equal(mx_relay_start(&relay, SLOTS, 2, stage, plan, &err), 0);
  assert_non_null(relay);
  return relay;
}

static void hand_over(struct plan *plan, struct mx_relay *relay, int value, double *waited)
{
  struct dg_error err = {0};
  size_t slot;
  assert_int_equal(mx_relay_take(relay, &slot, waited, &err), 0);
  plan->value[slot] = value;
  mx_relay_hand_over(relay);
}

static void test_order(void **state)
{
  (void)state;
  struct plan plan;
  struct dg_error err = {0};
  double waited = 0;
  const size_t before = dg_memory_current();
  begin(&plan);
  struct mx_relay *relay = start(&plan, 2);
  for (int job = 0; job < JOBS; job++) hand_over(&plan, relay, job, &waited);
  assert_int_equal(mx_relay_finish(relay, 0, &waited, &err), 0);
  assert_int_equal(mx_relay_done(relay), JOBS);
  for (int job = 0; job < JOBS; job++) {
    assert_int_equal(plan.seen[job], 2 * job);
    for (int stage = 0; stage < 2; stage++) assert_int_equal(plan.slot[stage][job], job % SLOTS);
  }
  assert_true(mx_relay_seconds(relay) > 0);
  mx_relay_stop(relay);
  mx_relay_stop(NULL);
  end(&plan);
  assert_int_equal(dg_memory_current(), before);
}

/* Opens a gate after a while. */
struct opener {
  struct plan *plan;
  int stage;
  size_t jobs;
};

static void *open_later(void *context)
{
  const struct opener *opener = context;
  const struct timespec some = {.tv_nsec = 100000000};
  nanosleep(&some, NULL);
  open_gate(opener->plan, opener->stage, opener->jobs);
  return NULL;
}

/* Taking waits for room in the slots and in the first stage, no longer. */
static void test_room(void **state)
{
  (void)state;
  for (int stage = 0; stage < 2; stage++) {
    struct plan plan;
    struct dg_error err = {0};
    double waited = 0, before;
    pthread_t thread;
    begin(&plan);
    open_gate(&plan, stage, 0);
    struct mx_relay *relay = start(&plan, stage == 0 ? 2 : SLOTS);
    const int room = stage == 0 ? 2 : SLOTS;
    for (int job = 0; job < room; job++) hand_over(&plan, relay, job, &waited);
    assert_true(waited == 0);
    struct opener opener = {.plan = &plan, .stage = stage, .jobs = 1};
    assert_int_equal(pthread_create(&thread, NULL, open_later, &opener), 0);
    hand_over(&plan, relay, room, &waited);
    assert_true(through(&plan, stage) == 1 && waited > 0.05);
    pthread_join(thread, NULL);
    opener.jobs = (size_t)room;
    before = waited;
    assert_int_equal(pthread_create(&thread, NULL, open_later, &opener), 0);
    assert_int_equal(mx_relay_finish(relay, 1, &waited, &err), 0); /* all but the last */
    assert_true(through(&plan, stage) == (size_t)room && waited > before + 0.05);
    pthread_join(thread, NULL);
    assert_int_equal(mx_relay_done(relay), room);
    open_gate(&plan, stage, JOBS);
    mx_relay_stop(relay); /* which waits for it */
    assert_int_equal(plan.seen[room], 2 * room);
    end(&plan);
  }
}

/* Those before a job that fails are done, those behind it are not, and everybody hears of it. */
static void test_failure(void **state)
{
  (void)state;
  for (int stage = 0; stage < 2; stage++) {
    struct plan plan;
    struct dg_error err = {0}, again = {0}, once_more = {0};
    double waited = 0;
    size_t slot;
    begin(&plan);
    plan.fails[stage] = 1;
    open_gate(&plan, 0, 0);
    open_gate(&plan, 1, 0); /* so that a failure of the first stage overtakes the job before in the last */
    struct mx_relay *relay = start(&plan, SLOTS);
    for (int job = 0; job < SLOTS; job++) hand_over(&plan, relay, job, &waited);
    open_gate(&plan, 0, JOBS);
    if (stage == 0)
      while (mx_relay_poll(relay, &again) == 0) (void)sched_yield();
    else assert_int_equal(mx_relay_poll(relay, &again), 0);
    open_gate(&plan, 1, JOBS);
    assert_int_equal(mx_relay_finish(relay, 0, &waited, &err), DG_ENVIRONMENT);
    assert_string_equal(err.message, stage == 0 ? "stage 0, job 1" : "stage 1, job 1");
    assert_int_equal(mx_relay_take(relay, &slot, &waited, &once_more), DG_ENVIRONMENT);
    assert_string_equal(once_more.message, err.message);
    assert_int_equal(mx_relay_done(relay), 1);
    assert_int_equal(through(&plan, 1), stage == 0 ? 1 : 2);
    mx_relay_stop(relay);
    end(&plan);
  }
}

/* Several threads of a stage: jobs are over in any order and pass in theirs. */
struct crowd {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  size_t inside, most; /* at work now, and at most so far */
  bool may_end[SLOTS]; /* the job in that slot */
  bool closed;         /* does a job wait until it may? */
  size_t ended;
  size_t fails; /* slot whose job does */
};

static int crowd_in(void *context, size_t slot, struct dg_error *err)
{
  struct crowd *crowd = context;
  pthread_mutex_lock(&crowd->mutex);
  crowd->inside++;
  if (crowd->inside > crowd->most) crowd->most = crowd->inside;
  pthread_cond_broadcast(&crowd->changed);
  while (crowd->closed && !crowd->may_end[slot]) pthread_cond_wait(&crowd->changed, &crowd->mutex);
  crowd->inside--;
  crowd->ended++;
  pthread_cond_broadcast(&crowd->changed);
  pthread_mutex_unlock(&crowd->mutex);
  return slot == crowd->fails ? dg_fail(err, DG_ENVIRONMENT, "slot %zu", slot) : 0;
}

static void let_end(struct crowd *crowd, size_t slot)
{
  pthread_mutex_lock(&crowd->mutex);
  const size_t ended = crowd->ended;
  crowd->may_end[slot] = true;
  pthread_cond_broadcast(&crowd->changed);
  while (crowd->ended == ended) pthread_cond_wait(&crowd->changed, &crowd->mutex);
  pthread_mutex_unlock(&crowd->mutex);
}

static void test_beside(void **state)
{
  (void)state;
  for (int fails = 0; fails <= 1; fails++) {
    struct crowd crowd = {.closed = true, .fails = fails ? 1 : SIZE_MAX};
    struct dg_error err = {0}, failure = {0};
    struct mx_relay *relay;
    const struct mx_relay_stage stage = {.work = crowd_in, .threads = SLOTS, .most = SLOTS};
    size_t slot;
    double waited = 0;
    const size_t before = dg_memory_current();
    pthread_mutex_init(&crowd.mutex, NULL);
    pthread_cond_init(&crowd.changed, NULL);
    assert_int_equal(mx_relay_start(&relay, SLOTS, 1, &stage, &crowd, &err), 0);
    for (size_t job = 0; job < SLOTS; job++) {
      assert_int_equal(mx_relay_take(relay, &slot, &waited, &err), 0);
      assert_int_equal(slot, job);
      mx_relay_hand_over(relay);
    }
    pthread_mutex_lock(&crowd.mutex);
    while (crowd.inside < SLOTS) pthread_cond_wait(&crowd.changed, &crowd.mutex); /* all at a time */
    pthread_mutex_unlock(&crowd.mutex);
    for (size_t last = SLOTS; last-- > 0;) { /* the last is over first */
      assert_int_equal(mx_relay_done(relay), 0);
      let_end(&crowd, last);
    }
    assert_int_equal(mx_relay_finish(relay, 0, &waited, &failure), fails ? DG_ENVIRONMENT : 0);
    assert_string_equal(failure.message, fails ? "slot 1" : "");
    assert_int_equal(mx_relay_done(relay), fails ? 1 : SLOTS); /* not those behind one that failed */
    crowd.closed = false;
    for (size_t job = 0; job < JOBS && !fails; job++) {
      assert_int_equal(mx_relay_take(relay, &slot, &waited, &err), 0);
      assert_int_equal(slot, job % SLOTS);
      mx_relay_hand_over(relay);
    }
    mx_relay_stop(relay);
    assert_int_equal(crowd.ended, fails ? SLOTS : SLOTS + JOBS);
    assert_int_equal(crowd.most, SLOTS);
    assert_int_equal(dg_memory_current(), before);
    pthread_mutex_destroy(&crowd.mutex);
    pthread_cond_destroy(&crowd.changed);
  }
}

static void test_memory(void **state)
{
  (void)state;
  struct plan plan;
  struct mx_relay *relay;
  struct dg_error err = {0};
  const struct mx_relay_stage stage = {.work = last, .threads = 1, .most = 1};
  begin(&plan);
  for (long n = 1; n <= 3; n++) {
    const size_t before = dg_memory_current();
    err = (struct dg_error){0};
    dg_memory_fail_at(n);
    assert_int_equal(mx_relay_start(&relay, 1, 1, &stage, &plan, &err), DG_ENVIRONMENT);
    dg_memory_fail_at(0);
    assert_null(relay);
    assert_int_equal(dg_memory_current(), before);
  }
  end(&plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_room),
                                     cmocka_unit_test(test_failure), cmocka_unit_test(test_beside),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
