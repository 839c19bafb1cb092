/* Points and zones of a snapshot's mesh, every element subdivided into order^3 tetrahedra, and the calls of Silo that
 * write them. silo_block.c makes the mesh once for all snapshots of a run. */
#include "libdg/io/silo/silo_mesh.h"

#include <errno.h>

#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_pattern.h"
#include "libdg/io/silo/silo_values.h"
#include "libdg/io/subdivide.h"
#include "libdg/geometry/geometry.h"

/* Computes the coordinates of the nodes, and how far they reach. */
static void place_nodes(struct dg_silo_mesh *out, const struct dg_snapshot *s)
{
  const struct dg_reference *const ref = s->ref;
  const size_t Np = (size_t)ref->Np;
  struct dg_silo_range extent[3] = {DG_SILO_NO_RANGE, DG_SILO_NO_RANGE, DG_SILO_NO_RANGE};
#pragma omp parallel if (s->merge == NULL) /* else the last element at a point has the word */
  {
    struct dg_silo_range range[3] = {DG_SILO_NO_RANGE, DG_SILO_NO_RANGE, DG_SILO_NO_RANGE};
#pragma omp for schedule(static) nowait
    for (size_t e = 0; e < s->mesh->K; e++)
      for (size_t i = 0; i < Np; i++) {
        const size_t n = e * Np + i, point = s->merge != NULL ? (size_t)s->merge->point[n] : n;
        double x[3];
        dg_geometry_point(s->mesh, e, ref->r[i], ref->s[i], ref->t[i], x);
        for (size_t d = 0; d < 3; d++) {
          dg_silo_widen(&range[d], x[d]);
          out->coordinate[d * out->points + point] = x[d];
        }
      }
#pragma omp critical(silo_extent)
    for (int d = 0; d < 3; d++) dg_silo_join(&extent[d], range[d]);
  }
  for (int d = 0; d < 3; d++) {
    out->extent[d] = extent[d].least + 0.0;
    out->extent[3 + d] = extent[d].largest + 0.0;
  }
}

int dg_silo_make_mesh(struct dg_silo_mesh *out, const struct dg_snapshot *s, size_t nodes, size_t zones,
                      struct dg_error *err)
{
  struct dg_subdivision sub = {0};
  *out = (struct dg_silo_mesh){.points = s->merge != NULL ? s->merge->points : nodes, .zones = zones};
  const size_t work = (nodes > zones ? nodes : zones) * (s->merge != NULL ? 2 : 1);
  if (dg_subdivision_init(&sub, s->ref, err) != 0 ||
      dg_alloc_untouched(&out->zone, zones, sizeof *out->zone, err) != 0 ||
      dg_alloc_untouched(&out->coordinate, 3 * out->points, sizeof *out->coordinate, err) != 0 ||
      dg_alloc_untouched(&out->work, work, sizeof *out->work, err) != 0) {
    dg_silo_mesh_release(out);
    goto fail;
  }
  place_nodes(out, s);
  dg_subdivide_mesh(&sub, s->mesh, s->ref->Np, s->merge != NULL ? s->merge->point : NULL, out->zone);
fail:
  dg_subdivision_release(&sub);
  return err->code;
}

int dg_silo_put_mesh(const struct dg_silo_mesh *mesh, const struct dg_silo_file *file, struct dg_silo_options *options,
                     struct dg_error *err)
{
  const void *const coordinate[3] = {mesh->coordinate, mesh->coordinate + mesh->points,
                                     mesh->coordinate + 2 * mesh->points};
  int shape_type = DB_ZONETYPE_TET, shape_size = 4, shape_count = (int)mesh->zones;
  dg_silo_options_axes(options);
  errno = 0;
  const int failed = DBPutZonelist2(file->db, "zonelist", shape_count, 3, mesh->zone[0], 4 * shape_count, 0, 0, 0,
                                    &shape_type, &shape_size, &shape_count, 1, NULL) < 0 ||
                     DBPutUcdmesh(file->db, "mesh", 3, NULL, coordinate, (int)mesh->points, shape_count, "zonelist",
                                  NULL, DB_DOUBLE, options->list) < 0;
  return failed ? dg_silo_failed(file->path, "the mesh", err) : 0;
}

void dg_silo_mesh_release(struct dg_silo_mesh *mesh)
{
  if (mesh == NULL) return;
  dg_free(mesh->coordinate);
  dg_free(mesh->zone);
  dg_free(mesh->work);
  dg_silo_pattern_free(mesh->pattern);
  *mesh = (struct dg_silo_mesh){0};
}
