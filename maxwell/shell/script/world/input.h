/* The input of the script reader: the text of a file, and definitions from the command line. Private to it; knows no
 * Lua. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/arena.h"
#include "maxwell/shell/value.h"

/* Reads a whole text file; the string lives in the arena. DG_INPUT when it cannot be read or is not text. */
int mx_input_file(struct mx_arena *arena, const char *path, char **text, struct dg_error *err) DG_MUST_USE;
/* Skips a byte-order mark and blanks a first line "#!...", so that lines keep their numbers. Returns the text. */
const char *mx_input_skip_marks(char *text);
bool mx_input_is_identifier(const char *text);
/* Checks that the i-th of the definitions has its '=' and a name that none before it has. option: "-D" or "--set". */
int mx_input_check(const char *option, const struct mx_definition *all, size_t i, const char *example,
                   struct dg_error *err) DG_MUST_USE;
/* Says whether "file:12: " stands in the message, as Lua writes it. */
bool mx_input_has_position(const char *message);
