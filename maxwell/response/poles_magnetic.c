/* Poles of the permeability in leapfrog, whose H lives half a step before and behind t_n: the squares of their energy
 * and their losses, and their start. poles.c calls it and derives it. */
#include <string.h>

#include "maxwell/response/pole_blocks.h"

/* A row in the states and in the field behind and before t_n. */
struct row {
  double state[MX_POLE_STATES], field, before;
};

static void add_row(struct row *to, double factor, const struct row *row)
{
  for (int q = 0; q < MX_POLE_STATES; q++) to->state[q] += factor * row->state[q];
  to->field += factor * row->field;
  to->before += factor * row->before;
}

static struct mx_square square_from(double weight, const struct row *row)
{
  struct mx_square square = {.weight = weight, .field = row->field, .before = row->before};
  memcpy(square.state, row->state, sizeof square.state);
  return square;
}

/* The rows of x+ and x-. */
static void find_rows(const struct mx_pole_blocks *all, struct row *after, struct row *earlier)
{
  for (int at = 0; at < all->count; at++) {
    const struct mx_pole_means *m = &all->means[at];
    const int n = all->block[at].n, first = all->first[at];
    for (int i = 0; i < n; i++) {
      struct row *x = &after[first + i];
      *x = (struct row){.field = 0};
      for (int j = 0; j < n; j++) {
        x->state[first + j] = m->back[i][j];
        x->field -= m->back[i][j] * m->K[j];
      }
    }
    for (int i = 0; i < n; i++) {
      struct row *x = &earlier[first + i];
      *x = (struct row){.field = 0};
      for (int j = 0; j < n; j++) {
        add_row(x, m->back[i][j], &after[first + j]);
        x->field -= m->back[i][j] * m->K[j];
        x->before -= m->back[i][j] * m->K[j];
      }
    }
  }
}

/* Turns squares in x and H, at one time, into those of leapfrog's H: of the energy, V of the mean and a quarter of V of
 * the difference; of the loss, that of the mean. */
static void turn_squares(int n, const struct row *after, const struct row *earlier, struct mx_response_entry *entry)
{
  struct mx_square energy[2 * MX_POLE_STATES] = {{0}};
  for (int i = 0; i < 3 * n; i++) {
    const bool loss = i >= 2 * n, difference = !loss && i >= n;
    const struct mx_square *of = loss ? &entry->loss[i - 2 * n] : &entry->energy[i % n];
    struct row row = {.field = 0};
    if (of->weight == 0) continue;
    for (int q = 0; q < n; q++) {
      add_row(&row, difference ? of->state[q] : 0.5 * of->state[q], &after[q]);
      add_row(&row, difference ? -of->state[q] : 0.5 * of->state[q], &earlier[q]);
    }
    row.field += 0.5 * of->field;
    row.before += 0.5 * of->field;
    if (loss) entry->loss[i - 2 * n] = square_from(of->weight, &row);
    else energy[i] = square_from(difference ? 0.25 * of->weight : of->weight, &row);
  }
  memcpy(entry->energy, energy, sizeof energy);
}

static void put_squares(const struct mx_pole_blocks *all, double step, struct mx_response_entry *entry)
{
  const int n = all->states;
  struct row after[MX_POLE_STATES] = {{.field = 0}}, earlier[MX_POLE_STATES] = {{.field = 0}}, change = {.field = 0};
  find_rows(all, after, earlier);
  turn_squares(n, after, earlier, entry);
  for (int at = 0; at < all->count; at++) { /* M+ - M- */
    const struct mx_pole_block *b = &all->block[at];
    for (int q = 0; q < b->n; q++) {
      add_row(&change, step / 2 * b->C[q], &after[all->first[at] + q]);
      add_row(&change, step / 2 * b->C[q], &earlier[all->first[at] + q]);
    }
    change.field += step / 2 * b->D;
    change.before += step / 2 * b->D;
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    struct row row = change;
    row.field += sign;
    row.before -= sign;
    entry->energy[2 * n + (sign + 1) / 2] = square_from(-sign / 16.0, &row);
  }
}

static void put_start(const struct mx_pole_blocks *all, struct mx_response_entry *entry)
{
  for (int at = 0; at < all->count; at++)
    for (int i = 0; i < all->block[at].n; i++) {
      double *start = &entry->start[all->first[at] + i];
      *start = all->means[at].K[i];
      for (int j = 0; j < all->block[at].n; j++) *start -= all->means[at].T[i][j] * all->means[at].K[j];
    }
}

void mx_poles_put_magnetic(const struct mx_pole_blocks *all, double step, struct mx_response_entry *entry)
{
  put_squares(all, step, entry);
  put_start(all, entry);
}
