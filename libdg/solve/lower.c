/* Adds up the rows of the lower triangle of an operator's matrix. aip.c calls it.
 *
 * A thread makes one row after the other: the rows of the matrices of the elements around an unknown go into a small
 * hash table by their columns. Ranks send each other what their elements have for pairs of unknowns that both have. */
#include "libdg/solve/lower.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/field/elliptic_form.h"

/* An entry on its way: row and column are items of those that two ranks share, and then rows of the rank that gets it.
 */
struct entry {
  int32_t row, column;
  double value;
};

struct maker {
  const struct dg_space *space;
  size_t terms;
  const struct dg_elliptic_term *term;
  const bool *held;
  size_t table;    /* places of a hash table, a power of two */
  int32_t *row_of; /* [count] the row of an unknown; NULL: one rank, where they are the same */
  size_t entries;  /* from other ranks, ordered by row */
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

/* The columns, ascending, and their values; the table is empty behind it. */
static void table_empty(struct table *table, int32_t *column, double *value)
{
  const size_t used = table->used;
  for (size_t n = 0; n < used; n++) column[n] = table->key[table->place[n]] - 1;
  if (used > 32) qsort(column, used, sizeof *column, dg_compare_int32);
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

/* Has row u column v? */
static bool keeps(const struct maker *maker, size_t u, size_t v)
{
  const size_t single = maker->space->count - maker->space->bodies;
  if (u == v) return true;
  if (u >= single || v >= single || (maker->held != NULL && (maker->held[u] || maker->held[v]))) return false;
  return maker->row_of == NULL ? v < u : maker->row_of[v] < maker->row_of[u];
}

/* What this rank's elements have in the row of unknown u; without values only the columns. */
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
      if (keeps(maker, u, (size_t)number[j]))
        table_add(table, maker->row_of == NULL ? number[j] : maker->row_of[number[j]], row[j]);
  }
}

/* Where the entries from other ranks for a row begin. */
static size_t find_entry(const struct maker *maker, int32_t row)
{
  size_t low = 0, high = maker->entries;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (maker->entry[middle].row < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Row i with all that it gets. */
static void add_row(const struct maker *maker, const struct dg_lower *lower, int32_t i, bool values,
                    struct table *table)
{
  table_add(table, i, 0); /* also where no element has it */
  add_elements(maker, (size_t)lower->unknown[i], values, table);
  for (size_t n = find_entry(maker, i); n < maker->entries && maker->entry[n].row == i; n++)
    table_add(table, maker->entry[n].column, maker->entry[n].value);
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
      add_row(maker, lower, (int32_t)i, fills, &table);
      if (fills) {
        table_empty(&table, lower->column + lower->start[i], lower->value + lower->start[i]);
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

/* What lists for other ranks need. */
struct lists {
  struct table table;
  int32_t *item;   /* [count] one more than the item that a row is for the peer at hand, or 0 */
  int32_t *column; /* [places of the table] */
  double *value;   /* the same */
  size_t count, room;
  struct entry *entry; /* [count] */
};

/* Adds what this rank's elements have for pairs of unknowns that a peer has, too. */
static int list_pairs(const struct maker *maker, const struct dg_peer *peer, struct lists *lists, struct dg_error *err)
{
  const int32_t *node = maker->space->shared->node + peer->send_first;
  const size_t single = maker->space->count - maker->space->bodies;
  for (size_t n = 0; n < peer->send_count; n++) lists->item[maker->row_of[node[n]]] = (int32_t)n + 1;
  for (size_t n = 0; n < peer->send_count && err->code == 0; n++) {
    if ((size_t)node[n] >= single) continue; /* a body's */
    add_elements(maker, (size_t)node[n], true, &lists->table);
    const size_t used = lists->table.used;
    if (lists->count + used > lists->room) {
      lists->room = 2 * (lists->count + used);
      if (dg_grow(&lists->entry, lists->room, sizeof *lists->entry, err) != 0) break;
    }
    table_empty(&lists->table, lists->column, lists->value);
    for (size_t k = 0; k < used; k++)
      if (lists->item[lists->column[k]] != 0)
        lists->entry[lists->count++] =
            (struct entry){.row = (int32_t)n, .column = lists->item[lists->column[k]] - 1, .value = lists->value[k]};
  }
  for (size_t n = 0; n < peer->send_count; n++) lists->item[maker->row_of[node[n]]] = 0;
  return err->code;
}

/* The lists for all peers, one behind the other; bytes[ranks] of each. */
static int list_all(const struct maker *maker, struct lists *lists, size_t *bytes, struct dg_error *err)
{
  const struct dg_shared *shared = maker->space->shared;
  if (table_init(&lists->table, maker->table, err) != 0 || DG_NEW(lists->item, maker->space->count, err) != 0 ||
      DG_NEW(lists->column, maker->table, err) != 0 || DG_NEW(lists->value, maker->table, err) != 0)
    return err->code;
  for (size_t p = 0; p < shared->peers; p++) {
    const size_t before = lists->count;
    if (list_pairs(maker, &shared->peer[p], lists, err) != 0) break;
    bytes[shared->peer[p].rank] = (lists->count - before) * sizeof *lists->entry;
  }
  return err->code;
}

/* Entries that came, bytes[ranks] of each rank, get this rank's rows. */
static void settle_entries(struct maker *maker, const size_t *bytes)
{
  const struct dg_shared *shared = maker->space->shared;
  for (size_t p = 0; p < shared->peers; p++) {
    const int32_t *node = shared->node + shared->peer[p].receive_first;
    const size_t end = maker->entries + bytes[shared->peer[p].rank] / sizeof *maker->entry;
    for (; maker->entries < end; maker->entries++) {
      struct entry *entry = &maker->entry[maker->entries];
      entry->row = maker->row_of[node[entry->row]];
      entry->column = maker->row_of[node[entry->column]];
    }
  }
  if (maker->entries > 0) qsort(maker->entry, maker->entries, sizeof *maker->entry, by_row);
}

static int exchange(struct maker *maker, struct dg_error *err)
{
  struct dg_comm *comm = maker->space->shared->comm;
  const int ranks = dg_comm_size(comm);
  struct lists lists = {0};
  size_t *to = NULL, *from = NULL;
  const bool made = DG_NEW(to, ranks, err) == 0 && DG_NEW(from, ranks, err) == 0;
  if (made) (void)list_all(maker, &lists, to, err);
  if (dg_comm_agree(comm, err) == 0 && made && dg_comm_all_to_all(comm, to, lists.entry, &maker->entry, from, err) == 0)
    settle_entries(maker, from);
  table_release(&lists.table);
  dg_free(lists.item);
  dg_free(lists.column);
  dg_free(lists.value);
  dg_free(lists.entry);
  dg_free(to);
  dg_free(from);
  return err->code;
}

/* The diagonals of bodies are sums over all ranks. */
static int add_bodies(const struct maker *maker, struct dg_lower *lower, struct dg_error *err)
{
  const struct dg_space *space = maker->space;
  double *sum = NULL;
  if (space->bodies == 0 || DG_NEW(sum, space->bodies, err) != 0) return err->code;
  for (size_t b = 0; b < space->bodies; b++)
    sum[b] = lower->value[lower->start[maker->row_of[dg_space_body(space, b)] + 1] - 1];
  if (dg_comm_reduce(space->shared->comm, DG_SUM, space->bodies, sum, err) == 0)
    for (size_t b = 0; b < space->bodies; b++)
      lower->value[lower->start[maker->row_of[dg_space_body(space, b)] + 1] - 1] = sum[b];
  dg_free(sum);
  return err->code;
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

struct number {
  int64_t global;
  int32_t unknown;
};

static int by_global(const void *a, const void *b)
{
  const struct number *x = a, *y = b;
  return x->global < y->global ? -1 : x->global > y->global;
}

/* The order of the unknowns: those of lower ranks have lower numbers. */
static int sort_rows(struct maker *maker, struct dg_lower *lower, struct dg_error *err)
{
  const struct dg_space *space = maker->space;
  const bool *foreign = dg_space_foreign(space);
  struct number *number = NULL;
  int64_t *global = NULL, first, own;
  const bool made = DG_NEW(global, space->count, err) == 0 && DG_NEW(number, space->count, err) == 0 &&
                    DG_NEW(maker->row_of, space->count, err) == 0 && lower->unknown != NULL;
  if (dg_comm_agree(space->shared->comm, err) == 0 && made && dg_space_global(space, global, &first, &own, err) == 0) {
    size_t row = 0;
    for (size_t u = 0; u < space->count; u++)
      if (foreign[u]) number[lower->first++] = (struct number){.global = global[u], .unknown = (int32_t)u};
    if (lower->first > 0) qsort(number, lower->first, sizeof *number, by_global);
    for (; row < lower->first; row++) lower->unknown[row] = number[row].unknown;
    for (size_t u = 0; u < space->count; u++)
      if (!foreign[u]) lower->unknown[row++] = (int32_t)u;
    for (size_t i = 0; i < lower->rows; i++) maker->row_of[lower->unknown[i]] = (int32_t)i;
  }
  dg_free(global);
  dg_free(number);
  return err->code;
}

static int make(struct maker *maker, struct dg_lower *lower, struct dg_error *err)
{
  const struct dg_space *space = maker->space;
  lower->rows = space->count;
  if (DG_NEW(lower->unknown, lower->rows, err) == 0) (void)!DG_NEW(lower->start, lower->rows + 1, err);
  maker->table = size_table(maker);
  if (space->shared != NULL && (sort_rows(maker, lower, err) != 0 || exchange(maker, err) != 0)) return err->code;
  if (err->code != 0) return err->code;
  for (size_t i = 0; i < lower->rows && space->shared == NULL; i++) lower->unknown[i] = (int32_t)i;
  maker->table = size_table(maker);
  run_rows(maker, lower, false, err);
  for (size_t i = 0; i < lower->rows; i++) lower->start[i + 1] += lower->start[i];
  const size_t all = lower->start[lower->rows];
  if (err->code != 0 || dg_alloc_untouched(&lower->column, all, sizeof *lower->column, err) != 0 ||
      dg_alloc_untouched(&lower->value, all, sizeof *lower->value, err) != 0)
    return err->code;
  run_rows(maker, lower, true, err);
  return err->code;
}

int dg_lower_init(struct dg_lower *lower, const struct dg_space *space, size_t terms,
                  const struct dg_elliptic_term *term, const bool *held, struct dg_error *err)
{
  struct maker maker = {.space = space, .terms = terms, .term = term, .held = held};
  struct dg_comm *comm = space->shared != NULL ? space->shared->comm : NULL;
  *lower = (struct dg_lower){0};
  (void)make(&maker, lower, err);
  if (dg_comm_agree(comm, err) == 0 && comm != NULL) (void)add_bodies(&maker, lower, err);
  dg_free(maker.row_of);
  dg_free(maker.entry);
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
