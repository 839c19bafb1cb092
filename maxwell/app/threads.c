/* Starts as many plain threads as OpenMP is going to ask for, to see whether the system gives them, and then OpenMP's
 * own. main calls it before set-up. */
#include "maxwell/app/threads.h"

#include <ctype.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

struct trial {
  pthread_mutex_t mutex;
  pthread_cond_t over;
  bool is_over;
};

static void *wait_for_end(void *argument)
{
  struct trial *trial = argument;
  pthread_mutex_lock(&trial->mutex);
  while (!trial->is_over) pthread_cond_wait(&trial->over, &trial->mutex);
  pthread_mutex_unlock(&trial->mutex);
  return NULL;
}

/* Bytes that OMP_STACKSIZE asks for: a number and B, K (if there is none), M or G; 0: nothing. */
static size_t stack_size(void)
{
  const char *text = getenv("OMP_STACKSIZE");
  char *end;
  if (text == NULL) text = getenv("GOMP_STACKSIZE");
  if (text == NULL) return 0;
  const unsigned long long number = strtoull(text, &end, 10);
  while (isspace((unsigned char)*end)) end++;
  const int shift = strcasecmp(end, "B") == 0   ? 0
                    : strcasecmp(end, "M") == 0 ? 20
                    : strcasecmp(end, "G") == 0 ? 30
                                                : 10;
  return end == text || number > (SIZE_MAX >> shift) ? 0 : (size_t)number << shift;
}

/* How many of `wanted` threads exist at a time. */
static int try_threads(int wanted)
{
  struct trial trial = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  const size_t stack = stack_size();
  pthread_attr_t kind;
  int got = 0;
  pthread_t *thread = calloc((size_t)wanted, sizeof *thread);
  if (thread == NULL) return 0;
  pthread_attr_init(&kind);
  if (stack > 0) (void)pthread_attr_setstacksize(&kind, stack);
  while (got < wanted && pthread_create(&thread[got], &kind, wait_for_end, &trial) == 0) got++;
  pthread_mutex_lock(&trial.mutex);
  trial.is_over = true;
  pthread_cond_broadcast(&trial.over);
  pthread_mutex_unlock(&trial.mutex);
  for (int i = 0; i < got; i++) pthread_join(thread[i], NULL);
  pthread_attr_destroy(&kind);
  free(thread);
  return got;
}

void mx_threads_start(struct dg_log *log)
{
  enum { OTHERS = 4 }; /* threads that watch over scripts, evaluate sources, write snapshots */
  const int wanted = omp_get_max_threads();
  const int more = wanted - 1 + OTHERS, got = try_threads(more);
  if (got < more) { /* what all of them take would be missing elsewhere */
    const int team = 1 + (got > OTHERS ? (got - OTHERS) / 2 : 0);
    omp_set_num_threads(team < wanted ? team : wanted);
    if (team < wanted)
      dg_log_warning(log, "%d threads instead of %d: the system gives no more (ulimit -u, ulimit -v, OMP_STACKSIZE)",
                     team, wanted);
  }
  int there = 0;
#pragma omp parallel reduction(+ : there)
  there++;
  (void)there;
}
