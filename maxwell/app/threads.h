/* Threads that the system does not give, before OpenMP asks for them: its library ends the program for want of one. */
#pragma once

#include "libdg/base/log.h"

/* Starts the team of the calling thread, with as many threads as OpenMP wants or the system gives; says so if they are
 * fewer. log may be NULL. */
void mx_threads_start(struct dg_log *log);
