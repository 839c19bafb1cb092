/* Blocks of memory in a list, released together. The script reader and the readers of the configuration allocate from
 * it. */
#include "maxwell/shell/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"

struct mx_arena_block {
  struct mx_arena_block *next;
  max_align_t data[];
};

int mx_arena_alloc(struct mx_arena *arena, void *pointer, size_t count, size_t size, struct dg_error *err)
{
  struct mx_arena_block *block;
  size_t room = SIZE_MAX / 2 - sizeof *block;
  void *null = NULL;
  memcpy(pointer, &null, sizeof null);
  if (size != 0 && count > room / size)
    return dg_fail(err, DG_ENVIRONMENT, "out of memory: %zu items of %zu bytes were asked for", count, size);
  if (dg_alloc(&block, 1, sizeof *block + count * size, err) != 0) return err->code;
  block->next = arena->blocks;
  arena->blocks = block;
  void *data = block->data;
  memcpy(pointer, &data, sizeof data);
  return 0;
}

int mx_arena_format(struct mx_arena *arena, char **text, struct dg_error *err, const char *format, ...)
{
  *text = NULL;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length < 0) dg_fail(err, DG_BUG, "cannot format a string");
  else if (mx_arena_alloc(arena, text, (size_t)length + 1, 1, err) == 0)
    vsnprintf(*text, (size_t)length + 1, format, again);
  va_end(again);
  return err->code;
}

void mx_arena_release(struct mx_arena *arena)
{
  while (arena->blocks != NULL) {
    struct mx_arena_block *next = arena->blocks->next;
    dg_free(arena->blocks);
    arena->blocks = next;
  }
}
