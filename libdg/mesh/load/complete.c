/* Looks for the ends of mesh files. */
#include "libdg/mesh/load/complete.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- formats with a last line ---- */

enum { TAIL = 1024 };

struct tail {
  char text[TAIL + 1];
  size_t length;
};

static bool read_tail(FILE *stream, struct tail *tail)
{
  if (fseek(stream, 0, SEEK_END) != 0) return false;
  const long size = ftell(stream), from = size > TAIL ? size - TAIL : 0;
  if (size < 0 || fseek(stream, from, SEEK_SET) != 0) return false;
  tail->length = fread(tail->text, 1, TAIL, stream);
  tail->text[tail->length] = '\0';
  for (size_t i = 0; i < tail->length; i++)
    if (tail->text[i] == '\0') tail->text[i] = '?'; /* of a binary part */
  return true;
}

/* The n-th line from the end that is not blank (0: the last), without blanks around it; "" when there is none. */
static const char *line_from_end(struct tail *tail, int n, char line[TAIL + 1])
{
  size_t end = tail->length;
  for (;; n--) {
    while (end > 0 && isspace((unsigned char)tail->text[end - 1])) end--;
    size_t start = end;
    while (start > 0 && tail->text[start - 1] != '\n') start--;
    if (n == 0 || start == 0) {
      const char *begin = tail->text + start + strspn(tail->text + start, " \t\r");
      if (n > 0 || begin >= tail->text + end) begin = tail->text + end;
      memcpy(line, begin, (size_t)(tail->text + end - begin));
      line[tail->text + end - begin] = '\0';
      return line;
    }
    end = start;
  }
}

static bool ends_with(struct tail *tail, const char *word)
{
  char line[TAIL + 1];
  return strncasecmp(line_from_end(tail, 0, line), word, strlen(word)) == 0;
}

/* The Universal format: a data set stands between two lines of -1, and an odd line at the end means that a set has only
 * begun. */
static bool ends_as_universal(struct tail *tail)
{
  char line[TAIL + 1];
  if (strcmp(line_from_end(tail, 0, line), "-1") != 0) return false;
  (void)line_from_end(tail, 1, line);
  return line[0] != '\0' && strcmp(line, "-1") != 0;
}

/* The format of Gmsh, in which any section may be the last one. */
static bool ends_as_gmsh(struct tail *tail)
{
  static const char *const section[] = {"Elements",
                                        "Nodes",
                                        "Periodic",
                                        "GhostElements",
                                        "NodeData",
                                        "ElementData",
                                        "Entities",
                                        "PartitionedEntities",
                                        "PhysicalNames",
                                        "ElementNodeData",
                                        "Parametrizations",
                                        "InterpolationScheme",
                                        "Comments",
                                        "MeshFormat",
                                        "NOD",
                                        "ELM"};
  char line[TAIL + 1];
  (void)line_from_end(tail, 0, line);
  if (strncmp(line, "$E", 2) != 0 || (strncmp(line, "$End", 4) != 0 && strncmp(line, "$END", 4) != 0)) return false;
  for (size_t i = 0; i < sizeof section / sizeof *section; i++)
    if (strcmp(line + 4, section[i]) == 0) return true;
  return false;
}

/* The BRep format ends with the place of the one shape that the file is: "+1 0", without the * that ends the lists
 * before it. */
static bool ends_as_brep(struct tail *tail)
{
  char line[TAIL + 1], *end;
  (void)line_from_end(tail, 0, line);
  if (line[0] != '+' && line[0] != '-') return false;
  (void)strtol(line, &end, 10);
  const char *second = end;
  (void)strtol(second, &end, 10);
  if (*second != ' ' || end == second || *end != '\0') return false;
  (void)line_from_end(tail, 1, line);
  return line[0] != '\0' && line[strlen(line) - 1] == '*';
}

/* The IGES format has a T in column 73 of the last line. */
static bool ends_as_iges(struct tail *tail)
{
  char line[TAIL + 1];
  (void)line_from_end(tail, 0, line);
  return strlen(line) > 72 && line[72] == 'T';
}

/* The STL format. A binary file has no end; its size was compared with its count. */
static bool ends_as_stl(struct tail *tail, FILE *stream)
{
  char head[6] = "";
  rewind(stream);
  const bool text = fread(head, 1, 5, stream) == 5 && strncasecmp(head, "solid", 5) == 0;
  return !text || ends_with(tail, "endsolid") || strchr(tail->text, '?') != NULL;
}

/* ---- VTK: counts in front of lists ---- */

static long vtk_bytes(const char *type)
{
  static const struct {
    const char *name;
    long bytes;
  } known[] = {{"double", 8}, {"float", 4}, {"int", 4}, {"vtktypeint64", 8}, {"long", 8}, {"char", 1}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(type, known[i].name) == 0) return known[i].bytes;
  return 4;
}

/* Is a binary VTK file complete, behind its three first lines? */
static bool vtk_binary_is_complete(FILE *stream)
{
  const long begin = ftell(stream);
  char line[300], word[64], type[64], scalars[64] = "int";
  long count, second, cells = 0, skip;
  (void)fseek(stream, 0, SEEK_END);
  const long size = ftell(stream);
  (void)fseek(stream, begin, SEEK_SET);
  while (fgets(line, sizeof line, stream) != NULL) {
    skip = 0;
    if (sscanf(line, "POINTS %ld %63s", &count, type) == 2) skip = 3 * count * vtk_bytes(type);
    else if (sscanf(line, "CELLS %ld %ld", &count, &second) == 2) skip = 4 * second;
    else if (sscanf(line, "CELL_TYPES %ld", &count) == 1) skip = 4 * count;
    else if (sscanf(line, "CELL_DATA %ld", &count) == 1) cells = count;
    else if (sscanf(line, "SCALARS %63s %63s", word, type) == 2) memcpy(scalars, type, sizeof scalars);
    else if (strncmp(line, "LOOKUP_TABLE", 12) == 0) skip = cells * vtk_bytes(scalars);
    if (skip < 0 || ftell(stream) + skip > size || fseek(stream, skip, SEEK_CUR) != 0) return false;
  }
  return true;
}

/* Is a VTK file complete? Numbers follow a keyword; `left` counts down as they come. */
static bool vtk_is_complete(FILE *stream)
{
  char word[64], before[64] = "";
  long left = 0, cells = 0, count, second;
  bool lists = false;
  rewind(stream);
  for (int line = 0; line < 3; line++) { /* the third says ASCII or BINARY */
    char text[300];
    if (fgets(text, sizeof text, stream) == NULL) return false;
    if (line == 2 && strncmp(text, "BINARY", 6) == 0) return vtk_binary_is_complete(stream);
  }
  while (fscanf(stream, "%63s", word) == 1) {
    if (!isalpha((unsigned char)word[0]) || strcasecmp(word, "nan") == 0 || strcasecmp(word, "inf") == 0) {
      if (left > 0) left--;
      continue;
    }
    if (left > 0) return false;
    lists = lists || strcmp(word, "CELL_TYPES") == 0 || strcmp(word, "POLYGONS") == 0;
    if (strcmp(word, "POINTS") == 0 && fscanf(stream, "%ld %63s", &count, before) == 2) left = 3 * count;
    else if (strcmp(word, "CELLS") == 0 && fscanf(stream, "%ld %ld", &count, &second) == 2) left = second;
    else if (strcmp(word, "CELL_TYPES") == 0) left = fscanf(stream, "%ld", &count) == 1 ? count : 1;
    else if (strcmp(word, "CELL_DATA") == 0 && fscanf(stream, "%ld", &count) == 1) cells = count;
    else if (strcmp(word, "LOOKUP_TABLE") == 0 && fscanf(stream, "%63s", before) == 1) left = cells;
  }
  return lists && left <= 0;
}

/* ---- all of it ---- */

static bool has_end(const char *file, const char *const end[])
{
  const char *dot = strrchr(file, '.');
  for (; dot != NULL && *end != NULL; end++)
    if (strcasecmp(dot, *end) == 0) return true;
  return false;
}

int dg_mesh_file_complete(const char *file, struct dg_error *err)
{
  static const struct {
    const char *end[4], *last;
  } row[] = {
      {{".msh"}, "$End"},   {{".mesh"}, "End"}, {{".bdf", ".nas"}, "ENDDATA"}, {{".step", ".stp"}, "END-ISO-10303-21;"},
      {{".xao"}, "</XAO>"},
  };
  static const char *const msh[] = {".msh", NULL}, *const brep[] = {".brep", ".brp", NULL},
                           *const unv[] = {".unv", NULL}, *const iges[] = {".iges", ".igs", NULL},
                           *const stl[] = {".stl", NULL}, *const vtk[] = {".vtk", NULL};
  struct tail tail;
  const char *missing = NULL;
  FILE *stream = fopen(file, "rb");
  if (stream == NULL) return 0;
  if (read_tail(stream, &tail)) {
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
      if (has_end(file, row[i].end) && !ends_with(&tail, row[i].last)) missing = row[i].last;
    if (has_end(file, msh) && !ends_as_gmsh(&tail)) missing = "the end of a section ($EndElements)";
    if (has_end(file, brep) && !ends_as_brep(&tail)) missing = "the place of its shape";
    if (has_end(file, unv) && !ends_as_universal(&tail)) missing = "-1";
    if (has_end(file, iges) && !ends_as_iges(&tail)) missing = "T in column 73";
    if (has_end(file, stl) && !ends_as_stl(&tail, stream)) missing = "endsolid";
    if (has_end(file, vtk) && !vtk_is_complete(stream)) missing = "as many numbers as it announces";
  }
  (void)fclose(stream);
  if (missing == NULL) return 0;
  return dg_fail(err, DG_INPUT, "mesh file '%s' is cut off: it does not end with %s", file, missing);
}
