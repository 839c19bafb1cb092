/* Cuts the part of a level out of the problem around it: core and rim, with a halo of their own. */
#include <math.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/levels/levels.h"
#include "maxwell/problem/beyond.h"

void mx_levels_release(struct mx_levels *levels)
{
  for (int i = 0; i < levels->count; i++) {
    mx_problem_release(&levels->level[i].problem);
    dg_free(levels->level[i].element);
    dg_free(levels->level[i].global);
  }
  dg_free(levels->flux);
  dg_free(levels->alone);
  *levels = (struct mx_levels){0};
}

void mx_levels_undo(struct mx_levels *levels, struct mx_problem *whole)
{
  if (levels->flux != NULL) memcpy(whole->flux, levels->flux, whole->K * sizeof *whole->flux);
  memset(whole->depth, 0, whole->K * sizeof *whole->depth);
  mx_levels_release(levels);
}

size_t mx_levels_bytes(const struct mx_levels *levels, const struct mx_problem *whole)
{
  size_t bytes = levels->flux != NULL ? whole->K * sizeof *levels->flux : 0;
  if (levels->alone != NULL) bytes += whole->K * sizeof *levels->alone;
  for (int i = 0; i < levels->count; i++) {
    const struct mx_level *level = &levels->level[i];
    bytes += mx_problem_bytes(&level->problem) + level->problem.K * sizeof *level->element;
    if (level->global != NULL) bytes += (level->problem.K + level->problem.ghosts) * sizeof *level->global;
  }
  return bytes;
}

bool mx_level_takes(const struct mx_problem *problem, size_t e)
{
  if (problem->sigma_m[e] > 0 || mx_has_state(problem, MX_FARADAY, e)) return false;
  for (int f = 0; f < 4; f++)
    if (mx_open_slot(problem->neighbour[e][f]) >= 0 || mx_face_has_term(problem, e, f) || problem->far[e][f] != 0)
      return false;
  return true;
}

/* What a cut knows of the elements. */
enum { APART, RIM, CORE };

struct cut {
  const struct mx_problem *around;
  char *place;    /* [K] */
  char *beyond;   /* [ghosts] places of the elements beyond the halo */
  bool *outer;    /* [K] has it a neighbour in the part, beyond the halo? */
  int32_t *local; /* [K] number in the part, or -1 */
  size_t *element, count;
};

/* The place of the element behind a face. */
static char place_at(const struct cut *cut, int32_t code)
{
  const size_t other = (size_t)(code / 4);
  if (code < 0) return APART;
  return other < cut->around->K ? cut->place[other] : cut->beyond[other - cut->around->K];
}

static int find_rim(struct cut *cut, const bool *core, struct dg_error *err)
{
  const struct mx_problem *around = cut->around;
  for (size_t e = 0; e < around->K; e++) cut->place[e] = core[e] ? CORE : APART;
  if (mx_values_beyond(around, 1, cut->place, cut->beyond, err) != 0) return err->code;
  for (size_t e = 0; e < around->K; e++)
    for (int f = 0; f < 4 && cut->place[e] == APART; f++)
      if (place_at(cut, around->neighbour[e][f]) == CORE) cut->place[e] = RIM;
  return mx_values_beyond(around, 1, cut->place, cut->beyond, err);
}

/* Does the part share face i of the halo around it? It must be on both sides, and the face no wall, as a sheet of metal
 * is for either side. */
static bool shares(const struct cut *cut, size_t i)
{
  const int32_t own = cut->around->halo->send[i];
  return cut->place[own / 4] != APART && cut->beyond[i] != APART && cut->around->neighbour[own / 4][own % 4] >= 0;
}

/* Numbers the elements of the part: core and rim that need no other rank, then core and rim that do. */
static void number(struct cut *cut, struct mx_set set[MX_SETS])
{
  const struct mx_problem *around = cut->around;
  for (size_t i = 0; i < around->ghosts; i++) {
    const int32_t own = around->halo->send[i];
    if (shares(cut, i)) cut->outer[own / 4] = true;
  }
  for (int rim = MX_INNER; rim <= MX_OUTER; rim++) {
    set[MX_ALL].first[rim] = set[MX_CORE].first[rim] = cut->count;
    for (char place = CORE; place >= RIM; place--) {
      for (size_t e = 0; e < around->K; e++) {
        if (cut->place[e] != place || cut->outer[e] != (rim == MX_OUTER)) continue;
        DG_BUG_IF(!mx_level_takes(around, e), "element %zu of a level has more than metal and neighbours", e);
        cut->local[e] = (int32_t)cut->count;
        cut->element[cut->count++] = e;
      }
      if (place == CORE) set[MX_CORE].end[rim] = cut->count;
    }
    set[MX_ALL].end[rim] = cut->count;
  }
}

/* The faces that the part shares with other ranks, in the order of the halo around it. */
static int share(struct mx_problem *part, const struct cut *cut, struct dg_error *err)
{
  const struct mx_problem *around = cut->around;
  const struct dg_halo *from = around->halo;
  struct dg_halo *to;
  size_t faces = 0;
  if (from == NULL) return 0;
  DG_BUG_IF(from->turns > 0, "levels beside Bloch phases");
  if (DG_NEW(part->own, 1, err) != 0) return err->code;
  to = part->own;
  if (DG_NEW(to->send, from->faces, err) != 0 || DG_NEW(to->receive, from->faces, err) != 0 ||
      DG_NEW(to->peer, from->peers, err) != 0)
    return err->code;
  for (size_t p = 0; p < from->peers; p++) {
    const struct dg_peer *peer = &from->peer[p];
    const size_t first = faces;
    DG_BUG_IF(peer->send_first != peer->receive_first || peer->send_count != peer->receive_count,
              "a level across faces that a mesh shares with itself");
    for (size_t i = peer->send_first; i < peer->send_first + peer->send_count; i++) {
      const int32_t own = from->send[i];
      if (!shares(cut, i)) continue;
      to->send[faces] = 4 * cut->local[own / 4] + own % 4;
      to->receive[faces] = 4 * (int32_t)(part->K + faces) + from->receive[i] % 4;
      part->neighbour[cut->local[own / 4]][own % 4] = to->receive[faces++];
    }
    if (faces > first) to->peer[to->peers++] = (struct dg_peer){peer->rank, first, faces - first, first, faces - first};
  }
  to->faces = part->ghosts = faces;
  part->halo = to;
  part->comm = around->comm;
  return 0;
}

/* Leaves of the part what the filter has: curl and mean fluxes. */
static void simplify(struct mx_problem *part)
{
  memset(part->sigma, 0, part->K * sizeof *part->sigma);
  for (size_t r = 0; r < part->responses; r++) mx_response_release(&part->response[r]);
  dg_free(part->response);
  part->response = NULL;
  part->responses = 0;
  for (size_t e = 0; e < part->K; e++)
    for (int f = 0; f < 4; f++) part->flux[e][f].e_penalty = part->flux[e][f].h_penalty = 0;
}

/* Takes the penalty off the faces of the core. */
static void calm(struct mx_problem *whole, const struct cut *cut)
{
  for (size_t e = 0; e < whole->K; e++)
    for (int f = 0; f < 4; f++)
      if (cut->place[e] == CORE || place_at(cut, whole->neighbour[e][f]) == CORE)
        whole->flux[e][f].e_penalty = whole->flux[e][f].h_penalty = 0;
}

/* What a rank tells the others about an element. */
struct side {
  double share;
  bool core;
};

int mx_levels_leave(const struct mx_levels *levels, struct mx_problem *whole, const double *share, struct dg_error *err)
{
  struct side *side = NULL, *beyond = NULL;
  if (DG_NEW(side, whole->K, err) != 0 || DG_NEW(beyond, whole->ghosts, err) != 0) goto fail;
  for (size_t e = 0; e < whole->K; e++) side[e] = (struct side){share[e], whole->depth[e] > 0};
  if (mx_values_beyond(whole, sizeof *side, side, beyond, err) != 0) goto fail;
  for (size_t e = 0; e < whole->K; e++)
    for (int f = 0; f < 4; f++) {
      const int32_t code = whole->neighbour[e][f];
      const size_t other = code < 0 ? e : (size_t)(code / 4);
      const struct side here = side[e], there = other < whole->K ? side[other] : beyond[other - whole->K];
      const double part = here.core || there.core ? fmin(here.share, there.share) : 1;
      whole->flux[e][f].e_penalty = part * levels->flux[e][f].e_penalty;
      whole->flux[e][f].h_penalty = part * levels->flux[e][f].h_penalty;
    }
fail:
  dg_free(side);
  dg_free(beyond);
  return err->code;
}

/* Numbers the elements of the part as those of the whole mesh, and then those beyond its halo. */
static int name_elements(struct mx_level *level, const struct mx_problem *around, const struct cut *cut,
                         struct dg_error *err)
{
  struct mx_problem *part = &level->problem;
  size_t k = 0;
  if (around->global == NULL) return 0;
  if (DG_NEW(level->global, part->K + part->ghosts, err) != 0) return err->code;
  for (size_t i = 0; i < part->K; i++) level->global[i] = around->global[cut->element[i]];
  for (size_t i = 0; i < around->ghosts; i++)
    if (shares(cut, i)) level->global[part->K + k++] = around->global[around->halo->receive[i] / 4];
  part->global = level->global;
  return 0;
}

/* Notes which elements are in the core of the innermost level: in the whole and in the parts around that level, each
 * with the count of levels inside of it. */
static void note_depth(struct mx_levels *levels, struct mx_problem *whole)
{
  const struct mx_level *level = &levels->level[levels->count - 1];
  for (size_t i = 0; i < level->problem.K; i++) {
    size_t e = i;
    if (mx_rests(&level->problem, i)) continue;
    for (int l = levels->count - 1; l >= 0; l--) {
      struct mx_problem *around = l == 0 ? whole : &levels->level[l - 1].problem;
      const char depth = (char)(levels->count - l);
      e = (size_t)levels->level[l].element[e];
      if (around->depth[e] < depth) around->depth[e] = depth;
    }
  }
}

int mx_levels_add(struct mx_levels *levels, struct mx_problem *whole, const bool *core, int m, double eta,
                  struct dg_error *err)
{
  DG_BUG_IF(levels->count == MX_LEVELS_MAX || m < 1 || m > MX_SUBSTEPS_MAX, "a level of %d steps", m);
  struct mx_level *level = &levels->level[levels->count];
  const struct mx_problem *around = levels->count == 0 ? whole : &level[-1].problem;
  struct cut cut = {.around = around};
  *level = (struct mx_level){.m = m, .eta = eta};
  struct mx_problem *part = &level->problem;
  struct mx_set set[MX_SETS];
  if (DG_NEW(cut.place, around->K, err) != 0 || DG_NEW(cut.beyond, around->ghosts, err) != 0 ||
      DG_NEW(cut.outer, around->K, err) != 0 || DG_NEW(cut.local, around->K, err) != 0 ||
      DG_NEW(cut.element, around->K, err) != 0 || find_rim(&cut, core, err) != 0)
    goto fail;
  number(&cut, set);
  if (mx_problem_restrict(part, around, cut.count, cut.element, err) != 0) goto fail;
  levels->count++;
  memcpy(part->set, set, sizeof set);
  if (DG_NEW(level->element, cut.count, err) != 0 || share(part, &cut, err) != 0 ||
      name_elements(level, around, &cut, err) != 0)
    goto fail;
  for (size_t i = 0; i < cut.count; i++) level->element[i] = (int32_t)cut.element[i];
  simplify(part);
  note_depth(levels, whole);
  if (levels->count > 1) goto fail;
  if (DG_NEW(levels->flux, whole->K, err) != 0) goto fail;
  memcpy(levels->flux, whole->flux, whole->K * sizeof *whole->flux);
  calm(whole, &cut);
fail:
  dg_free(cut.place);
  dg_free(cut.beyond);
  dg_free(cut.outer);
  dg_free(cut.local);
  dg_free(cut.element);
  return err->code;
}

int mx_levels_like(struct mx_levels *levels, struct mx_problem *part, const struct mx_levels *from,
                   struct dg_error *err)
{
  bool *core = NULL;
  char *depth = NULL;
  *levels = (struct mx_levels){0};
  if (DG_NEW(core, part->K, err) != 0 || DG_NEW(depth, part->K, err) != 0) goto fail;
  memcpy(depth, part->depth, part->K);
  for (int i = 0; i < from->count; i++) {
    const struct mx_level *around = levels->level + i - 1;
    const size_t K = i == 0 ? part->K : around->problem.K;
    const char *here = i == 0 ? depth : around->problem.depth;
    bool any = false;
    for (size_t e = 0; e < K; e++) any |= core[e] = here[e] > i;
    if (!any) break;
    if (mx_levels_add(levels, part, core, from->level[i].m, from->level[i].eta, err) != 0) goto fail;
  }
  if (levels->count > 0) memcpy(part->flux, levels->flux, part->K * sizeof *part->flux);
fail:
  dg_free(core);
  dg_free(depth);
  return err->code;
}
