/* The shape of a perfectly matched layer or an absorber, and which volumes of the mesh are layers. The set-up fills it,
 * from a shell that was drawn (`layers`) or from a wall that was extruded (`boundaries.X.kind = "open"`); the problem's
 * build makes the responses of it (maxwell/response/layer.h has the method), or the losses of an absorber (absorber.h).
 *
 * A layer begins at its inner wall and is `thickness` deep. The wall is
 *   MX_LAYER_BOX       planes at right angles to the axes, low[i] and high[i] from the centre; -INFINITY and INFINITY
 *                      where that side has no layer. Edges and corners, beyond two or three planes, belong to it;
 *   MX_LAYER_SPHERE    a sphere of radius high[0] about the centre;
 *   MX_LAYER_CYLINDER  a cylinder of radius high[0] about axis[2] (INFINITY: no layer there), between low[2] and
 * high[2] along it (infinite: no layer there). Elements lie wholly in or wholly out of the layer, and on one side of
 * each of these walls. Metres. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/response/layer.h"

enum mx_layer_kind { MX_LAYER_BOX, MX_LAYER_SPHERE, MX_LAYER_CYLINDER };

struct mx_layer_shape {
  enum mx_layer_kind kind;
  double centre[3];
  double axis[3][3];      /* rows: an orthonormal frame */
  double low[3], high[3]; /* inner walls, along the axes from the centre; see above */
  double thickness;       /* of the layer, in every direction that has one */
  double reflection;      /* the target in dB, less than 0 */
  bool absorber;          /* losses instead of responses; then frequency, Hz, is the one at which a medium with a
                             response is matched; 0: at rest */
  double frequency;
};

/* The layers of a mesh. */
struct mx_layers {
  size_t count;
  struct mx_layer_shape *shape; /* [count] */
  int *of_volume;               /* [mesh->entities] the layer of a volume of the mesh, or -1 */
};

void mx_layers_release(struct mx_layers *layers);

/* The coordinates of x along the axes, from the centre. */
void mx_layer_coordinates(const struct mx_layer_shape *shape, const double x[3], double q[3]);

/* How far the layer has been entered along each of its directions at coordinates q; 0 where there is no wall. */
void mx_layer_depths(const struct mx_layer_shape *shape, const double q[3], double depth[3]);

/* A place in a layer. */
struct mx_layer_place {
  double frame[3][3]; /* rows: the directions, orthonormal, in the coordinates of the mesh. Box: the axes; sphere:
                         radial and two around; cylinder: radial, around, along */
  double depth[3];    /* how far the layer has been entered along each direction that has a wall, else 0 */
  double sigma[3];    /* the stretch 1 + sigma/(alpha + s) of each direction, s the time derivative in 1/m */
  double alpha;
};

/* Describes the layer at x. index: the largest wave speed in the layer is 1/index (natural units, 1 in vacuum). */
void mx_layer_at(const struct mx_layer_shape *shape, double index, const double x[3], struct mx_layer_place *place);

/* The profile: sigma(depth) = mx_layer_sigma_max * (depth/thickness)^MX_LAYER_GRADE, the same alpha everywhere, so that
 * the stretched radius of a sphere has one pole, too. alpha is MX_LAYER_ALPHA over the optical thickness. */
#define MX_LAYER_ALPHA 0.1
double mx_layer_sigma_max(const struct mx_layer_shape *shape, double index);
double mx_layer_alpha(const struct mx_layer_shape *shape, double index);

/* The most that one element may absorb of a wave that crosses it twice, in dB. More returns more than it takes: the
 * field dies away too fast for the element to carry it (share/doc/design/layers.md). */
#define MX_LAYER_ROOM 80.0

/* What the mesh returns, dB, of a layer with so many intervals between nodes in its thickness (order times elements):
 * it has to carry a wave that dies away. A line above the numbers in maxwell/setup/open_size.c. */
#define MX_LAYER_FLOOR_FIRST 40.0
#define MX_LAYER_FLOOR_EACH  4.0
static inline double mx_layer_floor(double intervals)
{
  return -(MX_LAYER_FLOOR_FIRST + MX_LAYER_FLOOR_EACH * intervals);
}

/* What a layer returns of a wave at an angle to its normal. */
struct mx_layer_return {
  double normal; /* dB: exp(-2 index integral of sigma), what passes it twice along its normal */
  double floor;  /* dB, mx_layer_floor */
  bool absorbed; /* the wall behind it absorbs at normal incidence; else it returns all */
};
/* The layer weakens a wave by the part of its wave vector along the normal, so that exp(-2 index integral of sigma) is
 * taken to the power of the cosine of the angle. The wall behind an open wall's layer has the medium's impedance, of
 * which (1 - cosine)/(1 + cosine) comes back. What the mesh returns comes on top. Checked on a guide, whose modes meet
 * the layer at an angle with cosine sqrt(1 - (cut-off/f)^2) (share/doc/design/layers.md). dB. */
double mx_layer_returns(const struct mx_layer_return *layer, double cosine);

/* How a face lies in a layer. */
enum mx_layer_lie {
  MX_LAYER_ALONG, /* along the ways in which the layer is stretched there */
  MX_LAYER_SLANTED,
  MX_LAYER_INNER, /* on the layer's inner wall */
  MX_LAYER_END    /* where it ends */
};
/* The face with these corners and this normal, of an element with its barycentre at `middle`. */
enum mx_layer_lie mx_layer_lie(const struct mx_layer_shape *shape, const double middle[3], const double corner[3][3],
                               const double normal[3]);
