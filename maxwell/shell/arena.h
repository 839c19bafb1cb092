/* Memory that is released all at once. The script reader and the configuration build their data in it piece by piece.
 * Nothing in it needs freeing on its own, so that an error (and Lua's errors jump) cannot leak. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

/* {0} is empty. */
struct mx_arena {
  struct mx_arena_block *blocks;
};

/* Allocates like dg_alloc: count * size zeroed bytes, whose address is stored through `pointer`. */
int mx_arena_alloc(struct mx_arena *arena, void *pointer, size_t count, size_t size, struct dg_error *err) DG_MUST_USE;
/* Prints into a new string. */
int mx_arena_format(struct mx_arena *arena, char **text, struct dg_error *err, const char *format, ...)
    DG_PRINTF(4, 5) DG_MUST_USE;
void mx_arena_release(struct mx_arena *arena);
