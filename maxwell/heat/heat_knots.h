/* The times at which steps of heat end, because sources, fluxes or temperatures of walls that depend on time turn
 * there.
 *
 * Nothing is known of a function but its values, and a step that asks for them at a few times only would miss what
 * happens between. All of them are therefore sampled before the first step, at MX_HEAT_PLACES places of each, over the
 * whole run: at thousands of times that no period can hide from, and behind t = 0 at all scales of time. Intervals are
 * halved until the functions are straight in them, to `straight` of their range; jumps are found to 1e-10 of their time.
 * The knots are what is left when straight stretches are joined: between two of them the functions are nearly linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

enum { MX_HEAT_PLACES = 8 };

struct mx_heat_problem;

struct mx_heat_knots {
  size_t count;
  double *t;       /* [count] s, rising, in (0, stop); the same on all ranks */
  bool late;       /* steady state: a load depends on time, of which it takes t = 0 */
  const char *key; /* late: that of the first such function; passed: that of the function */
  double passed;   /* s: with a fixed step, the begin of a step that passes over a pulse; < 0: there is none */
};

/* Needs the places of problem. Collective. DG_INPUT: a function changes too often, or in pulses too short to be all
 * found; errors of the functions. Release in any case. */
int mx_heat_knots_init(struct mx_heat_knots *knots, const struct mx_heat_problem *problem,
                       struct dg_error *err) DG_MUST_USE;
void mx_heat_knots_release(struct mx_heat_knots *knots);
/* The first knot behind t; INFINITY: there is none. */
double mx_heat_next_knot(const struct mx_heat_knots *knots, double t);
