/* Keeps samples and adds them to running Fourier transforms, on the host or by a card. running.h says how. */
#include "maxwell/transform/running.h"

#include <math.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

int mx_running_init(struct mx_running *running, size_t width, const struct mx_frequencies *frequencies, double interval,
                    size_t most, struct dg_error *err)
{
  DG_ASSERT(most > 0 && most <= MX_RUNNING_ROWS);
  *running = (struct mx_running){.width = width,
                                 .frequencies = frequencies->count,
                                 .hertz = frequencies->hertz,
                                 .interval = interval,
                                 .most = most};
  if (DG_NEW(running->row, most * width, err) != 0 || DG_NEW(running->turn, most * frequencies->count * 2, err) != 0 ||
      DG_NEW(running->sum, frequencies->count * 2 * width, err) != 0)
    return err->code;
  return 0;
}

void mx_running_on_card(struct mx_running *running, const struct mx_backend_ops *ops, struct mx_backend *backend,
                        size_t number)
{
  running->ops = ops;
  running->backend = backend;
  running->number = number;
  dg_free(running->row); /* samples stay on the card */
  running->row = NULL;
}

double *mx_running_room(const struct mx_running *running) { return running->row + running->rows * running->width; }

int mx_running_sample(struct mx_running *running, struct dg_error *err)
{
  return running->ops->card->sums_take(running->backend, running->number, running->rows, err);
}

enum { BLOCK = 16 }; /* numbers whose sums stay in registers */

/* Adds all rows to the sums of numbers first..first+count-1, which are at most a block. */
static void settle_block(struct mx_running *running, size_t first, size_t count)
{
  double value[MX_RUNNING_ROWS][BLOCK] = {{0}};
  for (size_t r = 0; r < running->rows; r++)
    memcpy(value[r], running->row + r * running->width + first, count * sizeof(double));
  for (size_t k = 0; k < 2 * running->frequencies; k++) {
    double *sum = running->sum + k * running->width + first, part[BLOCK] = {0};
    memcpy(part, sum, count * sizeof *sum);
    for (size_t r = 0; r < running->rows; r++) {
      const double turn = running->turn[r * running->frequencies * 2 + k];
      for (int i = 0; i < BLOCK; i++) part[i] += turn * value[r][i];
    }
    memcpy(sum, part, count * sizeof *sum);
  }
}

static int add_rows(struct mx_running *running, struct dg_error *err)
{
  const size_t blocks = (running->width + BLOCK - 1) / BLOCK, rows = running->rows;
  if (rows == 0) return 0;
  if (running->backend != NULL) {
    running->rows = 0;
    return running->ops->card->sums_add(running->backend, running->number, rows, running->turn, err);
  }
#pragma omp parallel for schedule(static)
  for (size_t b = 0; b < blocks; b++) {
    const size_t left = running->width - b * BLOCK;
    settle_block(running, b * BLOCK, left < BLOCK ? left : BLOCK);
  }
  running->rows = 0;
  return 0;
}

int mx_running_keep(struct mx_running *running, double t, double weight, struct dg_error *err)
{
  const double two_pi = 2 * acos(-1.0);
  double *turn = running->turn + running->rows * running->frequencies * 2;
  for (size_t k = 0; k < running->frequencies; k++) {
    const double cycles = running->hertz[k] * t, angle = two_pi * (cycles - floor(cycles));
    turn[2 * k] = weight * running->interval * cos(angle);
    turn[2 * k + 1] = -weight * running->interval * sin(angle);
  }
  return ++running->rows == running->most ? add_rows(running, err) : 0;
}

int mx_running_settle(struct mx_running *running, struct dg_error *err)
{
  if (add_rows(running, err) != 0) return err->code;
  if (running->backend == NULL) return 0;
  return running->ops->card->sums_fetch(running->backend, running->number, running->sum, err);
}

int mx_running_loaded(struct mx_running *running, struct dg_error *err)
{
  if (running->backend == NULL) return 0;
  return running->ops->card->sums_set(running->backend, running->number, running->sum, err);
}

size_t mx_running_memory(const struct mx_running *running)
{
  const size_t rows = running->backend == NULL ? running->most : 0;
  return sizeof(double) *
         (rows * running->width + 2 * running->frequencies * running->most + 2 * running->frequencies * running->width);
}

void mx_running_release(struct mx_running *running)
{
  dg_free(running->row);
  dg_free(running->turn);
  dg_free(running->sum);
  *running = (struct mx_running){0};
}
