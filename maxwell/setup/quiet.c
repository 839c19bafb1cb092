/* Finds when the sources have ended, from their waveforms, delays and lags, and when a wave has crossed the mesh since.
 * Resonances are looked for behind that, and the rule time.decay waits for it. */
#include "maxwell/setup/quiet.h"

#include <math.h>

/* The diagonal of the box around the mesh, m. */
static int diagonal_of(const struct mx_scene *scene, double *diagonal, struct dg_error *err)
{
  double most[6]; /* of x, y, z and of their negatives */
  for (int d = 0; d < 6; d++) most[d] = -INFINITY;
  for (size_t v = 0; v < scene->mesh->vertices; v++)
    for (int d = 0; d < 3; d++) {
      most[d] = fmax(most[d], scene->mesh->vertex[v][d]);
      most[3 + d] = fmax(most[3 + d], -scene->mesh->vertex[v][d]);
    }
  if (dg_comm_reduce(scene->comm, DG_MAX, 6, most, err) != 0) return err->code;
  *diagonal = hypot(hypot(most[0] + most[3], most[1] + most[4]), most[2] + most[5]);
  return 0;
}

int mx_find_quiet(struct mx_quiet *quiet, const struct mx_scene *scene, struct dg_error *err)
{
  const double nearly = 1e-3, quite = 1e-6; /* of the waveform's largest value */
  double crossing = 0;
  *quiet = (struct mx_quiet){0};
  for (size_t i = 0; i < scene->sources->list.count; i++) {
    const struct mx_source *source = &scene->sources->list.source[i];
    if (source->port && !source->driven) continue;
    double late = 0;
    for (size_t k = 0; source->lag != NULL && k < source->points; k++) late = fmax(late, source->lag[k]);
    if (dg_comm_reduce(scene->comm, DG_MAX, 1, &late, err) != 0) return err->code;
    late += source->delay;
    const bool known = source->function == NULL;
    const double ended = known ? late + mx_waveform_end(&source->waveform, nearly) : INFINITY;
    const double silent = known ? late + mx_waveform_end(&source->waveform, quite) : INFINITY;
    quiet->ended = fmax(quiet->ended, ended);
    if (quiet->what != NULL && silent <= quiet->silent) continue;
    quiet->silent = fmax(silent, 0);
    quiet->what = source->what;
  }
  if (quiet->what == NULL) return 0;
  if (diagonal_of(scene, &crossing, err) != 0) return err->code;
  quiet->silent += crossing / MX_C0;
  return 0;
}
