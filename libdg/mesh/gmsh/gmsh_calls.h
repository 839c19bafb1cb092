/* Calls that every part that works with Gmsh needs: its errors and its options. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

/* Fails when Gmsh said so or logged an error since it was started: "Gmsh could not `what` 'file': ...". */
int dg_gmsh_check(const char *what, const char *file, int failed, struct dg_error *err) DG_MUST_USE;
/* Sets an option; one that this version does not have is not needed. */
void dg_gmsh_set(const char *name, double value);
/* The value of an option; `otherwise` for one that this version does not have. */
double dg_gmsh_get(const char *name, double otherwise);

/* Frees a list of strings of Gmsh's. */
void dg_gmsh_free_strings(char **string, size_t count);

/* Has an entity any elements? -1, -1: has any entity? */
bool dg_gmsh_has_elements(int dim, int tag);

struct dg_gmsh_nodes {
  size_t *tag, count;
  double *coord; /* [coords], 3 count of them */
  size_t coords;
};
/* Gets the nodes of an entity, or of all with -1, -1. False: Gmsh could not. Free them in either case. */
bool dg_gmsh_get_nodes(struct dg_gmsh_nodes *nodes, int dim, int tag);
void dg_gmsh_free_nodes(struct dg_gmsh_nodes *nodes);
