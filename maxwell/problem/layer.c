/* Makes the entries of perfectly matched layers: in which directions an element is stretched, and where in the layer
 * its vertices are. problem_build.c calls it; maxwell/response/layer.h says what the parameters mean. */
#include "maxwell/problem/layer.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/geometry/geometry.h"
#include "maxwell/problem/absorber.h"
#include "maxwell/response/layer.h"

/* The part of a layer that an element is in: its kind, and along each axis the side of the wall that it is beyond. */
struct part {
  enum mx_response_kind kind;
  int side[3]; /* -1: below low, 1: above high, 0: between */
};

/* Vertices of an element along the layer's axes. */
static void vertices(const struct mx_layer_shape *shape, const struct dg_mesh *mesh, size_t e, double q[4][3])
{
  for (int v = 0; v < 4; v++) mx_layer_coordinates(shape, mesh->vertex[mesh->element[e][v]], q[v]);
}

static int refuse(const struct mx_layer_shape *shape, const struct dg_mesh *mesh, size_t e, const char *why,
                  struct dg_error *err)
{
  double x[3];
  dg_geometry_barycentre(mesh, e, x);
  return dg_fail(err, DG_INPUT, "the %s at (%g, %g, %g) m %s", shape->absorber ? "absorber" : "perfectly matched layer",
                 x[0], x[1], x[2], why);
}

/* Says on which side of the walls across axis i the element is; 2: a wall cuts it. */
static int side_of(const struct mx_layer_shape *shape, const double q[4][3], int i)
{
  const double slack = 1e-6 * shape->thickness;
  int above = 0, below = 0;
  for (int v = 0; v < 4; v++) {
    above += q[v][i] >= shape->high[i] - slack;
    below += q[v][i] <= shape->low[i] + slack;
  }
  if (above == 4 || below == 4) return above == 4 ? 1 : -1;
  for (int v = 0; v < 4; v++)
    if (q[v][i] > shape->high[i] + slack || q[v][i] < shape->low[i] - slack) return 2;
  return 0;
}

/* A round wall is made of facets, so that its elements may reach a little inside. */
static int find_round(const struct mx_layer_shape *shape, const struct dg_mesh *mesh, size_t e, const double q[4][3],
                      struct dg_error *err)
{
  const bool sphere = shape->kind == MX_LAYER_SPHERE;
  const double slack = 1e-3 * shape->thickness;
  bool beyond = false, before = false;
  for (int v = 0; v < 4; v++) {
    const double radius =
        sphere ? sqrt(q[v][0] * q[v][0] + q[v][1] * q[v][1] + q[v][2] * q[v][2]) : hypot(q[v][0], q[v][1]);
    const double along = sphere ? 0 : fmax(q[v][2] - shape->high[2], shape->low[2] - q[v][2]);
    beyond = beyond || radius > shape->high[0] + slack || along > slack;
    before = before || (radius < shape->high[0] - slack && along < -slack);
    if (fmax(radius - shape->high[0], along) > shape->thickness + slack)
      return refuse(shape, mesh, e, "is deeper than its thickness", err);
  }
  if (before) return refuse(shape, mesh, e, "has an element that reaches before its inner wall", err);
  if (!beyond) return refuse(shape, mesh, e, "has an element that lies wholly on its inner wall", err);
  return 0;
}

static int find_part(const struct mx_layer_shape *shape, const struct dg_mesh *mesh, size_t e, struct part *part,
                     struct dg_error *err)
{
  double q[4][3];
  int stretched = 0;
  vertices(shape, mesh, e, q);
  *part = (struct part){.kind = MX_LAYER_ROUND};
  if (shape->kind != MX_LAYER_BOX) return find_round(shape, mesh, e, (const double(*)[3])q, err);
  for (int i = 0; i < 3; i++) {
    part->side[i] = side_of(shape, (const double(*)[3])q, i);
    if (part->side[i] == 2) return refuse(shape, mesh, e, "has an element that its inner wall cuts", err);
    stretched += part->side[i] != 0;
    for (int v = 0; v < 4 && part->side[i] != 0; v++)
      if (fmax(q[v][i] - shape->high[i], shape->low[i] - q[v][i]) > (1 + 1e-6) * shape->thickness)
        return refuse(shape, mesh, e, "is deeper than its thickness", err);
  }
  if (stretched == 0) return refuse(shape, mesh, e, "has an element that lies before its inner walls", err);
  part->kind = stretched == 1 ? MX_LAYER_1 : stretched == 2 ? MX_LAYER_2 : MX_LAYER_3;
  return 0;
}

static void fill_box(const struct mx_layer_shape *shape, const struct part *part, const double q[4][3],
                     double *parameter)
{
  int row = 0;
  for (int stretched = 1; stretched >= 0; stretched--)
    for (int i = 0; i < 3; i++) {
      const int side = part->side[i];
      if ((side != 0) != (stretched == 1)) continue;
      memcpy(parameter + MX_LAYER_AXIS + 3 * row, shape->axis[i], sizeof shape->axis[i]);
      for (int v = 0; v < 4 && side != 0; v++)
        parameter[MX_LAYER_PLACE + 3 * v + row] =
            fmax(side > 0 ? q[v][i] - shape->high[i] : shape->low[i] - q[v][i], 0) / shape->thickness;
      row++;
    }
}

static void fill_round(const struct mx_layer_shape *shape, const double q[4][3], double *parameter)
{
  const double L = shape->thickness, far = 1e6; /* in place of a wall that is not there */
  memcpy(parameter + MX_LAYER_AXIS, shape->axis, sizeof shape->axis);
  for (int v = 0; v < 4; v++)
    for (int i = 0; i < 3; i++) parameter[MX_LAYER_PLACE + 3 * v + i] = q[v][i] / L;
  const bool cylinder = shape->kind == MX_LAYER_CYLINDER;
  parameter[MX_LAYER_RADIUS] = fmin(shape->high[0] / L, far);
  parameter[MX_LAYER_LOW] = cylinder ? fmax(shape->low[2] / L, -far) : -far;
  parameter[MX_LAYER_HIGH] = cylinder ? fmin(shape->high[2] / L, far) : far;
  parameter[MX_LAYER_CYLINDER_OR_SPHERE] = cylinder;
}

static void fill(const struct mx_layer_shape *shape, double sigma, double alpha, const struct dg_mesh *mesh, size_t e,
                 const struct part *part, double *parameter)
{
  double q[4][3];
  vertices(shape, mesh, e, q);
  parameter[MX_LAYER_SIGMA] = sigma;
  parameter[MX_LAYER_POLE] = alpha;
  if (shape->kind == MX_LAYER_BOX) fill_box(shape, part, (const double(*)[3])q, parameter);
  else fill_round(shape, (const double(*)[3])q, parameter);
}

/* What decides how strong a layer is, of all ranks. */
struct strength {
  double index; /* the smallest of its media: the stretch of a direction may not depend on the medium, lest the layer
                   reflect where media meet in it */
  double share; /* the largest share of an element in the absorption along a direction, times the element's index */
};

/* The share of the integral of sigma over the layer that lies in an element, of the direction where it is largest. */
static double share_of(const struct mx_layer_shape *shape, const struct dg_mesh *mesh, size_t e)
{
  double q[4][3], least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {0}, largest = 0;
  vertices(shape, mesh, e, q);
  for (int v = 0; v < 4; v++) {
    double depth[3];
    mx_layer_depths(shape, q[v], depth);
    for (int i = 0; i < 3; i++) {
      const double part = pow(depth[i] / shape->thickness, MX_LAYER_GRADE + 1);
      least[i] = fmin(least[i], part);
      most[i] = fmax(most[i], part);
    }
  }
  for (int i = 0; i < 3; i++) largest = fmax(largest, most[i] - least[i]);
  return largest;
}

static int find_strength(const struct mx_problem *problem, const struct mx_assignment *assignment,
                         const struct mx_layers *layers, const struct dg_mesh *mesh, struct strength *strength,
                         struct dg_error *err)
{
  for (size_t l = 0; l < layers->count; l++) strength[l] = (struct strength){.index = -INFINITY};
  for (size_t e = 0; e < problem->K; e++) {
    const int l = assignment->layer[e], a = assignment->absorber[e];
    if (l >= 0) {
      const double index = sqrt(problem->epsilon[e] * problem->mu[e]);
      strength[l].index = fmax(strength[l].index, -index); /* negative, since the largest is found */
      strength[l].share = fmax(strength[l].share, index * share_of(&layers->shape[l], mesh, e));
    }
    if (a >= 0)
      strength[a].index =
          fmax(strength[a].index, -sqrt(mx_absorber_storage(problem, &layers->shape[a], MX_AMPERE, e) *
                                        mx_absorber_storage(problem, &layers->shape[a], MX_FARADAY, e)));
  }
  if (dg_comm_reduce(problem->comm, DG_MAX, 2 * layers->count, (double *)strength, err) != 0) return err->code;
  for (size_t l = 0; l < layers->count; l++) strength[l].index *= -1;
  return 0;
}

/* sigma as the target asks for, or as much as the elements carry. */
static double sigma_of(const struct mx_layer_shape *shape, const struct strength *strength)
{
  const double wanted = mx_layer_sigma_max(shape, strength->index),
               in_element = -shape->reflection * strength->share / strength->index, room = MX_LAYER_ROOM;
  return in_element > room ? wanted * room / in_element : wanted;
}

/* Adds the response of one kind. */
static int add_kind(struct mx_problem *problem, const struct mx_assignment *assignment, const struct mx_layers *layers,
                    const struct dg_mesh *mesh, const struct part *part, const struct strength *strength,
                    enum mx_response_kind kind, struct dg_error *err)
{
  struct mx_response *response = NULL;
  size_t count = 0, k = 0;
  int64_t all;
  for (size_t e = 0; e < problem->K; e++) count += assignment->layer[e] >= 0 && part[e].kind == kind;
  all = (int64_t)count;
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 1, &all, err) != 0) return err->code;
  if (all == 0) return 0;
  if (mx_problem_add_response(problem, kind, 0, count, &response, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++) {
    const int l = assignment->layer[e];
    if (l < 0 || part[e].kind != kind) continue;
    response->where[k] = (int32_t)e;
    const struct mx_layer_shape *shape = &layers->shape[l];
    fill(shape, sigma_of(shape, &strength[l]), mx_layer_alpha(shape, strength[l].index), mesh, e, &part[e],
         mx_response_parameter(response, k++));
  }
  return 0;
}

/* Finds the layer or the absorber of an element, and its part in it. */
static int assign(const struct mx_problem *problem, struct mx_assignment *assignment, const struct mx_layers *layers,
                  const struct dg_mesh *mesh, size_t e, struct part *part, struct dg_error *err)
{
  const int l = layers->of_volume[mesh->volume[e]];
  size_t entry;
  if (l < 0) return 0;
  const struct mx_layer_shape *shape = &layers->shape[l];
  *(shape->absorber ? &assignment->absorber[e] : &assignment->layer[e]) = l;
  if (find_part(shape, mesh, e, part, err) != 0) return err->code;
  if (shape->absorber || mx_problem_response(problem, e, &entry) == NULL) return 0;
  return refuse(shape, mesh, e,
                "is in a medium with poles, and an element has a pole or a layer; give the layer "
                "`absorber = true`, which is losses, or its volume a medium without poles",
                err);
}

int mx_assign_layers(struct mx_problem *problem, struct mx_assignment *assignment, const struct mx_layers *layers,
                     const struct dg_mesh *mesh, struct dg_error *err)
{
  struct part *part = NULL;
  struct strength *strength = NULL;
  for (size_t e = 0; e < problem->K; e++) assignment->layer[e] = assignment->absorber[e] = -1;
  if (layers == NULL || layers->count == 0) return 0;
  if (DG_NEW(part, problem->K, err) != 0 || DG_NEW(strength, layers->count, err) != 0) goto fail;
  for (size_t e = 0; e < problem->K; e++)
    if (assign(problem, assignment, layers, mesh, e, &part[e], err) != 0) goto fail;
  if (find_strength(problem, assignment, layers, mesh, strength, err) != 0) goto fail;
  for (size_t e = 0; e < problem->K; e++) {
    const int l = assignment->absorber[e];
    if (l >= 0) mx_absorb(problem, &layers->shape[l], strength[l].index, mesh, e);
  }
#define ADD(KIND, ...)                                                                                                 \
  if (add_kind(problem, assignment, layers, mesh, part, strength, KIND, err) != 0) goto fail;
  MX_LAYER_LIST(ADD)
#undef ADD
fail:
  dg_free(part);
  dg_free(strength);
  return err->code;
}
