/* The origin of a configuration, and the carrier of its functions, as far as a run has to know them. A script has an
 * origin (mx_script_origin); a program in C may leave it {0}, or use NULL. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "maxwell/shell/value.h"

struct mx_origin {
  const char *path;            /* path of the script: "cavity.lua" */
  const struct mx_value *root; /* the whole table; NULL: there is none */
  const char *language;        /* language of the script: "Lua 5.4.4" */
  bool trust;                  /* the script may do whatever the user may */
  size_t args, sets;
  const struct mx_definition *arg, *set; /* [args] and [sets] from the command line */
  size_t files;
  const char *const
      *file; /* [files] paths of the files that it has read, sorted; not those that --trust opens itself */
  /* The members below may be NULL. */
  bool (*may_name)(void *self, const char *path); /* says whether it may name this file */
  uint64_t (*seed)(void *self);                  /* tells one seed of its random numbers from another; 0: it has none */
  int (*start_threads)(void *self, int threads); /* lets so many call functions; returns how many there are */
  int (*threads)(void *self);
  const char *(*alone)(void *self); /* why the threads do not call every function; NULL: there is no reason */
  /* From now on a long call ends with DG_INTERRUPTED when a signal handler has set the flag; NULL: none. */
  void (*interrupt)(void *self, const volatile sig_atomic_t *flag);
  void *self;
};

bool mx_origin_may_name(const struct mx_origin *origin, const char *path);
uint64_t mx_origin_seed(const struct mx_origin *origin);
/* Starts the threads, before functions are called. */
int mx_origin_start_threads(const struct mx_origin *origin, int threads);
int mx_origin_threads(const struct mx_origin *origin); /* at least 1 */
const char *mx_origin_alone(const struct mx_origin *origin);
void mx_origin_interrupt(const struct mx_origin *origin, const volatile sig_atomic_t *flag);
