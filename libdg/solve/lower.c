/* Adds up the rows of the lower triangle of an operator's matrix. aip.c calls it.
 *
 * A thread makes one row after the other: the rows of the matrices of the elements around an unknown go into a small
 * hash table by their columns. Other ranks send what their elements have for this rank's rows. */
#include "libdg/solve/lower.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/field/elliptic_form.h"

/* An entry that another rank's elements have. */
struct entry {
  int64_t row, column; /* among all ranks */
  double value;
};

struct maker {
  const struct dg_space *space;
  size_t terms;
  const struct dg_aip_term *term;
  const bool *held;
  size_t table;                /* places of a hash table, a power of two */
  int32_t *row_of, *owner;     /* [count] the row of an unknown, -1: another rank's; the rank that counts it */
  int64_t *global, first, own; /* [count] dg_space_global; NULL: one rank */
  size_t entries;              /* from other ranks, ordered by row */
  struct entry *entry;
};

/* A row that grows: places by their columns. */
struct table {
  size_t mask, used;
  int32_t *key, *place; /* [mask + 1] column + 1, 0: free; [mask + 1] the places that are used */
  double *value;        /* [mask + 1] */
};

static int table_init(struct table *table, size_t places, struct dg_error *err)
{
  *table = (struct table){.mask = places - 1};
  return DG_NEW(table->key, places, err) != 0 || DG_NEW(table->place, places, err) != 0 ||
                 DG_NEW(table->value, places, err) != 0
             ? err->code
             : 0;
}

static void table_release(struct table *table)
{
  dg_free(table->key);
  dg_free(table->place);
  dg_free(table->value);
}

static void table_add(struct table *table, int32_t column, double value)
{
  size_t n = (uint32_t)column * 0x9e3779b1U >> 7 & table->mask;
  while (table->key[n] != 0 && table->key[n] != column + 1) n = (n + 1) & table->mask;
  if (table->key[n] == 0) {
    table->key[n] = column + 1;
    table->value[n] = 0;
    table->place[table->used++] = (int32_t)n;
  }
  table->value[n] += value;
}

static void table_clear(struct table *table)
{
  for (size_t n = 0; n < table->used; n++) table->key[table->place[n]] = 0;
  table->used = 0;
}

static int by_number(const void *a, const void *b)
{
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

/* The columns, ascending, and their values; the table is empty behind it. */
static void table_empty(struct table *table, int32_t *column, double *value)
{
  const size_t used = table->used;
  for (size_t n = 0; n < used; n++) column[n] = table->key[table->place[n]] - 1;
  if (used > 32) qsort(column, used, sizeof *column, by_number);
  else
    for (size_t n = 1; n < used; n++) {
      const int32_t moved = column[n];
      size_t m = n;
      for (; m > 0 && column[m - 1] > moved; m--) column[m] = column[m - 1];
      column[m] = moved;
    }
  for (size_t i = 0; i < used; i++) {
    size_t n = (uint32_t)column[i] * 0x9e3779b1U >> 7 & table->mask;
    while (table->key[n] != column[i] + 1) n = (n + 1) & table->mask;
    value[i] = table->value[n];
  }
  table_clear(table);
}

/* ---- rows */

/* Has row u column v? Unknowns of one rank have their order on all ranks. */
static bool keeps(const struct maker *maker, size_t u, size_t v)
{
  const size_t single = maker->space->count - maker->space->bodies;
  if (u == v) return true;
  if (u >= single || v >= single || (maker->held != NULL && (maker->held[u] || maker->held[v]))) return false;
  if (maker->global == NULL) return v < u;
  return maker->owner[u] == maker->owner[v] && maker->global[v] < maker->global[u];
}

/* What this rank's elements have in row u, by unknowns; without values only the columns. */
static void add_elements(const struct maker *maker, size_t u, bool values, struct table *table)
{
  const struct dg_space *space = maker->space;
  const size_t Np = (size_t)space->ref.Np;
  double row[DG_NODES_MAX] = {0};
  for (size_t p = space->row[u]; p < space->row[u + 1]; p++) {
    const size_t e = (size_t)space->place[p] / Np;
    const int32_t *number = space->number + e * Np;
    if (values) {
      memset(row, 0, sizeof *row * Np);
      for (size_t t = 0; t < maker->terms; t++)
        dg_elliptic_add_row(maker->term[t].op, maker->term[t].weights, e, space->place[p] % (int32_t)Np, row);
    }
    for (size_t j = 0; j < Np; j++)
      if (keeps(maker, u, (size_t)number[j])) table_add(table, number[j], row[j]);
  }
}

/* Where the entries from other ranks for a row of all ranks begin. */
static size_t find_entry(const struct maker *maker, int64_t row)
{
  size_t low = 0, high = maker->entries;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (maker->entry[middle].row < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Row u of this rank with all that it gets. */
static void add_row(const struct maker *maker, const struct dg_lower *lower, size_t u, bool values, struct table *table)
{
  table_add(table, (int32_t)u, 0); /* also where no element has it */
  add_elements(maker, u, values, table);
  if (maker->entries == 0) return;
  const int64_t row = maker->global[u];
  for (size_t n = find_entry(maker, row); n < maker->entries && maker->entry[n].row == row; n++)
    table_add(table, lower->unknown[maker->entry[n].column - maker->first], maker->entry[n].value);
}

/* Counts the entries of the rows, or fills them in. */
static void run_rows(const struct maker *maker, struct dg_lower *lower, bool fills, struct dg_error *err)
{
#pragma omp parallel
  {
    struct dg_error own = {0};
    struct table table;
    (void)table_init(&table, maker->table, &own);
#pragma omp for schedule(static)
    for (size_t i = 0; i < lower->rows; i++) {
      if (own.code != 0) continue;
      add_row(maker, lower, (size_t)lower->unknown[i], fills, &table);
      if (fills) {
        int32_t *column = lower->column + lower->start[i];
        const size_t used = table.used;
        table_empty(&table, column, lower->value + lower->start[i]);
        for (size_t n = 0; n < used && maker->row_of != NULL; n++) column[n] = maker->row_of[column[n]];
      } else {
        lower->start[i + 1] = table.used;
        table_clear(&table);
      }
    }
    table_release(&table);
#pragma omp critical
    if (own.code != 0 && err->code == 0) *err = own;
  }
}

/* ---- between ranks */

static int by_row(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  return x->value < y->value ? -1 : x->value > y->value; /* equal entries add in an order that does not vary */
}

/* The ranks of the unknowns, from where each rank's numbers begin. */
static int find_owners(struct maker *maker, struct dg_comm *comm, struct dg_error *err)
{
  int64_t *begin = NULL;
  if (dg_comm_share(comm, sizeof maker->first, &maker->first, &begin, NULL, err) != 0) return err->code;
  const int ranks = dg_comm_size(comm);
  for (size_t u = 0; u < maker->space->count; u++) {
    int low = 0,
        high = ranks - 1; /* the last rank that begins at this number or before; an empty rank begins there too */
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (begin[middle] <= maker->global[u]) low = middle;
      else high = middle - 1;
    }
    maker->owner[u] = low;
  }
  dg_free(begin);
  return 0;
}

/* *sent: what this rank's elements have for rows of others, by rank; bytes[ranks] of each. */
static int list_foreign(const struct maker *maker, int ranks, struct entry **sent, size_t *bytes, struct dg_error *err)
{
  const bool *foreign = dg_space_foreign(maker->space);
  struct table table;
  size_t count = 0, room = 0;
  int32_t *column = NULL;
  double *value = NULL;
  if (table_init(&table, maker->table, err) == 0 && DG_NEW(column, maker->table, err) == 0 &&
      DG_NEW(value, maker->table, err) == 0)
    for (int rank = 0; rank < ranks && err->code == 0; rank++) {
      const size_t before = count;
      for (size_t u = 0; u < maker->space->count && err->code == 0; u++) {
        if (!foreign[u] || maker->owner[u] != rank || maker->space->row[u] == maker->space->row[u + 1]) continue;
        add_elements(maker, u, true, &table);
        const size_t used = table.used;
        if (count + used > room) {
          room = 2 * (count + used);
          if (dg_grow(sent, room, sizeof **sent, err) != 0) break;
        }
        table_empty(&table, column, value);
        for (size_t n = 0; n < used; n++)
          (*sent)[count++] =
              (struct entry){.row = maker->global[u], .column = maker->global[column[n]], .value = value[n]};
      }
      bytes[rank] = (count - before) * sizeof **sent;
    }
  table_release(&table);
  dg_free(column);
  dg_free(value);
  return err->code;
}

/* Sends the entries of other ranks' rows, and takes those of this rank's. */
static int exchange(struct maker *maker, struct dg_comm *comm, struct dg_error *err)
{
  const int ranks = dg_comm_size(comm);
  struct entry *sent = NULL;
  size_t *to = NULL, *from = NULL;
  if (DG_NEW(to, ranks, err) == 0 && DG_NEW(from, ranks, err) == 0) (void)list_foreign(maker, ranks, &sent, to, err);
  if (dg_comm_agree(comm, err) == 0 && dg_comm_all_to_all(comm, to, sent, &maker->entry, from, err) == 0) {
    for (int r = 0; r < ranks; r++) maker->entries += from[r] / sizeof *maker->entry;
    if (maker->entries > 0) qsort(maker->entry, maker->entries, sizeof *maker->entry, by_row);
  }
  dg_free(sent);
  dg_free(to);
  dg_free(from);
  return err->code;
}

static int find_ranks(struct maker *maker, struct dg_error *err)
{
  const struct dg_space *space = maker->space;
  struct dg_comm *comm = space->shared->comm;
  if (DG_NEW(maker->global, space->count, err) == 0 && DG_NEW(maker->owner, space->count, err) == 0)
    (void)!DG_NEW(maker->row_of, space->count, err);
  if (dg_comm_agree(comm, err) != 0 || dg_space_global(space, maker->global, &maker->first, &maker->own, err) != 0 ||
      find_owners(maker, comm, err) != 0)
    return err->code;
  return exchange(maker, comm, err);
}

/* ---- all of it */

/* Places for the columns of the longest row: the nodes of its elements, and what others send. */
static size_t size_table(const struct maker *maker)
{
  const struct dg_space *space = maker->space;
  const size_t single = space->count - space->bodies;
  size_t most = 1, places = 64, run = 0;
  for (size_t u = 0; u < single; u++) {
    const size_t row = space->row[u + 1] - space->row[u];
    most = row > most ? row : most;
  }
  most *= (size_t)space->ref.Np;
  for (size_t n = 0, longest = 0; n < maker->entries; n++) {
    run = n > 0 && maker->entry[n].row == maker->entry[n - 1].row ? run + 1 : 1;
    if (run > longest) {
      most += run - longest;
      longest = run;
    }
  }
  while (places < 2 * most) places *= 2;
  return places;
}

static int list_rows(const struct maker *maker, struct dg_lower *lower, struct dg_error *err)
{
  const bool *foreign = dg_space_foreign(maker->space);
  const size_t count = maker->space->count;
  for (size_t u = 0; u < count; u++) lower->rows += foreign == NULL || !foreign[u];
  if (DG_NEW(lower->unknown, lower->rows, err) != 0 || DG_NEW(lower->start, lower->rows + 1, err) != 0)
    return err->code;
  size_t row = 0;
  for (size_t u = 0; u < count; u++) {
    const bool own = foreign == NULL || !foreign[u];
    if (maker->row_of != NULL) maker->row_of[u] = own ? (int32_t)row : -1;
    if (own) lower->unknown[row++] = (int32_t)u;
  }
  return 0;
}

int dg_lower_init(struct dg_lower *lower, const struct dg_space *space, size_t terms, const struct dg_aip_term *term,
                  const bool *held, struct dg_error *err)
{
  struct maker maker = {.space = space, .terms = terms, .term = term, .held = held};
  *lower = (struct dg_lower){0};
  maker.table = size_table(&maker);
  if ((space->shared == NULL || find_ranks(&maker, err) == 0) && list_rows(&maker, lower, err) == 0) {
    maker.table = size_table(&maker);
    run_rows(&maker, lower, false, err);
    for (size_t i = 0; i < lower->rows; i++) lower->start[i + 1] += lower->start[i];
    const size_t all = lower->start[lower->rows];
    if (err->code == 0 && dg_alloc_untouched(&lower->column, all, sizeof *lower->column, err) == 0 &&
        dg_alloc_untouched(&lower->value, all, sizeof *lower->value, err) == 0)
      run_rows(&maker, lower, true, err);
  }
  dg_free(maker.row_of);
  dg_free(maker.owner);
  dg_free(maker.global);
  dg_free(maker.entry);
  if (space->shared != NULL) (void)!dg_comm_agree(space->shared->comm, err);
  return err->code;
}

void dg_lower_release(struct dg_lower *lower)
{
  dg_free(lower->unknown);
  dg_free(lower->start);
  dg_free(lower->column);
  dg_free(lower->value);
  *lower = (struct dg_lower){0};
}
