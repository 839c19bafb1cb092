/* The parameters and deeds of a Gmsh .geo script, found in its text: its parameters, and whether it would run programs
 * or write files. The latter is a friendly word beforehand, no wall: commands can be composed, and the sandbox
 * (sandbox.h) keeps a script from carrying them out.
 *
 * Gmsh 4.8 takes any name for a parameter and says nothing when the script has none of that name, so that a mistyped
 * name would be ignored in silence; hence this reader. It knows the places where a script can receive a number:
 *   DefineConstant[ L = 1, h = { 0.1, Name "Parameters/h" } ];      the constants L and h, the ONELAB name
 *   w = DefineNumber[ 5, Name "Parameters/w" ];                     the ONELAB name
 *   d = GetNumber("Parameters/d", 2);                               the ONELAB name
 * and follows Include and Merge of other scripts. Names that a script composes when it runs are not found: `composed`
 * says that there are some. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

struct dg_geo_parameter {
  char *name;
  bool onelab; /* a ONELAB name; else a constant of DefineConstant */
};

struct dg_geo_parameters {
  size_t count, room;
  struct dg_geo_parameter *parameter;
  int files;           /* that were read */
  bool composed;       /* there are names that the script makes when it runs: StrCat(...) */
  const char *harmful; /* a command that starts a program or writes a file; NULL: there is none */
};

/* A file that cannot be read adds nothing: Gmsh will say so. Release also after an error. */
int dg_geo_parameters_init(struct dg_geo_parameters *list, const char *path, struct dg_error *err) DG_MUST_USE;
void dg_geo_parameters_release(struct dg_geo_parameters *list);
const struct dg_geo_parameter *dg_geo_parameters_find(const struct dg_geo_parameters *list, const char *name);
