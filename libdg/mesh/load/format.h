/* The files that Gmsh is given, and their formats.
 *
 * Gmsh takes a file for a script, which can do anything, unless the end of its name or its first line says otherwise,
 * and it knows each end in one or two spellings only: a script named evil.Step or evil.msh runs. So name and content
 * must agree here, on one of the formats that this table has. */
#pragma once

#include <stdbool.h>

#include "libdg/base/error.h"

enum dg_format_kind {
  DG_FORMAT_SCRIPT,   /* text for Gmsh's parser */
  DG_FORMAT_GEOMETRY, /* shapes that Gmsh meshes */
  DG_FORMAT_MESH,     /* elements */
  DG_FORMAT_OTHER     /* none of the table's, of somebody who is trusted */
};

/* Checks a file. Reads its beginning, and all of a script. Errors (DG_INPUT) say what is wrong: the file cannot be
 * read, is no regular file, is empty, has an end that is none of the table's (unless `trust`), does not begin as files
 * of its format do, or is a script with a byte that is no text. Scripts have no such rule for their content, but must
 * not begin as a file that Gmsh would take for something else. */
int dg_format_check(const char *file, bool trust, enum dg_format_kind *kind, struct dg_error *err) DG_MUST_USE;
/* The kind that the name alone says. */
enum dg_format_kind dg_format_by_name(const char *file);
