/* Names of solids and faces become physical groups. Gmsh has a path of labels as the name of an entity,
 * "Shapes/board/1/substrate", of which the last part is what somebody has called it. gmsh_session.c calls this. */
#include "libdg/mesh/gmsh/gmsh_names.h"

#include <gmshc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/gmsh/gmsh_calls.h"
#include "libdg/mesh/load/format.h"

enum { NAME = 128 };

struct named {
  char name[NAME];
  int tag;
};

/* Names that programs give when nobody has: Open CASCADE's own, and references in the file. */
static bool is_made_up(const char *name)
{
  static const char *const made_up[] = {
      "Open CASCADE STEP translator", "=>[", "SOLID", "Solid", "COMPOUND", "Compound", "SHELL", "NONE"};
  for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++) {
    const size_t length = strlen(made_up[i]);
    /* "SOLID" and "SOLID.3", but not "SOLIDUS" */
    if (strncmp(name, made_up[i], length) == 0 &&
        (i < 2 || name[length + strspn(name + length, ".-_ 0123456789")] == '\0'))
      return true;
  }
  return name[0] == '\0';
}

/* The last part of a path of labels, without blanks around it. False: there is none. */
static bool name_of(int dim, int tag, char name[NAME])
{
  char *path = NULL;
  int failed;
  gmshModelGetEntityName(dim, tag, &path, &failed);
  const char *part = failed == 0 && path != NULL ? path : "";
  if (strrchr(part, '/') != NULL) part = strrchr(part, '/') + 1;
  part += strspn(part, " \t");
  snprintf(name, NAME, "%s", part);
  for (size_t end = strlen(name); end > 0 && (name[end - 1] == ' ' || name[end - 1] == '\t'); end--)
    name[end - 1] = '\0';
  gmshFree(path);
  return !is_made_up(name);
}

/* "#ff8000". False: the entity has no colour. */
static bool colour_of(int dim, int tag, char name[NAME])
{
  int red, green, blue, opaque, failed;
  gmshModelGetColor(dim, tag, &red, &green, &blue, &opaque, &failed);
  if (failed != 0 || opaque == 0) return false;
  snprintf(name, NAME, "#%02x%02x%02x", (unsigned)red & 255U, (unsigned)green & 255U, (unsigned)blue & 255U);
  return true;
}

/* The colour of a surface that is its own. Gmsh gives the colour of a solid to its surfaces as well. */
static bool own_colour_of(int dim, int tag, char name[NAME])
{
  int *volume = NULL, *curve = NULL, failed;
  size_t volumes = 0, curves = 0;
  bool own = colour_of(dim, tag, name);
  if (dim == 3 || !own) return own;
  gmshModelGetAdjacencies(dim, tag, &volume, &volumes, &curve, &curves, &failed);
  for (size_t i = 0; failed == 0 && i < volumes && own; i++) {
    char other[NAME];
    own = !colour_of(3, volume[i], other) || strcmp(name, other) != 0;
  }
  gmshFree(volume);
  gmshFree(curve);
  return own;
}

static int by_name(const void *left, const void *right)
{
  const struct named *a = left, *b = right;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order : (a->tag > b->tag) - (a->tag < b->tag);
}

static bool has_groups(int dim)
{
  int *group = NULL, failed;
  size_t count = 0;
  gmshModelGetPhysicalGroups(&group, &count, dim, &failed);
  gmshFree(group);
  return failed != 0 || count > 0;
}

/* Makes the groups of a list in order, and says what they are. */
static int make_groups(struct dg_model *model, int dim, const struct named *named, size_t count, struct dg_error *err)
{
  enum { TEXT = 400, ROOM = 60 };
  char text[TEXT] = "";
  size_t used = 0, groups = 0;
  int *tag;
  if (DG_NEW(tag, count, err) != 0) return err->code;
  for (size_t first = 0, next; first < count; first = next) {
    size_t members = 0;
    int failed = 0;
    for (next = first; next < count && strcmp(named[next].name, named[first].name) == 0; next++)
      tag[members++] = named[next].tag;
    const int group = gmshModelAddPhysicalGroup(dim, tag, members, -1, &failed);
    if (failed == 0) gmshModelSetPhysicalName(dim, group, named[first].name, &failed);
    if (failed != 0) {
      (void)dg_fail(err, DG_INPUT, "Gmsh could not make the group '%s' of what the file calls so", named[first].name);
      goto fail;
    }
    groups++;
    if (used + ROOM > TEXT) continue;
    used +=
        (size_t)snprintf(text + used, TEXT - used, "%s'%.24s' (%zu)", used > 0 ? ", " : "", named[first].name, members);
  }
  (void)!dg_model_note(model, false, err, "%zu group%s of %s by the names and colours in the file: %s%s", groups,
                       groups > 1 ? "s" : "", dim == 3 ? "volumes" : "surfaces", text,
                       used + ROOM > TEXT ? ", and more" : "");
fail:
  dg_free(tag);
  return err->code;
}

static int name_dimension(struct dg_model *model, int dim, struct dg_error *err)
{
  int *entity = NULL, failed;
  size_t length = 0, count = 0;
  struct named *named = NULL;
  if (has_groups(dim)) return 0;
  gmshModelGetEntities(&entity, &length, dim, &failed);
  if (failed == 0 && DG_NEW(named, length / 2, err) == 0) {
    for (size_t i = 0; i < length; i += 2) {
      const int tag = entity[i + 1];
      if (!name_of(dim, tag, named[count].name) && !own_colour_of(dim, tag, named[count].name)) continue;
      named[count++].tag = tag;
    }
    qsort(named, count, sizeof *named, by_name);
    if (count > 0) (void)!make_groups(model, dim, named, count, err);
  }
  gmshFree(entity);
  dg_free(named);
  return err->code;
}

int dg_gmsh_name_groups(struct dg_model *model, struct dg_error *err)
{
  if (name_dimension(model, 3, err) != 0) return err->code;
  return name_dimension(model, 2, err);
}

int dg_gmsh_join_solids(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err)
{
  int *solid = NULL, *out = NULL, **from = NULL, failed = 0;
  size_t count = 0, pieces = 0, *from_count = NULL, from_counts = 0;
  gmshModelGetEntities(&solid, &count, 3, &failed);
  if (failed != 0 || count < 4) goto fail; /* two numbers for each */
  gmshModelOccFragment(solid, count, NULL, 0, &out, &pieces, &from, &from_count, &from_counts, -1, 1, 1, &failed);
  if (failed == 0) gmshModelOccSynchronize(&failed);
  if (dg_gmsh_check("join the solids of", options->file, failed, err) == 0 && pieces != count)
    (void)!dg_model_note(model, true, err,
                         "the %zu solids of '%s' overlap, or one is there twice: they are %zu volumes now", count / 2,
                         options->file, pieces / 2);
fail:
  for (size_t i = 0; i < from_counts; i++) gmshFree(from[i]);
  gmshFree(from);
  gmshFree(from_count);
  gmshFree(out);
  gmshFree(solid);
  return err->code;
}

/* ---- names in mesh files ---- */

int dg_gmsh_name_in_file(char **name, const char *file, int dim, int tag, struct dg_error *err)
{
  char line[512], found[256] = "";
  bool inside = false;
  FILE *stream = dg_format_by_name(file) == DG_FORMAT_MESH ? fopen(file, "rb") : NULL;
  while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
    int own_dim, own_tag;
    char own[256];
    if (strncmp(line, "$PhysicalNames", 14) == 0) inside = true;
    else if ((inside && line[0] == '$') || strncmp(line, "$Nodes", 6) == 0 || strncmp(line, "$Entities", 9) == 0) break;
    else if (inside && sscanf(line, "%d %d \"%255[^\"]\"", &own_dim, &own_tag, own) == 3 && own_dim == dim &&
             own_tag == tag)
      memcpy(found, own, sizeof found);
  }
  if (stream != NULL) (void)fclose(stream);
  return dg_copy_string(name, found, err);
}
