/* The state of the fields from one step to the next, described: the arrays that a backend saves and loads. Checkpoints,
 * and other readers of the whole state, walk over the description and know no array by name.
 *
 * An array is [items][vectors][3][nodes]. Its items are those of a list: all elements of this rank, its kept faces by
 * slot, the entries of a response, or the faces on metal walls. In place of nodes, layers have points of the rule of
 * integration. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "maxwell/problem/problem.h"
#include "maxwell/time/schedule.h"

enum mx_state_list {
  MX_STATE_OF_ELEMENTS, /* a field; H at the half step before where the scheme is staggered */
  MX_STATE_OF_FACES,    /* kept traces of a field one step ago (operator.h); none unless the scheme is staggered */
  MX_STATE_OF_ENTRIES,  /* the states of a response */
  /* Currents in the skin of metal walls and in films: Cartesian, but where traces are tangential (backend.h) as these.
   */
  MX_STATE_OF_SKINS
};

struct mx_state_array {
  char name[32]; /* name in checkpoints */
  enum mx_state_list list;
  enum mx_equation field; /* arrays of elements and faces: the field that this equation changes */
  size_t response;        /* arrays of entries: index of the response */
  size_t items, vectors, nodes;
  bool points; /* the nodes are the points of the rule, in its order */
};

/* Returns how many arrays there are: the same number on all ranks and in all backends. */
size_t mx_state_arrays(const struct mx_problem *problem);
/* Describes the i-th array on this rank. */
struct mx_state_array mx_state_array(const struct mx_problem *problem, enum mx_integrator integrator, size_t i);
/* Returns the index of the array with the states of a response. */
int mx_state_of_response(size_t response);
/* Returns the numbers of an item. */
size_t mx_state_width(const struct mx_state_array *array);
