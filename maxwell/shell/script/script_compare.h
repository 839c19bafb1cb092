/* Compares two runs of a script, which must have made the same. Private to the script reader. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "maxwell/shell/script/script_state.h"

/* A digest of all that the script's functions can reach: their code, variables from outside, globals, tables with their
 * metatables, and which of them are the same object. It does not depend on addresses nor on the order of keys in
 * tables. The state of random numbers counts if `random`. False where that cannot be said, such as of tables with
 * tables as keys. */
bool mx_same_digest(struct mx_script *script, bool random, uint64_t *digest);
/* Compares numbers bit for bit. */
bool mx_same_numbers(size_t count, const double *one, const double *other);
/* Says whether the trees of values are the same, with the same handles of functions. */
bool mx_same_tree(const struct mx_value *one, const struct mx_value *other);
