/* The profile of a perfectly matched layer, and its directions, depths and stretches at a place; layer_shape.h
 * documents them. The set-up and the problem's build call it; maxwell/response/layer.h has the method. */
#include "maxwell/problem/layer_shape.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

void mx_layers_release(struct mx_layers *layers)
{
  dg_free(layers->shape);
  dg_free(layers->of_volume);
  *layers = (struct mx_layers){0};
}

double mx_layer_sigma_max(const struct mx_layer_shape *shape, double index)
{
  /* A wave that crosses the layer twice has lost exp(-2 index * integral of sigma). */
  const double nepers = -shape->reflection / 20 * log(10);
  return (MX_LAYER_GRADE + 1) * nepers / (2 * index * shape->thickness);
}

double mx_layer_alpha(const struct mx_layer_shape *shape, double index)
{
  return MX_LAYER_ALPHA / (index * shape->thickness);
}

void mx_layer_coordinates(const struct mx_layer_shape *shape, const double x[3], double q[3])
{
  for (int i = 0; i < 3; i++) {
    q[i] = 0;
    for (int c = 0; c < 3; c++) q[i] += shape->axis[i][c] * (x[c] - shape->centre[c]);
  }
}

static double beyond(const struct mx_layer_shape *shape, int i, double q)
{
  return fmax(fmax(q - shape->high[i], shape->low[i] - q), 0);
}

void mx_layer_depths(const struct mx_layer_shape *shape, const double q[3], double depth[3])
{
  for (int i = 0; i < 3; i++) depth[i] = beyond(shape, i, q[i]);
  if (shape->kind == MX_LAYER_BOX) return;
  const bool sphere = shape->kind == MX_LAYER_SPHERE;
  const double radius = sphere ? sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) : hypot(q[0], q[1]);
  depth[0] = fmax(radius - shape->high[0], 0);
  depth[1] = 0;
  if (sphere) depth[2] = 0;
}

/* Directions of a sphere or a cylinder at q, along the axes: radial, around, and the third. */
static void round_frame(bool sphere, const double q[3], double radius, double frame[3][3])
{
  const double across = hypot(q[0], q[1]);
  const double e[2] = {across > 0 ? q[0] / across : 1, across > 0 ? q[1] / across : 0};
  memset(frame, 0, 9 * sizeof(double));
  frame[1][0] = -e[1];
  frame[1][1] = e[0];
  if (!sphere) {
    frame[0][0] = e[0];
    frame[0][1] = e[1];
    frame[2][2] = 1;
    return;
  }
  for (int i = 0; i < 3; i++) frame[0][i] = radius > 0 ? q[i] / radius : (double)(i == 0);
  frame[2][0] = -frame[0][2] * e[0];
  frame[2][1] = -frame[0][2] * e[1];
  frame[2][2] = radius > 0 ? across / radius : 0;
}

void mx_layer_at(const struct mx_layer_shape *shape, double index, const double x[3], struct mx_layer_place *place)
{
  const double largest = mx_layer_sigma_max(shape, index), L = shape->thickness;
  double q[3], frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mx_layer_coordinates(shape, x, q);
  *place = (struct mx_layer_place){.alpha = mx_layer_alpha(shape, index)};
  mx_layer_depths(shape, q, place->depth);
  if (shape->kind != MX_LAYER_BOX) {
    const bool sphere = shape->kind == MX_LAYER_SPHERE;
    const double radius = sphere ? sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) : hypot(q[0], q[1]);
    round_frame(sphere, q, radius, frame);
    /* The complex radius, the integral of the stretch, stretches what goes around in proportion to it. */
    const double xi = place->depth[0] / L;
    place->sigma[1] = radius > 0 ? largest * L * pow(xi, MX_LAYER_GRADE + 1) / (MX_LAYER_GRADE + 1) / radius : 0;
    if (sphere) place->sigma[2] = place->sigma[1];
  }
  for (int i = 0; i < 3; i++) {
    if (place->depth[i] > 0) place->sigma[i] = largest * pow(place->depth[i] / L, MX_LAYER_GRADE);
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++) place->frame[i][c] += frame[i][k] * shape->axis[k][c];
  }
}

double mx_layer_returns(const struct mx_layer_return *layer, double cosine)
{
  const double behind = layer->absorbed ? (1 - cosine) / (1 + cosine) : 1;
  return 20 * log10(fmin(1, behind * pow(10, layer->normal * cosine / 20) + pow(10, layer->floor / 20)));
}

enum mx_layer_lie mx_layer_lie(const struct mx_layer_shape *shape, const double middle[3], const double corner[3][3],
                               const double normal[3])
{
  const double limit = shape->kind == MX_LAYER_BOX ? 0.01 : 0.3; /* sine; round walls are made of flat faces */
  const double slack = 0.01 * shape->thickness;
  struct mx_layer_place place;
  double most = 0, low = INFINITY, high = 0;
  int way = 0;
  mx_layer_at(shape, 1, middle, &place);
  for (int i = 0; i < 3; i++) {
    const double across = fabs(dg_dot(place.frame[i], normal));
    if (place.depth[i] <= 0 || across <= most) continue;
    most = across;
    way = i;
  }
  if (most < limit) return MX_LAYER_ALONG;
  for (int v = 0; v < 3; v++) {
    double q[3], depth[3];
    mx_layer_coordinates(shape, corner[v], q);
    mx_layer_depths(shape, q, depth);
    low = fmin(low, depth[way]);
    high = fmax(high, depth[way]);
  }
  return high < slack ? MX_LAYER_INNER : low > shape->thickness - slack ? MX_LAYER_END : MX_LAYER_SLANTED;
}
