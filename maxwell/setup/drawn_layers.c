/* Measures drawn shells in the mesh. setup_build.c calls it; drawn_layers.h says what for.
 *
 * The inner wall of a shell is where its elements meet others, and the outer one is how far its vertices go. Box: a
 * side has a layer where the shell goes on beyond the inner wall; a slab at the end of a guide is a box with one side.
 */
#include "maxwell/setup/drawn_layers.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/model/selectors.h"
#include "maxwell/setup/open_size.h"

/* Extents of a set of vertices along the axes, and of their distance from the centre (sphere) or the axis (cylinder):
 * maxima, so that one reduction finds them. */
enum { OWN, WALL, SETS };
struct extents {
  double high[SETS][4], low[SETS][4]; /* low: negative; 3 is the radius */
};

/* Sums over the vertices of a round wall, for the sphere or circle of least squares: 2 c.q + k = q.q has the centre c.
 */
struct fit {
  double matrix[4][5]; /* of c and k, and the right-hand side */
};

int mx_layers_add(struct mx_layers *layers, const struct dg_mesh *mesh, struct dg_error *err)
{
  if (layers->of_volume == NULL) {
    if (DG_NEW(layers->of_volume, mesh->entities, err) != 0) return err->code;
    for (size_t i = 0; i < mesh->entities; i++) layers->of_volume[i] = -1;
  }
  if (dg_grow(&layers->shape, layers->count + 1, sizeof *layers->shape, err) != 0) return err->code;
  layers->shape[layers->count++] = (struct mx_layer_shape){0};
  return 0;
}

static int choose_volumes(struct mx_setup *setup, int layer, const struct mx_selector *where, struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  if (mx_check_selector(mesh, "layers", where, 3, err) != 0) return err->code;
  for (size_t i = 0; i < mesh->entities; i++) {
    if (mesh->entity[i].dim != 3 || mx_selector_fit(where, mesh, i) == 0) continue;
    if (setup->layers.of_volume[i] >= 0)
      return dg_fail(err, DG_INPUT, MX_PLACE "volume %d of the mesh is in two layers", MX_AT(where->where),
                     mesh->entity[i].tag);
    setup->layers.of_volume[i] = layer;
  }
  return 0;
}

static void widen(const struct mx_layer_shape *shape, const double x[3], int set, struct extents *extents)
{
  double q[4];
  mx_layer_coordinates(shape, x, q);
  q[3] = shape->kind == MX_LAYER_SPHERE ? sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) : hypot(q[0], q[1]);
  for (int i = 0; i < 4; i++) {
    extents->high[set][i] = fmax(extents->high[set][i], q[i]);
    extents->low[set][i] = fmax(extents->low[set][i], -q[i]);
  }
}

static void add_vertex(const struct mx_layer_shape *shape, const double x[3], struct fit *fit)
{
  double q[3], row[5];
  mx_layer_coordinates(shape, x, q);
  if (shape->kind == MX_LAYER_CYLINDER) q[2] = 0;
  for (int i = 0; i < 3; i++) row[i] = 2 * q[i];
  row[3] = 1;
  row[4] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++) fit->matrix[i][j] += row[i] * row[j];
}

/* Takes the vertices of a face on the inner wall. */
static void add_wall(const struct mx_setup *setup, const struct mx_layer_shape *shape, size_t e, int f,
                     struct extents *extents, struct fit *fit)
{
  const struct dg_mesh *mesh = &setup->mesh;
  const double *x[3];
  int n = 0;
  for (int v = 0; v < 4; v++)
    if (v != f) x[n++] = mesh->vertex[mesh->element[e][v]];
  double normal[3], along = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    normal[i] = (x[1][j] - x[0][j]) * (x[2][k] - x[0][k]) - (x[1][k] - x[0][k]) * (x[2][j] - x[0][j]);
    along += normal[i] * shape->axis[2][i];
    size += normal[i] * normal[i];
  }
  const bool end = shape->kind == MX_LAYER_CYLINDER && along * along > 0.8 * size;
  for (int v = 0; v < 3; v++) {
    widen(shape, x[v], WALL, extents);
    if (!end) add_vertex(shape, x[v], fit);
  }
}

/* Moves the centre of the shape to that of the wall. Leaves it where the wall does not tell: along a cylinder. */
static void move_centre(struct mx_layer_shape *shape, const struct fit *fit)
{
  double m[4][5], c[3] = {0, 0, 0};
  memcpy(m, fit->matrix, sizeof m);
  for (int i = 0; i < 4; i++) { /* Gauss and Jordan; a normal matrix needs no other pivots */
    const double pivot = m[i][i];
    if (!(pivot > 0)) continue;
    for (int j = 0; j < 5; j++) m[i][j] /= pivot;
    for (int k = 0; k < 4; k++) {
      const double by = m[k][i];
      for (int j = 0; j < 5 && k != i; j++) m[k][j] -= by * m[i][j];
    }
  }
  for (int i = 0; i < 3; i++) c[i] = m[i][4];
  if (shape->kind == MX_LAYER_CYLINDER) c[2] = 0;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) shape->centre[k] += shape->axis[i][k] * c[i];
}

/* Finds how far the shell goes, and the wall where it meets what is inside. */
static int measure(const struct mx_setup *setup, int layer, struct extents *extents, struct fit *fit,
                   struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  const struct dg_halo *halo = setup->comm != NULL ? &setup->ranks.halo : NULL;
  const struct mx_layer_shape *shape = &setup->layers.shape[layer];
  const size_t faces = halo != NULL ? halo->faces : 0;
  const int *of = setup->layers.of_volume;
  char *own = NULL, *beyond = NULL;
  for (int i = 0; i < SETS * 4; i++) extents->high[i / 4][i % 4] = extents->low[i / 4][i % 4] = -INFINITY;
  *fit = (struct fit){{{0}}};
  if (DG_NEW(own, faces, err) != 0 || DG_NEW(beyond, faces, err) != 0) goto fail;
  for (size_t i = 0; i < faces; i++) own[i] = of[mesh->volume[halo->send[i] / 4]] == layer;
  if (halo != NULL && dg_halo_swap(halo, setup->comm, 1, own, beyond, err) != 0) goto fail;
  for (size_t e = 0; e < mesh->K; e++) {
    if (of[mesh->volume[e]] != layer) continue;
    for (int v = 0; v < 4; v++) widen(shape, mesh->vertex[mesh->element[e][v]], OWN, extents);
    for (int f = 0; f < 4; f++) {
      const int32_t code = mesh->neighbour[e][f];
      if (code < 0 || (size_t)code / 4 >= mesh->K || of[mesh->volume[code / 4]] == layer) continue;
      add_wall(setup, shape, e, f, extents, fit);
    }
  }
  for (size_t i = 0; i < faces; i++)
    if (own[i] && !beyond[i]) add_wall(setup, shape, (size_t)halo->send[i] / 4, halo->send[i] % 4, extents, fit);
  if (dg_comm_reduce(setup->comm, DG_MAX, sizeof *extents / sizeof(double), extents->high[0], err) != 0) goto fail;
  (void)!dg_comm_reduce(setup->comm, DG_SUM, sizeof *fit / sizeof(double), fit->matrix[0], err);
fail:
  dg_free(own);
  dg_free(beyond);
  return err->code;
}

static int refuse(const struct mx_selector *where, struct dg_error *err, const char *why)
{
  char name[128];
  mx_selector_name(where, name, sizeof name);
  return dg_fail(err, DG_INPUT, MX_PLACE "layers.%s: %s", MX_AT(where->where), name, why);
}

/* Takes a side that goes `depth` beyond the wall; all sides are equally thick. */
static int take_side(struct mx_layer_shape *shape, double depth, const struct mx_selector *where, struct dg_error *err)
{
  char name[128];
  if (shape->thickness == 0) shape->thickness = depth;
  if (fabs(depth - shape->thickness) <= 1e-3 * shape->thickness) {
    shape->thickness = fmax(shape->thickness, depth);
    return 0;
  }
  mx_selector_name(where, name, sizeof name);
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "layers.%s: the shell is %g m thick on one side and %g m on another; draw it equally thick, "
                          "or as a layer for each side",
                 MX_AT(where->where), name, shape->thickness, depth);
}

/* Sets the walls across axes first..2 from the extents: those beyond which the shell goes on. */
static int take_walls(struct mx_layer_shape *shape, const struct extents *extents, int first,
                      const struct mx_selector *where, struct dg_error *err)
{
  double size = 0;
  for (int i = 0; i < 3; i++) size = fmax(size, extents->high[OWN][i] + extents->low[OWN][i]);
  for (int i = 0; i < 3; i++) {
    const double above = extents->high[OWN][i] - extents->high[WALL][i],
                 below = extents->low[OWN][i] - extents->low[WALL][i], least = 1e-6 * size;
    shape->low[i] = -INFINITY;
    shape->high[i] = INFINITY;
    if (i < first) continue;
    if (above > least) shape->high[i] = extents->high[WALL][i];
    if (below > least) shape->low[i] = -extents->low[WALL][i];
    if ((above > least && take_side(shape, above, where, err) != 0) ||
        (below > least && take_side(shape, below, where, err) != 0))
      return err->code;
  }
  return 0;
}

static int take_radius(struct mx_layer_shape *shape, const struct extents *extents, const struct mx_selector *where,
                       struct dg_error *err)
{
  const double wall = extents->high[WALL][3], depth = extents->high[OWN][3] - wall;
  if (depth <= 1e-6 * extents->high[OWN][3]) {
    if (shape->kind == MX_LAYER_SPHERE) return refuse(where, err, "the shell does not go beyond its inner wall");
    return 0; /* a cylinder with layers at its ends alone */
  }
  shape->high[0] = wall;
  if (take_side(shape, depth, where, err) != 0) return err->code;
  if (shape->kind == MX_LAYER_SPHERE && wall + extents->low[WALL][3] > 1e-3 * shape->thickness)
    return refuse(where, err, "the inner wall is no sphere; if the shell is one, its centre helps");
  return 0;
}

static void set_axes(struct mx_layer_shape *shape, const struct mx_layer_config *config)
{
  memset(shape->axis, 0, sizeof shape->axis);
  for (int i = 0; i < 3; i++) shape->axis[i][i] = 1;
  if (shape->kind != MX_LAYER_CYLINDER) return;
  const double *z = config->axis;
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(z[i]) < fabs(z[least])) least = i;
  double size = 0;
  for (int i = 0; i < 3; i++) { /* the first axis: a coordinate's, less its part along z */
    shape->axis[0][i] = (double)(i == least) - z[least] * z[i];
    size += shape->axis[0][i] * shape->axis[0][i];
  }
  for (int i = 0; i < 3; i++) shape->axis[0][i] /= sqrt(size);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    shape->axis[1][i] = z[j] * shape->axis[0][k] - z[k] * shape->axis[0][j];
    shape->axis[2][i] = z[i];
  }
}

static int draw(struct mx_setup *setup, const struct mx_layer_config *config, struct dg_error *err)
{
  static const enum mx_layer_kind kinds[] = {MX_LAYER_BOX, MX_LAYER_SPHERE, MX_LAYER_CYLINDER};
  struct extents extents;
  struct fit fit;
  if (mx_layers_add(&setup->layers, &setup->mesh, err) != 0) return err->code;
  const int layer = (int)setup->layers.count - 1;
  struct mx_layer_shape *shape = &setup->layers.shape[layer];
  shape->kind = kinds[config->kind];
  shape->reflection = mx_layer_target(config->reflection, config->absorber);
  shape->absorber = config->absorber;
  shape->frequency = mx_highest_frequency(setup->config) / 2;
  memcpy(shape->centre, config->centre, sizeof shape->centre);
  set_axes(shape, config);
  if (choose_volumes(setup, layer, &config->where, err) != 0 || measure(setup, layer, &extents, &fit, err) != 0)
    return err->code;
  if (extents.high[WALL][0] == -INFINITY)
    return refuse(&config->where, err, "the shell meets no other volume of the mesh: there is nothing inside");
  if (shape->kind != MX_LAYER_BOX && !config->has_centre) {
    move_centre(shape, &fit);
    if (measure(setup, layer, &extents, &fit, err) != 0) return err->code;
  }
  const int first = shape->kind == MX_LAYER_BOX ? 0 : shape->kind == MX_LAYER_CYLINDER ? 2 : 3;
  if (take_walls(shape, &extents, first, &config->where, err) != 0 ||
      (shape->kind != MX_LAYER_BOX && take_radius(shape, &extents, &config->where, err) != 0))
    return err->code;
  if (shape->thickness == 0) return refuse(&config->where, err, "the shell does not go beyond its inner wall");
  return 0;
}

int mx_drawn_layers(struct mx_setup *setup, struct dg_error *err)
{
  for (size_t i = 0; i < setup->config->layers; i++)
    if (draw(setup, &setup->config->layer[i], err) != 0) return err->code;
  return 0;
}
