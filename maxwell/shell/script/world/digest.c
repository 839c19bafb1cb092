/* A digest of a Lua function's code, and the names in it. Digests that last longer than a process are made of it
 * (walk.c). */
#include "maxwell/shell/script/world/digest.h"

#include <stdbool.h>
#include <string.h>

#include <lua.h>

#include "libdg/base/digest.h"

/* ---- code: as lua_dump writes it, without the two lines on which a function stands in the script */

struct code {
  const unsigned char *at, *end; /* NULL: it is not as Lua 5.4 writes it */
  uint64_t digest;
  mx_code_name *each;
  void *context;
};

static void take(struct code *code, size_t bytes, bool counts)
{
  if (code->at == NULL) return;
  if (bytes > (size_t)(code->end - code->at)) {
    code->at = NULL;
    return;
  }
  if (counts) code->digest = dg_digest(code->digest, code->at, bytes);
  code->at += bytes;
}

/* Seven bits a byte, the highest first; the last byte has its eighth bit set. */
static size_t take_size(struct code *code, bool counts)
{
  size_t size = 0;
  while (code->at != NULL) {
    unsigned char byte = code->at < code->end ? *code->at : 0;
    take(code, 1, counts);
    size = size << 7 | (byte & 0x7f);
    if ((byte & 0x80) != 0) break;
  }
  return size;
}

/* Tells of a string of size - 1 bytes, which the code has without the zero byte that the receiver may rely on. */
static void tell(struct code *code, const char *name, size_t size)
{
  enum { LONGEST = 4096 };
  char copy[LONGEST];
  if (code->at == NULL || size == 0 || size > LONGEST) return;
  memcpy(copy, name, size - 1);
  copy[size - 1] = '\0';
  code->each(code->context, copy, size - 1);
}

static void take_constant(struct code *code)
{
  enum { NUMBER = 3, STRING = 4 }; /* without their variants, which are in the higher bits */
  int type = code->at != NULL && code->at < code->end ? *code->at & 0x0f : 0;
  take(code, 1, true);
  if (type == NUMBER) take(code, sizeof(lua_Number), true);
  if (type != STRING) return;
  size_t size = take_size(code, true);
  const char *name = (const char *)code->at;
  if (size > 0) take(code, size - 1, true);
  tell(code, name, size);
}

static void take_function(struct code *code, int depth)
{
  if (depth > 200) code->at = NULL;
  size_t name = take_size(code, false);
  if (name > 0) take(code, name - 1, false);
  for (int line = 0; line < 2; line++) (void)take_size(code, false);
  take(code, 3, true); /* parameters, whether there may be more, registers */
  take(code, take_size(code, true) * sizeof(uint32_t), true);
  for (size_t constants = take_size(code, true); constants > 0 && code->at != NULL; constants--) take_constant(code);
  take(code, take_size(code, true) * 3, true); /* variables from outside */
  for (size_t inner = take_size(code, true); inner > 0 && code->at != NULL; inner--) take_function(code, depth + 1);
  for (int debug = 0; debug < 4; debug++)
    if (take_size(code, true) != 0) code->at = NULL; /* stripped: there is none */
}

uint64_t mx_code_digest(const void *dump, size_t size, mx_code_name *each, void *context)
{
  enum { HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1 }; /* up to the number of variables from outside */
  struct code code = {.at = dump, .end = (const unsigned char *)dump + size, .each = each, .context = context};
  take(&code, HEADER, true);
  take_function(&code, 0);
  return code.at == code.end ? code.digest : dg_digest(0, dump, size); /* another Lua: then lines count as well */
}
