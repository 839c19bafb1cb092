/* Loaded before the C library, it sets the clock that tells the time of day a day ahead and a day back, in turns, every
 * time that it is looked at. Clocks that only measure are left alone. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int looks;

static long jump(void) { return atomic_fetch_add(&looks, 1) % 2 == 0 ? 86400 : -86400; }

int clock_gettime(clockid_t clock, struct timespec *now)
{
  long status = syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
  return (int)status;
}

time_t time(time_t *result)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone)
{
  struct timespec now;
  (void)zone;
  int status = clock_gettime(CLOCK_REALTIME, &now);
  *result = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return status;
}
