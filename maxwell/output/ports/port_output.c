/* Tables of ports while the run goes on, and S-parameters as CSV and Touchstone files at its end. The time loop calls
 * it. */
#include "maxwell/output/ports/port_output.h"

#include <errno.h>
#include <string.h>

#include "libdg/base/clock.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/output/ports/touchstone.h"
#include "maxwell/record/recorder.h"

static const struct mx_ports *ports_of(const struct mx_port_output *output) { return &output->scene->sources->ports; }

int mx_port_output_open(struct mx_port_output *output, const struct mx_scene *scene, struct mx_folder *folder,
                        bool resume, struct dg_error *err)
{
  size_t count = scene->sources->ports.count;
  if (dg_comm_rank(scene->problem->comm) != 0) count = 0; /* only rank 0 writes */
  *output = (struct mx_port_output){.scene = scene, .folder = folder, .ports = count, .last_flush = mx_clock()};
  if (DG_NEW(output->table, count, err) != 0 || mx_s_init(&output->s, scene, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    char name[300];
    snprintf(name, sizeof name, "ports/%.200s.csv", mx_ports_name(&scene->sources->ports, i));
    if (mx_csv_open_in(&output->table[i], folder, name, "time,incident,reflected,voltage,current", resume, err) != 0)
      return err->code;
  }
  return 0;
}

int mx_port_output_settle(struct mx_port_output *output, struct dg_error *err)
{
  output->last_flush = mx_clock();
  for (size_t i = 0; i < output->ports; i++)
    if (mx_csv_flush(&output->table[i], err) != 0) return err->code;
  return 0;
}

/* Brings rows to disk at most a second later, like other output, so that a killed run loses little. */
static int flush(struct mx_port_output *output, struct dg_error *err)
{
  return mx_clock() - output->last_flush < 1 ? 0 : mx_port_output_settle(output, err);
}

int mx_port_output_write(struct mx_port_output *output, long n, double t, struct dg_error *err)
{
  long every = output->scene->config->output.ports_every;
  if (output->ports == 0 || every <= 0 || n % every != 0) return 0;
  for (size_t i = 0; i < output->ports; i++) {
    struct mx_port_values v;
    mx_ports_values(ports_of(output), i, n, &v);
    errno = 0;
    if (fprintf(output->table[i].file, "%.17g,%.17g,%.17g,%.17g,%.17g\n", t, v.incident, v.reflected, v.voltage,
                v.current) < 0)
      return mx_csv_failed(&output->table[i], err);
  }
  return flush(output, err);
}

int mx_port_output_archive(struct mx_port_output *output, struct mx_archive *archive, struct dg_error *err)
{
  for (size_t i = 0; i < output->ports; i++) {
    char name[40];
    snprintf(name, sizeof name, "port_output/%zu", i);
    if (mx_csv_archive(&output->table[i], name, archive, err) != 0) return err->code;
  }
  return mx_s_archive(&output->s, archive, err);
}

static void write_table(FILE *file, const void *s) { mx_s_write_table(s, file); }
static void write_touchstone(FILE *file, const void *touchstone) { mx_touchstone_write(touchstone, file); }

static int write_file(const struct mx_port_output *output, const char *name, void (*write)(FILE *, const void *),
                      const void *what, struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, output->folder, name, err) != 0) return err->code;
  (void)!dg_file_write(path, write, what, err);
  dg_free(path);
  return err->code;
}

static int write_touchstone_file(const struct mx_port_output *output, struct dg_error *err)
{
  struct mx_touchstone touchstone;
  char name[280];
  snprintf(name, sizeof name, "%.200s.s%zup", output->scene->config->name, output->ports);
  if (output->quality.left_out >= output->quality.frequencies) {
    dg_log_line(output->scene->log, "ports     no frequency is left for %s", name);
    return 0;
  }
  if (mx_touchstone_init(&touchstone, &output->s, &output->quality, err) == 0 &&
      write_file(output, name, write_touchstone, &touchstone, err) == 0 && touchstone.renormalised && !touchstone.alike)
    dg_log_line(output->scene->log,
                "ports     the impedances of ports differ: %s has S renormalised to %.6g ohm, sparameters.csv has S as "
                "each port has it",
                name, touchstone.R);
  mx_touchstone_release(&touchstone);
  return err->code;
}

static int write_matrix(struct mx_port_output *output, struct dg_error *err)
{
  size_t columns = 0;
  for (size_t i = 0; i < output->ports; i++) columns += output->s.known[i];
  mx_s_judge(&output->s, &output->quality);
  if (columns == 0) return 0;
  if (write_file(output, "sparameters.csv", write_table, &output->s, err) != 0) return err->code;
  if (columns < output->ports) {
    dg_log_line(output->scene->log,
                "ports     %zu of %zu ports are driven: sparameters.csv has their columns; a Touchstone file needs a "
                "waveform on every port",
                columns, output->ports);
    return 0;
  }
  return write_touchstone_file(output, err);
}

int mx_port_output_close(struct mx_port_output *output, struct dg_error *err)
{
  int status = 0;
  for (size_t i = 0; output->table != NULL && i < output->ports; i++)
    if (mx_csv_close(&output->table[i], err) != 0) status = err->code;
  if (status == 0 && output->s.matrix != NULL) status = write_matrix(output, err);
  return status;
}

void mx_port_output_release(struct mx_port_output *output)
{
  for (size_t i = 0; output->table != NULL && i < output->ports; i++) mx_csv_release(&output->table[i]);
  dg_free(output->table);
  mx_s_release(&output->s);
  *output = (struct mx_port_output){0};
}

/* ---- the recorder ---- */

static int plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_ports *ports = &scene->sources->ports;
  if (ports->count > 0) mx_plan_folder(plan, "ports", false);
  for (size_t i = 0; i < ports->count; i++)
    if (mx_plan_file(plan, err, "ports/%.200s.csv", mx_ports_name(ports, i)) != 0) return err->code;
  if (scene->config->output.s_parameters.count == 0) return 0;
  if (mx_plan_file(plan, err, "sparameters.csv") != 0) return err->code;
  return mx_plan_file(plan, err, "%.200s.s%zup", scene->config->name, ports->count);
}

static int results(struct mx_results *results, const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_ports *ports = &scene->sources->ports;
  for (size_t i = 0; scene->config->output.ports_every > 0 && i < ports->count; i++) {
    const struct mx_result result = {.list = "ports", .name = mx_ports_name(ports, i)};
    if (mx_add_result(results, scene, &result, NULL, "", err) != 0) return err->code;
  }
  if (scene->config->output.s_parameters.count == 0) return 0;
  return mx_add_result(results, scene, &(struct mx_result){.name = "s_parameters", .at_end = true}, "sparameters", "",
                       err);
}

const struct mx_recorder mx_ports_recorder = {.plan = plan, .results = results};
