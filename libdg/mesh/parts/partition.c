/* Assigns elements to parts, with METIS on the dual graph. */
#include "libdg/mesh/parts/partition.h"

#include <math.h>
#include <metis.h>
#include <stdbool.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

#define SEED         1
#define IMBALANCE    5             /* per mille that the heaviest part may be above the mean */
#define FURTHER      0.02          /* the same of constraints behind the first */
#define FEWEST       20            /* elements that a part has of a constraint that is balanced for itself */
#define SPOILED      0.03          /* imbalance of the first constraint at which others are given up */
#define HEAVIEST_SUM (IDX_MAX / 4) /* METIS adds weights up in idx_t */

_Static_assert(IDX_MAX >= INT32_MAX, "the dual graph has up to 4 K < 2^31 entries");

/* ---- the dual graph: elements are joined by the faces that they share ---- */

struct graph {
  idx_t K;
  idx_t *first;      /* [K + 1] in next */
  idx_t *next;       /* neighbours of every element */
  idx_t constraints; /* those that are balanced for themselves */
  idx_t *weight;     /* [K][constraints] or NULL */
  real_t *balance;   /* [constraints] what the heaviest part may weigh, over the mean; NULL: IMBALANCE */
  idx_t *part;       /* [K] */
};

/* ---- weights ---- */

/* What elements weigh, and which constraints are balanced for themselves. The others belong to the first. */
struct wish {
  size_t constraints;
  const int32_t *weight;         /* [K][constraints] */
  bool kept[DG_MAX_CONSTRAINTS]; /* the first always */
  size_t elements[DG_MAX_CONSTRAINTS];
};

static void wish_init(struct wish *wish, size_t K, int constraints, const int32_t *weight, int parts)
{
  DG_BUG_IF(constraints > DG_MAX_CONSTRAINTS, "%d constraints", constraints);
  *wish = (struct wish){.constraints = (size_t)constraints, .weight = weight};
  for (size_t i = 0; i < wish->constraints; i++) {
    for (size_t e = 0; e < K; e++) wish->elements[i] += weight[e * wish->constraints + i] > 0;
    wish->kept[i] = i == 0 || wish->elements[i] >= FEWEST * (size_t)parts;
  }
}

/* Gives up the constraint of fewest elements. */
static bool give_up(struct wish *wish)
{
  size_t least = 0;
  for (size_t i = 1; i < wish->constraints; i++)
    if (wish->kept[i] && (least == 0 || wish->elements[i] < wish->elements[least])) least = i;
  if (least > 0) wish->kept[least] = false;
  return least > 0;
}

/* What an element weighs of a constraint. */
static double weight_of(const struct wish *wish, size_t e, size_t constraint)
{
  const int32_t *weight = wish->weight + e * wish->constraints;
  double sum = weight[constraint];
  for (size_t i = 1; i < wish->constraints && constraint == 0; i++) sum += wish->kept[i] ? 0 : weight[i];
  return sum;
}

/* Sets the weights of a constraint as METIS's constraint `to`, scaled so that METIS can add them up; what weighs
 * anything goes on doing so. A part may have one element more than its share of few: of what it cannot keep METIS would
 * make the worst of all constraints. */
static void weigh(struct graph *graph, const struct wish *wish, size_t constraint, size_t to, int parts)
{
  const size_t all = (size_t)graph->constraints;
  double sum = 0, heaviest = 0;
  for (size_t e = 0; e < (size_t)graph->K; e++) {
    const double weight = weight_of(wish, e, constraint);
    DG_BUG_IF(weight < 0, "element %zu weighs %g", e, weight);
    sum += weight, heaviest = fmax(heaviest, weight);
  }
  const double scale = fmin(1, (double)HEAVIEST_SUM / fmax(1, sum));
  for (size_t e = 0; e < (size_t)graph->K; e++) {
    const double weight = weight_of(wish, e, constraint);
    graph->weight[e * all + to] = weight > 0 ? (idx_t)fmax(1, scale * weight) : 0;
  }
  const double least = to == 0 ? IMBALANCE / 1000.0 : FURTHER;
  graph->balance[to] = (real_t)(1 + fmax(least, sum > 0 ? heaviest * parts / sum : 0));
}

static void weigh_all(struct graph *graph, const struct wish *wish, int parts)
{
  size_t to = 0;
  graph->constraints = 0;
  for (size_t i = 0; i < wish->constraints; i++) graph->constraints += wish->kept[i];
  for (size_t i = 0; i < wish->constraints; i++)
    if (wish->kept[i]) weigh(graph, wish, i, to++, parts);
}

/* Has METIS spoiled the balance of the first constraint for that of others? */
static int look(const struct graph *graph, int parts, bool *spoiled, struct dg_error *err)
{
  double *sum, all = 0, most = 0;
  if (DG_NEW(sum, parts, err) != 0) return err->code;
  for (idx_t e = 0; e < graph->K; e++) {
    const double weight = (double)graph->weight[e * graph->constraints];
    sum[graph->part[e]] += weight, all += weight;
  }
  for (int p = 0; p < parts; p++) most = fmax(most, sum[p]);
  *spoiled = most * parts > (1 + fmax(SPOILED, (double)graph->balance[0] - 1)) * all;
  dg_free(sum);
  return 0;
}

/* ---- parts by METIS ---- */

static int graph_init(struct graph *graph, const struct dg_mesh *mesh, int constraints, struct dg_error *err)
{
  size_t edges = 0;
  *graph = (struct graph){.K = (idx_t)mesh->K, .constraints = constraints > 0 ? constraints : 1};
  if (DG_NEW(graph->first, mesh->K + 1, err) != 0 || DG_NEW(graph->next, 2 * mesh->interior_faces, err) != 0 ||
      DG_NEW(graph->part, mesh->K, err) != 0)
    return err->code;
  for (size_t e = 0; e < mesh->K; e++) {
    for (int f = 0; f < 4; f++)
      if (mesh->neighbour[e][f] != DG_BOUNDARY) graph->next[edges++] = mesh->neighbour[e][f] >> 2;
    graph->first[e + 1] = (idx_t)edges;
  }
  if (constraints == 0) return 0;
  (void)!(DG_NEW(graph->weight, mesh->K * (size_t)constraints, err) != 0 ||
          DG_NEW(graph->balance, constraints, err) != 0);
  return err->code;
}

static void graph_release(struct graph *graph)
{
  dg_free(graph->first);
  dg_free(graph->next);
  dg_free(graph->weight);
  dg_free(graph->balance);
  dg_free(graph->part);
}

/* Can every element be reached from the first? METIS makes parts of one piece only of a graph of one piece. */
static int one_piece(const struct graph *graph, bool *yes, struct dg_error *err)
{
  idx_t *queue, head = 0, tail = 0;
  if (DG_NEW(queue, graph->K, err) != 0) return err->code;
  for (idx_t e = 0; e < graph->K; e++) graph->part[e] = 0; /* 1: reached */
  graph->part[0] = 1;
  queue[tail++] = 0;
  while (head < tail) {
    idx_t e = queue[head++];
    for (idx_t i = graph->first[e]; i < graph->first[e + 1]; i++) {
      idx_t next = graph->next[i];
      if (graph->part[next] == 1) continue;
      graph->part[next] = 1;
      queue[tail++] = next;
    }
  }
  *yes = tail == graph->K;
  dg_free(queue);
  return 0;
}

static int run_metis(struct graph *graph, int parts, bool contiguous, struct dg_error *err)
{
  idx_t option[METIS_NOPTIONS], count = parts, cut;
  METIS_SetDefaultOptions(option);
  option[METIS_OPTION_SEED] = SEED;
  option[METIS_OPTION_UFACTOR] = IMBALANCE;
  option[METIS_OPTION_CONTIG] = contiguous;
  int status =
      METIS_PartGraphKway(&graph->K, &graph->constraints, graph->first, graph->next, graph->weight, NULL, NULL, &count,
                          NULL, graph->constraints > 1 ? graph->balance : NULL, option, &cut, graph->part);
  if (status == METIS_OK) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "METIS could not split the mesh of %lld elements into %d parts: %s",
                 (long long)graph->K, parts,
                 status == METIS_ERROR_MEMORY  ? "it had not enough memory"
                 : status == METIS_ERROR_INPUT ? "it refuses the dual graph"
                                               : "it does not say why");
}

/* ---- parts ---- */

static int count_filled(const struct graph *graph, int parts, int *filled, struct dg_error *err)
{
  bool *seen;
  if (DG_NEW(seen, parts, err) != 0) return err->code;
  *filled = 0;
  for (idx_t e = 0; e < graph->K; e++) {
    *filled += !seen[graph->part[e]];
    seen[graph->part[e]] = true;
  }
  dg_free(seen);
  return 0;
}

/* Fails because the elements are so few that parts stay empty. The message names a number of parts that fits: METIS is
 * asked for as many parts as were filled before, until all are filled. */
static int too_many_parts(struct graph *graph, int parts, bool contiguous, struct dg_error *err)
{
  int fit = parts, filled = 0;
  for (;; fit = filled) {
    if (fit > 1 && run_metis(graph, fit, contiguous, err) != 0) return err->code;
    if (count_filled(graph, fit, &filled, err) != 0) return err->code;
    if (filled == fit) break;
  }
  return dg_fail(err, DG_INPUT, "METIS finds no %d parts in the mesh's %lld elements: at most %d ranks make sense",
                 parts, (long long)graph->K, fit);
}

int dg_mesh_partition(const struct dg_mesh *mesh, int parts, int constraints, const int32_t *weight, int32_t *owner,
                      struct dg_error *err)
{
  struct graph graph;
  struct wish wish;
  bool contiguous = false;
  int filled = 0;
  if ((size_t)parts > mesh->K)
    return dg_fail(err, DG_INPUT, "%d ranks are more than the mesh has elements: at most %zu make sense", parts,
                   mesh->K);
  if (parts == 1) { /* METIS would divide by the logarithm of one */
    for (size_t e = 0; e < mesh->K; e++) owner[e] = 0;
    return 0;
  }
  if (mesh->partitions == parts && constraints == 0) {
    memcpy(owner, mesh->partition, mesh->K * sizeof *owner);
    return 0;
  }
  if (graph_init(&graph, mesh, constraints, err) != 0) goto fail;
  wish_init(&wish, mesh->K, constraints, weight, parts);

  for (bool again = true; again;) {
    if (constraints > 0) weigh_all(&graph, &wish, parts);
    /* Parts of one piece can rarely have their share of several sets of elements. */
    contiguous = false;
    if ((graph.constraints == 1 && one_piece(&graph, &contiguous, err) != 0) ||
        run_metis(&graph, parts, contiguous, err) != 0 ||
        (graph.constraints > 1 && look(&graph, parts, &again, err) != 0))
      goto fail;
    again = again && graph.constraints > 1 && give_up(&wish);
  }
  if (count_filled(&graph, parts, &filled, err) != 0) goto fail;
  if (filled < parts) (void)!too_many_parts(&graph, parts, contiguous, err);
  else
    for (size_t e = 0; e < mesh->K; e++) owner[e] = (int32_t)graph.part[e];
fail:
  graph_release(&graph);
  return err->code;
}
