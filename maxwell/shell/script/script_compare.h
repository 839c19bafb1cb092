/* Whether a script that was run twice has made the same twice. Private to the script reader. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "maxwell/shell/script/script_state.h"

/* A digest of all that the script's functions can reach: their code, variables from outside, globals, tables with their
 * metatables, and which of them are the same object. It does not depend on addresses nor on the order of keys in
 * tables. False where that cannot be said, such as of tables with tables as keys. */
bool mx_same_digest(struct mx_script *script, uint64_t *digest);
/* Bit for bit. */
bool mx_same_numbers(size_t count, const double *one, const double *other);
/* Whether the trees of values are the same, with the same handles of functions. */
bool mx_same_tree(const struct mx_value *one, const struct mx_value *other);
