/* Commands of the program that are written in Lua: share/lua/commands/NAME.lua, with all of Lua's libraries.
 *
 * The file is called with two tables, `curlew` and the list of words of the command line. `curlew` has share and
 * share_hint (world/share.h), the caller's functions, and
 *   fail(kind, message)   ends the command; kind: "input" or "environment"
 *   nearest(word, names)  the name that is meant, or nil: dg_nearest
 *   json(value)           a string or number as JSON
 *   write(path, text)     writes a file whole or not at all: dg_file_write
 *   create(path, text)    makes a new file; else returns kind and message of the error
 *   list(folder)          the names in it, sorted, or nil */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

/* A call of one of the caller's functions: strings, then a list of numbers, and what it answers. */
struct mx_command_call {
  size_t texts, numbers;
  const char *text[4];
  const double *number;
  const char *answer; /* a text, or NULL; the function's */
  size_t answers;
  double *answered; /* [answers], freed with dg_free */
};
struct mx_command_function {
  const char *name; /* NULL: the end of a list */
  int (*call)(void *self, struct mx_command_call *call, struct dg_error *err);
};

/* Runs the command. DG_ENVIRONMENT: memory is out, or its file is not there, which `lack` begins to say, as in
 * "templates were". Else the errors of fail and of the caller's functions, and DG_BUG for others of Lua's. */
int mx_command_run(const char *name, const char *lack, int words, char *const *word,
                   const struct mx_command_function *functions, void *self, struct dg_error *err) DG_MUST_USE;
