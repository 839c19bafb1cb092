/* Calls of Gmsh that session, meshing, sizes and reader share. */
#include "libdg/mesh/gmsh/gmsh_calls.h"

#include <gmshc.h>
#include <string.h>

void dg_gmsh_free_strings(char **string, size_t count)
{
  for (size_t i = 0; i < count; i++) gmshFree(string[i]);
  gmshFree(string);
}

/* Fails when Gmsh said so or logged an error since it was started. Quotes the first error: the others follow from
 * it. */
int dg_gmsh_check(const char *what, const char *file, int failed, struct dg_error *err)
{
  char **line = NULL;
  size_t count = 0, errors = 0, first = 0;
  int ierr;
  gmshLoggerGet(&line, &count, &ierr);
  if (ierr != 0) count = 0;
  for (size_t i = 0; i < count; i++)
    if (strncmp(line[i], "Error", 5) == 0 && errors++ == 0) first = i;
  if (errors > 0) {
    const char *text = line[first] + strcspn(line[first], ":");
    text += strspn(text, ": ");
    (void)dg_fail(err, DG_INPUT, "Gmsh could not %s '%s': %s", what, file, text);
    if (errors > 1) dg_context(err, "and %zu more errors", errors - 1);
  } else if (failed != 0) {
    (void)dg_fail(err, DG_INPUT, "Gmsh could not %s '%s' and does not say why", what, file);
  }
  dg_gmsh_free_strings(line, count);
  return err->code;
}

void dg_gmsh_set(const char *name, double value)
{
  int ierr; /* an option that this version does not have is not needed */
  gmshOptionSetNumber(name, value, &ierr);
}

double dg_gmsh_get(const char *name, double otherwise)
{
  double value = otherwise;
  int ierr;
  gmshOptionGetNumber(name, &value, &ierr);
  return ierr == 0 ? value : otherwise;
}

bool dg_gmsh_has_elements(int dim, int tag)
{
  int *type = NULL, ierr;
  size_t count = 0;
  gmshModelMeshGetElementTypes(&type, &count, dim, tag, &ierr);
  gmshFree(type);
  return ierr == 0 && count > 0;
}

bool dg_gmsh_get_nodes(struct dg_gmsh_nodes *nodes, int dim, int tag)
{
  double *parameter = NULL;
  size_t parameters = 0;
  int failed;
  *nodes = (struct dg_gmsh_nodes){0};
  gmshModelMeshGetNodes(&nodes->tag, &nodes->count, &nodes->coord, &nodes->coords, &parameter, &parameters, dim, tag, 0,
                        0, &failed);
  gmshFree(parameter);
  return failed == 0;
}

void dg_gmsh_free_nodes(struct dg_gmsh_nodes *nodes)
{
  gmshFree(nodes->tag);
  gmshFree(nodes->coord);
}
