/* Finds the line of each key of the simulation table in the script's text. Lua keeps no line per key, so the text is
 * read once more with a small tokenizer, from the call of `simulation` on: comments, strings, braces, `key =`,
 * `["key"] =`, `[7] =` and list items. A table that was built elsewhere has the line of the key that it is given to.
 *
 * Private to the script reader. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/arena.h"

struct mx_line {
  char *path; /* "time.steps", in the form of mx_value.path */
  int line;
};

struct mx_lines {
  int call;     /* line of the call of `simulation` */
  size_t count; /* sorted by path, then by line */
  size_t room;
  struct mx_line *item;
};

/* Reads `text`, valid Lua, its first line being number 1; finds the call that Lua saw in line `call`.
 * Finding none is no error: then every path has the line of the call. Release in any case; {0} may be released. */
int mx_lines_scan(struct mx_lines *lines, struct mx_arena *arena, const char *text, int call,
                  struct dg_error *err) DG_MUST_USE;
void mx_lines_release(struct mx_lines *lines);

/* The line of the path, else of the nearest table around it, else of the call. */
int mx_lines_find(const struct mx_lines *lines, const char *path);
/* A path that the text gives twice (Lua would silently keep one of them): its second place, *first its first. NULL if
 * there is none. */
const struct mx_line *mx_lines_repeated(const struct mx_lines *lines, int *first);
