/* Projects to Gmsh's geometry, and bends the mesh to it. gmsh_generate.c calls it. */
#include "libdg/mesh/gmsh/gmsh_curve.h"

#include <gmshc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/draft/bend.h"
#include "libdg/mesh/draft/misfit.h"
#include "libdg/mesh/gmsh/gmsh_sizes.h"

/* How much shorter curved elements may make the steps: a few coarse ones on a thin wire would double the time of a run.
 * Where the order of maps was asked for, it rules. */
#define SLOWER 1.5
/* Errors of a volume and of an area that are worth a warning: a resonance shifts by a third of the former. */
#define OFF      2e-3
#define OFF_AREA 5e-3

bool dg_gmsh_project(void *unit, int dim, int tag, double x[3])
{
  const double scale = *(const double *)unit;
  double coord[3] = {x[0] / scale, x[1] / scale, x[2] / scale};
  double *closest = NULL, *parameter = NULL;
  size_t count = 0, parameters = 0;
  int failed;
  gmshModelGetClosestPoint(dim, tag, coord, 3, &closest, &count, &parameter, &parameters, &failed);
  const bool done = failed == 0 && count == 3 && isfinite(closest[0]) && isfinite(closest[1]) && isfinite(closest[2]);
  for (int b = 0; b < 3 && done; b++) x[b] = scale * closest[b];
  gmshFree(closest);
  gmshFree(parameter);
  return done;
}

/* A curve or surface: straight edges and plane faces of it are right as they are. */
struct shape {
  int dim, tag;
  bool flat, known;
};

struct geometry {
  double unit;
  size_t shapes;
  struct shape *shape; /* [shapes] */
  struct shape *last;  /* that was asked for */
};

static int geometry_init(struct geometry *geometry, const struct dg_mesh_options *options, struct dg_error *err)
{
  int *entity = NULL, failed;
  size_t count = 0;
  *geometry = (struct geometry){.unit = dg_gmsh_unit(options)};
  gmshModelGetEntities(&entity, &count, -1, &failed);
  if (failed != 0) count = 0;
  if (DG_NEW(geometry->shape, count / 2 + 1, err) == 0)
    for (size_t i = 0; i < count; i += 2) {
      char *type = NULL;
      if (entity[i] < 1 || entity[i] > 2) continue;
      gmshModelGetType(entity[i], entity[i + 1], &type, &failed);
      const bool known = failed == 0 && type != NULL;
      geometry->shape[geometry->shapes++] =
          (struct shape){.dim = entity[i],
                         .tag = entity[i + 1],
                         .flat = known && strcmp(type, entity[i] == 1 ? "Line" : "Plane") == 0,
                         .known = known && strncmp(type, "Discrete", 8) != 0};
      gmshFree(type);
    }
  gmshFree(entity);
  return err->code;
}

static bool project(void *context, int dim, int tag, double x[3])
{
  struct geometry *geometry = context;
  struct shape *shape = geometry->last;
  if (shape == NULL || shape->dim != dim || shape->tag != tag) {
    shape = NULL;
    for (size_t i = 0; i < geometry->shapes && shape == NULL; i++)
      if (geometry->shape[i].dim == dim && geometry->shape[i].tag == tag) shape = &geometry->shape[i];
    if (shape == NULL) return false;
    geometry->last = shape;
  }
  if (shape->flat) return true;
  return shape->known && dg_gmsh_project(&geometry->unit, dim, tag, x);
}

/* Notes what was changed so that elements can follow their curves. */
static int note_followed(struct dg_model *model, const struct dg_followed *done, struct dg_error *err)
{
  if (done->bad == 0) return 0;
  return dg_model_note(
      model, false, err,
      "curved: %zu elements could not follow their curves without folding, or shortening the steps, now %zu (%zu "
      "vertices inside moved, %zu new, %zu edges and faces changed)",
      done->bad, done->left, done->moves, done->vertices, done->flips);
}

/* Notes elements that follow their curves less closely; a warning where the order was asked for. */
static int note_relaxed(struct dg_model *model, const struct dg_bent *bent, bool asked, struct dg_error *err)
{
  const double *x = bent->relaxed > 0 ? bent->relaxed_place : bent->slowed_place;
  if (bent->relaxed + bent->slowed == 0) return 0;
  if (asked)
    return dg_model_note(model, true, err,
                         "curved: %zu of %zu elements are too large for the curves that they follow, and would fold: "
                         "they follow them less closely, one at (%.6g, %.6g, %.6g) m; a smaller mesh.size there helps",
                         bent->relaxed, bent->curved, x[0], x[1], x[2]);
  return dg_model_note(model, false, err,
                       "curved: %zu of %zu elements would fold, or shorten the steps of the whole run: they follow "
                       "their curves less closely, one at (%.6g, %.6g, %.6g) m; a smaller mesh.size there helps",
                       bent->relaxed + bent->slowed, bent->curved, x[0], x[1], x[2]);
}

/* The name of a group that has the entity; "" without one. */
static const char *name_of(const struct dg_model *model, int dim, int tag)
{
  for (size_t i = 0; i < model->groups; i++)
    for (size_t k = 0; k < model->group[i].entities && model->group[i].dim == dim; k++)
      if (model->group[i].entity_tag[k] == tag && model->group[i].name[0] != '\0') return model->group[i].name;
  return "";
}

/* Writes "volume 3 'ball' is 1.4 % too small (4.13 for 4.189 m^3)". */
static void misfit_text(const struct dg_model *model, const struct dg_misfit *misfit, int dim, char *text, size_t size)
{
  const char *name = name_of(model, dim, misfit->tag);
  const double off = 100 * (misfit->followed / misfit->wanted - 1);
  (void)snprintf(text, size, "%s %d%s%.60s%s is %.2g %% too %s (%.4g for %.4g m^%d)", dim == 3 ? "volume" : "surface",
                 (int)misfit->tag, name[0] != '\0' ? " '" : "", name, name[0] != '\0' ? "'" : "", fabs(off),
                 off < 0 ? "small" : "large", misfit->followed, misfit->wanted, dim);
}

/* Warnings where elements are so large for their curves that volumes and areas are wrong, the worst first. */
static int note_misfits(struct dg_model *model, const struct dg_bent *bent, struct dg_error *err)
{
  static const double off[] = {OFF_AREA, OFF};
  for (int dim = 3; dim >= 2; dim--)
    for (int i = 0; i < bent->misfits[dim - 2]; i++) {
      const struct dg_misfit *misfit = &bent->misfit[dim - 2][i];
      char text[200];
      if (!(dg_misfit_error(misfit) > off[dim - 2])) break;
      misfit_text(model, misfit, dim, text, sizeof text);
      if (dg_model_note(model, true, err,
                        "mesh.size is too large for the curves: in the mesh %s, which shifts resonances, cross "
                        "sections and losses; take a smaller mesh.size there%s",
                        text,
                        bent->relaxed + bent->slowed == 0 && bent->geometry < DG_GEOMETRY_MAX
                            ? ", or a higher mesh.geometry"
                            : "") != 0)
        return err->code;
      model->note[model->notes - 1].surface = misfit->surface;
    }
  return 0;
}

static int take(struct dg_model *model, struct dg_bent *bent, bool asked, struct dg_error *err)
{
  model->geometry = bent->geometry;
  model->curved = bent->curved;
  model->curve = bent->curve;
  model->shape = bent->shape;
  bent->curve = NULL;
  bent->shape = NULL;
  if (note_followed(model, &bent->followed, err) != 0) return err->code;
  if (note_relaxed(model, bent, asked, err) != 0 || note_misfits(model, bent, err) != 0) return err->code;
  if (bent->lost == 0) return 0;
  return dg_model_note(model, asked, err,
                       "curved: %zu edges and faces stay straight, because Gmsh could not project their nodes to the "
                       "geometry, one of them at (%.6g, %.6g, %.6g) m",
                       bent->lost, bent->place[0], bent->place[1], bent->place[2]);
}

int dg_gmsh_bend(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err)
{
  struct geometry geometry;
  struct dg_bent bent = {0};
  const bool asked = !options->own_geometry;
  struct dg_draft draft = {.points = model->points,
                           .K = model->K,
                           .triangles = model->triangles,
                           .segments = model->segments,
                           .point = model->point,
                           .tet = model->tet,
                           .volume_tag = model->volume_tag,
                           .tag = model->tag,
                           .corners = model->corners,
                           .corner = model->corner,
                           .triangle = model->triangle,
                           .surface_tag = model->surface_tag,
                           .segment = model->segment,
                           .curve_tag = model->curve_tag,
                           .project = project,
                           .geometry = &geometry};
  if (options->geometry < 2) return 0;
  if (geometry_init(&geometry, options, err) == 0)
    (void)!dg_draft_bend(&draft, options->geometry, asked ? 0 : SLOWER, &bent, err);
  model->points = draft.points;
  model->point = draft.point;
  model->K = draft.K;
  model->tet = draft.tet;
  model->volume_tag = draft.volume_tag;
  model->tag = draft.tag;
  if (err->code == DG_OK) (void)!take(model, &bent, asked, err);
  dg_bent_release(&bent);
  dg_free(geometry.shape);
  return err->code;
}
