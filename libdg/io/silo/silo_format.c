/* The table of functions by which runs write Silo files. The functions are those of silo_writer.h and silo_grid.h. */
#include "libdg/base/memory.h"
#include "libdg/io/silo/silo_grid.h"
#include "libdg/io/silo/silo_writer.h"

static int open_series(void **series, struct dg_error *err)
{
  struct dg_silo_mesh *kept;
  *series = NULL;
  if (DG_NEW(kept, 1, err) != 0) return err->code;
  *series = kept;
  return 0;
}

static void close_series(void *series)
{
  if (series != NULL) dg_silo_mesh_release(series);
  dg_free(series);
}

static int write_snapshot(void *series, const char *path, const struct dg_snapshot *snapshot, struct dg_comm *comm,
                          struct dg_error *err)
{
  return dg_silo_write(path, snapshot, series, comm, err);
}

static int write_part(void *series, void **job, const char *path, const struct dg_snapshot *snapshot,
                      struct dg_comm *comm, struct dg_error *err)
{
  struct dg_silo_job *block;
  const int status = dg_silo_write_block(&block, path, snapshot, series, comm, err);
  *job = block;
  return status;
}

static int finish(void *job, struct dg_error *err) { return dg_silo_write_names(job, err); }

static void abandon(void *job) { dg_silo_abandon(job); }

/* The mesh of corners: coordinates, zones, and room for one component (silo_mesh.c). */
static size_t memory(size_t K, const struct dg_reference *ref, size_t averages)
{
  const size_t Np = (size_t)ref->Np, p = (size_t)ref->order, zones = p * p * p;
  const size_t work = (Np > zones ? Np : zones) * (averages > 0 ? 2 : 1);
  return K * ((3 * Np + work) * sizeof(double) + zones * 4 * sizeof(int));
}

/* Zones have linear corners; what has a value an element stands at each of its zones. */
static void file_bytes(double K, const struct dg_reference *ref, const struct dg_snapshot_amounts *amounts,
                       double bytes[2])
{
  const double p = ref->order, zones = p * p * p * K, nodes = ref->Np * K;
  bytes[0] = amounts->number * (amounts->at_nodes * nodes + amounts->per_element * zones);
  bytes[1] = nodes * 3 * sizeof(double) + zones * 4 * sizeof(int);
}

static const char *const names[] = {"fields_$.silo", "blocks/fields_$_#.silo", "blocks/mesh_@_#.silo", NULL};

const struct dg_snapshot_writer dg_silo_format = {
    .name = "silo",
    .ending = ".silo",
    .version = dg_silo_version,
    .names = names,
    .folder = "blocks",
    .open = open_series,
    .close = close_series,
    .write = write_snapshot,
    .in_halves = dg_silo_in_halves,
    .write_part = write_part,
    .finish = finish,
    .abandon = abandon,
    .memory = memory,
    .file_bytes = file_bytes,
    .write_grid = dg_silo_write_grid,
};
