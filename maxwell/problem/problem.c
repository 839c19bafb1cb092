/* Allocating, releasing and measuring the tables of a problem. Everything that builds or copies a problem calls it;
 * problem_build.c fills the tables. */
#include "maxwell/problem/problem.h"

#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/ref/rule.h"

int mx_problem_alloc(struct mx_problem *problem, const struct dg_reference *ref, size_t K, struct dg_error *err)
{
  *problem = (struct mx_problem){.ref = ref, .K = K};
  mx_problem_set_inner(problem, K);
#define NEW(type, name, numbers) || DG_NEW(problem->name, K, err) != 0
  if (DG_NEW(problem->neighbour, K, err) != 0 || DG_NEW(problem->far, K, err) != 0 MX_ELEMENT_ARRAYS(NEW)) {
#undef NEW
    mx_problem_release(problem);
    return err->code;
  }
  return 0;
}

void mx_problem_set_inner(struct mx_problem *problem, size_t inner)
{
  for (int i = 0; i < MX_SETS; i++) problem->set[i] = mx_set_of(inner, problem->K);
}

void mx_problem_release(struct mx_problem *problem)
{
#define FREE(type, name, numbers) dg_free(problem->name);
  MX_ELEMENT_ARRAYS(FREE)
#undef FREE
  dg_free(problem->neighbour);
  dg_free(problem->far);
  if (problem->own != NULL) dg_halo_release(problem->own);
  dg_free(problem->own);
  dg_free(problem->shape);
  dg_free(problem->sheet_face);
  dg_free(problem->metal);
  dg_free(problem->skin_face);
  dg_free(problem->curves.where);
  dg_free(problem->curves.shape);
  for (size_t i = 0; i < problem->terms; i++) {
    dg_free(problem->term[i].where);
    dg_free(problem->term[i].E);
    dg_free(problem->term[i].H);
  }
  dg_free(problem->term);
  for (size_t i = 0; i < problem->responses; i++) mx_response_release(&problem->response[i]);
  dg_free(problem->response);
  for (size_t i = 0; i < problem->functionals; i++) {
    dg_free(problem->functional[i].index);
    dg_free(problem->functional[i].weight);
  }
  dg_free(problem->functional);
  *problem = (struct mx_problem){0};
}

size_t mx_problem_bytes(const struct mx_problem *problem)
{
#define BYTES(type, name, numbers) +sizeof *problem->name
  return problem->K * (sizeof *problem->neighbour + sizeof *problem->far MX_ELEMENT_ARRAYS(BYTES)) +
         problem->sheet_faces * sizeof *problem->sheet_face + problem->skin_faces * sizeof *problem->skin_face +
         problem->curves.count *
             (sizeof *problem->curves.where + dg_shape_nodes(problem->curves.geometry) * sizeof *problem->curves.shape);
#undef BYTES
}

int mx_problem_list_faces(struct mx_problem *problem, struct dg_error *err)
{
  const double *sheet = problem->sheet[0];
  const int32_t *skin = problem->skin[0];
  size_t sheets = 0, skins = 0;
  for (size_t i = 0; i < 4 * problem->K; i++) {
    sheets += sheet[i] != 0;
    skins += skin[i] != 0;
  }
  if (DG_NEW(problem->sheet_face, sheets, err) != 0 || DG_NEW(problem->skin_face, skins, err) != 0) return err->code;
  for (size_t i = 0; i < 4 * problem->K; i++) {
    if (sheet[i] != 0) problem->sheet_face[problem->sheet_faces++] = (int32_t)i;
    if (skin[i] != 0) problem->skin_face[problem->skin_faces++] = (int32_t)i;
  }
  return 0;
}

/* The place of a face in an ascending list that has it. */
static size_t find_face(size_t count, const int32_t *face, int32_t wanted)
{
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (face[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  DG_BUG_IF(low == count || face[low] != wanted, "a face that is not listed");
  return low;
}

ptrdiff_t mx_kept_slot(const struct mx_problem *problem, size_t e, int f)
{
  const int open = mx_open_slot(problem->neighbour[e][f]);
  if (open >= 0) return open;
  if (problem->sheet[e][f] == 0) return -1;
  return (ptrdiff_t)(problem->open_faces + find_face(problem->sheet_faces, problem->sheet_face, 4 * (int32_t)e + f));
}

ptrdiff_t mx_skin_slot(const struct mx_problem *problem, size_t e, int f)
{
  if (problem->skin[e][f] == 0) return -1;
  return (ptrdiff_t)find_face(problem->skin_faces, problem->skin_face, 4 * (int32_t)e + f);
}

bool mx_any_sheet(const struct mx_problem *problem)
{
  for (size_t i = 0; i < problem->metals; i++)
    if (problem->metal[i].kind == MX_SKIN_SHEET) return true;
  return false;
}

size_t mx_skin_poles(const struct mx_problem *problem)
{
  size_t most = 0;
  for (size_t i = 0; i < problem->metals; i++)
    if (problem->metal[i].poles > most) most = problem->metal[i].poles;
  return most;
}

int mx_problem_add_curves(struct mx_problem *problem, int geometry, size_t count, struct dg_error *err)
{
  problem->curves = (struct mx_curves){.geometry = geometry, .count = count};
  if (DG_NEW(problem->curves.where, count, err) != 0 ||
      DG_NEW(problem->curves.shape, count * dg_shape_nodes(geometry), err) != 0)
    return err->code;
  return 0;
}

int mx_problem_add_tensors(struct mx_problem *problem, size_t count, struct dg_error *err)
{
  if (DG_NEW(problem->shape, count, err) != 0) return err->code;
  problem->shapes = count;
  return 0;
}

int mx_problem_add_metals(struct mx_problem *problem, size_t count, struct dg_error *err)
{
  if (DG_NEW(problem->metal, count, err) != 0) return err->code;
  problem->metals = count;
  return 0;
}

int mx_problem_add_functional(struct mx_problem *problem, bool magnetic, size_t count,
                              struct mx_functional **functional, struct dg_error *err)
{
  if (dg_grow(&problem->functional, problem->functionals + 1, sizeof *problem->functional, err) != 0) return err->code;
  *functional = &problem->functional[problem->functionals++];
  (*functional)->magnetic = magnetic;
  (*functional)->count = count;
  if (DG_NEW((*functional)->index, count, err) != 0 || DG_NEW((*functional)->weight, count, err) != 0) return err->code;
  return 0;
}

int mx_problem_add_response(struct mx_problem *problem, enum mx_response_kind kind, int of, size_t count,
                            struct mx_response **response, struct dg_error *err)
{
  if (dg_grow(&problem->response, problem->responses + 1, sizeof *problem->response, err) != 0) return err->code;
  *response = &problem->response[problem->responses++];
  return mx_response_init(*response, kind, of, count, err);
}

size_t mx_response_places(const struct mx_problem *problem, enum mx_response_kind kind)
{
  const struct dg_reference *ref = problem->ref;
  return (size_t)(mx_responses[kind]->layer ? dg_rule_points(3, ref->order) : ref->Np);
}

const struct mx_response *mx_problem_response(const struct mx_problem *problem, size_t e, size_t *entry)
{
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const ptrdiff_t found = mx_response_find(response, e);
    if (found < 0) continue;
    *entry = (size_t)found;
    return response;
  }
  return NULL;
}

const struct mx_response *mx_problem_poles(const struct mx_problem *problem, enum mx_equation equation, size_t e,
                                           size_t *entry)
{
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    if (mx_responses[response->kind]->layer || response->of != (int)equation) continue;
    const ptrdiff_t found = mx_response_find(response, e);
    if (found < 0) continue;
    *entry = (size_t)found;
    return response;
  }
  return NULL;
}

bool mx_has_state(const struct mx_problem *problem, enum mx_equation equation, size_t e)
{
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const bool acts = mx_responses[response->kind]->layer || response->of == (int)equation;
    if (acts && mx_response_find(response, e) >= 0) return true;
  }
  return false;
}

/* Copies the entries whose elements are in the part; local[whole->K] are the elements' numbers in the part, or -1. */
static int restrict_responses(struct mx_problem *part, const struct mx_problem *whole, const int32_t *local,
                              struct dg_error *err)
{
  for (size_t r = 0; r < whole->responses; r++) {
    const struct mx_response *from = &whole->response[r];
    struct mx_response *to = NULL;
    size_t count = 0, k = 0;
    for (size_t i = 0; i < from->count; i++) count += local[from->where[i]] >= 0;
    if (mx_problem_add_response(part, from->kind, from->of, count, &to, err) != 0) return err->code;
    DG_BUG_IF(to == NULL, "a response without an entry");
    for (size_t i = 0; i < from->count; i++) {
      if (local[from->where[i]] < 0) continue;
      to->where[k] = local[from->where[i]];
      memcpy(mx_response_parameter(to, k++), mx_response_parameter(from, i),
             (size_t)mx_responses[from->kind]->parameters * sizeof(double));
    }
  }
  return 0;
}

/* Copies the media with tensors and the metals, all of them: elements name them by their place. */
static int copy_tensors(struct mx_problem *part, const struct mx_problem *whole, struct dg_error *err)
{
  if (whole->metals > 0) {
    if (mx_problem_add_metals(part, whole->metals, err) != 0) return err->code;
    memcpy(part->metal, whole->metal, whole->metals * sizeof *part->metal);
  }
  if (whole->shapes == 0) return 0;
  if (mx_problem_add_tensors(part, whole->shapes, err) != 0) return err->code;
  memcpy(part->shape, whole->shape, whole->shapes * sizeof *part->shape);
  return 0;
}

/* Copies the maps of the curved elements that are in the part. */
static int restrict_curves(struct mx_problem *part, const struct mx_problem *whole, const int32_t *local,
                           const size_t *element, struct dg_error *err)
{
  const struct mx_curves *from = &whole->curves;
  const size_t nodes = dg_shape_nodes(from->geometry);
  size_t count = 0, k = 0;
  for (size_t i = 0; i < from->count; i++) count += local[from->where[i]] >= 0;
  if (count == 0) return 0;
  if (mx_problem_add_curves(part, from->geometry, count, err) != 0) return err->code;
  for (size_t i = 0; i < part->K; i++) {
    const ptrdiff_t curve = dg_find_ascending(from->count, from->where, element[i]);
    if (curve < 0) continue;
    part->curves.where[k] = (int32_t)i;
    memcpy(part->curves.shape + k++ * nodes, from->shape + (size_t)curve * nodes, nodes * sizeof *from->shape);
  }
  return 0;
}

/* The other face of a sheet in the part; 0: it is not there. */
static int32_t part_far(const struct mx_problem *whole, const int32_t *local, int32_t far)
{
  const int32_t code = far - 1;
  if (code < 0 || (size_t)code / 4 >= whole->K || local[code / 4] < 0) return 0;
  return 1 + 4 * local[code / 4] + code % 4;
}

int mx_problem_restrict(struct mx_problem *part, const struct mx_problem *whole, size_t count, const size_t *element,
                        struct dg_error *err)
{
  int32_t *local;
  if (mx_problem_alloc(part, whole->ref, count, err) != 0) return err->code;
  if (DG_NEW(local, whole->K, err) != 0) {
    mx_problem_release(part);
    return err->code;
  }
  memset(local, -1, whole->K * sizeof *local);
  for (size_t i = 0; i < count; i++) local[element[i]] = (int32_t)i;
  for (size_t i = 0; i < count; i++) {
    size_t e = element[i];
#define COPY(type, name, numbers) memcpy(&part->name[i], &whole->name[e], sizeof part->name[i]);
    MX_ELEMENT_ARRAYS(COPY)
#undef COPY
    for (int f = 0; f < 4; f++) {
      int32_t code = whole->neighbour[e][f];
      if (mx_open_slot(code) >= 0) code = MX_GHOST - 1 - (int32_t)part->open_faces++;
      else if (code >= 0 && (size_t)code / 4 >= whole->K) code = MX_GHOST;
      else if (code >= 0) code = local[code / 4] < 0 ? MX_GHOST : 4 * local[code / 4] + code % 4;
      part->neighbour[i][f] = code;
      part->far[i][f] = part_far(whole, local, whole->far[e][f]);
    }
  }
  if (copy_tensors(part, whole, err) != 0 || restrict_responses(part, whole, local, err) != 0 ||
      restrict_curves(part, whole, local, element, err) != 0 || mx_problem_list_faces(part, err) != 0)
    mx_problem_release(part);
  dg_free(local);
  return err->code;
}
