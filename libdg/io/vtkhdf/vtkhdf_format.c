/* The table of functions by which runs write VTKHDF files. The functions are those of vtkhdf_writer.h and
 * vtkhdf_index.h. */
#include "libdg/io/vtkhdf/vtkhdf_index.h"
#include "libdg/io/vtkhdf/vtkhdf_writer.h"

static int open_series(void **series, struct dg_error *err)
{
  struct dg_vtkhdf_series *own;
  const int status = dg_vtkhdf_series_new(&own, err);
  *series = own;
  return status;
}

static void close_series(void *series) { dg_vtkhdf_series_free(series); }

static int write_snapshot(void *series, const char *path, const struct dg_snapshot *snapshot, struct dg_comm *comm,
                          struct dg_error *err)
{
  return dg_vtkhdf_write(series, path, snapshot, comm, err);
}

static int write_part(void *series, void **job, const char *path, const struct dg_snapshot *snapshot,
                      struct dg_comm *comm, struct dg_error *err)
{
  struct dg_vtkhdf_job *part;
  const int status = dg_vtkhdf_write_part(series, &part, path, snapshot, comm, err);
  *job = part;
  return status;
}

static int finish(void *job, struct dg_error *err) { return dg_vtkhdf_finish(job, err); }

static void abandon(void *job) { dg_vtkhdf_abandon(job); }

/* Numbers go to the file piece by piece. Only averages are kept, with room for a vector and a component
 * (vtkhdf_writer.c); points that elements share are counted with each of them. Of several ranks each keeps its number
 * for each element. */
static size_t memory(size_t K, const struct dg_reference *ref, size_t averages)
{
  const size_t kept = averages > 0 ? averages + 3 + 1 : 0;
  return K * (kept * (size_t)ref->Np + 1) * sizeof(double);
}

static void file_bytes(double K, const struct dg_reference *ref, const struct dg_snapshot_amounts *amounts,
                       double bytes[2])
{
  const double nodes = ref->Np * K;
  bytes[0] = amounts->number * (amounts->at_nodes * nodes + amounts->per_element * K);
  bytes[1] = nodes * (3 * sizeof(double) + sizeof(int64_t)) + K * (sizeof(int64_t) + 1);
}

static const char *const names[] = {"fields_$.hdf", "fields.hdf.series", "blocks/fields_$_#.h5", "blocks/mesh_@_#.h5",
                                    NULL};

const struct dg_snapshot_writer dg_vtkhdf_format = {
    .name = "vtkhdf",
    .ending = ".hdf",
    .version = dg_vtkhdf_version,
    .names = names,
    .folder = "blocks",
    .open = open_series,
    .close = close_series,
    .write = write_snapshot,
    .in_halves = dg_vtkhdf_in_halves,
    .write_part = write_part,
    .finish = finish,
    .abandon = abandon,
    .memory = memory,
    .file_bytes = file_bytes,
    .list = "fields.hdf.series",
    .write_list = dg_vtkhdf_write_list,
};
