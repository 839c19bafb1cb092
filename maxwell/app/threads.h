/* Threads that the system does not give, before OpenMP asks for them: its library ends the program for want of one. */
#pragma once

#include "libdg/base/log.h"

/* Starts the team of the calling thread, with as many threads as OpenMP wants; where the system does not give them,
 * with half of what it gives, and says so. log may be NULL. */
void mx_threads_start(struct dg_log *log);
