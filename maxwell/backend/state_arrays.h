/* What of the fields lives from one step to the next: the arrays that a backend saves and loads, described.
 * Checkpoints, and whatever else wants all of the state, walk over the description and know no array by name.
 *
 * An array is [items][vectors][3][nodes], its items those of a list: all elements of this rank, its open faces by slot,
 * or the entries of a response. */
#pragma once

#include <stddef.h>

#include "maxwell/problem/problem.h"
#include "maxwell/time/schedule.h"

enum mx_state_list {
  MX_STATE_OF_ELEMENTS, /* a field; H is that of the half step before where the scheme is staggered */
  MX_STATE_OF_FACES,    /* traces of a field one step ago on open faces; none unless the scheme is staggered */
  MX_STATE_OF_ENTRIES   /* the states of a response */
};

struct mx_state_array {
  char name[32]; /* in checkpoints */
  enum mx_state_list list;
  enum mx_equation field; /* of elements and faces: the field that this equation changes */
  size_t response;        /* of entries */
  size_t items, vectors, nodes;
};

/* How many arrays there are: the same on all ranks and in all backends. */
size_t mx_state_arrays(const struct mx_problem *problem);
/* The i-th of them on this rank. */
struct mx_state_array mx_state_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i);
/* Which of them has the states of a response. */
int mx_state_of_response(size_t response);
/* Numbers of an item. */
size_t mx_state_width(const struct mx_state_array *array);
