/* The monotonic clock of the system, for the seconds in logs, profiles and the summary. */
#include "libdg/base/clock.h"

#include <time.h>

double mx_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
