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
  MX_STATE_OF_SKINS,    /* currents of walls with a state */
  MX_STATE_OF_ENTRIES   /* the states of a response */
};

struct mx_state_array {
  char name[32]; /* name in checkpoints */
  enum mx_state_list list;
  enum mx_equation field; /* arrays of elements and faces: the field that this equation changes */
  size_t response;        /* arrays of entries: index of the response */
  size_t items, vectors, nodes;
  bool points;          /* the nodes are the points of the rule, in its order */
  bool doubles;         /* double in both precisions */
  bool tangential;      /* Cartesian, but where traces are tangential (backend.h) as these; else as the fields are */
  const char *of_items; /* name of the list in checkpoints; NULL: that of entries */
  /* Lists of faces: the number of face f of element e in the list; -1: it is not there. NULL: items are elements. */
  ptrdiff_t (*slot)(const struct mx_problem *problem, size_t e, int f);
};
