/* Random numbers that a run can be repeated with. Private to the script reader.
 *
 * While the script runs, math.random is Lua's, from the same seed in every run and on every rank. In a function that
 * the solver calls, the numbers are a function of what is asked for and of the arguments: the same at one place and
 * time whoever asks, in whatever order, on however many ranks, and behind a restart. A number that the script gives to
 * math.randomseed before chooses other ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

struct mx_random {
  uint64_t seed;    /* of the script's own math.randomseed; 0: none */
  bool in_call;     /* a call of the solver is under way */
  bool drawn;       /* the numbers of this call have begun */
  const char *what; /* of the call: "sources[1]" */
  int inputs;
  const double *in;
};

/* Replaces math.random and math.randomseed, which is then an error without a number; `random` must outlive the state.
 * Raises Lua errors. */
void mx_random_open(lua_State *L, struct mx_random *random);

/* Begins a call of a function by the solver; `what` and in[inputs] are borrowed until its end. */
void mx_random_enter(struct mx_random *random, const char *what, int inputs, const double *in);
void mx_random_leave(struct mx_random *random);
