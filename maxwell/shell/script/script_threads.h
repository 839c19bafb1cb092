/* Threads that call the script's functions, each in a copy of the script's state. Private to the script reader;
 * mx_script_start_threads says what they are for.
 */
#pragma once

#include <stdbool.h>

#include "maxwell/shell/script/script.h"

struct mx_crew; /* opaque */

void mx_crew_free(struct mx_crew *crew); /* NULL is safe */
void mx_crew_interrupt(struct mx_crew *crew, const volatile sig_atomic_t *flag);
