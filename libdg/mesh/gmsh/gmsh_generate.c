/* Meshes a geometry, and improves the mesh where one element is far slower than the others. */
#include "libdg/mesh/gmsh/gmsh_generate.h"

#include <gmshc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/gmsh/gmsh_calls.h"
#include "libdg/mesh/gmsh/gmsh_curve.h"
#include "libdg/mesh/gmsh/gmsh_reader.h"
#include "libdg/mesh/gmsh/gmsh_sizes.h"
#include "libdg/mesh/draft/repair.h"

enum { GMSH_LINE = 1 };
#define WORTH 1.1 /* how much faster another mesh must be */

/* Adds the cure where the geometry has chosen an algorithm that this Gmsh may lack. */
static int blame_algorithm(struct dg_error *err)
{
  enum { DELAUNAY = 1, HXT = 10 };
  const double algorithm = dg_gmsh_get("Mesh.Algorithm3D", DELAUNAY);
  if (algorithm != DELAUNAY && algorithm != HXT)
    dg_context(err, "the geometry sets Mesh.Algorithm3D = %g: take it out, or write 1 or 10", algorithm);
  return err->code;
}

int dg_gmsh_generate(struct dg_model *model, const struct dg_mesh_options *options, const int *volume, size_t count,
                     struct dg_error *err)
{
  const double threads = options->threads > 0 ? options->threads : 1;
  int failed;
  dg_model_phase(model, 'm');
  if (dg_gmsh_check_wishes(options, err) != 0) return err->code;
  dg_gmsh_set("General.NumThreads", threads);
  dg_gmsh_set("Mesh.MaxNumThreads1D", threads);
  dg_gmsh_set("Mesh.MaxNumThreads2D", threads);
  dg_gmsh_set("Mesh.MaxNumThreads3D", threads);
  dg_gmsh_set_sizes(options);
  if (dg_gmsh_check_count(options, err) != 0) return err->code;
  dg_gmsh_set("Mesh.ElementOrder", 1); /* repair works on straight elements; gmsh_curve.c bends them */
  gmshModelMeshGenerate(3, &failed);
  if (dg_gmsh_check("mesh", options->file, failed, err) != 0) return blame_algorithm(err);
  for (size_t i = 0; i < count; i += 2)
    if (!dg_gmsh_has_elements(3, volume[i + 1]))
      return dg_fail(err, DG_INPUT, "Gmsh made no tetrahedra in volume %d of '%s'", volume[i + 1], options->file);
  return 0;
}

/* ---- a draft of what was read ---- */

/* The index of a node in the model, whose points lie in the order of the tags. */
struct numbers {
  size_t count;
  size_t *tag; /* [count] ascending */
};

static int compare_tags(const void *left, const void *right)
{
  const size_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static int32_t index_of(const struct numbers *numbers, size_t tag)
{
  const size_t *found =
      numbers->count == 0 ? NULL : bsearch(&tag, numbers->tag, numbers->count, sizeof tag, compare_tags);
  return found != NULL ? (int32_t)(found - numbers->tag) : -1;
}

static int read_numbers(struct numbers *numbers, struct dg_error *err)
{
  struct dg_gmsh_nodes nodes;
  if (dg_gmsh_get_nodes(&nodes, -1, -1) && DG_NEW(numbers->tag, nodes.count, err) == 0) {
    numbers->count = nodes.count;
    if (nodes.count > 0) memcpy(numbers->tag, nodes.tag, nodes.count * sizeof *nodes.tag);
    qsort(numbers->tag, nodes.count, sizeof *numbers->tag, compare_tags);
  }
  dg_gmsh_free_nodes(&nodes);
  return err->code;
}

static int add_corner(struct dg_draft *draft, const struct numbers *numbers, int tag, struct dg_error *err)
{
  struct dg_gmsh_nodes nodes;
  if (dg_gmsh_get_nodes(&nodes, 0, tag) &&
      dg_grow(&draft->corner, draft->corners + nodes.count, sizeof *draft->corner, err) == 0)
    for (size_t i = 0; i < nodes.count; i++) {
      const int32_t index = index_of(numbers, nodes.tag[i]);
      if (index >= 0) draft->corner[draft->corners++] = index;
    }
  dg_gmsh_free_nodes(&nodes);
  return err->code;
}

/* Holds the vertices of a surface and of the one of which Gmsh has made it a copy (Periodic Surface). */
static int hold_periodic(struct dg_draft *draft, const struct numbers *numbers, int tag, struct dg_error *err)
{
  size_t *own = NULL, count = 0, *master = NULL, masters = 0, transforms = 0;
  double *transform = NULL;
  int of = tag, failed;
  gmshModelMeshGetPeriodicNodes(2, tag, &of, &own, &count, &master, &masters, &transform, &transforms, 0, &failed);
  if (failed == 0 && of != tag && count == masters &&
      dg_grow(&draft->held, draft->holds + 2 * count, sizeof *draft->held, err) == 0)
    for (size_t i = 0; i < 2 * count; i++) {
      const int32_t index = index_of(numbers, i < count ? own[i] : master[i - count]);
      if (index >= 0) draft->held[draft->holds++] = index;
    }
  gmshFree(own);
  gmshFree(master);
  gmshFree(transform);
  return err->code;
}

static int add_curve(struct dg_draft *draft, const struct numbers *numbers, int tag, struct dg_error *err)
{
  size_t *element = NULL, count = 0, *node = NULL, nodes = 0;
  int failed;
  gmshModelMeshGetElementsByType(GMSH_LINE, &element, &count, &node, &nodes, tag, 0, 1, &failed);
  if (failed == 0 && dg_grow(&draft->segment, draft->segments + count, sizeof *draft->segment, err) == 0 &&
      dg_grow(&draft->curve_tag, draft->segments + count, sizeof *draft->curve_tag, err) == 0)
    for (size_t i = 0; 2 * i + 1 < nodes; i++) {
      const int32_t a = index_of(numbers, node[2 * i]), b = index_of(numbers, node[2 * i + 1]);
      if (a < 0 || b < 0) continue;
      draft->segment[draft->segments][0] = a;
      draft->segment[draft->segments][1] = b;
      draft->curve_tag[draft->segments++] = tag;
    }
  gmshFree(element);
  gmshFree(node);
  return err->code;
}

/* Turns the arrays of the model into those of the draft; give_back undoes it. */
static int fill_draft(struct dg_draft *draft, const struct dg_model *model, const struct dg_mesh_options *options,
                      double *unit, struct dg_error *err)
{
  struct numbers numbers = {0};
  *draft = (struct dg_draft){.points = model->points,
                             .K = model->K,
                             .triangles = model->triangles,
                             .point = model->point,
                             .tet = model->tet,
                             .volume_tag = model->volume_tag,
                             .tag = model->tag,
                             .triangle = model->triangle,
                             .surface_tag = model->surface_tag,
                             .project = dg_gmsh_project,
                             .geometry = unit,
                             .graded = dg_gmsh_graded(options)};
  int *entity = NULL, failed;
  size_t count = 0;
  gmshModelGetEntities(&entity, &count, -1, &failed);
  if (failed != 0) count = 0;
  if (read_numbers(&numbers, err) == 0 && numbers.count != model->points)
    (void)dg_fail(err, DG_BUG, "the mesh has %zu nodes and %zu points", numbers.count, model->points);
  for (size_t i = 0; i < count && err->code == DG_OK; i += 2) {
    if (entity[i] == 0) (void)!add_corner(draft, &numbers, entity[i + 1], err);
    if (entity[i] == 1) (void)!add_curve(draft, &numbers, entity[i + 1], err);
    if (entity[i] == 2) (void)!hold_periodic(draft, &numbers, entity[i + 1], err);
  }
  gmshFree(entity);
  dg_free(numbers.tag);
  return err->code;
}

static void give_back(struct dg_model *model, struct dg_draft *draft)
{
  model->K = draft->K;
  model->triangles = draft->triangles;
  model->tet = draft->tet;
  model->volume_tag = draft->volume_tag;
  model->tag = draft->tag;
  model->triangle = draft->triangle;
  model->surface_tag = draft->surface_tag;
  dg_free(model->segment);
  dg_free(model->curve_tag);
  model->segments = draft->segments;
  model->segment = draft->segment;
  model->curve_tag = draft->curve_tag;
  dg_free(model->corner);
  model->corners = draft->corners;
  model->corner = draft->corner;
  dg_free(draft->held);
}

static int repair_model(struct dg_model *model, const struct dg_mesh_options *options, struct dg_repair *repair,
                        struct dg_error *err)
{
  struct dg_draft draft;
  double unit = dg_gmsh_unit(options);
  if (fill_draft(&draft, model, options, &unit, err) == 0) (void)!dg_repair(&draft, repair, err);
  give_back(model, &draft);
  return err->code;
}

/* ---- other meshes ---- */

static void take_mesh(struct dg_model *model, struct dg_model *other)
{
#define SWAP(type, member)                                                                                             \
  do {                                                                                                                 \
    type swap = model->member;                                                                                         \
    model->member = other->member;                                                                                     \
    other->member = swap;                                                                                              \
  } while (0)
  SWAP(size_t, points);
  SWAP(size_t, K);
  SWAP(size_t, triangles);
  double(*point)[3] = model->point;
  int32_t(*tet)[4] = model->tet, (*triangle)[3] = model->triangle, (*segment)[2] = model->segment;
  model->point = other->point, other->point = point;
  model->tet = other->tet, other->tet = tet;
  model->triangle = other->triangle, other->triangle = triangle;
  model->segment = other->segment, other->segment = segment;
  SWAP(size_t, segments);
  SWAP(size_t, corners);
  SWAP(int32_t *, corner);
  SWAP(int32_t *, curve_tag);
  SWAP(int32_t *, volume_tag);
  SWAP(uint64_t *, tag);
  SWAP(int32_t *, surface_tag);
#undef SWAP
}

/* Tries another mesh of the same geometry, a little finer or by another algorithm of surfaces. The mesh is taken if its
 * slowest element is faster. Errors of Gmsh about a mesh that it cannot make do not matter: there is a mesh. */
static int attempt(struct dg_model *model, const struct dg_mesh_options *options, struct dg_repair *repair,
                   double factor, double algorithm, bool *taken, struct dg_error *err)
{
  const double factor_before = dg_gmsh_get("Mesh.MeshSizeFactor", 1),
               algorithm_before = dg_gmsh_get("Mesh.Algorithm", 6);
  struct dg_model other = {.life = model->life};
  struct dg_error why = {0};
  struct dg_repair result = {0};
  int failed;
  *taken = false;
  dg_gmsh_set("Mesh.MeshSizeFactor", factor * factor_before);
  if (algorithm > 0) dg_gmsh_set("Mesh.Algorithm", algorithm);
  gmshModelMeshClear(NULL, 0, &failed);
  gmshModelMeshGenerate(3, &failed);
  dg_gmsh_set("Mesh.MeshSizeFactor", factor_before);
  dg_gmsh_set("Mesh.Algorithm", algorithm_before);
  if (failed == 0 && dg_gmsh_read(&other, options, 0, true, &why) == 0 &&
      repair_model(&other, options, &result, &why) == 0 && result.after.worst > WORTH * repair->after.worst &&
      other.K < 2 * model->K) {
    *taken = true;
    *repair = result;
    take_mesh(model, &other);
  }
  dg_model_release(&other);
  if (why.code == DG_ENVIRONMENT || why.code == DG_BUG) *err = why;
  return err->code;
}

static int try_others(struct dg_model *model, const struct dg_mesh_options *options, struct dg_repair *repair,
                      int *attempts, struct dg_error *err)
{
  enum { ELEMENTS_MOST = 1000000 }; /* of all attempts: minutes at most */
  static const double factor[] = {0.97, 1, 0.94, 0.9}, algorithm[] = {0, 5, 0, 5};
  size_t elements = 0;
  bool taken;
  for (int i = 0; i < 4 && repair->unlucky && elements + model->K < ELEMENTS_MOST; i++) {
    if (attempt(model, options, repair, factor[i], algorithm[i], &taken, err) != 0) return err->code;
    elements += model->K;
    ++*attempts;
  }
  return 0;
}

/* ---- notes for the log */

static int note_repair(struct dg_model *model, const struct dg_repair *repair, const struct dg_pace *first,
                       int attempts, struct dg_error *err)
{
  if (first->slow == 0 || repair->moves + repair->merges + repair->flips + (size_t)attempts == 0) return 0;
  char tried[60] = "";
  if (attempts > 0) (void)snprintf(tried, sizeof tried, ", other meshes tried: %d", attempts);
  return dg_model_note(model, false, err,
                       "repair: the slowest element had %.2g of the median height, now %.2g (%zu below %g of it, now "
                       "%zu; %zu vertices moved, %zu merged, %zu edges and faces changed%s)",
                       first->worst / first->median, repair->after.worst / repair->after.median, first->slow,
                       DG_PACE_GOAL, repair->after.slow, repair->moves, repair->merges, repair->flips, tried);
}

/* Notes the features of the geometry that make elements slow; a warning where no feature does. */
static int note_demands(struct dg_model *model, const struct dg_repair *repair, struct dg_error *err)
{
  enum { WARNED = 4, NAMED = 3 }; /* times slower than the median, without need; features in a line */
  const double median = repair->after.median;
  char text[500] = "", one[120];
  size_t used = 0;
  int named = 0;
  if (repair->slowest == 0) return 0;
  for (int i = 0; i < repair->slowest && named < NAMED; i++) {
    if (repair->slow[i].demand.kind == DG_DEMAND_NOTHING) continue;
    dg_demand_text(&repair->slow[i].demand, one, sizeof one);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", named++ > 0 ? "; " : "", one);
  }
  if (named > 0 &&
      dg_model_note(model, false, err, "slow: %zu elements below %g of the median height, the slowest %.2g, because %s",
                    repair->after.slow, DG_PACE_GOAL, repair->after.worst / median, text) != 0)
    return err->code;
  for (int i = 0; i < repair->slowest; i++) {
    const struct dg_slow *slow = &repair->slow[i];
    if (slow->demand.kind != DG_DEMAND_NOTHING) continue;
    return dg_model_note(
        model, WARNED * slow->altitude < median, err,
        "slow: the element at (%.6g, %.6g, %.6g) m has %.2g of the median height, which nothing in the "
        "geometry demands: another mesh.size may do better",
        slow->place[0], slow->place[1], slow->place[2], slow->altitude / median);
  }
  return 0;
}

int dg_gmsh_improve(struct dg_model *model, const struct dg_mesh_options *options, struct dg_error *err)
{
  struct dg_repair repair;
  int attempts = 0;
  if (dg_gmsh_note_sizes(model, options, err) != 0) return err->code;
  if (model->partition != NULL || model->number != NULL) return 0; /* shared out already: its parts stay */
  if (repair_model(model, options, &repair, err) != 0) return err->code;
  const struct dg_pace first = repair.before;
  if (try_others(model, options, &repair, &attempts, err) != 0 || dg_gmsh_bend(model, options, err) != 0)
    return err->code;
  if (note_repair(model, &repair, &first, attempts, err) != 0) return err->code;
  return note_demands(model, &repair, err);
}
