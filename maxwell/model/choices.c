/* The words for the choices; the readers of the configuration, messages and summaries take them from here. */
#include "maxwell/model/choices.h"

#include <stddef.h>

#define WORD(integrator, word) word,
const char *const mx_integrator_names[] = {MX_INTEGRATOR_LIST(WORD) NULL};
#undef WORD
#define WORD(word, alpha)   word,
#define WEIGHT(word, alpha) alpha,
const char *const mx_flux_names[] = {MX_FLUX_LIST(WORD) NULL};
const double mx_flux_alpha[] = {MX_FLUX_LIST(WEIGHT)};
#undef WEIGHT
#undef WORD
const char *const mx_precision_names[] = {"double", "single", NULL};
const char *const mx_transport_names[] = {"auto", "direct", "staged", NULL};
const char *const mx_solver_names[] = {"automatic", "diagonal", "aip", "multigrid", NULL};
