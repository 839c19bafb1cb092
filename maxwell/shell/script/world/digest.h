/* Digests of the code of Lua functions. Private to the script reader. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Is told of a string in the code, which ends with a zero byte: names of globals and fields are among them. */
typedef void mx_code_name(void *context, const char *name, size_t length);

/* Digests a function's stripped code as lua_dump writes it, without the lines on which it stands, and tells of its
 * strings in their order. Those of more than 4095 bytes are left out. */
uint64_t mx_code_digest(const void *dump, size_t size, mx_code_name *each, void *context);
