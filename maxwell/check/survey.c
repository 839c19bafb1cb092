/* Measures volumes and surfaces of the mesh over all ranks. check.c calls it; survey_given.c finds what the script
 * gave, survey_report.c says it.
 */
#include "maxwell/check/survey.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"
#include "libdg/ref/rule.h"

/* A rule of this order is exact for the volume of maps up to order 4, whose determinant has degree 9. The area of a
 * curved face is no polynomial. */
enum { RULE = 6 };

struct measuring {
  const struct mx_scene *scene;
  struct mx_survey *survey;
  struct dg_rule volume, face;
};

void mx_survey_release(struct mx_survey *survey)
{
  dg_free(survey->of);
  dg_free(survey->touches);
  *survey = (struct mx_survey){0};
}

static const double *vertex_of(const struct dg_mesh *mesh, size_t e, int i)
{
  return mesh->vertex[mesh->element[e][i]];
}

/* The map of an element; NULL: it is straight. */
static const double (*map_of(const struct dg_mesh *mesh, size_t *next, size_t e))[3]
{
  while (*next < mesh->curved && (size_t)mesh->curve[*next] < e) ++*next;
  if (*next == mesh->curved || (size_t)mesh->curve[*next] != e) return NULL;
  return (const double(*)[3])mesh->shape + *next * dg_shape_nodes(mesh->geometry);
}

static double volume_of(const struct measuring *m, size_t e, const double (*map)[3])
{
  const struct dg_mesh *mesh = m->scene->mesh;
  if (map == NULL)
    return fabs(
               dg_volume6(vertex_of(mesh, e, 0), vertex_of(mesh, e, 1), vertex_of(mesh, e, 2), vertex_of(mesh, e, 3))) /
           6;
  double sum = 0;
  for (int q = 0; q < m->volume.points; q++) {
    const double *b = m->volume.place[q], place[3] = {2 * b[1] - 1, 2 * b[2] - 1, 2 * b[3] - 1};
    double tangent[3][3], normal[3];
    dg_shape_at(mesh->geometry, map, place, NULL, tangent);
    dg_cross(tangent[0], tangent[1], normal);
    sum += m->volume.weight[q] * fabs(dg_dot(normal, tangent[2]));
  }
  return sum * 4 / 3; /* the reference element's volume */
}

static double area_of(const struct measuring *m, size_t e, int f, const double (*map)[3])
{
  const struct dg_mesh *mesh = m->scene->mesh;
  int corner[3];
  double u[3], v[3], n[3];
  for (int i = 0, k = 0; i < 4; i++)
    if (i != f) corner[k++] = i;
  if (map == NULL) {
    dg_subtract(vertex_of(mesh, e, corner[1]), vertex_of(mesh, e, corner[0]), u);
    dg_subtract(vertex_of(mesh, e, corner[2]), vertex_of(mesh, e, corner[0]), v);
    dg_cross(u, v, n);
    return 0.5 * sqrt(dg_dot(n, n));
  }
  static const double at[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  double sum = 0;
  for (int q = 0; q < m->face.points; q++) {
    double place[3], tangent[3][3];
    dg_face_place(f, m->face.place[q], place);
    dg_shape_at(mesh->geometry, map, place, NULL, tangent);
    for (int b = 0; b < 3; b++) {
      u[b] = v[b] = 0;
      for (int a = 0; a < 3; a++) {
        u[b] += (at[corner[1]][a] - at[corner[0]][a]) * tangent[a][b];
        v[b] += (at[corner[2]][a] - at[corner[0]][a]) * tangent[a][b];
      }
    }
    dg_cross(u, v, n);
    sum += m->face.weight[q] * 0.5 * sqrt(dg_dot(n, n));
  }
  return sum;
}

static void widen(struct mx_entity_survey *of, const double x[3])
{
  for (int b = 0; b < 3; b++) {
    of->low[b] = fmin(of->low[b], x[b]);
    of->high[b] = fmax(of->high[b], x[b]);
  }
}

/* Says whether this rank counts the face: it is the boundary's, or the element has the lower number of the two. */
static bool counts(const struct dg_mesh *mesh, size_t e, int f)
{
  const int32_t beyond = mesh->neighbour[e][f];
  return beyond == DG_BOUNDARY || dg_mesh_global(mesh, e) < dg_mesh_global(mesh, (size_t)beyond / 4);
}

static void measure_face(struct measuring *m, size_t e, int f, const double (*map)[3])
{
  const struct dg_mesh *mesh = m->scene->mesh;
  const int32_t beyond = mesh->neighbour[e][f], surface = mesh->surface[e][f];
  const size_t entities = m->survey->entities, here = (size_t)mesh->volume[e];
  if (!counts(mesh, e, f)) return;
  const int64_t there = beyond == DG_BOUNDARY ? -1 : mesh->volume[beyond / 4];
  if (there < 0) {
    m->survey->touches[here * (entities + 1) + entities]++;
  } else if ((size_t)there != here) {
    m->survey->touches[here * (entities + 1) + (size_t)there]++;
    m->survey->touches[(size_t)there * (entities + 1) + here]++;
  }
  if (surface < 0 && there >= 0) return;
  struct mx_entity_survey *of = &m->survey->of[surface < 0 ? entities : (size_t)surface];
  of->count++;
  of->size += area_of(m, e, f, map);
  for (int i = 0; i < 4; i++)
    if (i != f) widen(of, vertex_of(mesh, e, i));
  of->first = there > (int64_t)here ? (int64_t)here : there;
  of->second = there > (int64_t)here ? there : (int64_t)here;
}

static void measure(struct measuring *m)
{
  const struct dg_mesh *mesh = m->scene->mesh;
  size_t next = 0;
  for (size_t e = 0; e < mesh->K; e += mesh->paired ? 2 : 1) { /* with Bloch phases two elements are at each place */
    const double(*map)[3] = map_of(mesh, &next, e);
    struct mx_entity_survey *of = &m->survey->of[mesh->volume[e]];
    of->count++;
    of->size += volume_of(m, e, map);
    for (int i = 0; i < 4; i++) widen(of, vertex_of(mesh, e, i));
    for (int f = 0; f < 4; f++) measure_face(m, e, f, map);
  }
}

/* Puts together what the ranks have found. */
static int join(struct mx_survey *survey, struct dg_error *err)
{
  struct dg_comm *comm = survey->scene->comm;
  const size_t count = survey->entities + 1;
  enum { MOSTS = 8 };
  int64_t *counts = NULL;
  double *sum = NULL, *most = NULL;
  if (DG_NEW(counts, count, err) != 0 || DG_NEW(sum, count, err) != 0 || DG_NEW(most, MOSTS * count, err) != 0)
    goto fail;
  for (size_t i = 0; i < count; i++) {
    const struct mx_entity_survey *of = &survey->of[i];
    counts[i] = of->count;
    sum[i] = of->size;
    for (int b = 0; b < 3; b++) {
      most[MOSTS * i + (size_t)b] = -of->low[b];
      most[MOSTS * i + 3 + (size_t)b] = of->high[b];
    }
    most[MOSTS * i + 6] = of->count > 0 ? (double)of->first : -1;
    most[MOSTS * i + 7] = of->count > 0 ? (double)of->second : -1;
  }
  if (dg_comm_reduce_int(comm, DG_SUM, count, counts, err) != 0 || dg_comm_reduce(comm, DG_SUM, count, sum, err) != 0 ||
      dg_comm_reduce(comm, DG_MAX, MOSTS * count, most, err) != 0 ||
      dg_comm_reduce_int(comm, DG_SUM, survey->entities * count, survey->touches, err) != 0)
    goto fail;
  for (size_t i = 0; i < count; i++) {
    struct mx_entity_survey *of = &survey->of[i];
    of->count = counts[i];
    of->size = sum[i];
    for (int b = 0; b < 3; b++) {
      of->low[b] = -most[MOSTS * i + (size_t)b];
      of->high[b] = most[MOSTS * i + 3 + (size_t)b];
    }
    of->first = (int64_t)most[MOSTS * i + 6];
    of->second = (int64_t)most[MOSTS * i + 7];
  }
fail:
  dg_free(counts);
  dg_free(sum);
  dg_free(most);
  return err->code;
}

int mx_survey_init(struct mx_survey *survey, const struct mx_scene *scene, struct dg_error *err)
{
  const size_t entities = scene->mesh->entities;
  struct measuring m = {.scene = scene, .survey = survey};
  *survey = (struct mx_survey){.scene = scene, .entities = entities};
  if (DG_NEW(survey->of, entities + 1, err) != 0 || DG_NEW(survey->touches, entities * (entities + 1), err) != 0 ||
      dg_rule_tetrahedron(&m.volume, RULE, err) != 0 || dg_rule_triangle(&m.face, RULE, err) != 0)
    goto fail;
  for (size_t i = 0; i <= entities; i++) {
    survey->of[i].first = survey->of[i].second = -1;
    for (int b = 0; b < 3; b++) {
      survey->of[i].low[b] = INFINITY;
      survey->of[i].high[b] = -INFINITY;
    }
  }
  measure(&m);
  if (join(survey, err) == 0) mx_survey_find_given(survey);
fail:
  dg_rule_release(&m.volume);
  dg_rule_release(&m.face);
  return err->code;
}
