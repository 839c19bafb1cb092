/* `curlew check`: reports what a run would take and how well it would resolve a wave. main.c calls it; the estimates
 * are those of the backends' and measures' tables. */
#include "maxwell/output/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/output/balance.h"
#include "maxwell/output/snapshot.h"
#include "maxwell/output/writers.h"
#include "maxwell/problem/initial.h"
#include "maxwell/model/selectors.h"
#include "maxwell/time/responses.h"

/* The longest edge of an element, metres. */
static double longest_edge(const struct dg_mesh *mesh, size_t e)
{
  double longest = 0;
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) {
      const double *x = mesh->vertex[mesh->element[e][a]], *y = mesh->vertex[mesh->element[e][b]];
      double d = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
      if (d > longest) longest = d;
    }
  return longest;
}

/* An element of order p has p intervals between nodes along an edge, so a wave of length lambda has p lambda / h points
 * on the coarsest edge h. */
static int report_resolution(const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_problem *problem = &setup->problem;
  for (size_t m = 0; m < setup->config->materials; m++) {
    int64_t count = 0;
    double range[3] = {0, 0, -INFINITY}; /* coarsest edge, largest and minus smallest index, over all ranks */
    for (size_t e = 0; e < problem->K; e++) {
      if (setup->assignment.material[e] != (int)m || dg_mesh_in_layer(&setup->mesh, e)) continue;
      /* with a response: from the medium of a fast field to that of a slow one */
      const double least = sqrt(problem->epsilon[e] * problem->mu[e]);
      const double index = sqrt(mx_epsilon_at_rest(problem, e) * problem->mu[e]);
      const double h = longest_edge(&setup->mesh, e) * index;
      count++;
      range[0] = fmax(range[0], h);
      range[1] = fmax(range[1], index);
      range[2] = fmax(range[2], -least);
    }
    if (dg_comm_reduce_int(setup->comm, DG_SUM, 1, &count, err) != 0 ||
        dg_comm_reduce(setup->comm, DG_MAX, 3, range, err) != 0)
      return err->code;
    char name[128];
    mx_selector_name(&setup->config->material[m].where, name, sizeof name);
    if (count == 0) {
      dg_log_line(setup->log, "material  %s: no element", name);
      continue;
    }
    double frequency = MX_C0 * problem->ref->order / (10 * range[0]);
    dg_log_line(setup->log,
                "material  %s: %" PRId64 " elements, refractive index %.4g to %.4g; 10 points per wavelength at %.4g "
                "Hz, %.3g at 1 GHz",
                name, count, -range[2], range[1], frequency, 10 * frequency / 1e9);
  }
  return 0;
}

/* Estimates the size of a measurement's files: 22 characters a number in a table. */
static double file_bytes(const struct mx_measure *measure, long steps)
{
  const struct mx_measure_config *config = measure->config;
  long lines = steps / config->every + 1;
  double times = (double)lines, spectra = (double)config->frequencies.count;
  double rows = (double)measure->rows, values = (double)measure->values;
  if (measure->form != NULL) return measure->form->bytes(config, times, spectra);
  double place = rows > 1 ? 4 * rows : 1; /* columns beside the values, of all rows at a time */
  return 22 * (times * (place + values) + spectra * (place + 2 * values));
}

static void report_measures(const struct mx_setup *setup)
{
  const struct mx_measures *measures = &setup->measures;
  size_t used = 0;
  char kinds[200] = "";
  double bytes = 0;
  for (size_t i = 0; i < measures->count; i++) bytes += file_bytes(&measures->measure[i], setup->steps);
  for (size_t k = 0; mx_measure_kinds[k] != NULL && used < sizeof kinds; k++) {
    size_t count = 0;
    for (size_t i = 0; i < measures->count; i++) count += measures->measure[i].config->kind == mx_measure_kinds[k];
    if (count > 0)
      used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s %zu", used > 0 ? ", " : "",
                               mx_measure_kinds[k]->key, count);
  }
  if (measures->count > 0) dg_log_line(setup->log, "measures  %s; files of about %.1f MB", kinds, 1e-6 * bytes);
}

/* Reports the bytes of the snapshots of all ranks. Silo puts little around the arrays. */
static void report_snapshots(const struct mx_setup *setup)
{
  const long every = setup->config->output.fields.every;
  if (every == 0) return;
  const int quantities = setup->config->output.fields.quantities;
  const double p = setup->ref.order, K = (double)setup->mesh.whole.K, nodes = (double)setup->unknowns / 6;
  const double number = setup->config->output.fields.precision == MX_SINGLE ? sizeof(float) : sizeof(double);
  const double zones = p * p * p * K, mesh = nodes * 3 * sizeof(double) + zones * 4 * sizeof(int);
  const double values =
      number * (3 * nodes * (((quantities & MX_QUANTITY_E) != 0) + ((quantities & MX_QUANTITY_H) != 0)) +
                3 * zones * ((quantities & MX_QUANTITY_MATERIAL) != 0));
  if (setup->config->output.fields.mesh_each)
    dg_log_line(setup->log, "output    %ld snapshots of about %.1f MB", setup->steps / every + 1,
                1e-6 * (values + mesh));
  else
    dg_log_line(setup->log, "output    %ld snapshots of about %.1f MB, and their mesh of %.1f MB",
                setup->steps / every + 1, 1e-6 * values, 1e-6 * mesh);
}

/* Reports how many cards the problem keeps busy. */
static void report_cards(const struct mx_setup *setup)
{
  const size_t enough = setup->ops->card->unknowns;
  if (enough == 0) return;
  const size_t cards = setup->unknowns / enough > 0 ? setup->unknowns / enough : 1;
  dg_log_line(setup->log,
              "advice    %zu GPU%s; with less than %.2g million unknowns each, several lose more than a fifth of their "
              "speed",
              cards, cards > 1 ? "s or fewer" : "", 1e-6 * (double)enough);
}

/* Bytes of the backend's fields, of the tables, and of the buffers for snapshots and measurements. */
struct mx_memory {
  size_t fields, tables, output;
};

static struct mx_memory memory_of(const struct mx_setup *setup)
{
  const struct mx_backend_options options = mx_setup_backend_options(setup);
  const struct mx_problem *problem = &setup->problem;
  size_t per_element = sizeof *setup->mesh.element + sizeof *setup->mesh.neighbour + sizeof *setup->mesh.surface +
                       sizeof *setup->mesh.volume + sizeof *setup->mesh.tag + sizeof *setup->assignment.material +
                       sizeof *setup->assignment.boundary;
  struct mx_memory memory = {
      .fields = setup->ops->memory(problem, &options),
      .tables =
          mx_problem_bytes(problem) + per_element * problem->K + setup->mesh.vertices * sizeof *setup->mesh.vertex,
      .output = mx_snapshots_memory(setup, mx_snapshot_writers[0]) + mx_measures_memory(&setup->measures) +
                mx_balance_memory(setup) + mx_far_fields_memory(&setup->far),
  };
  return memory;
}

int mx_check(const struct mx_setup *setup, struct dg_error *err)
{
  double *E, *H;
  /* A function that fails would stop the run as well. */
  if (mx_initial_fields(setup->config, &setup->mesh, &setup->ref, &E, &H, err) != 0) return err->code;
  dg_free(E);
  dg_free(H);
  struct mx_memory memory = memory_of(setup);
  double bytes[3] = {(double)memory.fields, (double)memory.tables, (double)memory.output}; /* sums over all ranks */
  if (report_resolution(setup, err) != 0 || dg_comm_reduce(setup->comm, DG_SUM, 3, bytes, err) != 0) return err->code;
  const char *where = setup->ops->card->present ? "on the card" : "fields";
  dg_log_line(setup->log,
              "memory    %s %.1f MB, tables %.1f MB, snapshot and measurement buffers %.1f MB (%.1f bytes an unknown)",
              where, 1e-6 * bytes[0], 1e-6 * bytes[1], 1e-6 * bytes[2],
              (bytes[0] + bytes[1] + bytes[2]) / (double)setup->unknowns);
  report_cards(setup);
  report_snapshots(setup);
  report_measures(setup);
  dg_log_line(setup->log, "check     nothing was run and nothing was written");
  return 0;
}
