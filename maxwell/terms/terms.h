/* What acts around a pass, beside the weights that the pass itself reads: one list of kinds, which everything walks
 * that must know of them.
 *
 *   open        open faces and resistive sheets: kept traces, which leapfrog extrapolates
 *   responses   states on elements, such as poles, layers and ferrites: maxwell/response/response.h has their kinds
 *   skins       walls with a state, such as metals and films: skins.h has their kinds
 *   sources     what drives the fields; they have no state here
 *
 * A kind has one row, in terms.c: bytes, arrays of the state, and its states in the search for the largest step
 * (rates/limit_terms.h). How it acts in `reference` and `cpu` depends on their precision and on how they hold fields:
 * there it has a row of the same name (host_row.h). share/doc/design/terms.md shows the way through them. */
#pragma once

#include "maxwell/problem/problem.h"
#include "maxwell/terms/state_arrays.h"
#include "maxwell/time/schedule.h"

struct mx_limit_row; /* rates/limit_terms.h */
extern const struct mx_limit_row mx_limit_of_responses, mx_limit_of_skins;

/* What is NULL, a kind does not have. */
struct mx_term_row {
  /* Bytes of a backend on the host for states, registers and coefficients; real: of a number of a field. */
  size_t (*bytes)(const struct mx_problem *problem, const struct mx_scheme *scheme, size_t real);
  /* How many arrays of the state it has, the same on all ranks, and the i-th of them on this rank. */
  size_t (*arrays)(const struct mx_problem *problem);
  void (*array)(const struct mx_problem *problem, enum mx_integrator integrator, size_t i,
                struct mx_state_array *array);
  const struct mx_limit_row *limit;
};

/* The kinds in the order in which they add, and in which their states stand in checkpoints and in the search. */
#define MX_TERM_ROWS(X) X(open) X(responses) X(skins) X(sources)

#define MX_TERM_ROW(kind) MX_TERMS_##kind,
enum { MX_TERM_ROWS(MX_TERM_ROW) MX_TERMS };
#undef MX_TERM_ROW

extern const struct mx_term_row mx_term_rows[MX_TERMS];

/* Bytes of all of them. */
size_t mx_term_bytes(const struct mx_problem *problem, const struct mx_scheme *scheme, size_t real);

/* Returns how many arrays there are: the same number on all ranks and in all backends. */
size_t mx_state_arrays(const struct mx_problem *problem);
/* Describes the i-th array on this rank. */
struct mx_state_array mx_state_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i);
/* Returns the index of the array with the states of a response. */
int mx_state_of_response(const struct mx_problem *problem, size_t response);
/* Returns the numbers of an item. */
size_t mx_state_width(const struct mx_state_array *array);
