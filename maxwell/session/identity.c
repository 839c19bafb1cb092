/* The identity of a run: a text of lines `key = value` from the script's tree, the step, and digests of the
 * mesh. It is saved with a checkpoint and compared on restart. */
#include "maxwell/session/identity.h"

#include <inttypes.h>
#include <string.h>

#include "libdg/base/digest.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "maxwell/shell/rules/tree_text.h"

/* ---- the mesh */

/* Summed over elements and ranks in halves, so that no sum overflows. */
struct mesh_digest {
  uint64_t elements, vertices;
};

static int digest_mesh(struct mesh_digest *digest, const struct dg_mesh *mesh, struct dg_comm *comm,
                       struct dg_error *err)
{
  int64_t sum[4] = {0};
  for (size_t e = 0; e < mesh->K; e++) {
    int64_t names[5] = {dg_mesh_global(mesh, e)};
    double corner[4][3];
    for (size_t i = 0; i < 4; i++) {
      size_t v = (size_t)mesh->element[e][i];
      names[1 + i] = dg_mesh_global_vertex(mesh, v);
      memcpy(corner[i], mesh->vertex[v], sizeof corner[i]);
    }
    uint64_t of_names = dg_digest(0, names, sizeof names), of_corners = dg_digest(of_names, corner, sizeof corner);
    const ptrdiff_t curve = mesh->curved > 0 ? dg_mesh_curve(mesh, e) : -1;
    if (curve >= 0)
      of_corners = dg_digest(of_corners, dg_mesh_shape(mesh, (size_t)curve),
                             dg_shape_nodes(mesh->geometry) * sizeof *mesh->shape);
    sum[0] += (int64_t)(of_names >> 32);
    sum[1] += (int64_t)(of_names & UINT32_MAX);
    sum[2] += (int64_t)(of_corners >> 32);
    sum[3] += (int64_t)(of_corners & UINT32_MAX);
  }
  if (dg_comm_reduce_int(comm, DG_SUM, 4, sum, err) != 0) return err->code;
  digest->elements = dg_digest(0, sum, 2 * sizeof *sum);
  digest->vertices = dg_digest(0, sum + 2, 2 * sizeof *sum);
  return 0;
}

/* ---- the script */

static bool matters(const char *path)
{
  static const char *const without[] = {"name",
                                        "backend",
                                        "time",
                                        "heat.time.walltime",
                                        "checkpoint",
                                        "watchdog",
                                        "mesh.seconds",
                                        "mesh.memory",
                                        "mesh.threads", /* the mesh that the threads make has its digest */
                                        "mesh.keep",
                                        "output.progress",
                                        "on.done", /* looks at what is there at the end, and remembers nothing */
                                        "mesh",
                                        "output.fields.files",
                                        "output.fields.ahead",
                                        "output.fields.precision",
                                        "output.fields.mesh",
                                        "gpu",
                                        "order",
                                        "precision",
                                        "flux"}; /* the keys of these that matter have lines of their own */
  for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
    size_t length = strlen(without[i]);
    if (strncmp(path, without[i], length) == 0 && (path[length] == '\0' || path[length] == '.')) return false;
  }
  return true;
}

int mx_identity(char **result, const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_config *config = scene->config;
  const uint64_t seed = mx_origin_seed(scene->origin);
  struct mx_text text = {.err = err};
  struct mesh_digest mesh = {0};
  *result = NULL;
  if (digest_mesh(&mesh, scene->mesh, scene->comm, err) != 0) return err->code;
  if (dg_comm_rank(scene->comm) != 0) return 0;
  if (mx_text_add(&text, "order = %d\n", config->order) != 0 ||
      mx_text_add(&text, "precision = %s\n", config->precision == MX_DOUBLE ? "double" : "single") != 0 ||
      mx_text_add(&text, "time.integrator = %s\n", mx_integrator_names[config->time.integrator]) != 0 ||
      mx_text_add(&text, "flux = %.17g\n", config->alpha) != 0 ||
      (config->bloch.given && mx_text_add(&text, "wave vector of bloch in rad/m = %.17g %.17g %.17g\n",
                                          config->bloch.k[0], config->bloch.k[1], config->bloch.k[2]) != 0) ||
      mx_text_add(&text, "number of elements of the mesh = %zu\n", scene->mesh->whole.K) != 0 ||
      mx_text_add(&text, "mesh, by its elements = digest %016" PRIx64 "\n", mesh.elements) != 0 ||
      mx_text_add(&text, "mesh, by its vertices = digest %016" PRIx64 "\n", mesh.vertices) != 0 ||
      mx_text_add(&text, "time step in s = %.17g\n", scene->step) != 0 ||
      (seed != 0 && mx_text_add(&text, "math.randomseed = digest %016" PRIx64 "\n", seed) != 0) ||
      (scene->origin != NULL && mx_text_tree(&text, scene->origin->root, matters) != 0)) {
    dg_free(text.start);
    return err->code;
  }
  *result = text.start;
  return 0;
}

/* ---- comparison */

int mx_identity_compare(const char *checkpoint, const char *now, struct dg_error *err)
{
  enum { SHOWN = 200 };
  while (*checkpoint != '\0' || *now != '\0') {
    size_t here = mx_text_line(checkpoint), there = mx_text_line(now);
    if (here == there && strncmp(checkpoint, now, here) == 0) {
      checkpoint += here + (checkpoint[here] == '\n');
      now += there + (now[there] == '\n');
      continue;
    }
    int first = here < SHOWN ? (int)here : SHOWN, second = there < SHOWN ? (int)there : SHOWN;
    static const char advice[] = "run it without --restart, or as it was";
    if (here > 0 && (there == 0 || !mx_text_has_key(now, checkpoint)))
      return dg_fail(err, DG_INPUT, "the checkpoint is of another run: it had %.*s, and this one has no such key; %s",
                     first, checkpoint, advice);
    if (there > 0 && !mx_text_has_key(checkpoint, now))
      return dg_fail(err, DG_INPUT, "the checkpoint is of another run: it had no key like %.*s; %s", second, now,
                     advice);
    const char *key = strstr(now, " = "), *digest = strstr(now, "digest ");
    if (key != NULL && digest != NULL && key < digest && digest < now + there) /* says nothing to anybody */
      return dg_fail(err, DG_INPUT, "the checkpoint is of another run: it had another %.*s; %s", (int)(key - now), now,
                     advice);
    return dg_fail(err, DG_INPUT, "the checkpoint is of another run: it had %.*s, this one has %.*s; %s", first,
                   checkpoint, second, now, advice);
  }
  return 0;
}
