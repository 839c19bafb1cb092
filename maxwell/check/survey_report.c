/* Says what a survey has found, as lines of the log and as JSON for a picture. check.c calls it. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "libdg/base/text.h"
#include "maxwell/check/survey.h"

enum { LINE = 1000 };

/* A line that is written piece by piece; what does not fit is cut. */
struct line {
  char text[LINE];
  size_t used;
};

static void add(struct line *line, const char *format, ...) DG_PRINTF(2, 3);

static void add(struct line *line, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int more = vsnprintf(line->text + line->used, LINE - line->used, format, arguments);
  va_end(arguments);
  if (more > 0) line->used = line->used + (size_t)more < LINE ? line->used + (size_t)more : LINE - 1;
}

/* A coordinate; rounding's noise about zero is zero. */
static double near(double x, double scale) { return fabs(x) < 1e-9 * scale ? 0 : x; }

static void add_box(struct line *line, const double low[3], const double high[3])
{
  double scale = 0;
  for (int b = 0; b < 3; b++) scale = fmax(scale, high[b] - low[b]);
  add(line, ", (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m", near(low[0], scale), near(low[1], scale),
      near(low[2], scale), near(high[0], scale), near(high[1], scale), near(high[2], scale));
}

static void add_groups(struct line *line, const struct dg_mesh *mesh, size_t entity)
{
  const struct dg_entity *of = &mesh->entity[entity];
  for (int g = 0, named = 0; g < of->groups; g++)
    if (mesh->group[of->group[g]].name[0] != '\0')
      add(line, "%s'%s'", named++ > 0 ? ", " : " ", mesh->group[of->group[g]].name);
}

static void add_given(struct line *line, const struct mx_entity_survey *of)
{
  if (of->given[0] != '\0') add(line, "; %s", of->given);
}

/* Adds "; touches volumes 2, 3 and the outside". */
static void add_neighbours(struct line *line, const struct mx_survey *survey, size_t volume)
{
  const struct dg_mesh *mesh = survey->scene->mesh;
  const int64_t *touches = survey->touches + volume * (survey->entities + 1);
  int all = 0, count = 0;
  for (size_t i = 0; i < survey->entities; i++) all += touches[i] > 0;
  for (size_t i = 0; i < survey->entities; i++) {
    if (touches[i] == 0) continue;
    if (count++ == 0) add(line, "; touches volume%s %d", all > 1 ? "s" : "", mesh->entity[i].tag);
    else add(line, ", %d", mesh->entity[i].tag);
  }
  if (touches[survey->entities] > 0) add(line, "%s", count > 0 ? " and the outside" : "; touches the outside");
}

static void report_volume(const struct mx_survey *survey, size_t i)
{
  const struct dg_mesh *mesh = survey->scene->mesh;
  const struct mx_entity_survey *of = &survey->of[i];
  struct line line = {.used = 0};
  add(&line, "volume    %d", mesh->entity[i].tag);
  add_groups(&line, mesh, i);
  add(&line, ": %" PRId64 " elements, %.4g m^3", of->count, of->size);
  add_box(&line, of->low, of->high);
  add_neighbours(&line, survey, i);
  add_given(&line, of);
  dg_log_line(survey->scene->log, "%s", line.text);
}

static void report_surface(const struct mx_survey *survey, size_t i)
{
  const struct dg_mesh *mesh = survey->scene->mesh;
  const struct mx_entity_survey *of = &survey->of[i];
  struct line line = {.used = 0};
  if (i == survey->entities) add(&line, "surface   none of the model's");
  else add(&line, "surface   %d", mesh->entity[i].tag);
  if (i < survey->entities) add_groups(&line, mesh, i);
  add(&line, ": %" PRId64 " faces, %.4g m^2", of->count, of->size);
  add_box(&line, of->low, of->high);
  if (i == survey->entities) add(&line, "; to the outside");
  else if (of->first < 0) add(&line, "; volume %d to the outside", mesh->entity[of->second].tag);
  else if (of->first == of->second) add(&line, "; within volume %d", mesh->entity[of->second].tag);
  else add(&line, "; between volumes %d and %d", mesh->entity[of->first].tag, mesh->entity[of->second].tag);
  add_given(&line, of);
  dg_log_line(survey->scene->log, "%s", line.text);
}

/* Reports a group that holds several entities: what one alone has stands in its own line. */
static void report_group(const struct mx_survey *survey, int g)
{
  const struct dg_mesh *mesh = survey->scene->mesh;
  struct line line = {.used = 0};
  int64_t count = 0;
  int members = 0;
  double size = 0, low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  const bool solid = mesh->group[g].dim == 3;
  add(&line, "group     '%s': %s ", mesh->group[g].name, solid ? "volumes" : "surfaces");
  for (size_t i = 0; i < survey->entities; i++) {
    const struct mx_entity_survey *of = &survey->of[i];
    bool member = false;
    for (int k = 0; k < mesh->entity[i].groups; k++) member = member || mesh->entity[i].group[k] == g;
    if (!member || of->count == 0) continue;
    add(&line, "%s%d", members++ > 0 ? ", " : "", mesh->entity[i].tag);
    count += of->count;
    size += of->size;
    for (int b = 0; b < 3; b++) {
      low[b] = fmin(low[b], of->low[b]);
      high[b] = fmax(high[b], of->high[b]);
    }
  }
  if (members < 2) return;
  add(&line, "; %" PRId64 " %s, %.4g %s", count, solid ? "elements" : "faces", size, solid ? "m^3" : "m^2");
  add_box(&line, low, high);
  dg_log_line(survey->scene->log, "%s", line.text);
}

void mx_survey_report(const struct mx_survey *survey)
{
  const struct dg_mesh *mesh = survey->scene->mesh;
  for (int dim = 3; dim >= 2; dim--) {
    for (size_t g = 0; g < mesh->groups; g++)
      if (mesh->group[g].dim == dim && mesh->group[g].name[0] != '\0') report_group(survey, (int)g);
    for (size_t i = 0; i < survey->entities; i++)
      if (mesh->entity[i].dim == dim && survey->of[i].count > 0) (dim == 3 ? report_volume : report_surface)(survey, i);
  }
  if (survey->of[survey->entities].count > 0) report_surface(survey, survey->entities);
}

/* ---- for a picture */

static void write_names(FILE *file, const struct dg_mesh *mesh, size_t i)
{
  const struct dg_entity *of = &mesh->entity[i];
  fputs(", \"groups\": [", file);
  for (int g = 0, named = 0; g < of->groups; g++) {
    if (mesh->group[of->group[g]].name[0] == '\0') continue;
    if (named++ > 0) fputs(", ", file);
    dg_json_string(file, mesh->group[of->group[g]].name);
  }
  fputc(']', file);
}

/* Writes the triangles of a surface; `i` is the number of entities for faces that no surface holds. A face between two
 * elements is written once. */
static void write_triangles(FILE *file, const struct mx_survey *survey, size_t i)
{
  const struct dg_mesh *mesh = survey->scene->mesh;
  const int32_t wanted = i == survey->entities ? -1 : (int32_t)i;
  bool first = true;
  fputs(", \"triangles\": [", file);
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int32_t beyond = mesh->neighbour[e][f];
      if (mesh->surface[e][f] != wanted || (beyond >= 0 && (wanted < 0 || (size_t)beyond / 4 < e))) continue;
      fputs(first ? "[" : ", [", file);
      first = false;
      for (int k = 0, written = 0; k < 4; k++) {
        if (k == f) continue;
        const double *x = mesh->vertex[mesh->element[e][k]];
        fprintf(file, "%s%.7g, %.7g, %.7g", written++ > 0 ? ", " : "", x[0], x[1], x[2]);
      }
      fputc(']', file);
    }
  fputc(']', file);
}

void mx_survey_write(FILE *file, const void *what)
{
  const struct mx_survey *survey = what;
  const struct dg_mesh *mesh = survey->scene->mesh;
  bool begun = false;
  fputs("{\"name\": ", file);
  dg_json_string(file, survey->scene->config->name);
  fputs(", \"surfaces\": [", file);
  for (size_t i = 0; i <= survey->entities; i++) {
    const struct mx_entity_survey *of = &survey->of[i];
    if (of->count == 0 || (i < survey->entities && mesh->entity[i].dim != 2)) continue;
    fprintf(file, "%s\n  {\"tag\": %d, \"outside\": %s", begun ? "," : "",
            i < survey->entities ? mesh->entity[i].tag : 0, of->first < 0 ? "true" : "false");
    begun = true;
    if (i < survey->entities) write_names(file, mesh, i);
    else fputs(", \"groups\": []", file);
    for (int side = 0; side < 2; side++) {
      const int64_t volume = side == 0 ? of->first : of->second;
      fprintf(file, ", \"%s\": ", side == 0 ? "first" : "second");
      dg_json_string(file, volume >= 0 ? survey->of[volume].given : "");
    }
    fputs(", \"given\": ", file);
    dg_json_string(file, of->given);
    write_triangles(file, survey, i);
    fputc('}', file);
  }
  fputs("\n]}\n", file);
}
