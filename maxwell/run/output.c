#include "maxwell/run/output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/io/silo_writer.h"
#include "maxwell/run/folder.h"

int mx_probe_locate(const struct mx_setup *setup, const struct mx_probe_config *probe, size_t *element, double *weight,
                    struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  double bary[4];
  int64_t found = dg_mesh_locate(mesh, probe->at, bary);
  if (found < 0) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < mesh->vertices; v++)
      for (int d = 0; d < 3; d++) {
        low[d] = fmin(low[d], mesh->vertex[v][d]);
        high[d] = fmax(high[d], mesh->vertex[v][d]);
      }
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "probe '%s' at (%g, %g, %g) m is outside the mesh, which spans (%g, %g, %g) to (%g, %g, %g) m",
                   MX_AT(probe->where), probe->name, probe->at[0], probe->at[1], probe->at[2], low[0], low[1], low[2],
                   high[0], high[1], high[2]);
  }
  *element = (size_t)found;
  dg_reference_interpolate(&setup->ref, 2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1, weight);
  return 0;
}

static int write_failed(const char *path, struct dg_error *err)
{
  int reason = errno;
  return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, reason != 0 ? strerror(reason) : "unknown reason");
}

static int open_csv(FILE **file, const char *path, const char *header, struct dg_error *err)
{
  errno = 0;
  *file = fopen(path, "w");
  if (*file == NULL) return write_failed(path, err);
  if (fprintf(*file, "%s\n", header) < 0 || fflush(*file) != 0) return write_failed(path, err);
  return 0;
}

static int open_probes(struct mx_output *output, struct dg_error *err)
{
  const struct mx_config *config = output->setup->config;
  size_t count = config->output.probes, Np = (size_t)output->setup->ref.Np;
  if (DG_NEW(output->probe, count, err) != 0 || DG_NEW(output->probe_path, count, err) != 0 ||
      DG_NEW(output->point, count, err) != 0 || DG_NEW(output->weight, count * Np, err) != 0 ||
      DG_NEW(output->value, count, err) != 0)
    return err->code;
  for (size_t i = 0; i < count; i++) {
    const struct mx_probe_config *probe = &config->output.probe[i];
    char name[300];
    output->point[i].weight = output->weight + i * Np;
    if (mx_probe_locate(output->setup, probe, &output->point[i].element, output->weight + i * Np, err) != 0)
      return err->code;
    snprintf(name, sizeof name, "probes/%.200s.csv", probe->name);
    if (mx_folder_path(&output->probe_path[i], output->folder, name, err) != 0) return err->code;
    if (open_csv(&output->probe[i], output->probe_path[i], "time,Ex,Ey,Ez,Hx,Hy,Hz", err) != 0) return err->code;
  }
  return 0;
}

static int prepare_snapshots(struct mx_output *output, struct dg_error *err)
{
  const struct mx_problem *problem = &output->setup->problem;
  size_t n = 3 * (size_t)problem->ref->Np * problem->K;
  if (DG_NEW(output->E, n, err) != 0 || DG_NEW(output->H, n, err) != 0) return err->code;
  if (!(output->setup->config->output.fields.quantities & MX_QUANTITY_MATERIAL)) return 0;
  const double *parameter[3] = {problem->epsilon, problem->mu, problem->sigma};
  for (int i = 0; i < 3; i++) {
    if (DG_NEW(output->material[i], problem->K, err) != 0) return err->code;
    for (size_t e = 0; e < problem->K; e++) output->material[i][e] = parameter[i][e] / (i == 2 ? MX_ETA0 : 1);
  }
  return 0;
}

int mx_output_open(struct mx_output *output, const struct mx_setup *setup, const char *folder, struct dg_error *err)
{
  *output = (struct mx_output){.setup = setup, .folder = folder, .last_flush = mx_clock()};
  if (open_probes(output, err) != 0) return err->code;
  if (setup->config->output.energy_every > 0 &&
      (mx_folder_path(&output->energy_path, folder, "energy.csv", err) != 0 ||
       open_csv(&output->energy, output->energy_path, "step,time,electric,magnetic,total", err) != 0))
    return err->code;
  if (setup->config->output.fields.every > 0) return prepare_snapshots(output, err);
  return 0;
}

static bool due(long every, long n) { return every > 0 && n % every == 0; }

bool mx_output_due(const struct mx_output *output, long n)
{
  const struct mx_config *config = output->setup->config;
  if (due(config->output.energy_every, n) || due(config->output.fields.every, n)) return true;
  for (size_t i = 0; i < config->output.probes; i++)
    if (due(config->output.probe[i].every, n)) return true;
  return false;
}

static int write_probes(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  const struct mx_config *config = output->setup->config;
  bool any = false;
  for (size_t i = 0; i < config->output.probes; i++) any = any || due(config->output.probe[i].every, n);
  if (!any) return 0;
  if (output->setup->ops->sample(backend, config->output.probes, output->point, output->value, err) != 0)
    return err->code;
  for (size_t i = 0; i < config->output.probes; i++) {
    if (!due(config->output.probe[i].every, n)) continue;
    const double *v = output->value[i];
    errno = 0;
    if (fprintf(output->probe[i], "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", t, v[0], v[1], v[2], v[3] / MX_ETA0,
                v[4] / MX_ETA0, v[5] / MX_ETA0) < 0)
      return write_failed(output->probe_path[i], err);
  }
  return 0;
}

static int write_energy(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  if (!due(output->setup->config->output.energy_every, n)) return 0;
  double electric, magnetic;
  if (output->setup->ops->energy(backend, &electric, &magnetic, err) != 0) return err->code;
  electric *= MX_EPSILON0;
  magnetic *= MX_EPSILON0;
  errno = 0;
  if (fprintf(output->energy, "%ld,%.17g,%.17g,%.17g,%.17g\n", n, t, electric, magnetic, electric + magnetic) < 0)
    return write_failed(output->energy_path, err);
  return 0;
}

static int write_snapshot(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  const struct mx_setup *setup = output->setup;
  if (!due(setup->config->output.fields.every, n)) return 0;
  if (setup->ops->download(backend, output->E, output->H, err) != 0) return err->code;
  size_t numbers = 3 * (size_t)setup->ref.Np * setup->problem.K;
  for (size_t i = 0; i < numbers; i++) output->H[i] /= MX_ETA0;

  int quantities = setup->config->output.fields.quantities;
  struct dg_silo_field field[5];
  size_t count = 0;
  if (quantities & MX_QUANTITY_E)
    field[count++] = (struct dg_silo_field){.name = "E", .unit = "V/m", .components = 3, .value = output->E};
  if (quantities & MX_QUANTITY_H)
    field[count++] = (struct dg_silo_field){.name = "H", .unit = "A/m", .components = 3, .value = output->H};
  if (quantities & MX_QUANTITY_MATERIAL) {
    static const char *const name[3] = {"epsilon_r", "mu_r", "sigma"}, *const unit[3] = {"1", "1", "S/m"};
    for (int i = 0; i < 3; i++)
      field[count++] = (struct dg_silo_field){
          .name = name[i], .unit = unit[i], .components = 1, .per_element = true, .value = output->material[i]};
  }
  const struct dg_silo_snapshot snapshot = {.mesh = &setup->mesh,
                                            .ref = &setup->ref,
                                            .time = t,
                                            .cycle = (int)n,
                                            .average = setup->config->output.fields.average,
                                            .fields = count,
                                            .field = field};
  char name[64], *path;
  snprintf(name, sizeof name, "fields_%06ld.silo", n);
  if (mx_folder_path(&path, output->folder, name, err) != 0) return err->code;
  int status = dg_silo_write(path, &snapshot, err);
  dg_free(path);
  if (status == 0) output->snapshots++;
  return status;
}

/* What was written is on disk at most a second later, so that a run can be watched and a killed one loses little. */
static int flush(struct mx_output *output, struct dg_error *err)
{
  double now = mx_clock();
  if (now - output->last_flush < 1) return 0;
  output->last_flush = now;
  errno = 0;
  if (output->energy != NULL && fflush(output->energy) != 0) return write_failed(output->energy_path, err);
  for (size_t i = 0; i < output->setup->config->output.probes; i++)
    if (fflush(output->probe[i]) != 0) return write_failed(output->probe_path[i], err);
  return 0;
}

int mx_output_write(struct mx_output *output, struct mx_backend *backend, long n, double t, struct dg_error *err)
{
  if (write_probes(output, backend, n, t, err) != 0 || write_energy(output, backend, n, t, err) != 0 ||
      write_snapshot(output, backend, n, t, err) != 0)
    return err->code;
  return flush(output, err);
}

static int close_csv(FILE **file, const char *path, struct dg_error *err)
{
  if (*file == NULL) return 0;
  errno = 0;
  int failed = ferror(*file);
  if (fclose(*file) != 0) failed = 1;
  *file = NULL;
  return failed ? write_failed(path, err) : 0;
}

int mx_output_close(struct mx_output *output, struct dg_error *err)
{
  int status = close_csv(&output->energy, output->energy_path, err);
  for (size_t i = 0; output->probe != NULL && i < output->setup->config->output.probes; i++)
    if (close_csv(&output->probe[i], output->probe_path[i], err) != 0) status = err->code;
  return status;
}

void mx_output_release(struct mx_output *output)
{
  struct dg_error ignored = {0};
  if (output->setup == NULL) return;
  if (mx_output_close(output, &ignored) != 0) ignored.code = DG_OK; /* an earlier error is being reported */
  for (size_t i = 0; output->probe_path != NULL && i < output->setup->config->output.probes; i++)
    dg_free(output->probe_path[i]);
  for (int i = 0; i < 3; i++) dg_free(output->material[i]);
  dg_free(output->probe);
  dg_free(output->probe_path);
  dg_free(output->energy_path);
  dg_free(output->point);
  dg_free(output->weight);
  dg_free(output->value);
  dg_free(output->E);
  dg_free(output->H);
  *output = (struct mx_output){0};
}
