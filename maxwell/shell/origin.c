/* Asks an origin of a configuration, or answers for one that has no such side: a program in C may name any file, has no
 * seed and one thread. The set-up and the run call it. */
#include "maxwell/shell/origin.h"

bool mx_origin_may_name(const struct mx_origin *origin, const char *path)
{
  return origin == NULL || origin->may_name == NULL || origin->may_name(origin->self, path);
}

uint64_t mx_origin_seed(const struct mx_origin *origin)
{
  return origin != NULL && origin->seed != NULL ? origin->seed(origin->self) : 0;
}

int mx_origin_start_threads(const struct mx_origin *origin, int threads)
{
  return origin != NULL && origin->start_threads != NULL ? origin->start_threads(origin->self, threads) : 1;
}

int mx_origin_threads(const struct mx_origin *origin)
{
  return origin != NULL && origin->threads != NULL ? origin->threads(origin->self) : 1;
}

const char *mx_origin_alone(const struct mx_origin *origin)
{
  return origin != NULL && origin->alone != NULL ? origin->alone(origin->self) : NULL;
}

void mx_origin_interrupt(const struct mx_origin *origin, const volatile sig_atomic_t *flag)
{
  if (origin != NULL && origin->interrupt != NULL) origin->interrupt(origin->self, flag);
}
