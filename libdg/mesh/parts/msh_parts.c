/* Files that Gmsh split (NAME_1.msh, NAME_2.msh, ...): which ones there are, whether they fit the number of ranks, and
 * reading one on each rank. dg_mesh_load_parts is called by the set-up. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "libdg/mesh/parts/msh_parts.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/parts/join.h"
#include "libdg/mesh/parts/partition.h"

/* Makes the name NAME_<part>.msh for NAME.msh; NULL when the name is not such a one. */
static int part_name(char **name, const char *file, int part, struct dg_error *err)
{
  static const char extension[] = ".msh";
  size_t length = strlen(file), stem = length - (sizeof extension - 1), room = length + 16;
  *name = NULL;
  if (length < sizeof extension || strcmp(file + stem, extension) != 0) return 0;
  if (dg_alloc(name, room, 1, err) != 0) return err->code;
  snprintf(*name, room, "%.*s_%d%s", (int)stem, file, part, extension);
  return 0;
}

bool dg_mesh_in_parts(const char *file)
{
  struct dg_error err = {0};
  char *name;
  if (access(file, F_OK) == 0 || part_name(&name, file, 1, &err) != 0 || name == NULL) return false;
  bool there = access(name, F_OK) == 0;
  dg_free(name);
  return there;
}

/* Is the file a link to one that lies neither in its folder nor below it? */
static bool leads_out(const char *name)
{
  char file[PATH_MAX], folder[PATH_MAX], named[PATH_MAX];
  const char *slash = strrchr(name, '/');
  const int length = slash == NULL || slash == name ? 1 : (int)(slash - name);
  if (snprintf(named, sizeof named, "%.*s", length, slash == NULL ? "." : name) >= (int)sizeof named) return true;
  if (realpath(name, file) == NULL || realpath(named, folder) == NULL) return false; /* it is not there */
  const size_t own = strlen(folder);
  return own > 1 && (strncmp(file, folder, own) != 0 || file[own] != '/');
}

/* Checks that there are as many parts as ranks. All ranks know what every file says, so that the message is the same on
 * all of them. */
static int check_parts(const char *file, const char *name, bool trust, struct dg_comm *comm, struct dg_error *err)
{
  int64_t out = !trust && leads_out(name), most = 0;
  const int ranks = dg_comm_size(comm);
  if (dg_comm_reduce_int(comm, DG_MAX, 1, &out, err) != 0) return err->code;
  if (out)
    return dg_fail(err, DG_INPUT,
                   "a part of the mesh '%s' is a link to a file outside of its folder: copy it there, or start curlew "
                   "with --trust",
                   file);
  most = dg_msh_partitions(name);
  if (dg_comm_reduce_int(comm, DG_MAX, 1, &most, err) != 0) return err->code;
  if (most == 0)
    return dg_fail(err, DG_INPUT, "'%s' is no part of a partitioned mesh in Gmsh's format 4, nor is there a file '%s'",
                   name, file);
  if (most != ranks)
    return dg_fail(
        err, DG_INPUT,
        "the mesh '%s' is in %d parts, but there %s %d rank%s: start as many ranks as there are parts, or let "
        "Gmsh write one file (Mesh.PartitionSplitMeshFiles = 0)",
        file, (int)most, ranks == 1 ? "is" : "are", ranks, ranks == 1 ? "" : "s");
  return 0;
}

int dg_mesh_load_parts(struct dg_mesh *mesh, const struct dg_mesh_options *options, struct dg_comm *comm,
                       struct dg_error *err)
{
  struct dg_mesh_options own = *options;
  const int part = dg_comm_rank(comm) + 1;
  char *name = NULL;
  *mesh = (struct dg_mesh){0};
  if (err->code != DG_OK || part_name(&name, options->file, part, err) != 0) return err->code;
  DG_BUG_IF(name == NULL, "'%s' is not the name of a mesh in parts", options->file);
  own.file = name;
  if (check_parts(options->file, name, options->trust, comm, err) == 0 && dg_mesh_load_part(mesh, &own, part, err) == 0)
    (void)!dg_mesh_join(mesh, comm, err);
  dg_free(name);
  return err->code;
}
