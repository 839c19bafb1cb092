/* The identity of a run: a text of lines `key = value` from the script's tree, the step, and digests of the
 * mesh. It is saved with a checkpoint and compared on restart. */
#include "maxwell/checkpoint/identity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/digest.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"

struct text {
  char *start;
  size_t used, size;
  struct dg_error *err;
};

static int add(struct text *text, const char *format, ...) DG_PRINTF(2, 3);
static int add(struct text *text, const char *format, ...)
{
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  size_t needed = text->used + (size_t)length + 1;
  if (needed > text->size) {
    size_t size = 2 * needed;
    if (dg_grow(&text->start, size, 1, text->err) != 0) {
      va_end(list);
      return text->err->code;
    }
    text->size = size;
  }
  (void)vsnprintf(text->start + text->used, text->size - text->used, format, list);
  va_end(list);
  text->used += (size_t)length;
  return 0;
}

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

static int add_value(struct text *text, const struct mx_value *value);

/* Adds a long list as one line: a digest of the lines that it would be. */
static int add_long(struct text *text, const struct mx_value *value)
{
  struct text lines = {.err = text->err};
  uint64_t digest = 0;
  for (size_t i = 0; i < value->count && text->err->code == DG_OK; i++) {
    lines.used = 0;
    if (add_value(&lines, &value->entry[i].value) == 0) digest = dg_digest(digest, lines.start, lines.used);
  }
  dg_free(lines.start);
  if (text->err->code != DG_OK) return text->err->code;
  return add(text, "%s = %zu entries, digest %016" PRIx64 "\n", value->path, value->count, digest);
}

static int add_value(struct text *text, const struct mx_value *value)
{
  enum { LONG = 64 };
  uint64_t digest;
  switch (value->type) {
  case MX_NIL:
    return 0;
  case MX_BOOLEAN:
    return add(text, "%s = %s\n", value->path, value->boolean ? "true" : "false");
  case MX_NUMBER:
    return add(text, "%s = %.17g\n", value->path, value->number);
  case MX_STRING: {
    if (add(text, "%s = \"", value->path) != 0) return text->err->code;
    for (const char *c = value->string; *c != '\0'; c++)
      if (add(text, (unsigned char)*c < 0x20 ? "\\%03o" : "%c", (unsigned char)*c) != 0) return text->err->code;
    return add(text, "\"\n");
  }
  case MX_FUNCTION:
    if (value->function->digest(value->function->self, &digest, text->err) != 0) return text->err->code;
    return add(text, "%s = function, digest %016" PRIx64 "\n", value->path, digest);
  case MX_TABLE:
    if (*value->path != '\0' && !matters(value->path)) return 0;
    if (value->count > LONG) return add_long(text, value);
    if (value->count == 0 && *value->path != '\0') return add(text, "%s = {}\n", value->path);
    for (size_t i = 0; i < value->count; i++) {
      const struct mx_value *entry = &value->entry[i].value;
      if (matters(entry->path) && add_value(text, entry) != 0) return text->err->code;
    }
    return 0;
  }
  return 0;
}

int mx_identity(char **result, const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const uint64_t seed = mx_origin_seed(setup->origin);
  struct text text = {.err = err};
  struct mesh_digest mesh = {0};
  *result = NULL;
  if (digest_mesh(&mesh, &setup->mesh, setup->comm, err) != 0) return err->code;
  if (dg_comm_rank(setup->comm) != 0) return 0;
  if (add(&text, "order = %d\n", config->order) != 0 ||
      add(&text, "precision = %s\n", config->precision == MX_DOUBLE ? "double" : "single") != 0 ||
      add(&text, "time.integrator = %s\n", mx_integrator_names[config->time.integrator]) != 0 ||
      add(&text, "flux = %.17g\n", config->alpha) != 0 ||
      (config->bloch.given && add(&text, "wave vector of bloch in rad/m = %.17g %.17g %.17g\n", config->bloch.k[0],
                                  config->bloch.k[1], config->bloch.k[2]) != 0) ||
      add(&text, "number of elements of the mesh = %zu\n", setup->mesh.whole.K) != 0 ||
      add(&text, "mesh, by its elements = digest %016" PRIx64 "\n", mesh.elements) != 0 ||
      add(&text, "mesh, by its vertices = digest %016" PRIx64 "\n", mesh.vertices) != 0 ||
      add(&text, "time step in s = %.17g\n", setup->step) != 0 ||
      (seed != 0 && add(&text, "math.randomseed = digest %016" PRIx64 "\n", seed) != 0) ||
      (setup->origin != NULL && add_value(&text, setup->origin->root) != 0)) {
    dg_free(text.start);
    return err->code;
  }
  *result = text.start;
  return 0;
}

/* ---- comparison */

static size_t line_length(const char *text) { return strcspn(text, "\n"); }

/* Says whether the text has a line with the same key. */
static bool has_key(const char *text, const char *line)
{
  const char *end = strstr(line, " = ");
  size_t length = end != NULL ? (size_t)(end - line) + 3 : line_length(line);
  for (; *text != '\0'; text += line_length(text), text += *text == '\n')
    if (strncmp(text, line, length) == 0) return true;
  return false;
}

int mx_identity_compare(const char *checkpoint, const char *now, struct dg_error *err)
{
  enum { SHOWN = 200 };
  while (*checkpoint != '\0' || *now != '\0') {
    size_t here = line_length(checkpoint), there = line_length(now);
    if (here == there && strncmp(checkpoint, now, here) == 0) {
      checkpoint += here + (checkpoint[here] == '\n');
      now += there + (now[there] == '\n');
      continue;
    }
    int first = here < SHOWN ? (int)here : SHOWN, second = there < SHOWN ? (int)there : SHOWN;
    static const char advice[] = "run it without --restart, or as it was";
    if (here > 0 && (there == 0 || !has_key(now, checkpoint)))
      return dg_fail(err, DG_INPUT, "the checkpoint is of another run: it had %.*s, and this one has no such key; %s",
                     first, checkpoint, advice);
    if (there > 0 && !has_key(checkpoint, now))
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
