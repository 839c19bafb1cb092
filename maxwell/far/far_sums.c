/* Samples the fields on a closed surface for their running Fourier transforms. far_field.c calls it; far_sums.h says
 * which fields they are. */
#include "maxwell/far/far_sums.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

static double of_cross(const double n[3], const double t[3], int c)
{
  /* t.(n x e_c) = e_c.(t x n) */
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  return t[a] * n[b] - t[b] * n[a];
}

void mx_far_side_weights(const struct mx_problem *problem, const struct mx_far_face *face, int side,
                         double weight[MX_FAR_NUMBERS][6])
{
  const size_t e = (size_t)face->side[side] / 4, f = (size_t)face->side[side] % 4;
  const struct mx_face_flux *flux = &problem->flux[e][f];
  const double *n = problem->normal[e][f], s = side == 0 ? 1 : -1;
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 3; c++) {
      const double *t = face->tangent[i];
      weight[i][c] = -s * flux->e_penalty * t[c];
      weight[i][3 + c] = s * (1 - flux->h_jump) * of_cross(n, t, c);
      weight[2 + i][c] = -s * (1 - flux->e_jump) * of_cross(n, t, c);
      weight[2 + i][3 + c] = -s * flux->h_penalty * t[c];
    }
}

void mx_far_node_weights(const struct mx_problem *problem, const struct mx_far_face *face, int side, size_t m,
                         double weight[MX_FAR_NUMBERS][6])
{
  const struct dg_reference *ref = problem->ref;
  const struct mx_face_flux *flux = &problem->flux[face->side[side] / 4][face->side[side] % 4];
  const int node = ref->face_node[3 * (size_t)ref->Nf + m]; /* face 3 is the reference triangle */
  const double bary[3] = {-(ref->r[node] + ref->s[node]) / 2, (1 + ref->r[node]) / 2, (1 + ref->s[node]) / 2};
  const double s = side == 0 ? 1 : -1;
  struct mx_face_frame frame;
  mx_face_frame_at(&face->map, face->normal, bary, &frame);
  const double(*t)[3] = (const double(*)[3])frame.t;
  const double g11 = dg_dot(t[0], t[0]), g12 = dg_dot(t[0], t[1]), g22 = dg_dot(t[1], t[1]);
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 3; c++) {
      const double turned = frame.sign * (i == 0 ? -t[1][c] : t[0][c]);
      const double along = s / frame.area * (i == 0 ? g22 * t[0][c] - g12 * t[1][c] : g11 * t[1][c] - g12 * t[0][c]);
      weight[i][c] = -flux->e_penalty * along;
      weight[i][3 + c] = (1 - flux->h_jump) * turned;
      weight[2 + i][c] = -(1 - flux->e_jump) * turned;
      weight[2 + i][3 + c] = -flux->h_penalty * along;
    }
}

static size_t own_sides(const struct mx_far_face *face) { return (size_t)(face->side[0] >= 0) + (face->side[1] >= 0); }

int mx_far_sums_init(struct mx_far_sums *sums, const struct mx_far_surface *surface, const struct mx_problem *problem,
                     const struct mx_frequencies *frequencies, double interval, struct dg_error *err)
{
  const struct dg_reference *ref = problem->ref;
  const size_t Nf = (size_t)ref->Nf;
  size_t sides = 0, bent = 0;
  for (size_t k = 0; k < surface->count; k++) {
    sides += own_sides(&surface->face[k]);
    if (surface->face[k].map.geometry > 0) bent += own_sides(&surface->face[k]);
  }
  *sums = (struct mx_far_sums){.surface = surface, .Nf = Nf, .points = sides * Nf, .bent_sides = bent};
  if (mx_running_init(&sums->running, surface->count * MX_FAR_NUMBERS * Nf, frequencies, interval, MX_RUNNING_ROWS,
                      err) != 0 ||
      mx_tail_init(&sums->tail, frequencies->count, frequencies->hertz, sums->running.width, err) != 0 ||
      DG_NEW(sums->point, sums->points, err) != 0 || DG_NEW(sums->weight, sides, err) != 0 ||
      DG_NEW(sums->bent, bent * Nf, err) != 0 || DG_NEW(sums->sample, sums->points, err) != 0)
    return err->code;
  size_t points = 0, at = 0, bent_at = 0;
  for (size_t k = 0; k < surface->count; k++)
    for (int s = 0; s < 2; s++) {
      const int32_t side = surface->face[k].side[s];
      if (side < 0) continue;
      mx_far_side_weights(problem, &surface->face[k], s, sums->weight[at++]);
      for (size_t m = 0; m < Nf && surface->face[k].map.geometry > 0; m++)
        mx_far_node_weights(problem, &surface->face[k], s, m, sums->bent[bent_at++]);
      for (size_t m = 0; m < Nf; m++)
        sums->point[points++] =
            (struct mx_point){.element = (size_t)side / 4, .node = (size_t)ref->face_node[(size_t)(side % 4) * Nf + m]};
    }
  return 0;
}

/* A sample from the fields at the points. */
static void combine(const struct mx_far_sums *sums, double *value)
{
  const struct mx_far_surface *surface = sums->surface;
  const size_t Nf = sums->Nf;
  const double(*sample)[6] = (const double(*)[6])sums->sample;
  const double(*weight)[4][6] = (const double(*)[4][6])sums->weight;
  const double(*bent)[4][6] = (const double(*)[4][6])sums->bent;
  for (size_t k = 0; k < surface->count; k++, value += MX_FAR_NUMBERS * Nf) {
    memset(value, 0, MX_FAR_NUMBERS * Nf * sizeof *value);
    const bool curved = surface->face[k].map.geometry > 0;
    for (size_t s = own_sides(&surface->face[k]); s > 0; s--, weight++, sample += Nf, bent += curved ? Nf : 0)
      for (int i = 0; i < MX_FAR_NUMBERS; i++)
        for (size_t m = 0; m < Nf; m++) {
          const double *from = curved ? bent[m][i] : (*weight)[i];
          double sum = 0;
          for (int c = 0; c < 6; c++) sum += from[c] * sample[m][c];
          value[(size_t)i * Nf + m] += sum;
        }
  }
}

int mx_far_sums_watch(struct mx_far_sums *sums, const struct mx_backend_ops *ops, struct mx_backend *backend,
                      struct dg_error *err)
{
  const struct mx_far_surface *surface = sums->surface;
  int32_t(*side)[2];
  if (!ops->card->present) return 0;
  if (surface->curved > 0) return 0; /* a card's weights are one set for a face: samples come to the host */
  if (DG_NEW(side, surface->count, err) != 0) return err->code;
  for (size_t k = 0; k < surface->count; k++) memcpy(side[k], surface->face[k].side, sizeof side[k]);
  const struct mx_face_sums what = {.faces = surface->count,
                                    .side = (const int32_t(*)[2])side,
                                    .weight = (const double(*)[4][6])sums->weight,
                                    .frequencies = sums->running.frequencies};
  size_t number;
  if (ops->card->face_sums_new(backend, &what, &number, err) == 0) {
    mx_running_on_card(&sums->running, ops, backend, number);
    dg_free(sums->sample);
    sums->sample = NULL;
  }
  dg_free(side);
  return err->code;
}

/* Notes the squares of a sample. The last one is that of some samples: a wave may just pass zero. */
static void note_size(struct mx_far_sums *sums, const double *value)
{
  const double fades = 0.5;
  double square = 0;
  for (size_t i = 0; i < sums->running.width; i++) square += value[i] * value[i];
  sums->last = fmax(square, fades * sums->last);
  sums->largest = fmax(sums->largest, square);
}

int mx_far_sums_take(struct mx_far_sums *sums, const struct mx_backend_ops *ops, struct mx_backend *backend, double t,
                     struct dg_error *err)
{
  if (sums->running.backend != NULL) {
    if (mx_running_sample(&sums->running, err) != 0) return err->code;
  } else {
    double *value = mx_running_room(&sums->running);
    if (ops->sample(backend, sums->points, sums->point, sums->sample, err) != 0) return err->code;
    combine(sums, value);
    note_size(sums, value);
    mx_tail_add(&sums->tail, t, value, sums->running.width);
  }
  return mx_running_keep(&sums->running, t, 1, err);
}

size_t mx_far_sums_memory(const struct mx_far_sums *sums)
{
  return sums->points * (sizeof *sums->point + sizeof *sums->sample) + sums->points / sums->Nf * sizeof *sums->weight +
         sums->bent_sides * sums->Nf * sizeof *sums->bent + mx_running_memory(&sums->running);
}

void mx_far_sums_release(struct mx_far_sums *sums)
{
  dg_free(sums->point);
  dg_free(sums->weight);
  dg_free(sums->bent);
  dg_free(sums->sample);
  mx_running_release(&sums->running);
  mx_tail_release(&sums->tail);
  *sums = (struct mx_far_sums){0};
}
