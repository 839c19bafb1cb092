/* Evaluates the initial fields at all nodes of this rank's elements. run.c and `curlew check` call it; see initial.h.
 */
#include "maxwell/problem/initial.h"

#include "libdg/base/memory.h"
#include "libdg/geometry/geometry.h"
#include "maxwell/problem/problem.h"

enum { BLOCK = 1 << 16 }; /* nodes whose places and values are held at once */

struct block {
  const struct dg_mesh *mesh;
  const struct dg_reference *ref;
  size_t elements; /* of a full block */
  double (*x)[3], (*value)[3];
};

static void find_places(const struct block *block, size_t first, size_t last, double (*x)[3])
{
  const struct dg_reference *ref = block->ref;
  for (size_t e = first; e < last; e++)
    for (size_t i = 0; i < (size_t)ref->Np; i++)
      dg_geometry_point(block->mesh, e, ref->r[i], ref->s[i], ref->t[i], *x++);
}

/* The part of exp(-j k.x) at a node, for the set of its element. */
static double factor_at(const struct mx_config *config, const struct dg_mesh *mesh, size_t e, const double x[3])
{
  return mesh->paired ? mx_bloch_factor(config, e % 2 != 0, x) : 1;
}

static int evaluate(const struct block *block, const struct mx_config *config, const struct mx_function *function,
                    const char *what, double factor, double **field, struct dg_error *err)
{
  const size_t Np = (size_t)block->ref->Np, K = block->mesh->K;
  if (function == NULL) return 0;
  if (dg_alloc_untouched(field, 3 * Np * K, sizeof **field, err) != 0) return err->code;
  for (size_t first = 0, last; first < K; first = last) {
    last = K - first < block->elements ? K : first + block->elements;
    const struct mx_places at = {
        .what = what, .count = Np * (last - first), .x = (const double(*)[3])block->x, .components = 3};
    find_places(block, first, last, block->x);
    if (mx_function_values(function, &at, *block->value, err) != 0) return err->code;
    for (size_t e = first; e < last; e++)
      for (size_t i = 0; i < Np; i++) {
        const size_t node = (e - first) * Np + i;
        const double here = factor * factor_at(config, block->mesh, e, block->x[node]);
        for (size_t c = 0; c < 3; c++) (*field)[(3 * e + c) * Np + i] = here * block->value[node][c];
      }
  }
  return 0;
}

int mx_initial_fields(const struct mx_config *config, const struct dg_mesh *mesh, const struct dg_reference *ref,
                      double **E, double **H, struct dg_error *err)
{
  const size_t Np = (size_t)ref->Np;
  struct block block = {.mesh = mesh, .ref = ref, .elements = BLOCK / Np};
  *E = *H = NULL;
  if (config->initial.E == NULL && config->initial.H == NULL) return 0;
  if (block.elements > mesh->K) block.elements = mesh->K;
  if (DG_NEW(block.x, Np * block.elements, err) != 0 || DG_NEW(block.value, Np * block.elements, err) != 0 ||
      evaluate(&block, config, config->initial.E, "initial.E", 1, E, err) != 0 ||
      evaluate(&block, config, config->initial.H, "initial.H", MX_ETA0, H, err) != 0)
    goto fail;
fail:
  dg_free(block.x);
  dg_free(block.value);
  if (err->code == DG_OK) return 0;
  dg_free(*E);
  dg_free(*H);
  *E = *H = NULL;
  return err->code;
}
