/* Where a configuration comes from, and who carries its functions out, as far as a run has to know: a script hands one
 * over (mx_script_origin); a program in C may leave it {0}, or say NULL instead.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "maxwell/shell/value.h"

struct mx_origin {
  const char *path;            /* of the script: "cavity.lua" */
  const struct mx_value *root; /* all that it says; NULL: it says nothing */
  const char *language;        /* that it is written in: "Lua 5.4.4" */
  bool trust;                  /* it may do whatever the user may */
  /* The following may be NULL. */
  bool (*may_name)(void *self, const char *path); /* whether it may name this file */
  uint64_t (*seed)(void *self);                  /* tells one seed of its random numbers from another; 0: it has none */
  int (*start_threads)(void *self, int threads); /* lets so many call functions; returns how many there are */
  int (*threads)(void *self);
  const char *(*alone)(void *self); /* why they do not call every function; NULL: there is no reason */
  /* From now on a call that lasts ends with DG_INTERRUPTED when a signal handler has set the flag; NULL: none. */
  void (*interrupt)(void *self, const volatile sig_atomic_t *flag);
  void *self;
};

bool mx_origin_may_name(const struct mx_origin *origin, const char *path);
uint64_t mx_origin_seed(const struct mx_origin *origin);
/* Before functions are called. */
int mx_origin_start_threads(const struct mx_origin *origin, int threads);
int mx_origin_threads(const struct mx_origin *origin); /* at least 1 */
const char *mx_origin_alone(const struct mx_origin *origin);
void mx_origin_interrupt(const struct mx_origin *origin, const volatile sig_atomic_t *flag);
