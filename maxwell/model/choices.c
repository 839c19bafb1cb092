/* The words for the choices; the readers of the configuration, messages and summaries take them from here. */
#include "maxwell/model/choices.h"

#include <stddef.h>

const char *const mx_integrator_names[] = {"leapfrog", "rk4", "lsrk", "euler", NULL};
const char *const mx_precision_names[] = {"double", "single", NULL};
const char *const mx_transport_names[] = {"auto", "direct", "staged", NULL};
