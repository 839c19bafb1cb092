/* Running transforms of the fields at points, which stay on the card until the end of the run or a checkpoint. A sample
 * is Cartesian, so that sums are the host's. Where leapfrog works in place, H of half a step before is kept for the
 * elements of the points. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/places.h"
#include "gpu/watch/face_sums.h"
#include "gpu/watch/monitor.h"
#include "gpu/watch/point_sums.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"

/* The arrays of the points on the host, before they go to the card. */
struct lists {
  int32_t *number; /* [4][count] element, row of H of before, node, frame */
  double *weight, (*gradient)[9];
  int32_t *kept; /* [rows] elements, each once where its points stand together */
  size_t rows, frames;
  bool weighted;
};

/* Points of a straight element share its frame; nodes of a curved one, and places in it, have their own. */
static void fill_lists(const struct mx_backend *backend, const struct mx_point_sums *what, struct lists *lists)
{
  const struct mx_point *point = what->point;
  const size_t count = what->points;
  lists->rows = lists->frames = 0;
  for (size_t k = 0; k < count; k++) {
    const bool enters = k == 0 || point[k].element != point[k - 1].element;
    if (enters) lists->kept[lists->rows++] = (int32_t)point[k].element;
    if (enters || gpu_is_curved(backend, point[k].element)) {
      double g[3][3];
      mx_frame_gradients(gpu_metric_of_point(backend, &point[k]), g);
      memcpy(lists->gradient[lists->frames++], g, sizeof g);
    }
    lists->number[k] = (int32_t)point[k].element;
    lists->number[count + k] = backend->in_place ? (int32_t)(lists->rows - 1) : (int32_t)point[k].element;
    lists->number[2 * count + k] = point[k].weight != NULL ? -1 : backend->place[point[k].node];
    lists->number[3 * count + k] = (int32_t)(lists->frames - 1);
    lists->weighted = lists->weighted || point[k].weight != NULL;
  }
}

/* Makes the rows of H of before those among all that are kept. */
static int keep_rows(struct mx_backend *backend, const struct mx_point_sums *what, struct lists *lists,
                     struct dg_error *err)
{
  size_t first = 0;
  if (!backend->in_place || what->first + what->components <= 3) return 0;
  if (gpu_keep_elements(backend, lists->rows, lists->kept, &first, err) != 0) return err->code;
  for (size_t k = 0; k < what->points; k++) lists->number[what->points + k] += (int32_t)first;
  return 0;
}

static int fill_weights(const struct mx_backend *backend, const struct mx_point_sums *what, struct lists *lists,
                        struct dg_error *err)
{
  const size_t Np = (size_t)backend->problem->ref->Np;
  if (!lists->weighted) return 0;
  if (DG_NEW(lists->weight, what->points * Np, err) != 0) return err->code;
  for (size_t k = 0; k < what->points; k++)
    for (size_t n = 0; n < Np && what->point[k].weight != NULL; n++)
      lists->weight[k * Np + n] = what->point[k].weight[backend->node[n]];
  return 0;
}

static int copy_lists(struct mx_backend *backend, struct gpu_point_states *at, const struct lists *lists, size_t count,
                      struct dg_error *err)
{
  static const char what[] = "spectra";
  struct gpu_memory *card = &backend->card;
  int32_t *number;
  double *gradient, *weight = NULL;
  if (gpu_new_copy(card, &number, lists->number, 4 * count * sizeof *number, what, err) != 0 ||
      gpu_new_copy(card, &gradient, lists->gradient, lists->frames * sizeof *lists->gradient, what, err) != 0 ||
      (lists->weighted && gpu_new_copy(card, &weight, lists->weight,
                                       count * (size_t)backend->problem->ref->Np * sizeof *weight, what, err) != 0))
    return err->code;
  at->element = number, at->other_row = number + count, at->node = number + 2 * count, at->frame = number + 3 * count;
  at->gradient = gradient, at->weight = weight;
  return 0;
}

int gpu_point_sums_new(struct mx_backend *backend, const struct mx_point_sums *what, size_t *number,
                       struct dg_error *err)
{
  const size_t count = what->points, width = what->components * count;
  struct lists lists = {0};
  if (backend->runnings == GPU_SUMS)
    return dg_fail(err, DG_INPUT, "a card takes %d far fields and spectra at most", GPU_SUMS);
  struct gpu_running *sums = &backend->running[backend->runnings];
  *sums = (struct gpu_running){
      .points = {.count = count, .vectors = (int)what->components / 3, .first = (int)what->first / 3},
      .turns = {.width = width, .sums = 2 * what->frequencies},
      .rows = what->rows};
  if (DG_NEW(lists.number, 4 * count, err) != 0 || DG_NEW(lists.gradient, count, err) != 0 ||
      DG_NEW(lists.kept, count, err) != 0)
    goto fail;
  fill_lists(backend, what, &lists);
  if (fill_weights(backend, what, &lists, err) != 0 || keep_rows(backend, what, &lists, err) != 0 ||
      copy_lists(backend, &sums->points, &lists, count, err) != 0 || gpu_new_sums(backend, sums, "spectra", err) != 0)
    goto fail;
  *number = backend->runnings++;
fail:
  dg_free(lists.number);
  dg_free(lists.gradient);
  dg_free(lists.kept);
  dg_free(lists.weight);
  return err->code;
}
