/* The far fields of a run while it runs: surfaces, schedule, samples, and their place in checkpoints. The set-up makes
 * them and output.c drives them. */
#include "maxwell/far/far_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "maxwell/model/waveform_energy.h"

/* ---- the schedule */

/* What the waveforms of a run hold. */
struct contents {
  bool known;     /* all sources have waveforms */
  double highest; /* Hz: the energy above is a 1e-10th part */
  double *weak;   /* [frequencies] largest share of a source's greatest spectral density, by amplitude */
};

static double highest_of(const struct mx_waveform_energy *energy)
{
  const double left_out = 1e-10;
  double above = 0;
  for (size_t b = energy->bins; b > 0; b--) {
    above += energy->power[b - 1];
    if (above > left_out * energy->total) return (double)b * energy->width;
  }
  return 0;
}

/* The share of the greatest density that the spectrum has at a frequency, by amplitude. */
static double share_at(const struct mx_waveform_energy *energy, double hertz)
{
  const size_t bin = (size_t)fmax(0, round(hertz / energy->width));
  double most = 0, here = 0;
  for (size_t b = 0; b < energy->bins; b++) {
    most = fmax(most, energy->power[b]);
    if (b + 1 >= bin && b <= bin + 1) here = fmax(here, energy->power[b]);
  }
  return most > 0 ? sqrt(here / most) : 0;
}

static int look_at_sources(const struct mx_far_place *place, const struct mx_frequencies *frequencies,
                           struct contents *contents, struct dg_error *err)
{
  const struct mx_source_list *list = &place->sources->list;
  *contents = (struct contents){.known = place->config->initial.E == NULL && place->config->initial.H == NULL};
  if (DG_NEW(contents->weak, frequencies->count, err) != 0) return err->code;
  for (size_t i = 0; i < list->count; i++) {
    const struct mx_source *source = &list->source[i];
    const struct mx_waveform_use use = {
        .shift = source->delay, .end = place->step * (double)place->steps, .step = place->step};
    struct mx_waveform_energy energy = {0};
    if (source->function != NULL) contents->known = false;
    if (source->function != NULL || (source->port && !source->driven)) continue;
    if (mx_waveform_energy_init(&energy, &source->waveform, &use, err) == 0 && energy.total > 0) {
      contents->highest = fmax(contents->highest, highest_of(&energy));
      for (size_t k = 0; k < frequencies->count; k++)
        contents->weak[k] = fmax(contents->weak[k], share_at(&energy, frequencies->hertz[k]));
    }
    mx_waveform_energy_release(&energy);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}

static double highest_frequency(const struct mx_frequencies *frequencies)
{
  double most = 0;
  for (size_t k = 0; k < frequencies->count; k++) most = fmax(most, frequencies->hertz[k]);
  return most;
}

/* A sample every `every` steps has a rate R, and what the fields have at R - f is taken for f. With R above the highest
 * frequency of the sources plus the highest wanted one there is nothing at R - f; a tenth is added, and R is at least
 * four times what is wanted. */
static long choose_every(const struct mx_far_place *place, const struct mx_far_config *config,
                         const struct contents *contents)
{
  const double wanted = highest_frequency(&config->frequencies);
  const double rate = fmax(4 * wanted, 1.1 * (contents->highest + wanted));
  if (config->every > 0) return config->every;
  if (!contents->known) return 1;
  return (long)fmax(1, floor(1 / (rate * place->step)));
}

static void warn_of_contents(const struct mx_far_place *place, const struct mx_far_config *config,
                             const struct contents *contents)
{
  const double least = place->config->precision == MX_DOUBLE ? 1e-4 : 1e-3;
  size_t weak = 0, worst = 0;
  for (size_t k = 0; contents->known && k < config->frequencies.count; k++) {
    weak += contents->weak[k] < least;
    if (contents->weak[k] < contents->weak[worst]) worst = k;
  }
  if (weak > 0)
    dg_log_warning(
        place->log,
        "output.far_field: the sources carry next to nothing at %zu of the %zu frequencies of '%s': at %.6g Hz "
        "%.2g of the largest of their spectra; what is given there is noise",
        weak, config->frequencies.count, config->name, config->frequencies.hertz[worst], contents->weak[worst]);
}

static int schedule(const struct mx_far_place *place, struct mx_far_field *field, struct dg_error *err)
{
  const struct mx_far_config *config = field->config;
  struct contents contents;
  if (look_at_sources(place, &config->frequencies, &contents, err) != 0) goto fail;
  field->every = choose_every(place, config, &contents);
  warn_of_contents(place, config, &contents);
  const double rate = 1 / ((double)field->every * place->step), wanted = highest_frequency(&config->frequencies);
  if (2 * wanted > rate) {
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE "output.far_field: '%s' cannot tell %g Hz, a sample every %g s reaches to %.4g Hz; lower "
                           "'every' or the frequency",
                  MX_AT(config->where), config->name, wanted, 1 / rate, rate / 2);
    goto fail;
  }
  if (contents.known && rate < contents.highest + wanted)
    dg_log_warning(
        place->log,
        "output.far_field: '%s' takes a sample every %ld steps; what the sources have between %.4g and %.4g Hz "
        "is then taken for frequencies that are asked for",
        config->name, field->every, rate - wanted, contents.highest);
fail:
  dg_free(contents.weak);
  return err->code;
}

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
      refuse_wave_over_ground(config, &field->incident, err) != 0 || schedule(place, field, err) != 0 ||
      mx_far_sums_init(&field->sums, &field->surface, place->problem, &config->frequencies,
                       (double)field->every * place->step, err) != 0 ||
      DG_NEW(field->ports, config->frequencies.count, err) != 0)
    return err->code;
  for (size_t k = 0; k < config->frequencies.count; k++) field->ports[k] = (struct mx_far_ports){NAN, NAN, NAN, NAN};
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
    dg_free(field->gathered_name);
    dg_free(field->gathered_sum);
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
    if (n % fields->field[i].every == 0 && fields->field[i].sums.backend == NULL) return true;
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
  const struct mx_ports *ports = &fields->place.sources->ports;
  for (size_t i = 0; i < fields->count && dg_comm_rank(fields->place.problem->comm) == 0; i++)
    for (size_t k = 0; k < fields->field[i].sums.frequencies; k++) {
      const double hertz = fields->field[i].sums.hertz[k];
      double incident = 0, reflected = 0;
      double complex wave = 0;
      for (size_t p = 0; p < ports->count; p++) {
        const double Z = creal(mx_ports_impedance(ports, p, hertz));
        double complex in, out;
        if (!(Z > 0) || !isfinite(Z)) continue;
        mx_ports_spectrum(ports, p, hertz, &in, &out);
        if (cabs(wave) == 0 && cabs(in) > 0) wave = in / cabs(in);
        incident += creal(in * conj(in)) / (2 * Z);
        reflected += creal(out * conj(out)) / (2 * Z);
      }
      if (!(incident > 0)) continue;
      wave *= sqrt(incident);
      fields->field[i].ports[k] = (struct mx_far_ports){incident, incident - reflected, creal(wave), cimag(wave)};
    }
}

/* ---- checkpoints: all faces of all ranks, each with what a rank has of it */

/* What a rank's sums of a face are of: both sides, or the one that the rank has. */
static long part_of(const struct mx_far_face *face) { return face->side[0] >= 0 ? 0 : 1; }

static size_t face_numbers(const struct mx_far_sums *sums) { return 2 * sums->frequencies * MX_FAR_NUMBERS * sums->Nf; }

/* Copies the sums of face k to value[2 frequencies][4][Nf], or adds them from there. */
static void copy_face(const struct mx_far_sums *sums, size_t k, double *value, bool adds)
{
  const size_t N = MX_FAR_NUMBERS * sums->Nf;
  for (size_t f = 0; f < 2 * sums->frequencies; f++) {
    double *sum = sums->sum + f * sums->width + k * N, *here = value + f * N;
    for (size_t i = 0; i < N && adds; i++) sum[i] += here[i];
    if (!adds) memcpy(here, sum, N * sizeof *here);
  }
}

static int gather_one(const struct mx_far_fields *fields, struct mx_far_field *field, struct dg_error *err)
{
  struct mx_far_sums *sums = &field->sums;
  const size_t count = field->surface.count, numbers = face_numbers(sums);
  const int ranks = dg_comm_size(fields->place.problem->comm);
  long *name = NULL;
  double *value = NULL;
  size_t *bytes = NULL;
  if (mx_far_sums_settle(sums, err) != 0) return err->code;
  dg_free(field->gathered_name);
  dg_free(field->gathered_sum);
  field->gathered_name = NULL;
  field->gathered_sum = NULL;
  field->gathered = 0;
  if (DG_NEW(name, count, err) != 0 || DG_NEW(value, count * numbers, err) != 0 || DG_NEW(bytes, ranks, err) != 0)
    goto fail;
  for (size_t k = 0; k < count; k++) {
    name[k] = 2 * field->surface.face[k].name + part_of(&field->surface.face[k]);
    copy_face(sums, k, value + k * numbers, false);
  }
  if (dg_comm_gather(fields->place.problem->comm, count * sizeof *name, name, &field->gathered_name, bytes, err) != 0)
    goto fail;
  for (int r = 0; r < ranks && dg_comm_rank(fields->place.problem->comm) == 0; r++)
    field->gathered += bytes[r] / sizeof *name;
  (void)!dg_comm_gather(fields->place.problem->comm, count * numbers * sizeof *value, value, &field->gathered_sum, NULL,
                        err);
fail:
  dg_free(name);
  dg_free(value);
  dg_free(bytes);
  return err->code;
}

int mx_far_fields_gather(struct mx_far_fields *fields, struct dg_error *err)
{
  for (size_t i = 0; i < fields->count; i++)
    if (gather_one(fields, &fields->field[i], err) != 0) return err->code;
  return 0;
}

static int by_name(const void *a, const void *b)
{
  const struct dg_keyed *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key;
}

/* Takes what was saved to this rank's faces: a face whose two sides are here gets both parts, and a part that was saved
 * with both sides in it goes to the inside. */
static int spread(struct mx_far_field *field, size_t saved, const long *name, double *value, struct dg_error *err)
{
  struct mx_far_sums *sums = &field->sums;
  const size_t count = field->surface.count, numbers = face_numbers(sums);
  struct dg_keyed *own;
  if (DG_NEW(own, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) own[k] = (struct dg_keyed){(uint64_t)field->surface.face[k].name, k};
  if (count > 0) qsort(own, count, sizeof *own, by_name);
  memset(sums->sum, 0, 2 * sums->frequencies * sums->width * sizeof *sums->sum);
  for (size_t i = 0; i < saved; i++) {
    const struct dg_keyed wanted = {(uint64_t)(name[i] / 2), 0};
    const struct dg_keyed *found = count > 0 ? bsearch(&wanted, own, count, sizeof *own, by_name) : NULL;
    if (found == NULL) continue;
    const struct mx_far_face *face = &field->surface.face[found->item];
    const bool both = face->side[0] >= 0 && face->side[1] >= 0;
    if (both || part_of(face) == name[i] % 2) copy_face(sums, found->item, value + i * numbers, true);
  }
  dg_free(own);
  return 0;
}

static int archive_one(struct mx_far_field *field, size_t index, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_far_sums *sums = &field->sums;
  const bool loads = archive->does == MX_ARCHIVE_LOADS;
  const size_t numbers = face_numbers(sums);
  long count = (long)field->gathered;
  double size[2] = {sums->largest, sums->last};
  char array[4][60];
  for (int i = 0; i < 4; i++) {
    static const char *const what[] = {"faces", "names", "sums", "rest"};
    (void)snprintf(array[i], sizeof array[i], "far_field/%zu/%s", index, what[i]);
  }
  if (mx_archive_longs(archive, array[0], 1, &count, err) != 0) return err->code;
  if (loads && (count < 0 || count > 2 * (long)field->surface.faces))
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint has %ld faces of a far field", count);
  if (mx_archive_doubles(archive, array[3], 2, size, err) != 0) return err->code;
  long *name = field->gathered_name;
  double *value = field->gathered_sum;
  if (loads && (dg_alloc(&name, (size_t)count, sizeof *name, err) != 0 ||
                dg_alloc(&value, (size_t)count * numbers, sizeof *value, err) != 0))
    goto fail;
  if (mx_archive_longs(archive, array[1], (size_t)count, name, err) != 0 ||
      mx_archive_doubles(archive, array[2], (size_t)count * numbers, value, err) != 0)
    goto fail;
  if (loads && spread(field, (size_t)count, name, value, err) == 0 && mx_far_sums_loaded(sums, err) == 0)
    sums->largest = size[0], sums->last = size[1];
fail:
  if (loads) {
    dg_free(name);
    dg_free(value);
  }
  return err->code;
}

static int archive_ports(struct mx_far_field *field, size_t index, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_archive own = *archive; /* only rank 0 has them */
  const size_t count = field->sums.frequencies;
  double *number;
  char array[60];
  (void)snprintf(array, sizeof array, "far_field/%zu/ports", index);
  if (DG_NEW(number, 5 * count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) { /* NAN is not saved: what is not known yet is a 0 before four others */
    const struct mx_far_ports *ports = &field->ports[k];
    if (isnan(ports->incident)) continue;
    number[5 * k] = 1, number[5 * k + 1] = ports->incident, number[5 * k + 2] = ports->accepted;
    number[5 * k + 3] = ports->wave_re, number[5 * k + 4] = ports->wave_im;
  }
  (void)!mx_archive_doubles(&own, array, 5 * count, number, err);
  for (size_t k = 0; k < count && own.does == MX_ARCHIVE_LOADS; k++)
    if (number[5 * k] != 0)
      field->ports[k] =
          (struct mx_far_ports){number[5 * k + 1], number[5 * k + 2], number[5 * k + 3], number[5 * k + 4]};
  dg_free(number);
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return err->code;
}

int mx_far_fields_archive(struct mx_far_fields *fields, struct mx_archive *archive, struct dg_error *err)
{
  for (size_t i = 0; i < fields->count; i++)
    if (archive_one(&fields->field[i], i, archive, err) != 0 || archive_ports(&fields->field[i], i, archive, err) != 0)
      return err->code;
  return 0;
}
