/* Samples the fields on a closed surface and keeps their running Fourier transforms. far_field.c calls it; far_sums.h
 * says which fields they are. */
#include "maxwell/far/far_sums.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

enum { ROWS = 32 }; /* samples that are kept: enough to read and write the sums seldom */

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
  *sums = (struct mx_far_sums){.surface = surface,
                               .Nf = Nf,
                               .frequencies = frequencies->count,
                               .hertz = frequencies->hertz,
                               .interval = interval,
                               .width = surface->count * MX_FAR_NUMBERS * Nf,
                               .points = sides * Nf,
                               .bent_sides = bent,
                               .most = ROWS};
  if (DG_NEW(sums->point, sums->points, err) != 0 || DG_NEW(sums->weight, sides, err) != 0 ||
      DG_NEW(sums->bent, bent * Nf, err) != 0 || DG_NEW(sums->sample, sums->points, err) != 0 ||
      DG_NEW(sums->row, sums->most * sums->width, err) != 0 ||
      DG_NEW(sums->turn, sums->most * sums->frequencies * 2, err) != 0 ||
      DG_NEW(sums->sum, sums->frequencies * 2 * sums->width, err) != 0)
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
  if (!ops->card->present || ops->card->face_sums_new == NULL) return 0;
  if (surface->curved > 0) return 0; /* a card's weights are one set for a face: samples come to the host */
  if (DG_NEW(side, surface->count, err) != 0) return err->code;
  for (size_t k = 0; k < surface->count; k++) memcpy(side[k], surface->face[k].side, sizeof side[k]);
  const struct mx_face_sums what = {.faces = surface->count,
                                    .side = (const int32_t(*)[2])side,
                                    .weight = (const double(*)[4][6])sums->weight,
                                    .frequencies = sums->frequencies};
  if (ops->card->face_sums_new(backend, &what, &sums->number, err) == 0) {
    sums->ops = ops;
    sums->backend = backend;
    dg_free(sums->row); /* samples stay on the card */
    dg_free(sums->sample);
    sums->row = NULL;
    sums->sample = NULL;
  }
  dg_free(side);
  return err->code;
}

/* Notes the squares of the row that was filled. The last one is that of some samples: a wave may just pass zero. */
static void note_size(struct mx_far_sums *sums)
{
  const double *value = sums->row + sums->rows * sums->width, fades = 0.5;
  double square = 0;
  for (size_t i = 0; i < sums->width; i++) square += value[i] * value[i];
  sums->last = fmax(square, fades * sums->last);
  sums->largest = fmax(sums->largest, square);
}

static int add_rows(struct mx_far_sums *sums, struct dg_error *err);

/* Notes the time of the row that was filled. */
static int keep(struct mx_far_sums *sums, double t, struct dg_error *err)
{
  const double two_pi = 2 * acos(-1.0);
  double *turn = sums->turn + sums->rows * sums->frequencies * 2;
  for (size_t k = 0; k < sums->frequencies; k++) {
    const double cycles = sums->hertz[k] * t, angle = two_pi * (cycles - floor(cycles));
    turn[2 * k] = sums->interval * cos(angle);
    turn[2 * k + 1] = -sums->interval * sin(angle);
  }
  return ++sums->rows == sums->most ? add_rows(sums, err) : 0;
}

int mx_far_sums_take(struct mx_far_sums *sums, const struct mx_backend_ops *ops, struct mx_backend *backend, double t,
                     struct dg_error *err)
{
  if (sums->backend != NULL) {
    if (sums->ops->card->face_sums_take(sums->backend, sums->number, sums->rows, err) != 0) return err->code;
    return keep(sums, t, err);
  }
  if (ops->sample(backend, sums->points, sums->point, sums->sample, err) != 0) return err->code;
  combine(sums, sums->row + sums->rows * sums->width);
  note_size(sums);
  return keep(sums, t, err);
}

enum { BLOCK = 16 }; /* numbers whose sums stay in registers */

/* Adds all rows to the sums of numbers first..first+count-1, which are at most a block. */
static void settle_block(struct mx_far_sums *sums, size_t first, size_t count)
{
  double value[ROWS][BLOCK] = {{0}};
  for (size_t r = 0; r < sums->rows; r++) memcpy(value[r], sums->row + r * sums->width + first, count * sizeof(double));
  for (size_t k = 0; k < 2 * sums->frequencies; k++) {
    double *sum = sums->sum + k * sums->width + first, part[BLOCK] = {0};
    memcpy(part, sum, count * sizeof *sum);
    for (size_t r = 0; r < sums->rows; r++) {
      const double turn = sums->turn[r * sums->frequencies * 2 + k];
      for (int i = 0; i < BLOCK; i++) part[i] += turn * value[r][i];
    }
    memcpy(sum, part, count * sizeof *sum);
  }
}

static int add_rows(struct mx_far_sums *sums, struct dg_error *err)
{
  const size_t blocks = (sums->width + BLOCK - 1) / BLOCK, rows = sums->rows;
  if (rows == 0) return 0;
  if (sums->backend != NULL) {
    sums->rows = 0;
    return sums->ops->card->face_sums_add(sums->backend, sums->number, rows, sums->turn, err);
  }
#pragma omp parallel for schedule(static)
  for (size_t b = 0; b < blocks; b++) {
    const size_t left = sums->width - b * BLOCK;
    settle_block(sums, b * BLOCK, left < BLOCK ? left : BLOCK);
  }
  sums->rows = 0;
  return 0;
}

int mx_far_sums_settle(struct mx_far_sums *sums, struct dg_error *err)
{
  if (add_rows(sums, err) != 0) return err->code;
  return sums->backend != NULL ? sums->ops->card->face_sums_fetch(sums->backend, sums->number, sums->sum, err) : 0;
}

int mx_far_sums_loaded(struct mx_far_sums *sums, struct dg_error *err)
{
  return sums->backend != NULL ? sums->ops->card->face_sums_set(sums->backend, sums->number, sums->sum, err) : 0;
}

size_t mx_far_sums_memory(const struct mx_far_sums *sums)
{
  return sums->points * (sizeof *sums->point + sizeof *sums->sample) + sums->points / sums->Nf * sizeof *sums->weight +
         sums->bent_sides * sums->Nf * sizeof *sums->bent +
         sizeof(double) * (sums->most * (sums->width + 2 * sums->frequencies) + 2 * sums->frequencies * sums->width);
}

void mx_far_sums_release(struct mx_far_sums *sums)
{
  dg_free(sums->point);
  dg_free(sums->weight);
  dg_free(sums->bent);
  dg_free(sums->sample);
  dg_free(sums->row);
  dg_free(sums->turn);
  dg_free(sums->sum);
  *sums = (struct mx_far_sums){0};
}
