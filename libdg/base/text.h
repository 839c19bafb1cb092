/* Small helpers on strings: suggestions for mistyped names, and JSON output. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The index of the name nearest to `name` among `names[count]`, or -1 when none is near enough to be meant. The
 * distance is the number of edits of a character (insert, delete, replace, swap neighbours); a letter in the wrong case
 * counts little. */
int dg_nearest(const char *name, const char *const *names, size_t count);

/* Writes a JSON string with its quotes, escaping what must be. */
void dg_json_string(FILE *file, const char *string);
/* Writes a JSON number that reads back to the same double; NaN and infinities become null. */
void dg_json_number(FILE *file, double value);
