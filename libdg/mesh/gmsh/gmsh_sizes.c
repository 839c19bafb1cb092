/* The sizes of elements, and where they were asked for. */
#include "libdg/mesh/gmsh/gmsh_sizes.h"

#include <ctype.h>
#include <gmshc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/gmsh/gmsh_calls.h"

/* ---- options of the geometry ---- */

double dg_gmsh_unit(const struct dg_mesh_options *options)
{
  return options->unit * dg_gmsh_get("Mesh.ScalingFactor", 1);
}

int dg_gmsh_check_wishes(const struct dg_mesh_options *options, struct dg_error *err)
{
  const double order = dg_gmsh_get("Mesh.ElementOrder", 1), scale = dg_gmsh_get("Mesh.ScalingFactor", 1);
  if (order != 1 && order != options->geometry)
    return dg_fail(err, DG_INPUT,
                   "geometry '%s' sets Mesh.ElementOrder = %g, but mesh.geometry is %d (the order of the fields is "
                   "`order` of the script): take it out, or set mesh.geometry",
                   options->file, order, options->geometry > 1 ? options->geometry : 1);
  if (!(scale > 0) || !isfinite(scale))
    return dg_fail(err, DG_INPUT, "geometry '%s' sets Mesh.ScalingFactor = %g: it must be positive", options->file,
                   scale);
  return 0;
}

/* ---- sizes in the text of the geometry */

struct wishes {
  bool points;  /* sizes at points */
  double field; /* of Background Field; 0: none */
  int files;
};

static char *read_text(const char *path)
{
  enum { MOST = 16 << 20 };
  struct dg_error err = {0};
  char *text = NULL;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    const long size = ftell(file);
    if (size > 0 && size < MOST && fseek(file, 0, SEEK_SET) == 0 && dg_alloc(&text, (size_t)size + 1, 1, &err) == 0 &&
        fread(text, 1, (size_t)size, file) != (size_t)size)
      text[0] = '\0';
  }
  (void)fclose(file);
  return text;
}

/* Comments become spaces, so that words in them are not found. */
static void blank_comments(char *text)
{
  for (char *c = text; *c != '\0'; c++) {
    if (c[0] == '"') {
      while (c[1] != '\0' && *++c != '"' && *c != '\n') {
      }
    } else if (c[0] == '/' && c[1] == '/') {
      while (*c != '\0' && *c != '\n') *c++ = ' ';
      if (*c == '\0') return;
    } else if (c[0] == '/' && c[1] == '*') {
      while (*c != '\0' && !(c[0] == '*' && c[1] == '/')) *c++ = ' ';
      if (*c == '\0') return;
      c[0] = c[1] = ' ';
    }
  }
}

static const char *skip_space(const char *c)
{
  while (isspace((unsigned char)*c)) c++;
  return c;
}

/* The place behind the word, if the word begins here; words may be parted by any space. */
static const char *word_at(const char *text, const char *c, const char *word)
{
  if (c > text && (isalnum((unsigned char)c[-1]) || c[-1] == '_' || c[-1] == '.')) return NULL;
  for (; *word != '\0'; word++) {
    if (*word == ' ') {
      if (!isspace((unsigned char)*c)) return NULL;
      c = skip_space(c);
    } else if (*c++ != *word) {
      return NULL;
    }
  }
  return isalnum((unsigned char)*c) || *c == '_' ? NULL : skip_space(c);
}

/* Does a point have a size? Point(..) = {x, y, z, size} */
static bool point_has_size(const char *c)
{
  int commas = 0, depth = 0;
  c += strcspn(c, "{;");
  if (*c != '{') return false;
  for (; *c != '\0' && *c != ';'; c++) {
    if (strchr("({[", *c) != NULL) depth++;
    if (strchr(")}]", *c) != NULL && --depth == 0) return commas >= 3;
    commas += *c == ',' && depth == 1;
  }
  return false;
}

static void read_wishes(struct wishes *wishes, const char *path, int depth);

static void read_included(struct wishes *wishes, const char *c, const char *path, int depth)
{
  char file[1024];
  const char *end = *c == '"' ? strchr(c + 1, '"') : NULL, *slash = strrchr(path, '/');
  if (end == NULL || c[1] == '/') return;
  for (const char *dots = c; dots < end; dots++)
    if (dots[0] == '.' && dots[1] == '.')
      return; /* the sandbox allows the folder of the geometry; Gmsh may not get there */
  const int folder = slash == NULL ? 0 : (int)(slash - path) + 1;
  if (snprintf(file, sizeof file, "%.*s%.*s", folder, path, (int)(end - c - 1), c + 1) < (int)sizeof file)
    read_wishes(wishes, file, depth + 1);
}

static void read_wishes(struct wishes *wishes, const char *path, int depth)
{
  char *text = depth < 8 && wishes->files++ < 64 ? read_text(path) : NULL;
  if (text == NULL) return;
  blank_comments(text);
  for (const char *c = text; *c != '\0'; c++) {
    const char *after;
    if ((after = word_at(text, c, "Background Field")) != NULL && *after == '=') wishes->field = atof(after + 1);
    if (word_at(text, c, "Characteristic Length") != NULL || word_at(text, c, "MeshSize") != NULL)
      wishes->points = true;
    if ((after = word_at(text, c, "Point")) != NULL && *after == '(' && point_has_size(after)) wishes->points = true;
    if ((after = word_at(text, c, "Include")) != NULL || (after = word_at(text, c, "Merge")) != NULL)
      read_included(wishes, after, path, depth);
  }
  dg_free(text);
}

/* ---- the bound from above ---- */

static void look_for_wishes(struct wishes *wishes, const struct dg_mesh_options *options)
{
  const char *extension = strrchr(options->file, '.');
  *wishes = (struct wishes){0};
  if (extension != NULL && strncmp(extension, ".geo", 4) == 0) read_wishes(wishes, options->file, 0);
}

/* Silences a default of Gmsh. Gmsh gives points without a size, or with a size above the bound, a tenth of the diagonal
 * of the box around the model, for which nobody asked. Where no point has a size, all get the bound. Otherwise a point
 * far away, which goes again before anything is meshed, makes the box so large that the bound decides. */
static void silence_default(const struct dg_mesh_options *options)
{
  struct wishes wishes;
  int *point = NULL, failed;
  size_t count = 0;
  look_for_wishes(&wishes, options);
  if (!wishes.points) {
    gmshModelGetEntities(&point, &count, 0, &failed);
    if (failed == 0 && count > 0) gmshModelMeshSetSize(point, count, options->size, &failed);
    gmshFree(point);
    return;
  }
  const double diagonal = dg_gmsh_get("General.BoundingBoxSize", 0), far = 12 * options->size;
  if (diagonal > far) return;
  double box[6];
  gmshModelGetBoundingBox(-1, -1, &box[0], &box[1], &box[2], &box[3], &box[4], &box[5], &failed);
  if (failed != 0) return;
  const int tag = gmshModelAddDiscreteEntity(0, -1, NULL, 0, &failed);
  if (failed != 0) return;
  int *dim_tag = NULL;
  gmshModelSetCoordinates(tag, box[0] + far, box[1] + far, box[2] + far, &failed);
  gmshModelGeoSynchronize(&failed);
  gmshModelGetEntities(&dim_tag, &count, 0, &failed);
  for (size_t i = 0; failed == 0 && i < count; i += 2)
    if (dim_tag[i + 1] == tag) gmshModelRemoveEntities(&dim_tag[i], 2, 0, &failed);
  gmshFree(dim_tag);
}

void dg_gmsh_set_sizes(const struct dg_mesh_options *options)
{
  const double factor = dg_gmsh_get("Mesh.MeshSizeFactor", 1), most = dg_gmsh_get("Mesh.MeshSizeMax", INFINITY),
               least = dg_gmsh_get("Mesh.MeshSizeMin", 0);
  const double bound = options->size / factor; /* Gmsh multiplies by the factor behind the bound */
  if (!(options->size > 0) || !(factor > 0)) return;
  if (bound < most) dg_gmsh_set("Mesh.MeshSizeMax", bound);
  if (bound < least) dg_gmsh_set("Mesh.MeshSizeMin", bound);
  silence_default(options);
}

/* ---- too many elements ---- */

/* The volume of the shapes of Open CASCADE in the model, in drawing units; 0: there are none. */
static double occ_volume(void)
{
  int *solid = NULL, failed;
  size_t count = 0;
  double sum = 0;
  gmshModelOccGetEntities(&solid, &count, 3, &failed);
  if (failed != 0) count = 0;
  for (size_t i = 0; i + 1 < count; i += 2) {
    double mass = 0;
    gmshModelOccGetMass(3, solid[i + 1], &mass, &failed);
    if (failed == 0 && mass > 0) sum += mass;
  }
  gmshFree(solid);
  return sum;
}

/* What a CAD file says of its unit, for a message; Gmsh turns all of them into millimetres. */
static void unit_of_file(const char *file, char *text, size_t size)
{
  const char *dot = strrchr(file, '.');
  text[0] = '\0';
  if (dot == NULL || (strcmp(dot, ".step") != 0 && strcmp(dot, ".stp") != 0 && strcmp(dot, ".STEP") != 0 &&
                      strcmp(dot, ".STP") != 0 && strcmp(dot, ".iges") != 0 && strcmp(dot, ".igs") != 0))
    return;
  char *content = read_text(file);
  const char *unit = content != NULL ? strstr(content, ".METRE.") : NULL;
  const char *inch = content != NULL ? strstr(content, "INCH") : NULL, *from = unit;
  while (from != NULL && from > content && *from != '(') from--;
  const bool milli = from != NULL && strncmp(from, "(.MILLI.", 8) == 0, plain = from != NULL && from[1] == '$';
  (void)snprintf(text, size,
                 "; the file is in %s, and Gmsh turns it into millimetres: mesh.unit = 1e-3, mesh.size in mm",
                 inch != NULL ? "inches"
                 : milli      ? "millimetres"
                 : plain      ? "metres"
                              : "units of its own");
  dg_free(content);
}

int dg_gmsh_check_count(const struct dg_mesh_options *options, struct dg_error *err)
{
  const double most = 1e8; /* a number that Gmsh would need days and some 100 GB for */
  const double size =
      fmin(options->size, dg_gmsh_get("Mesh.MeshSizeMax", INFINITY) * dg_gmsh_get("Mesh.MeshSizeFactor", 1));
  double box[6], side[3], volume = occ_volume();
  char unit[200];
  int failed;
  gmshModelGetBoundingBox(-1, -1, &box[0], &box[1], &box[2], &box[3], &box[4], &box[5], &failed);
  if (failed != 0 || !(options->size > 0) || !(size > 0)) return 0;
  for (int a = 0; a < 3; a++) side[a] = box[a + 3] - box[a];
  if (volume == 0) volume = side[0] * side[1] * side[2];
  const double count = 6 * sqrt(2) * volume / (size * size * size); /* regular tetrahedra of that edge */
  if (!(count > most)) return 0;
  unit_of_file(options->file, unit, sizeof unit);
  return dg_fail(err, DG_INPUT,
                 "mesh.size = %g would take about %.1e elements, of %g at most: geometry '%s' is %.4g x %.4g x %.4g "
                 "drawing units of %g m (mesh.unit), which mesh.size has, too%s",
                 options->size, count, most, options->file, side[0], side[1], side[2], options->unit, unit);
}

bool dg_gmsh_graded(const struct dg_mesh_options *options)
{
  struct wishes wishes;
  look_for_wishes(&wishes, options);
  return wishes.points || wishes.field > 0 || dg_gmsh_get("Mesh.MeshSizeFromCurvature", 0) > 0;
}

/* ---- the sizes that came out */

/* The shortest and longest edge of the mesh, in drawing units. */
static void edge_range(const struct dg_model *model, double unit, double range[2])
{
  range[0] = INFINITY, range[1] = 0;
  for (size_t e = 0; e < model->K; e++)
    for (int i = 0; i < 4; i++)
      for (int j = i + 1; j < 4; j++) {
        const double *a = model->point[model->tet[e][i]], *b = model->point[model->tet[e][j]];
        const double square =
            (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
        range[0] = fmin(range[0], square);
        range[1] = fmax(range[1], square);
      }
  for (int k = 0; k < 2; k++) range[k] = sqrt(range[k]) / unit;
}

int dg_gmsh_note_sizes(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err)
{
  struct wishes wishes;
  char text[400];
  size_t used = 0;
  double range[2], factor = dg_gmsh_get("Mesh.MeshSizeFactor", 1);
  const double most = dg_gmsh_get("Mesh.MeshSizeMax", INFINITY) * factor, least = dg_gmsh_get("Mesh.MeshSizeMin", 0);
  const double curvature = dg_gmsh_get("Mesh.MeshSizeFromCurvature", 0);
  look_for_wishes(&wishes, options);
  edge_range(model, dg_gmsh_unit(options), range);
#define ADD(...) used += used < sizeof text ? (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__) : 0
  if (most < 1e20)
    ADD("at most %.6g (%s)", most,
        options->size > 0 && most > 0.999999 * options->size ? "mesh.size" : "the geometry's Mesh.MeshSizeMax");
  else ADD("no bound from above (mesh.size gives one)");
  if (least * factor > 0) ADD("; at least %.6g (the geometry's Mesh.MeshSizeMin)", least * factor);
  if (factor != 1) ADD("; all others times %.6g (Mesh.MeshSizeFactor)", factor);
  if (wishes.points && dg_gmsh_get("Mesh.MeshSizeFromPoints", 1) != 0) ADD("; points of the geometry ask for theirs");
  if (wishes.field > 0) ADD("; background field %.0f", wishes.field);
  if (curvature > 0) ADD("; curvature, %.4g elements per 2 pi", curvature > 1 ? curvature : 6);
  ADD("; edges are %.4g to %.4g long", range[0], range[1]);
#undef ADD
  return dg_model_note(model, false, err, "sizes: %s", text);
}
