/* Writes phasors: a part of the mesh with its fields by the writers of snapshots, planes as tables or grids.
 * phasor_output.h names the files. */
#include "maxwell/record/phasor_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "maxwell/measure/points.h"
#include "maxwell/phasor/phasor_sar.h"
#include "maxwell/record/recorder.h"

enum { NAME = 320, PARTS = 2 }; /* PARTS: of a complex number */

static const char *const vector_name[2] = {"E", "H"}, *const part_suffix[PARTS] = {"_re", "_im"};

static const char *unit_of(const struct mx_phasor *phasor, bool magnetic)
{
  static const char *const units[2][2] = {{"V s/m", "A s/m"}, {"V/m", "A/m"}};
  return units[phasor->config->norm != MX_NORM_NONE][magnetic];
}

/* ---- volumes */

/* The elements of a phasor as a mesh of their own: arrays of elements are new, vertices are the mesh's. */
static int make_mesh(struct dg_mesh *part, const struct mx_phasor *phasor, const struct dg_mesh *mesh,
                     struct dg_error *err)
{
  const size_t count = phasor->parts.count, shape = mesh->curved > 0 ? (size_t)dg_shape_nodes(mesh->geometry) : 0;
  *part = (struct dg_mesh){
      .K = count, .vertices = mesh->vertices, .vertex = mesh->vertex, .geometry = mesh->geometry, .whole = mesh->whole};
  if (DG_NEW(part->element, count, err) != 0 || DG_NEW(part->curve, mesh->curved, err) != 0 ||
      DG_NEW(part->shape, mesh->curved * shape, err) != 0)
    return err->code;
  for (size_t k = 0, curve = 0; k < count; k++) {
    const int32_t e = phasor->element[k];
    memcpy(part->element[k], mesh->element[e], sizeof part->element[k]);
    while (curve < mesh->curved && mesh->curve[curve] < e) curve++;
    if (curve == mesh->curved || mesh->curve[curve] != e) continue;
    memcpy(part->shape + part->curved * shape, mesh->shape + curve * shape, shape * sizeof *part->shape);
    part->curve[part->curved++] = (int32_t)k;
  }
  return 0;
}

static void release_mesh(struct dg_mesh *part)
{
  dg_free(part->element);
  dg_free(part->curve);
  dg_free(part->shape);
}

struct volume {
  struct mx_phasors *phasors;
  const struct mx_phasor *phasor;
  const struct mx_writers *writers;
  const struct dg_reference *ref;
  struct mx_folder *folder;
  struct dg_comm *comm; /* of the ranks that have elements: no format has room for none */
  struct dg_mesh mesh;
  double complex *value;   /* [numbers] of an element */
  double *field[2][PARTS]; /* [K][3][Np] real and imaginary parts of E, H; NULL: not wanted */
  const struct mx_phasor_loss *loss;
  double *density, *sar;    /* [K][Np] of losses, and over the mass; NULL: not wanted */
  void *series[DG_FORMATS]; /* of the writers */
  struct dg_snapshot_entry *entry;
  char (*name)[NAME]; /* of the files that a list has */
};

static bool has(const struct mx_phasor *phasor, int magnetic)
{
  return (phasor->config->quantities & (magnetic ? MX_QUANTITY_H : MX_QUANTITY_E)) != 0;
}

static void fill_fields(const struct volume *v, size_t frequency)
{
  const struct mx_phasor *phasor = v->phasor;
  const size_t Np = phasor->nodes, components = (size_t)phasor->components;
  for (size_t k = 0; k < phasor->parts.count; k++) {
    mx_phasor_get(v->phasors, phasor, frequency, k, v->value);
    if (v->density != NULL) (void)mx_phasor_loss_of(v->loss, frequency, k, v->value, v->density + k * Np);
    if (v->sar != NULL && v->density != NULL) {
      const double mass = mx_phasor_mass_density(v->phasors, phasor, k);
      for (size_t n = 0; n < Np; n++) v->sar[k * Np + n] = mass > 0 ? v->density[k * Np + n] / mass : 0;
    }
    for (size_t n = 0; n < Np; n++)
      for (size_t c = 0; c < components; c++) {
        const size_t which = (size_t)phasor->first + c, to = (3 * k + which % 3) * Np + n;
        v->field[which / 3][0][to] = creal(v->value[n * components + c]);
        v->field[which / 3][1][to] = cimag(v->value[n * components + c]);
      }
  }
}

static int write_list(const struct volume *v, size_t w, struct dg_error *err)
{
  const struct dg_snapshot_writer *writer = v->writers->writer[w];
  const struct mx_phasor_config *config = v->phasor->config;
  char name[NAME], *path;
  if (writer->list == NULL || dg_comm_rank(v->comm) != 0) return 0;
  for (size_t f = 0; f < config->frequencies.count; f++) {
    (void)snprintf(v->name[f], sizeof v->name[f], "%.200s_%06zu%s", config->name, f + 1, writer->ending);
    v->entry[f] = (struct dg_snapshot_entry){v->name[f], config->frequencies.hertz[f]};
  }
  (void)snprintf(name, sizeof name, "spectra/%.200s%s.series", config->name, writer->ending);
  if (mx_folder_path(&path, v->folder, name, err) != 0) return err->code;
  (void)!writer->write_list(path, config->frequencies.count, v->entry, v->folder->ledger, err);
  dg_free(path);
  return err->code;
}

static int write_frequency(const struct volume *v, size_t frequency, struct dg_error *err)
{
  const struct mx_config *config = v->phasors->place.config;
  struct dg_snapshot_field field[2 * PARTS + 2];
  size_t fields = 0;
  fill_fields(v, frequency);
  for (int q = 0; q < 2; q++)
    for (int part = 0; part < PARTS && has(v->phasor, q); part++)
      field[fields++] = (struct dg_snapshot_field){.name = vector_name[q],
                                                   .suffix = part_suffix[part],
                                                   .unit = unit_of(v->phasor, q),
                                                   .components = 3,
                                                   .value = v->field[q][part]};
  if (v->density != NULL)
    field[fields++] = (struct dg_snapshot_field){.name = "loss_density",
                                                 .unit = v->phasor->config->norm != MX_NORM_NONE ? "W/m^3" : "J s/m^3",
                                                 .components = 1,
                                                 .value = v->density};
  if (v->sar != NULL)
    field[fields++] = (struct dg_snapshot_field){.name = "sar",
                                                 .unit = v->phasor->config->norm != MX_NORM_NONE ? "W/kg" : "J s/kg",
                                                 .components = 1,
                                                 .value = v->sar};
  const struct dg_snapshot content = {.mesh = &v->mesh,
                                      .ref = v->ref,
                                      .time = v->phasor->config->frequencies.hertz[frequency],
                                      .cycle = (int)frequency + 1,
                                      .fields = fields,
                                      .field = field,
                                      .mesh_once = true,
                                      .single = config->output.fields.precision == MX_SINGLE,
                                      .ledger = v->folder->ledger,
                                      .files = config->output.fields.files};
  for (size_t w = 0; w < v->writers->count; w++) {
    const struct dg_snapshot_writer *writer = v->writers->writer[w];
    char name[NAME], *path;
    (void)snprintf(name, sizeof name, "spectra/%.200s_%06zu%s", v->phasor->config->name, frequency + 1, writer->ending);
    if (mx_folder_path(&path, v->folder, name, err) != 0) return err->code;
    (void)!writer->write(v->series[w], path, &content, v->comm, err);
    dg_free(path);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}

static int write_fields(struct mx_phasors *phasors, const struct mx_phasor *phasor, const struct mx_phasor_loss *loss,
                        const struct mx_writers *writers, const struct dg_reference *ref, struct mx_folder *folder,
                        struct dg_error *err)
{
  struct volume v = {
      .phasors = phasors, .phasor = phasor, .writers = writers, .ref = ref, .folder = folder, .loss = loss};
  const size_t numbers = 3 * phasor->nodes * phasor->parts.count, frequencies = phasor->config->frequencies.count;
  if (dg_comm_part(&v.comm, phasors->place.problem->comm, phasor->parts.count > 0, err) != 0) return err->code;
  if (phasor->parts.count == 0) return 0;
  if (make_mesh(&v.mesh, phasor, phasors->place.mesh, err) != 0 || DG_NEW(v.value, phasor->parts.numbers, err) != 0 ||
      DG_NEW(v.entry, frequencies, err) != 0 || DG_NEW(v.name, frequencies, err) != 0)
    goto fail;
  for (int q = 0; q < 2; q++)
    for (int part = 0; part < PARTS && has(phasor, q); part++)
      if (DG_NEW(v.field[q][part], numbers, err) != 0) goto fail;
  if ((loss != NULL && DG_NEW(v.density, numbers / 3, err) != 0) ||
      (phasor->config->sar && DG_NEW(v.sar, numbers / 3, err) != 0))
    goto fail;
  for (size_t w = 0; w < writers->count; w++)
    if (writers->writer[w]->open(&v.series[w], err) != 0) goto fail;
  for (size_t f = 0; f < frequencies; f++)
    if (write_frequency(&v, f, err) != 0) goto fail;
  for (size_t w = 0; w < writers->count; w++)
    if (write_list(&v, w, err) != 0) goto fail;
fail:
  for (size_t w = 0; w < writers->count; w++) writers->writer[w]->close(v.series[w]);
  for (int i = 0; i < 2 * PARTS; i++) dg_free(v.field[i / PARTS][i % PARTS]);
  dg_free(v.density);
  dg_free(v.sar);
  dg_free(v.value);
  dg_free(v.entry);
  dg_free(v.name);
  release_mesh(&v.mesh);
  dg_comm_free(v.comm);
  return err->code;
}

static int write_volume(struct mx_phasors *phasors, const struct mx_phasor *phasor, const struct mx_writers *writers,
                        const struct dg_reference *ref, struct mx_folder *folder, struct dg_error *err)
{
  struct mx_phasor_loss loss = {0};
  const struct mx_phasor_config *config = phasor->config;
  if (!config->losses && !config->sar) return write_fields(phasors, phasor, NULL, writers, ref, folder, err);
  if (mx_phasor_loss_init(&loss, phasors, phasor, err) == 0 &&
      (!config->losses || mx_phasor_loss_write(&loss, folder, err) == 0) &&
      (!config->sar || mx_phasor_sar_write(&loss, folder, err) == 0))
    (void)!write_fields(phasors, phasor, &loss, writers, ref, folder, err);
  mx_phasor_loss_release(&loss);
  return err->code;
}

/* ---- planes */

struct plane {
  const struct mx_phasor *phasor;
  double *value; /* [frequencies][PARTS][points][6] NAN: outside of the mesh, or not wanted */
};

/* Brings the phasors of a frequency to rank 0: value[PARTS][points][6]. */
static int collect(const struct mx_phasors *phasors, struct mx_phasor *phasor, size_t frequency, double *value,
                   double *scratch, struct dg_error *err)
{
  const struct mx_measured_points *points = phasor->plane.own;
  double *part = phasor->plane.part;
  for (size_t k = 0; k < points->inside; k++) {
    double complex field[6];
    mx_phasor_get(phasors, phasor, frequency, k, field);
    for (size_t c = 0; c < 6; c++) {
      const bool there = c >= (size_t)phasor->first && c < (size_t)phasor->first + (size_t)phasor->components;
      part[6 * k + c] = there ? creal(field[c - (size_t)phasor->first]) : NAN;
      part[6 * (points->inside + k) + c] = there ? cimag(field[c - (size_t)phasor->first]) : NAN;
    }
  }
  return mx_points_collect(&phasor->plane, phasors->place.problem->comm, PARTS, value, scratch, err);
}

static void write_table(FILE *file, const void *what)
{
  static const char *const names[6] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
  const struct plane *plane = what;
  const struct mx_phasor *phasor = plane->phasor;
  const size_t rows = phasor->plane.rows, first = (size_t)phasor->first, end = first + (size_t)phasor->components;
  fputs("frequency,x,y,z", file);
  for (size_t c = first; c < end; c++) fprintf(file, ",%s_re,%s_im", names[c], names[c]);
  fputc('\n', file);
  for (size_t f = 0; f < phasor->config->frequencies.count; f++)
    for (size_t i = 0; i < rows; i++) {
      const double *re = plane->value + (PARTS * f * rows + i) * 6, *im = re + 6 * rows, *x = phasor->plane.x[i];
      fprintf(file, "%.17g,%.17g,%.17g,%.17g", phasor->config->frequencies.hertz[f], x[0], x[1], x[2]);
      for (size_t c = first; c < end; c++) {
        if (isnan(re[c])) fputs(",nan,nan", file); /* printf's nan may carry a sign */
        else fprintf(file, ",%.17g,%.17g", re[c], im[c]);
      }
      fputc('\n', file);
    }
}

static int write_grid(const struct plane *plane, size_t frequency, double *inside, double *value, const char *path,
                      struct dg_ledger *ledger, struct dg_error *err)
{
  const struct mx_phasor *phasor = plane->phasor;
  const size_t rows = phasor->plane.rows;
  const double *from = plane->value + PARTS * frequency * rows * 6;
  struct dg_grid_field field[2 * PARTS + 1];
  size_t fields = 0;
  for (size_t i = 0; i < rows; i++) inside[i] = !isnan(from[6 * i + (size_t)phasor->first]);
  for (size_t i = 0; i < PARTS * rows * 6; i++) value[i] = isnan(from[i]) ? 0 : from[i];
  for (int q = 0; q < 2; q++)
    for (int part = 0; part < PARTS && has(phasor, q); part++)
      field[fields++] = (struct dg_grid_field){
          vector_name[q], part_suffix[part], unit_of(phasor, q), 3, value + 6 * rows * (size_t)part + 3 * (size_t)q, 6};
  field[fields++] = (struct dg_grid_field){"inside", "", "1", 1, inside, 1};
  const struct dg_grid grid = {.n = {phasor->config->plane.samples[0], phasor->config->plane.samples[1]},
                               .point = (const double(*)[3])phasor->plane.x,
                               .time = phasor->config->frequencies.hertz[frequency],
                               .cycle = (int)frequency + 1,
                               .fields = fields,
                               .field = field,
                               .ledger = ledger};
  return dg_formats[0]->write_grid(path, &grid, err);
}

static int write_grids(const struct plane *plane, struct mx_folder *folder, struct dg_error *err)
{
  const size_t rows = plane->phasor->plane.rows;
  double *inside = NULL, *value = NULL;
  if (DG_NEW(inside, rows, err) != 0 || DG_NEW(value, PARTS * rows * 6, err) != 0) goto fail;
  for (size_t f = 0; f < plane->phasor->config->frequencies.count && err->code == DG_OK; f++) {
    char name[NAME], *path;
    (void)snprintf(name, sizeof name, "spectra/%.200s_%06zu%s", plane->phasor->config->name, f + 1,
                   dg_formats[0]->ending);
    if (mx_folder_path(&path, folder, name, err) != 0) goto fail;
    (void)!write_grid(plane, f, inside, value, path, folder->ledger, err);
    dg_free(path);
  }
fail:
  dg_free(inside);
  dg_free(value);
  return err->code;
}

static int write_plane(const struct mx_phasors *phasors, struct mx_phasor *phasor, struct mx_folder *folder,
                       struct dg_error *err)
{
  const struct mx_measured_points *points = phasor->plane.own;
  const size_t rows = phasor->plane.rows, frequencies = phasor->config->frequencies.count;
  const bool first = dg_comm_rank(phasors->place.problem->comm) == 0;
  struct plane plane = {.phasor = phasor};
  double *scratch = NULL;
  size_t most = points->inside;
  for (int r = 0; points->inside_of != NULL && r < dg_comm_size(phasors->place.problem->comm); r++)
    if (points->inside_of[r] > most) most = points->inside_of[r];
  if (DG_NEW(plane.value, first ? PARTS * frequencies * rows * 6 : 0, err) != 0 ||
      DG_NEW(phasor->plane.part, PARTS * points->inside * 6, err) != 0 || DG_NEW(scratch, PARTS * most * 6, err) != 0)
    goto fail;
  for (size_t f = 0; f < frequencies; f++)
    if (collect(phasors, phasor, f, first ? plane.value + PARTS * f * rows * 6 : NULL, scratch, err) != 0) goto fail;
  if (!first) goto fail;
  if (phasor->config->plane.silo) {
    (void)!write_grids(&plane, folder, err);
  } else {
    char name[NAME], *path;
    (void)snprintf(name, sizeof name, "spectra/%.200s.csv", phasor->config->name);
    if (mx_folder_path(&path, folder, name, err) == 0) (void)!dg_file_write(path, write_table, &plane, err);
    dg_free(path);
  }
fail:
  dg_free(plane.value);
  dg_free(phasor->plane.part);
  phasor->plane.part = NULL;
  dg_free(scratch);
  return err->code;
}

/* ---- all */

int mx_phasor_output(struct mx_phasors *phasors, const struct mx_writers *writers, const struct dg_reference *ref,
                     struct mx_folder *folder, struct dg_error *err)
{
  if (mx_phasors_settle(phasors, err) != 0) return err->code;
  for (size_t i = 0; i < phasors->count; i++) {
    struct mx_phasor *phasor = &phasors->phasor[i];
    if ((phasor->element != NULL ? write_volume(phasors, phasor, writers, ref, folder, err)
                                 : write_plane(phasors, phasor, folder, err)) != 0)
      return err->code;
  }
  return 0;
}

/* The names of a series of snapshots are those of a region's files, in another folder and with another stem. */
static int plan_volume(struct mx_plan *plan, const struct mx_phasor_config *config,
                       const struct dg_snapshot_writer *writer, struct dg_error *err)
{
  static const char stem[] = "fields";
  for (size_t i = 0; writer->names[i] != NULL; i++) {
    char text[NAME];
    const char *from = writer->names[i], *at = strstr(from, stem);
    if (at == NULL) (void)snprintf(text, sizeof text, "spectra/%s", from);
    else
      (void)snprintf(text, sizeof text, "spectra/%.*s%.200s%s", (int)(at - from), from, config->name,
                     at + strlen(stem));
    for (char *c = text + strlen("spectra/"); *c != '\0'; c++)
      if (*c == '$') *c = '#'; /* a number of a frequency is not a step */
    if (mx_plan_pattern(plan, err, "%s", text) != 0) return err->code;
  }
  return 0;
}

/* ---- the recorder ---- */

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_config *const config = scene->config;
  const struct mx_writers writers = mx_chosen_writers(config);
  if (config->output.spectra > 0) mx_plan_folder(plan, "spectra", false);
  for (size_t i = 0; i < config->output.spectra; i++) {
    const struct mx_phasor_config *phasor = &config->output.spectrum[i];
    if (phasor->plane.points > 0 && !phasor->plane.silo) {
      if (mx_plan_file(plan, err, "spectra/%.200s.csv", phasor->name) != 0) return err->code;
    } else if (phasor->plane.points > 0) {
      if (mx_plan_pattern(plan, err, "spectra/%.200s_#%s", phasor->name, dg_formats[0]->ending) != 0) return err->code;
    } else {
      mx_plan_folder(plan, "spectra/blocks", true);
      if (phasor->losses && mx_plan_file(plan, err, "spectra/%.200s_losses.csv", phasor->name) != 0) return err->code;
      if (phasor->sar && mx_plan_file(plan, err, "spectra/%.200s_sar.csv", phasor->name) != 0) return err->code;
      for (size_t w = 0; w < writers.count; w++)
        if (plan_volume(plan, phasor, writers.writer[w], err) != 0) return err->code;
    }
  }
  return 0;
}

static int results(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err)
{
  for (size_t i = 0; i < scene->config->output.spectra; i++) {
    const struct mx_phasor_config *phasor = &scene->config->output.spectrum[i];
    const struct {
      bool there;
      const char *part, *ending;
    } table[] = {{phasor->plane.points > 0 && !phasor->plane.silo, NULL, ""},
                 {phasor->losses, "losses", "_losses"},
                 {phasor->sar, "sar", "_sar"}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
      const struct mx_result result = {.list = "spectra", .name = phasor->name, .part = table[k].part, .at_end = true};
      if (table[k].there && mx_add_result(results, scene, &result, NULL, table[k].ending, err) != 0) return err->code;
    }
  }
  return 0;
}

/* Bytes on this rank that the sums take, and writing beside them. */
static size_t memory(const struct mx_scene *scene)
{
  const struct mx_phasors *const phasors = scene->phasors;
  const struct mx_writers writers = mx_chosen_writers(scene->config);
  size_t most = 0; /* one is written behind the other */
  for (size_t i = 0; i < phasors->count; i++) {
    const struct mx_phasor *phasor = &phasors->phasor[i];
    const size_t count = phasor->parts.count;
    size_t bytes = PARTS * sizeof(double) * count * phasor->parts.numbers, writer = 0;
    if (phasor->config->losses || phasor->config->sar)
      bytes += 2 * count * phasor->nodes * sizeof(double) + mx_curve_tables_bytes(phasors->place.problem);
    if (phasor->element == NULL)
      bytes = PARTS * sizeof(double) * 6 * (phasor->config->frequencies.count + 1) * phasor->plane.rows;
    for (size_t w = 0; phasor->element != NULL && w < writers.count; w++) {
      const size_t own = writers.writer[w]->memory(count, scene->ref, 0);
      if (own > writer) writer = own;
    }
    if (bytes + writer > most) most = bytes + writer;
  }
  return mx_phasors_memory(phasors) + most;
}

/* The set-up has made the sums. */
static int watch(void **self, struct mx_scene *scene, bool resume, struct dg_error *err)
{
  (void)resume;
  *self = scene;
  return mx_phasors_watch(scene->phasors, scene->ops, scene->backend, err);
}

static bool is_due(const void *self, long n) { return mx_phasors_due(((const struct mx_scene *)self)->phasors, n); }
static bool asks(const void *self, long n) { return mx_phasors_ask(((const struct mx_scene *)self)->phasors, n); }

static int take(void *self, long n, double t, struct dg_error *err)
{
  const struct mx_scene *const scene = self;
  (void)t;
  return mx_phasors_take(scene->phasors, scene->ops, scene->backend, n, err);
}

static int gather(void *self, struct dg_error *err)
{
  return mx_phasors_gather(((const struct mx_scene *)self)->phasors, err);
}

static int archive_sums(void *self, struct mx_archive *archive, struct dg_error *err)
{
  return mx_phasors_archive(((const struct mx_scene *)self)->phasors, archive, err);
}

static void end(void *self) { mx_phasors_note_ports(((const struct mx_scene *)self)->phasors); }

static int finish(void *self, struct dg_error *err)
{
  const struct mx_scene *const scene = self;
  const struct mx_writers writers = mx_chosen_writers(scene->config);
  return mx_phasor_output(scene->phasors, &writers, scene->ref, scene->folder, err);
}

const struct mx_recorder mx_phasors_recorder = {.plan = plan,
                                                .results = results,
                                                .memory = memory,
                                                .open = watch,
                                                .due = is_due,
                                                .asks = asks,
                                                .take = take,
                                                .gather = gather,
                                                .archive = archive_sums,
                                                .end = end,
                                                .finish = finish};
