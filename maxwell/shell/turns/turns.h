/* The times at which functions of place and time turn, for a computation whose steps would pass over pulses.
 *
 * Nothing is known of a function but its values, and a step that asks for them at a few times only would miss what
 * happens between. They are therefore sampled before the first step, at a few places each, over the whole run: at
 * thousands of times that no period can hide from, and behind t = 0 at all scales of time. Intervals are halved until
 * the functions are straight in them, to `straight` of their range; jumps are found to 1e-10 of their time. The turns
 * are what is left when straight stretches are joined: between two of them the functions are nearly linear. Not
 * collective: ranks that ask the same places find the same. */
#pragma once

#include "maxwell/shell/function.h"

enum { MX_TURNS_PLACES = 8 };

struct mx_turns {
  size_t count, room;
  double *t;          /* [count] s, rising behind mx_turns_sort */
  const char *passes; /* key of a function over whose pulse a step of given length passes; NULL: none does */
  double passed;      /* s: the begin of that step */
  const char *late;   /* key of a function that changes with time, of which only t = 0 counts; NULL: there is none */
};

/* A function of place and time at some places. */
struct mx_turning {
  const struct mx_function *function;
  const char *key; /* static, for messages */
  size_t places;   /* at most MX_TURNS_PLACES */
  double x[MX_TURNS_PLACES][3];
};

/* Adds the turns of a function in (0, stop). step: the length of steps that are given, of which none passes over a
 * pulse; 0: there are none. DG_INPUT: it changes too often, or in pulses too short to be all found; errors of the
 * function. */
int mx_turns_add(struct mx_turns *turns, const struct mx_turning *of, double stop, double step,
                 struct dg_error *err) DG_MUST_USE;
/* Asks instead whether the function changes with time at all. */
int mx_turns_add_late(struct mx_turns *turns, const struct mx_turning *of, struct dg_error *err) DG_MUST_USE;
/* Sorts the turns of all functions; those that lie closer together than 1e-9 of `stop` become one. */
void mx_turns_sort(struct mx_turns *turns, double stop);
/* The first turn behind t; INFINITY: there is none. */
double mx_turns_next(const struct mx_turns *turns, double t);
void mx_turns_release(struct mx_turns *turns);
