/* Functions of position and time that somebody else carries out: a script, a program in C, a test. The solver asks for
 * values at many places at once and knows no language.
 *
 *   static int field(void *self, const struct mx_places *at, double *value, struct dg_error *err)
 *   {
 *     const double *k = self;
 *     for (size_t i = 0; i < at->count; i++) {
 *       value[3 * i] = value[3 * i + 1] = 0;
 *       value[3 * i + 2] = sin(*k * at->x[i][0]);
 *     }
 *     return 0;
 *   }
 *   const struct mx_function initial = {.values = field, .self = &k};
 *
 * A function's values must depend on its places alone, or a run could not be repeated, continued or shared among
 * ranks. There is one call at a time, from any thread: general sources are evaluated in a thread of their own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

/* No quantity of ours has a number beyond these, in SI units: squares and quotients of what is within stay numbers. */
#define MX_LARGEST  1e25
#define MX_SMALLEST 1e-60 /* of what must be greater than 0 */

/* The places and times at which values are wanted. */
struct mx_places {
  const char *what; /* the name of the values, for messages: "initial.E" */
  size_t count;
  const double (*x)[3]; /* [count] m; NULL: the function depends on time alone */
  const double *t; /* s: one time for all of x, without x [count] times; NULL: the function does not depend on time */
  int components;  /* numbers wanted at each place, at most 3 */
  const char *argument; /* what t stands for in messages, without x: "T"; NULL: time */
  bool trial;           /* the call is a trial: prints are not to be heard, and a long call is to fail */
};

struct mx_results;
struct mx_verdict;

struct mx_function {
  /* Gives value[count][components], finite. The error, DG_INPUT or another one, is that of the first place, in order,
   * that has one; `value` is then not defined. NULL for a function that only answers. */
  int (*values)(void *self, const struct mx_places *at, double *value, struct dg_error *err);
  /* The members below may be NULL, where the function has no such side. */
  int (*answer)(void *self, const char *what, int inputs, const double *in, bool *answer, struct dg_error *err);
  /* Looks at results of the run (maxwell/shell/hooks/results.h). */
  int (*look)(void *self, const char *what, const struct mx_results *results, struct mx_verdict *verdict,
              struct dg_error *err);
  void (*rehearse)(void *self, const struct mx_places *at); /* tells of many calls to come, at such places and times */
  int (*digest)(void *self, uint64_t *digest, struct dg_error *err); /* digest of the function's code and data */
  const char *place;                                                 /* its place in the script: "cavity.lua:22" */
  void *self;
};

/* Calls the function, and checks that its values are finite. */
int mx_function_values(const struct mx_function *function, const struct mx_places *at, double *value,
                       struct dg_error *err) DG_MUST_USE;
/* Calls the function once more at all places (some thousand of them, if there are more), last first, and fails with
 * DG_INPUT if it does not give value[count][components] again. */
int mx_function_repeat(const struct mx_function *function, const struct mx_places *at, const double *value,
                       struct dg_error *err) DG_MUST_USE;
/* Fails with DG_INPUT about the value at the k-th of the places: "cavity.lua:22: initial.E returned nan at (x, y, z) =
 * (0, 0.5, 1)". */
int mx_function_fail(const struct mx_function *function, const struct mx_places *at, size_t k, struct dg_error *err,
                     const char *format, ...) DG_PRINTF(5, 6);
/* Describes the arguments of a function: "(x, y, z) = (0, 0.5, 1)". */
void mx_describe_inputs(int inputs, const double *in, char *text, size_t size);
/* Gives the arguments of the function at the k-th of the places, in their order: x, y, z, t. Returns how many there
 * are. */
int mx_places_inputs(const struct mx_places *at, size_t k, double in[4]);
