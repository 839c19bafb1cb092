/* The words for the choices; the readers of the configuration, messages and summaries take them from here. */
#include "maxwell/model/choices.h"

#include <stddef.h>

#define WORD(integrator, word) word,
const char *const mx_integrator_names[] = {MX_INTEGRATOR_LIST(WORD) NULL};
#undef WORD
const char *const mx_precision_names[] = {"double", "single", NULL};
const char *const mx_transport_names[] = {"auto", "direct", "staged", NULL};
const char *const mx_solver_names[] = {"automatic", "diagonal", "aip", "multigrid", NULL};
