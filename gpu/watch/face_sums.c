/* Running transforms of the fields on faces, which stay on the card until the end of the run or a checkpoint: of a
 * sample nothing comes to the host. Where leapfrog works in place, H of half a step before is kept for the elements
 * at the faces, as monitors do. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/watch/face_sums.h"
#include "gpu/watch/monitor.h"
#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"

static size_t count_sides(const struct mx_face_sums *what)
{
  size_t sides = 0;
  for (size_t k = 0; k < what->faces; k++) sides += (size_t)(what->side[k][0] >= 0) + (what->side[k][1] >= 0);
  return sides;
}

/* The arrays of the sides on the host, before they go to the card. */
struct lists {
  int32_t *first, *side, *other_row, *face_node;
  double *weight;
};

/* Weights for covariant components: a vector's Cartesian component d is the sum of component a times gradient[a][d]. */
static void turn_weights(const struct mx_backend *backend, size_t element, const double given[4][6], double weight[24])
{
  double g[3][3];
  mx_frame_gradients(backend->problem->metric[element], g);
  for (int i = 0; i < 4; i++)
    for (int f = 0; f < 6; f += 3)
      for (int a = 0; a < 3; a++)
        weight[6 * i + f + a] = given[i][f] * g[a][0] + given[i][f + 1] * g[a][1] + given[i][f + 2] * g[a][2];
}

static void fill_lists(const struct mx_backend *backend, const struct mx_face_sums *what, size_t kept,
                       struct lists *lists)
{
  const struct dg_reference *ref = backend->problem->ref;
  size_t at = 0;
  for (size_t k = 0; k < what->faces; k++) {
    lists->first[k] = (int32_t)at;
    for (int s = 0; s < 2; s++) {
      const int32_t side = what->side[k][s];
      if (side < 0) continue;
      lists->side[at] = side;
      lists->other_row[at] = backend->in_place ? (int32_t)(kept + at) : side / 4;
      turn_weights(backend, (size_t)side / 4, what->weight[at], lists->weight + 24 * at);
      at++;
    }
  }
  lists->first[what->faces] = (int32_t)at;
  for (int i = 0; i < 4 * ref->Nf; i++) lists->face_node[i] = backend->place[ref->face_node[i]];
}

static int copy_lists(struct mx_backend *backend, struct gpu_face_states *at, const struct lists *lists, size_t faces,
                      size_t sides, struct dg_error *err)
{
  static const char what[] = "far fields";
  struct gpu_memory *card = &backend->card;
  int32_t *number[4];
  double *weight;
  if (gpu_new_copy(card, &number[0], lists->first, (faces + 1) * sizeof **number, what, err) != 0 ||
      gpu_new_copy(card, &number[1], lists->side, sides * sizeof **number, what, err) != 0 ||
      gpu_new_copy(card, &number[2], lists->other_row, sides * sizeof **number, what, err) != 0 ||
      gpu_new_copy(card, &number[3], lists->face_node, 4 * (size_t)at->Nf * sizeof **number, what, err) != 0 ||
      gpu_new_copy(card, &weight, lists->weight, 24 * sides * sizeof *weight, what, err) != 0)
    return err->code;
  at->first = number[0], at->side = number[1], at->other_row = number[2], at->face_node = number[3];
  at->weight = weight;
  return 0;
}

int gpu_new_sums(struct mx_backend *backend, struct gpu_running *sums, const char *what, struct dg_error *err)
{
  const size_t width = sums->turns.width, total = sums->turns.sums * width;
  if (gpu_new(&backend->card, &sums->row, sums->rows * width * sizeof(double), what, err) != 0 ||
      gpu_new(&backend->card, &sums->turn, sums->rows * sums->turns.sums * sizeof(double), what, err) != 0 ||
      gpu_new(&backend->card, &sums->sum, total * sizeof(double), what, err) != 0)
    return err->code;
  if (total == 0) return 0;
  return gpu_check(gpuMemsetAsync(sums->sum, 0, total * sizeof(double), backend->work), "clearing sums", err);
}

int gpu_face_sums_new(struct mx_backend *backend, const struct mx_face_sums *what, size_t *number, struct dg_error *err)
{
  const size_t sides = count_sides(what), Nf = (size_t)backend->problem->ref->Nf, width = 4 * Nf * what->faces;
  struct lists lists = {0};
  int32_t *element = NULL;
  size_t kept = 0;
  if (backend->runnings == GPU_SUMS)
    return dg_fail(err, DG_INPUT, "a card takes %d far fields and spectra at most", GPU_SUMS);
  struct gpu_running *sums = &backend->running[backend->runnings];
  *sums = (struct gpu_running){.faces = {.faces = what->faces, .Nf = (int)Nf},
                               .turns = {.width = width, .sums = 2 * what->frequencies},
                               .rows = GPU_SUM_ROWS};
  if (DG_NEW(lists.first, what->faces + 1, err) != 0 || DG_NEW(lists.side, sides, err) != 0 ||
      DG_NEW(lists.other_row, sides, err) != 0 || DG_NEW(lists.face_node, 4 * Nf, err) != 0 ||
      DG_NEW(lists.weight, 24 * sides, err) != 0 || DG_NEW(element, sides, err) != 0)
    goto fail;
  fill_lists(backend, what, 0, &lists);
  for (size_t s = 0; s < sides; s++) {
    element[s] = lists.side[s] / 4;
    if (!gpu_is_curved(backend, (size_t)element[s])) continue;
    (void)dg_fail(err, DG_INPUT,
                  "element %d at the surface of a far field is curved, which the cuda backend does not take",
                  (int)element[s]);
    goto fail;
  }
  if (backend->in_place && gpu_keep_elements(backend, sides, element, &kept, err) != 0) goto fail;
  fill_lists(backend, what, kept, &lists);
  if (copy_lists(backend, &sums->faces, &lists, what->faces, sides, err) != 0 ||
      gpu_new_sums(backend, sums, "far fields", err) != 0)
    goto fail;
  *number = backend->runnings++;
fail:
  dg_free(lists.first);
  dg_free(lists.side);
  dg_free(lists.other_row);
  dg_free(lists.face_node);
  dg_free(lists.weight);
  dg_free(element);
  return err->code;
}

int gpu_sums_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err)
{
  const struct gpu_running *sums = &backend->running[number];
  const void *E = backend->field[0], *H = backend->field[1];
  DG_BUG_IF(backend->in_place && !backend->observed, "sums were to take a step that is not observed");
  const void *H_other = backend->in_place ? backend->monitored->kept.row : gpu_other_H(backend);
  double *value = sums->row + row * sums->turns.width;
  if (sums->points.count > 0) {
    struct gpu_point_states points = sums->points;
    points.E = E, points.H = H, points.H_other = H_other, points.value = value;
    return gpu_check(gpu_sample_points_of_sums(&backend->tables, &points, backend->work), "observing points", err);
  }
  struct gpu_face_states faces = sums->faces;
  faces.E = E, faces.H = H, faces.H_other = H_other, faces.value = value;
  return gpu_check(gpu_sample_faces(&backend->tables, &faces, backend->work), "observing faces", err);
}

int gpu_sums_add(struct mx_backend *backend, size_t number, size_t rows, const double *turn, struct dg_error *err)
{
  const struct gpu_running *sums = &backend->running[number];
  struct gpu_turns turns = sums->turns;
  if (turns.width == 0 || rows == 0) return 0;
  turns.rows = rows, turns.row = sums->row, turns.turn = sums->turn, turns.sum = sums->sum;
  /* from memory that is not pinned: the call returns once the numbers are the driver's */
  if (gpu_check(
          gpuMemcpyAsync(sums->turn, turn, rows * turns.sums * sizeof *turn, gpuMemcpyHostToDevice, backend->work),
          "copying what turns samples", err) != 0)
    return err->code;
  return gpu_check(gpu_add_rows(&backend->tables, &turns, backend->work), "adding samples", err);
}

static int move(struct mx_backend *backend, void *to, const void *from, size_t numbers, bool fetches,
                struct dg_error *err)
{
  if (numbers == 0) return 0;
  if (gpu_check(gpuMemcpyAsync(to, from, numbers * sizeof(double),
                               fetches ? gpuMemcpyDeviceToHost : gpuMemcpyHostToDevice, backend->work),
                "copying sums", err) != 0)
    return err->code;
  return gpu_wait(backend, err);
}

int gpu_sums_fetch(struct mx_backend *backend, size_t number, double *sum, struct dg_error *err)
{
  const struct gpu_running *sums = &backend->running[number];
  return move(backend, sum, sums->sum, sums->turns.width * sums->turns.sums, true, err);
}

int gpu_sums_set(struct mx_backend *backend, size_t number, const double *sum, struct dg_error *err)
{
  const struct gpu_running *sums = &backend->running[number];
  return move(backend, sums->sum, sum, sums->turns.width * sums->turns.sums, false, err);
}
