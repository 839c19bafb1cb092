/* A column of numbers as a script sees it: c[1], #c, ipairs(c), and in C's speed c:max(), c:min() and c:peak(), each of
 * which gives a value and where it is, of all or of c:max(first, last),
 * as far as there are numbers. It cannot be changed. Private to the script
 * reader. */
#pragma once

#include <stddef.h>

#include <lua.h>

/* Pushes the column value[count], which lies in the userdata at the index `storage` and keeps it. The storage must not
 * change there afterwards. Raises Lua errors. */
void mx_column_push(lua_State *L, int storage, const double *value, size_t count);
/* The numbers of the column at the index; NULL: it is none. */
const double *mx_column_at(lua_State *L, int index, size_t *count);
