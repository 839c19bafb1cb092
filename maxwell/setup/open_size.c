/* Chooses how deep the layer of an open wall is. open_layer.c calls it.
 *
 * A layer that would take the wave without a mesh returns exp(-2 integral of sigma), and `reflection` sets that number.
 * The mesh returns more: it has to carry a wave that dies away within the layer. What it returns depends on the
 * intervals between nodes in the thickness, order times elements. Measured with a dipole in a box of cubes, two to the
 * wavelength at the upper end of its band, at the worse of two probes, E or H (share/doc/design/layers.md):
 *
 *     order 2: 4 elements -73 dB;  order 3: 2, 3: -68, -82;  order 4: 2: -76. */
#include "maxwell/setup/open_size.h"

#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"
#include "maxwell/model/waveform.h"

/* The mean edge of the wall's triangles, by their areas. */
static double mean_edge(const struct dg_mesh *mesh, const struct dg_wall *wall)
{
  double areas = 0, sum = 0, normal[3];
  for (size_t k = 0; k < wall->faces; k++) {
    const double area = dg_face_normal(mesh, wall->face[k], normal);
    areas += area;
    sum += area * sqrt(4 / sqrt(3) * area); /* the edge of a triangle with equal sides */
  }
  return sum / areas;
}

/* What an absorber returns depends on its depth in wavelengths, and hardly on the order. The same dipole, two elements
 * a wavelength at the upper end of its band and six at the peak, at the worse of two probes: 4 and 8 elements -27 and
 * -41 dB. */
#define ABSORBER_FIRST 13.6
#define ABSORBER_EACH  3.4

static int sheets_of_absorber(double target)
{
  const int enough = (int)ceil((-target - ABSORBER_FIRST) / ABSORBER_EACH);
  return enough > 2 ? enough : 2;
}

/* What the layer's last element absorbs of all that the layer does: where sigma is largest. */
static double last_share(int sheets) { return 1 - pow(1 - 1.0 / sheets, MX_LAYER_GRADE + 1); }

/* Elements in the thickness of a perfectly matched layer: enough for the mesh to carry the wave, and for each element
 * to stay within its room. */
static int sheets_of_layer(const struct mx_config *config, double target)
{
  const int least = 2, intervals = (int)ceil((-target - MX_LAYER_FLOOR_FIRST) / MX_LAYER_FLOOR_EACH);
  int sheets = (intervals + config->order - 1) / config->order;
  if (sheets < least) sheets = least;
  while (-target * last_share(sheets) > MX_LAYER_ROOM) sheets++;
  return sheets;
}

int mx_open_size(struct mx_open_plan *plan, const struct mx_config *config, const struct dg_mesh *mesh,
                 const struct dg_wall *wall, struct dg_error *err)
{
  const struct mx_open_config *open = plan->open;
  plan->size = mean_edge(mesh, wall);
  plan->frequency = mx_highest_frequency(config);
  plan->target = mx_layer_target(open->reflection, open->absorber);
  plan->sheets = open->absorber ? sheets_of_absorber(plan->target) : sheets_of_layer(config, plan->target);
  if (open->sheets > 0) plan->sheets = open->sheets;
  else if (open->thickness > 0) plan->sheets = (int)fmin(fmax(plan->sheets, round(open->thickness / plan->size)), 1000);
  plan->thickness = open->thickness > 0 ? open->thickness : plan->sheets * plan->size;
  const double carried = fmax(mx_layer_floor(plan->sheets * config->order), -MX_LAYER_ROOM / last_share(plan->sheets));
  plan->reflection = fmax(plan->target, open->absorber ? -(ABSORBER_FIRST + ABSORBER_EACH * plan->sheets) : carried);
  if (DG_NEW(plan->depth, plan->sheets, err) != 0) return err->code;
  for (int i = 0; i < plan->sheets; i++) plan->depth[i] = plan->thickness * (i + 1) / plan->sheets;
  return 0;
}

void mx_open_report(const struct mx_open_plan *plan, struct dg_log *log)
{
  static const char *const shape[] = {
      [DG_WALL_BOX] = "box", [DG_WALL_SPHERE] = "sphere", [DG_WALL_CYLINDER] = "cylinder"};
  char wavelengths[80] = "";
  if (plan->frequency > 0)
    (void)snprintf(wavelengths, sizeof wavelengths, ", %.2g wavelengths at %.4g Hz",
                   plan->thickness * plan->frequency / MX_C0, plan->frequency);
  if (plan->open->reflection < 0 && plan->reflection > plan->target + 6)
    dg_log_warning(log,
                   MX_PLACE "%s: about %.0f dB come back from %d elements of this order, and reflection = %g is asked: "
                            "leave `elements` and `thickness` out, or give more elements",
                   MX_AT(plan->where), plan->what, plan->reflection, plan->sheets, plan->target);
  dg_log_line(log, "open      %s, a %s: %s of %d elements, %.4g m thick%s; about %.0f dB come back", plan->what,
              shape[plan->shape.kind], plan->open->absorber ? "an absorber" : "a layer", plan->sheets, plan->thickness,
              wavelengths, plan->reflection);
}
