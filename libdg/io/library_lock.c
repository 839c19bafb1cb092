/* The lock that gives Silo and HDF5 to one thread at a time. libdg/io/silo and libdg/io/vtkhdf take it. */
#include "libdg/io/library_lock.h"

#include <pthread.h>

/* A global, because it guards libraries with variables of the process. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void dg_library_lock(void) { pthread_mutex_lock(&library); }

void dg_library_unlock(void) { pthread_mutex_unlock(&library); }
