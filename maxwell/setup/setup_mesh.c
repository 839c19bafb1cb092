/* Gets the mesh of a run from an earlier run, from a file, or from curlew-mesh, and shares it out among ranks.
 * setup_build.c and run.c call it. */
#include "maxwell/setup/setup_mesh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <omp.h>

#include "libdg/base/memory.h"
#include "maxwell/problem/curved.h"
#include "maxwell/setup/open_layer.h"

/* Refuses a mesh file outside a script's folder. Somebody else's script may name only files there; the command line is
 * the user's own word. */
static int check_mesh_place(const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  if (mx_origin_may_name(setup->origin, config->mesh.file) ||
      strncmp(config->mesh.where, "--set ", strlen("--set ")) == 0)
    return 0;
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "mesh file '%s' lies outside of the script's folder: copy it there, name it with --set "
                          "mesh.file=..., or start curlew with --trust if you trust this script",
                 MX_AT(config->mesh.where), config->mesh.file);
}

/* Loads the mesh. With `in_parts` each rank loads its own part, else rank 0 loads the whole. */
static int load_mesh(struct mx_setup *setup, bool in_parts, const struct mx_keeping *keeping, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  struct dg_mesh_report *report = &setup->mesh_report;
  struct dg_mesh_options options = {
      .file = config->mesh.file,
      .size = config->mesh.size,
      .unit = config->mesh.unit,
      .seconds = config->mesh.seconds,
      .memory = 1e9 * config->mesh.memory,
      .threads = config->mesh.threads > 0 ? config->mesh.threads : omp_get_num_procs(),
      .geometry = config->mesh.geometry > 0 ? config->mesh.geometry
                  : config->order < 4       ? 2
                                            : 4,
      .own_geometry = config->mesh.geometry == 0,
      .report = report,
      .kept = setup->mesh_kept,
      .remake = keeping->remesh,
      .same_run = keeping->restart,
      .trust = setup->origin == NULL || setup->origin->trust,
      .parameters = config->mesh.parameters,
      .parameter_name = config->mesh.parameter_name,
      .parameter_value = config->mesh.parameter_value,
  };
  struct dg_error why = {0};
  if (check_mesh_place(setup, err) != 0) return err->code;
  int status = in_parts ? dg_mesh_load_parts(&setup->mesh, &options, setup->comm, &why)
                        : dg_mesh_load(&setup->mesh, &options, &why);
  if (report->why[0] != '\0')
    dg_log_line(setup->log, "mesh      made anew, '%s' is not used: %s", setup->mesh_kept, report->why);
  for (size_t i = 0; i < report->notes; i++) {
    if (report->note[i].warning) dg_log_warning(setup->log, "%s", report->note[i].text);
    else dg_log_line(setup->log, "mesh      %s", report->note[i].text);
  }
  if (status == 0) return 0;
  /* libdg knows no script: the place is put in front of its message. */
  if (why.code != DG_INPUT) *err = why;
  else (void)dg_fail(err, DG_INPUT, MX_PLACE "%s", MX_AT(config->mesh.where), why.message);
  return status;
}

/* Names the file of this rank's mesh in the output folder. */
static int name_kept(struct mx_setup *setup, bool in_parts, const struct mx_keeping *keeping, struct dg_error *err)
{
  if (keeping->folder == NULL || !setup->config->mesh.keep) return 0;
  size_t size = strlen(keeping->folder) + 40;
  if (dg_alloc(&setup->mesh_kept, size, 1, err) != 0) return err->code;
  if (in_parts)
    snprintf(setup->mesh_kept, size, "%s/mesh/part_%04d.mesh", keeping->folder, dg_comm_rank(setup->comm) + 1);
  else snprintf(setup->mesh_kept, size, "%s/mesh/whole.mesh", keeping->folder);
  return 0;
}

int mx_setup_keep_mesh(struct mx_setup *setup, struct dg_ledger *ledger, struct dg_error *err)
{
  struct dg_error why = {0};
  const struct dg_mesh_report *report = &setup->mesh_report;
  int64_t failed = 0;
  /* A claim also removes what a run that was killed left unfinished. */
  if (report->fresh != NULL || report->reused)
    failed = dg_ledger_claim(ledger, DG_LEDGER_KEPT, setup->mesh_kept, &why) != 0 && report->fresh != NULL;
  if (!failed) failed = dg_mesh_keep(&setup->mesh_report, setup->mesh_kept, &why) != 0;
  if (failed) dg_log_warning(setup->log, "the mesh is not kept: %s", why.message);
  int64_t others = failed && dg_comm_rank(setup->comm) != 0;
  if (dg_comm_reduce_int(setup->comm, DG_SUM, 1, &others, err) != 0) return err->code;
  if (others > 0) dg_log_warning(setup->log, "the mesh is not kept: %d ranks could not write their parts", (int)others);
  return 0;
}

/* Gives every rank its part of rank 0's mesh. */
static int share_mesh(struct mx_setup *setup, struct dg_error *err)
{
  const int ranks = dg_comm_size(setup->comm);
  int32_t *owner = NULL;
  if (dg_comm_rank(setup->comm) == 0 &&
      (DG_NEW(owner, setup->mesh.K, err) != 0 || dg_mesh_partition(&setup->mesh, ranks, NULL, owner, err) != 0))
    goto fail;
  (void)!dg_mesh_distribute(&setup->mesh, owner, setup->comm, err);
fail:
  dg_free(owner);
  return err->code;
}

/* Measures the sizes of the parts; every rank knows its own. */
static int measure_parts(struct mx_setup *setup, struct dg_error *err)
{
  struct dg_comm *comm = setup->comm;
  int64_t most[] = {(int64_t)setup->mesh.K, -(int64_t)setup->mesh.K}, cut = (int64_t)setup->ranks.halo.faces;
  if (dg_comm_reduce_int(comm, DG_MAX, 2, most, err) != 0 || dg_comm_reduce_int(comm, DG_SUM, 1, &cut, err) != 0)
    return err->code;
  setup->partition = (struct mx_partition){.smallest = (size_t)-most[1],
                                           .largest = (size_t)most[0],
                                           .mean = (double)setup->mesh.whole.K / dg_comm_size(comm),
                                           .cut = (size_t)cut / 2};
  const struct mx_partition *part = &setup->partition;
  dg_log_line(
      setup->log,
      "ranks     %d parts of %zu to %zu tetrahedra (the largest %.1f %% above the mean), %zu faces between them",
      dg_comm_size(comm), part->smallest, part->largest, 100 * ((double)part->largest / part->mean - 1), part->cut);
  return 0;
}

int mx_setup_make_mesh(struct mx_setup *setup, const struct mx_keeping *keeping, struct dg_error *err)
{
  double start = mx_clock();
  bool in_parts = dg_comm_rank(setup->comm) == 0 && dg_mesh_in_parts(setup->config->mesh.file);
  if (dg_comm_broadcast(setup->comm, sizeof in_parts, &in_parts, err) != 0) return err->code;
  if ((in_parts || dg_comm_rank(setup->comm) == 0) &&
      (name_kept(setup, in_parts, keeping, err) != 0 || load_mesh(setup, in_parts, keeping, err) != 0))
    return err->code;
  const struct dg_mesh_size *whole = &setup->mesh.whole;
  setup->meshing_seconds = mx_clock() - start;
  dg_log_line(setup->log, "mesh      %s: %zu tetrahedra, %zu vertices, %zu boundary faces (%.2f s%s)",
              setup->config->mesh.file, whole->K, whole->vertices, whole->boundary_faces, setup->meshing_seconds,
              setup->mesh_report.reused ? ", as an earlier run kept it" : "");
  if (in_parts && mx_open_wanted(setup->config))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "no layer grows from an open wall of a mesh that comes in parts: take one file for the whole "
                   "mesh",
                   MX_AT(setup->config->mesh.where));
  if (dg_comm_rank(setup->comm) == 0 && mx_open_grow(setup, err) != 0) return err->code;
  if (setup->comm == NULL) return mx_open_share(setup, err);
  if ((!in_parts && share_mesh(setup, err) != 0) || dg_halo_init(&setup->ranks.halo, &setup->mesh, err) != 0)
    return err->code;
  setup->ranks.comm = setup->comm;
  if (mx_open_share(setup, err) != 0) return err->code;
  return measure_parts(setup, err);
}

/* ---- curved elements ---- */

/* Backends that take curved elements. */
static bool takes(const char *backend)
{
  static const char *const list[] = {"reference", "cpu", "cuda"};
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
  if (check_layers(setup, err) == 0) (void)!mx_curve_check(mesh, &setup->ref, err);
  return dg_comm_agree(setup->comm, err);
}
