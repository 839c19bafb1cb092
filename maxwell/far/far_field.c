/* The far fields of a run while it runs: surfaces, schedule, samples, and their place in checkpoints. The set-up makes
 * them and output.c drives them. */
#include "maxwell/far/far_field.h"

#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"
#include "maxwell/transform/sampling.h"

/* ---- making them */

/* Says whether a wall of the mesh lies in the plane x[axis] = at, on any rank. A ground may have a feed below it. */
static int find_wall(const struct mx_far_place *place, int axis, double at, double slack, bool *found,
                     struct dg_error *err)
{
  const struct dg_mesh *mesh = place->mesh;
  int64_t faces = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    bool lies = mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY;
    for (size_t v = 0; v < 4 && lies; v++)
      lies = v == i % 4 || fabs(mesh->vertex[mesh->element[i / 4][v]][axis] - at) <= slack;
    faces += lies;
  }
  if (dg_comm_reduce_int(place->problem->comm, DG_SUM, 1, &faces, err) != 0) return err->code;
  *found = faces > 0;
  return 0;
}

static int check_images(const struct mx_far_place *place, const struct mx_far_config *config, struct dg_error *err)
{
  double most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, size = 0;
  for (size_t v = 0; v < place->mesh->vertices; v++)
    for (int d = 0; d < 3; d++) {
      most[d] = fmax(most[d], place->mesh->vertex[v][d]);
      most[3 + d] = fmax(most[3 + d], -place->mesh->vertex[v][d]);
    }
  if (dg_comm_reduce(place->problem->comm, DG_MAX, 6, most, err) != 0) return err->code;
  for (int d = 0; d < 3; d++) size = fmax(size, most[d] + most[3 + d]);
  for (size_t i = 0; i < config->images; i++) {
    const int axis = config->image[i].axis;
    const double at = config->image[i].at, low = -most[3 + axis], high = most[axis];
    bool there = fabs(at - low) <= 1e-6 * size || fabs(at - high) <= 1e-6 * size;
    if (config->image[i].ground && !there && find_wall(place, axis, at, 1e-6 * size, &there, err) != 0)
      return err->code;
    if (!there)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE
                     "output.far_field: the images of '%s' are in the plane %c = %g m, but the mesh ends at %c = "
                     "%g and %g m",
                     MX_AT(config->where), config->name, 'x' + axis, at, 'x' + axis, low, high);
  }
  return 0;
}

static int refuse_wave_over_ground(const struct mx_far_config *config, const struct mx_far_incident *incident,
                                   struct dg_error *err)
{
  for (size_t i = 0; i < config->images; i++)
    if (config->image[i].ground && incident->present)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "output.far_field: '%s' has a ground and a plane wave that comes in; the wave that the "
                              "ground reflects is not known to it. Leave 'images' or the wave out",
                     MX_AT(config->where), config->name);
  return 0;
}

static int choose_every(const struct mx_far_place *place, struct mx_far_field *field, struct dg_error *err)
{
  const struct mx_far_config *config = field->config;
  const struct mx_sampling_place sampling = {.config = place->config,
                                             .list = &place->sources->list,
                                             .step = place->step,
                                             .steps = place->steps,
                                             .doubts = place->doubts,
                                             .log = place->log};
  const struct mx_sampling_wish wish = {.key = "output.far_field",
                                        .name = config->name,
                                        .where = config->where,
                                        .frequencies = &config->frequencies,
                                        .every = config->every};
  return mx_sampling_choose(&field->every, &sampling, &wish, err);
}

/* Both sides of a face, or the one that the rank has, are a part of the sums. */
static int name_parts(struct mx_far_field *field, struct dg_error *err)
{
  const size_t count = field->surface.count;
  if (DG_NEW(field->name, count, err) != 0 || DG_NEW(field->whole, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) {
    const struct mx_far_face *face = &field->surface.face[k];
    field->name[k] = 2 * face->name + (face->side[0] >= 0 ? 0 : 1);
    field->whole[k] = face->side[0] >= 0 && face->side[1] >= 0;
  }
  return 0;
}

static int init_one(const struct mx_far_place *place, const struct mx_far_config *config, struct mx_far_field *field,
                    struct dg_error *err)
{
  const struct mx_far_scene scene = {.config = config,
                                     .problem = place->problem,
                                     .assignment = place->assignment,
                                     .mesh = place->mesh,
                                     .log = place->log};
  field->config = config;
  if (check_images(place, config, err) != 0 || mx_far_surface_init(&field->surface, &scene, err) != 0 ||
      mx_far_incident_find(&field->incident, place->config, &place->sources->list, place->assignment, place->mesh,
                           place->log, err) != 0 ||
      refuse_wave_over_ground(config, &field->incident, err) != 0 || choose_every(place, field, err) != 0 ||
      mx_far_sums_init(&field->sums, &field->surface, place->problem, &config->frequencies,
                       (double)field->every * place->step, err) != 0 ||
      name_parts(field, err) != 0 || mx_port_powers_new(&field->ports, config->frequencies.count, err) != 0)
    return err->code;
  dg_log_line(place->log,
              "far field '%s': %lld faces of %.4g m^2 in epsilon_r = %g, %zu frequencies, a sample every %ld "
              "steps",
              config->name, (long long)field->surface.faces, field->surface.area, field->surface.epsilon,
              config->frequencies.count, field->every);
  return 0;
}

int mx_far_fields_init(struct mx_far_fields *fields, const struct mx_far_place *place, struct dg_error *err)
{
  const size_t count = place->config->output.far_fields;
  *fields = (struct mx_far_fields){.place = *place};
  if (DG_NEW(fields->field, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    fields->count++;
    if (init_one(place, &place->config->output.far_field[i], &fields->field[i], err) != 0) return err->code;
  }
  return 0;
}

void mx_far_fields_release(struct mx_far_fields *fields)
{
  for (size_t i = 0; i < fields->count; i++) {
    struct mx_far_field *field = &fields->field[i];
    mx_far_sums_release(&field->sums);
    mx_far_surface_release(&field->surface);
    dg_free(field->ports);
    dg_free(field->name);
    dg_free(field->whole);
    mx_gathered_release(&field->gathered);
  }
  dg_free(fields->field);
  *fields = (struct mx_far_fields){0};
}

size_t mx_far_fields_memory(const struct mx_far_fields *fields)
{
  size_t bytes = 0;
  for (size_t i = 0; i < fields->count; i++)
    bytes += mx_far_sums_memory(&fields->field[i].sums) +
             fields->field[i].surface.count * sizeof *fields->field[i].surface.face;
  return bytes;
}

/* ---- while the run goes on */

int mx_far_fields_watch(struct mx_far_fields *fields, const struct mx_backend_ops *ops, struct mx_backend *backend,
                        struct dg_error *err)
{
  for (size_t i = 0; i < fields->count; i++)
    if (mx_far_sums_watch(&fields->field[i].sums, ops, backend, err) != 0) return err->code;
  return 0;
}

bool mx_far_fields_ask(const struct mx_far_fields *fields, long n)
{
  for (size_t i = 0; i < fields->count; i++)
    if (n % fields->field[i].every == 0 && fields->field[i].sums.running.backend == NULL) return true;
  return false;
}

bool mx_far_fields_due(const struct mx_far_fields *fields, long n)
{
  for (size_t i = 0; i < fields->count; i++)
    if (n % fields->field[i].every == 0) return true;
  return false;
}

int mx_far_fields_take(struct mx_far_fields *fields, const struct mx_backend_ops *ops, struct mx_backend *backend,
                       long n, struct dg_error *err)
{
  for (size_t i = 0; i < fields->count; i++) {
    struct mx_far_field *field = &fields->field[i];
    if (n % field->every == 0 && mx_far_sums_take(&field->sums, ops, backend, fields->place.step * (double)n, err) != 0)
      return err->code;
  }
  return 0;
}

void mx_far_fields_note_ports(struct mx_far_fields *fields)
{
  for (size_t i = 0; i < fields->count && dg_comm_rank(fields->place.problem->comm) == 0; i++)
    mx_port_powers_note(fields->field[i].ports, &fields->place.sources->ports, &fields->field[i].config->frequencies);
}

/* ---- checkpoints: all faces of all ranks, each with what a rank has of it */

static struct mx_running_parts parts_of(const struct mx_far_field *field)
{
  return (struct mx_running_parts){.count = field->surface.count,
                                   .numbers = MX_FAR_NUMBERS * field->sums.Nf,
                                   .name = field->name,
                                   .whole = field->whole};
}

int mx_far_fields_gather(struct mx_far_fields *fields, struct dg_error *err)
{
  for (size_t i = 0; i < fields->count; i++) {
    struct mx_far_field *field = &fields->field[i];
    const struct mx_running_parts parts = parts_of(field);
    struct dg_comm *comm = fields->place.problem->comm;
    if (mx_running_gather(&field->sums.running, &parts, comm, &field->gathered, err) != 0 ||
        mx_tail_gather(&field->sums.tail, comm, err) != 0)
      return err->code;
  }
  return 0;
}

static int archive_one(struct mx_far_field *field, size_t index, double step, struct mx_archive *archive,
                       struct dg_error *err)
{
  struct mx_far_sums *sums = &field->sums;
  const struct mx_running_parts parts = parts_of(field);
  double size[2] = {sums->largest, sums->last};
  char name[60], rest[80];
  (void)snprintf(name, sizeof name, "far_field/%zu", index);
  (void)snprintf(rest, sizeof rest, "%s/rest", name);
  if (mx_sampling_archive(&field->every, &sums->running, step, name, archive, err) != 0 ||
      mx_archive_doubles(archive, rest, 2, size, err) != 0 ||
      mx_running_archive(&sums->running, &parts, &field->gathered, name, 2 * (size_t)field->surface.faces, archive,
                         err) != 0)
    return err->code;
  if (archive->does == MX_ARCHIVE_LOADS) sums->largest = size[0], sums->last = size[1];
  return 0;
}

int mx_far_fields_archive(struct mx_far_fields *fields, struct mx_archive *archive, struct dg_error *err)
{
  for (size_t i = 0; i < fields->count; i++) {
    char name[60], tail[60];
    (void)snprintf(name, sizeof name, "far_field/%zu/ports", i);
    (void)snprintf(tail, sizeof tail, "far_field/%zu/tail", i);
    if (archive_one(&fields->field[i], i, fields->place.step, archive, err) != 0 ||
        mx_tail_archive_all(&fields->field[i].sums.tail, tail, archive, fields->place.problem->comm, err) != 0 ||
        mx_port_powers_archive(fields->field[i].ports, fields->field[i].sums.running.frequencies, name, archive, err) !=
            0)
      return err->code;
  }
  return 0;
}
