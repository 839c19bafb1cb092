/* Reports curved elements, and keeps them from what cannot take them. setup_build.c calls it. */
#include "maxwell/setup/curved.h"

#include <inttypes.h>
#include <string.h>

#include "libdg/mesh/curve.h"

/* Backends that take curved elements. */
static bool takes(const char *backend)
{
  static const char *const list[] = {"reference", "cpu"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i], backend) == 0) return true;
  return false;
}

/* Finds a curved element in a layer. */
static int check_layers(const struct mx_setup *setup, struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  for (size_t k = 0; k < mesh->curved && setup->layers.of_volume != NULL; k++) {
    const int32_t volume = mesh->volume[mesh->curve[k]];
    if (setup->layers.of_volume[volume] < 0) continue;
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "volume %d, a layer, has curved elements, and layers do not take them: set mesh.geometry = 1",
                   MX_AT(setup->config->mesh.where), mesh->entity[volume].tag);
  }
  return 0;
}

int mx_check_curved(struct mx_setup *setup, struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  int64_t curved = (int64_t)mesh->curved, geometry = mesh->geometry;
  if (dg_comm_reduce_int(setup->comm, DG_SUM, 1, &curved, err) != 0 ||
      dg_comm_reduce_int(setup->comm, DG_MAX, 1, &geometry, err) != 0)
    return err->code;
  if (curved == 0) return 0;
  dg_log_line(setup->log, "curved    %" PRId64 " of %zu elements (%.1f %%), maps of order %" PRId64, curved,
              mesh->whole.K, 100.0 * (double)curved / (double)mesh->whole.K, geometry);
  if (!takes(setup->ops->name))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "the mesh has curved elements, which backend '%s' does not take: set mesh.geometry = 1",
                   MX_AT(setup->config->mesh.where), setup->ops->name);
  (void)!check_layers(setup, err);
  return dg_comm_agree(setup->comm, err);
}
