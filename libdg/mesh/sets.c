/* Makes two of every element; sets.h. maxwell/setup/setup_mesh.c calls it. */
#include "libdg/mesh/sets.h"

#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/comm/comm.h"
#include "libdg/mesh/curve.h"

/* The new arrays of a mesh, and the way to them. */
struct sets {
  const struct dg_mesh *old;
  size_t images;        /* faces whose neighbour is this rank's own, across periodic sides */
  size_t interior;      /* old elements that have neither such a neighbour nor a ghost */
  size_t *place, *from; /* [K] the new place of old element e is 2 place[e]; from[] is the inverse */
  struct dg_mesh made;  /* the arrays that change, and nothing else */
};

static bool crosses(const struct dg_mesh *mesh, size_t e, int f)
{
  const int32_t code = mesh->neighbour[e][f];
  return code != DG_BOUNDARY && (size_t)code / 4 < mesh->K && dg_mesh_is_image(mesh, e, f);
}

static int choose_order(struct sets *sets, struct dg_error *err)
{
  const struct dg_mesh *old = sets->old;
  size_t outer = 0;
  bool *outside = NULL;
  if (DG_NEW(outside, old->K, err) != 0 || DG_NEW(sets->place, old->K, err) != 0 ||
      DG_NEW(sets->from, old->K, err) != 0)
    goto fail;
  for (size_t e = 0; e < old->K; e++) {
    outside[e] = e >= old->interior;
    for (int f = 0; f < 4; f++) {
      sets->images += crosses(old, e, f);
      outside[e] = outside[e] || crosses(old, e, f);
    }
    sets->interior += !outside[e];
  }
  for (size_t e = 0, inner = 0; e < old->K; e++) {
    sets->place[e] = outside[e] ? sets->interior + outer++ : inner++;
    sets->from[sets->place[e]] = e;
  }
fail:
  dg_free(outside);
  return err->code;
}

static int make_arrays(struct sets *sets, struct dg_error *err)
{
  const struct dg_mesh *old = sets->old;
  struct dg_mesh *made = &sets->made;
  const size_t K = 2 * old->K, ghosts = 2 * (old->ghosts + sets->images), all = K + ghosts,
               nodes = dg_shape_nodes(old->geometry);
  if (DG_NEW(made->element, all, err) != 0 || DG_NEW(made->neighbour, K, err) != 0 ||
      DG_NEW(made->volume, all, err) != 0 || DG_NEW(made->surface, K, err) != 0 || DG_NEW(made->tag, all, err) != 0 ||
      DG_NEW(made->owner, ghosts, err) != 0 || DG_NEW(made->global, all, err) != 0 ||
      (old->origin != NULL && DG_NEW(made->origin, K, err) != 0) ||
      (old->curved > 0 &&
       (DG_NEW(made->curve, 2 * old->curved, err) != 0 || DG_NEW(made->shape, 2 * old->curved * nodes, err) != 0)))
    return err->code;
  return 0;
}

/* Copies what belongs to old element or ghost e to place `to` and the next one. */
static void copy_element(struct sets *sets, size_t e, size_t to)
{
  const struct dg_mesh *old = sets->old;
  struct dg_mesh *made = &sets->made;
  for (size_t set = 0; set < 2; set++) {
    memcpy(made->element[to + set], old->element[e], sizeof *made->element);
    made->volume[to + set] = old->volume[e];
    made->tag[to + set] = old->tag[e];
    made->global[to + set] = 2 * dg_mesh_global(old, e) + (int64_t)set;
  }
}

static void copy_elements(struct sets *sets)
{
  const struct dg_mesh *old = sets->old;
  struct dg_mesh *made = &sets->made;
  size_t ghost = 2 * (old->K + old->ghosts);
  for (size_t g = 0; g < old->ghosts; g++) {
    copy_element(sets, old->K + g, 2 * (old->K + g));
    made->owner[2 * g] = made->owner[2 * g + 1] = old->owner[g];
  }
  for (size_t e = 0; e < old->K; e++) {
    const size_t to = 2 * sets->place[e];
    copy_element(sets, e, to);
    for (size_t set = 0; set < 2 && old->origin != NULL; set++)
      memcpy(made->origin[to + set], old->origin[e], sizeof *made->origin);
    for (int f = 0; f < 4; f++) {
      const int32_t code = old->neighbour[e][f];
      const bool image = crosses(old, e, f);
      const size_t far = (size_t)code / 4, there = code == DG_BOUNDARY ? 0
                                                   : image             ? ghost
                                                                       : 2 * (far < old->K ? sets->place[far] : far);
      for (size_t set = 0; set < 2; set++) {
        made->surface[to + set][f] = old->surface[e][f];
        made->neighbour[to + set][f] = code == DG_BOUNDARY ? DG_BOUNDARY : 4 * (int32_t)(there + set) + code % 4;
      }
      if (!image) continue;
      copy_element(sets, far, ghost);
      for (size_t set = 0; set < 2; set++) made->owner[ghost++ - 2 * old->K] = DG_SELF;
    }
  }
}

static int copy_curves(struct sets *sets, struct dg_error *err)
{
  const struct dg_mesh *old = sets->old;
  const size_t nodes = dg_shape_nodes(old->geometry);
  size_t *curve = NULL, count = 0; /* [K] 1 + the curved element's number; 0: straight */
  if (old->curved == 0) return 0;
  if (DG_NEW(curve, old->K, err) != 0) return err->code;
  for (size_t k = 0; k < old->curved; k++) curve[old->curve[k]] = k + 1;
  for (size_t i = 0; i < 2 * old->K; i++) {
    const size_t k = curve[sets->from[i / 2]];
    if (k == 0) continue;
    sets->made.curve[count] = (int32_t)i;
    memcpy(sets->made.shape + nodes * count++, old->shape + nodes * (k - 1), nodes * sizeof *old->shape);
  }
  dg_free(curve);
  return 0;
}

/* Exchanges an array of the mesh and the new one. */
#define SWAP(array)                                                                                                    \
  do {                                                                                                                 \
    void *old_array = mesh->array;                                                                                     \
    mesh->array = made->array;                                                                                         \
    made->array = old_array;                                                                                           \
  } while (0)

static void take_arrays(struct dg_mesh *mesh, struct sets *sets)
{
  struct dg_mesh *made = &sets->made;
  SWAP(element);
  SWAP(neighbour);
  SWAP(volume);
  SWAP(surface);
  SWAP(tag);
  SWAP(owner);
  SWAP(global);
  SWAP(origin);
  SWAP(curve);
  SWAP(shape);
  dg_free(mesh->partition);
  mesh->partition = NULL;
  mesh->partitions = 0;
  mesh->ghosts = 2 * (mesh->ghosts + sets->images);
  mesh->interior = 2 * sets->interior;
  mesh->K *= 2;
  mesh->curved *= 2;
  mesh->boundary_faces *= 2;
  mesh->interior_faces *= 2;
  mesh->whole.K *= 2;
  mesh->whole.boundary_faces *= 2;
  mesh->whole.interior_faces *= 2;
  for (size_t i = 0; i < mesh->entities; i++) {
    mesh->entity[i].count *= 2;
    mesh->entity[i].joined *= 2;
  }
  mesh->paired = true;
}

int dg_mesh_make_sets(struct dg_mesh *mesh, struct dg_error *err)
{
  struct sets sets = {.old = mesh};
  struct dg_mesh *made = &sets.made;
  DG_BUG_IF(mesh->paired, "the mesh has two sets already");
  if (choose_order(&sets, err) != 0 || make_arrays(&sets, err) != 0) goto fail;
  copy_elements(&sets);
  if (copy_curves(&sets, err) != 0) goto fail;
  take_arrays(mesh, &sets);
fail:
  dg_free(sets.place);
  dg_free(sets.from);
  dg_free(made->element);
  dg_free(made->neighbour);
  dg_free(made->volume);
  dg_free(made->surface);
  dg_free(made->tag);
  dg_free(made->owner);
  dg_free(made->global);
  dg_free(made->origin);
  dg_free(made->curve);
  dg_free(made->shape);
  return err->code;
}
