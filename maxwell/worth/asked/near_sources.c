/* Doubts probes beside point sources. asked.h says when. */
#include <math.h>

#include "maxwell/measure/points.h"
#include "maxwell/worth/asked/asked.h"

/* The longest edge of an element, m. */
static double size_of(const struct dg_mesh *mesh, size_t e)
{
  double most = 0;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < a; b++) {
      const double *x = mesh->vertex[mesh->element[e][a]], *y = mesh->vertex[mesh->element[e][b]];
      most = fmax(most, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
  return most;
}

/* How far a place is from a dipole or a wire, m; infinite: the source is none of them. */
static double distance(const struct mx_source_config *source, const double x[3])
{
  double along[3] = {0, 0, 0}, to[3], square = 0, part = 0;
  if (source->shape == MX_REGION) return INFINITY;
  for (int d = 0; d < 3; d++) {
    if (source->shape == MX_WIRE) along[d] = source->to[d] - source->at[d];
    to[d] = x[d] - source->at[d];
    square += along[d] * along[d];
    part += along[d] * to[d];
  }
  part = square > 0 ? fmax(0, fmin(1, part / square)) : 0;
  for (int d = 0; d < 3; d++) to[d] -= part * along[d];
  return sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
}

static int judge(const struct mx_asked_place *place, const struct mx_measure *measure, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  const ptrdiff_t e = mx_points_element(measure);
  double least[2] = {INFINITY, INFINITY}; /* distance over size, and the source's number, of the rank that has it */
  const double near = 2.0 / 3;            /* measured: off by 10 to 200 % at orders 2 to 5 */
  char key[64];
  for (size_t i = 0; e >= 0 && i < place->config->sources; i++) {
    const double size = distance(&place->config->source[i], config->point[0]) / size_of(place->mesh, (size_t)e);
    if (size < least[0]) least[0] = size, least[1] = (double)i;
  }
  if (dg_comm_reduce(place->problem->comm, DG_MIN, 2, least, err) != 0) return err->code;
  if (!(least[0] < near)) return 0;
  snprintf(key, sizeof key, "output.%s", config->kind->key);
  mx_doubt(
      place->doubts, place->log, MX_DOUBT_PLACE, key, config->name,
      "%s: '%s' lies %.2g of its element's size from sources[%d], a point or a line without thickness: so near to it "
      "elements do not follow its field, which may be wrong by its own size; make elements there some times smaller",
      key, config->name, least[0], (int)least[1] + 1);
  return 0;
}

int mx_doubt_near_sources(const struct mx_asked_place *place, struct dg_error *err)
{
  for (size_t i = 0; i < place->measures->count; i++) {
    const struct mx_measure *measure = &place->measures->measure[i];
    if (measure->config->points != 1) continue; /* probes */
    if (judge(place, measure, err) != 0) return err->code;
  }
  return 0;
}
