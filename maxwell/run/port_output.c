#include "maxwell/run/port_output.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"

static const struct mx_ports *ports_of(const struct mx_port_output *output) { return &output->setup->sources.ports; }

static const struct mx_frequencies *frequencies_of(const struct mx_port_output *output)
{
  return &output->setup->config->output.s_parameters;
}

int mx_port_output_open(struct mx_port_output *output, const struct mx_setup *setup, struct mx_folder *folder,
                        struct dg_error *err)
{
  size_t count = setup->sources.ports.count, frequencies = setup->config->output.s_parameters.count;
  if (dg_comm_rank(setup->problem.comm) != 0) count = 0; /* rank 0 writes */
  *output = (struct mx_port_output){.setup = setup, .folder = folder, .ports = count, .last_flush = mx_clock()};
  if (DG_NEW(output->table, count, err) != 0 || DG_NEW(output->known, count, err) != 0 ||
      DG_NEW(output->matrix, frequencies * count * count, err) != 0)
    return err->code;
  for (size_t i = 0; i < count; i++) {
    char name[300];
    snprintf(name, sizeof name, "ports/%.200s.csv", mx_ports_name(&setup->sources.ports, i));
    char *path;
    if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
    (void)!mx_csv_open(&output->table[i], path, "time,incident,reflected,voltage,current", setup->resume, err);
    dg_free(path);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}

/* As of other output: on disk a second later, so that a killed run loses little. */
static int flush(struct mx_port_output *output, struct dg_error *err)
{
  double now = mx_clock();
  if (now - output->last_flush < 1) return 0;
  output->last_flush = now;
  for (size_t i = 0; i < output->ports; i++)
    if (mx_csv_flush(&output->table[i], err) != 0) return err->code;
  return 0;
}

int mx_port_output_write(struct mx_port_output *output, long n, double t, struct dg_error *err)
{
  long every = output->setup->config->output.ports_every;
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
  struct mx_archive own = *archive; /* only rank 0 has ports here */
  own.comm = NULL;
  for (size_t i = 0; i < output->ports; i++) {
    long known = output->known[i];
    char name[40];
    snprintf(name, sizeof name, "port_output/%zu", i);
    if (mx_csv_archive(&output->table[i], name, &own, err) != 0) return err->code;
    snprintf(name, sizeof name, "port_output/%zu/known", i);
    if (mx_archive_longs(&own, name, 1, &known, err) != 0) return err->code;
    output->known[i] = known != 0;
  }
  size_t entries = output->ports * output->ports * frequencies_of(output)->count;
  for (size_t part = 0; part < 2 && entries > 0; part++) {
    double *number;
    if (DG_NEW(number, entries, err) != 0) return err->code;
    for (size_t k = 0; k < entries; k++) number[k] = part == 0 ? creal(output->matrix[k]) : cimag(output->matrix[k]);
    (void)!mx_archive_doubles(&own, part == 0 ? "port_output/re" : "port_output/im", entries, number, err);
    for (size_t k = 0; k < entries && own.does == MX_ARCHIVE_LOADS; k++)
      output->matrix[k] = part == 0 ? number[k] : creal(output->matrix[k]) + I * number[k];
    dg_free(number);
    if (err->code != DG_OK) return err->code;
  }
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return 0;
}

static double complex *entry(const struct mx_port_output *output, size_t f, size_t i, size_t j)
{
  return &output->matrix[(f * output->ports + i) * output->ports + j];
}

/* What the waveform does not carry cannot be divided by. */
static void warn_of_weak_frequencies(const struct mx_port_output *output, size_t driven)
{
  const struct mx_frequencies *frequencies = frequencies_of(output);
  double strongest = 0, low = INFINITY, high = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t f = 0; f < frequencies->count; f++) {
      double complex incident, reflected;
      mx_ports_spectrum(ports_of(output), driven, frequencies->hertz[f], &incident, &reflected);
      if (pass == 0) strongest = fmax(strongest, cabs(incident));
      if (pass == 0 || cabs(incident) > 1e-4 * strongest) continue;
      low = fmin(low, frequencies->hertz[f]);
      high = fmax(high, frequencies->hertz[f]);
    }
  if (high > 0)
    dg_log_warning(output->setup->log,
                   "the waveform of port '%s' carries next to nothing between %g and %g Hz: S-parameters there are "
                   "rounding errors",
                   mx_ports_name(ports_of(output), driven), low, high);
}

void mx_port_output_column(struct mx_port_output *output, size_t driven)
{
  const struct mx_frequencies *frequencies = frequencies_of(output);
  if (output->ports == 0 || frequencies->count == 0) return;
  for (size_t f = 0; f < frequencies->count; f++) {
    double hertz = frequencies->hertz[f];
    double complex incident, leaving, unused;
    mx_ports_spectrum(ports_of(output), driven, hertz, &incident, &unused);
    double complex a = incident / csqrt(mx_ports_impedance(ports_of(output), driven, hertz));
    for (size_t i = 0; i < output->ports; i++) {
      mx_ports_spectrum(ports_of(output), i, hertz, &unused, &leaving);
      *entry(output, f, i, driven) = leaving / csqrt(mx_ports_impedance(ports_of(output), i, hertz)) / a;
    }
  }
  output->known[driven] = true;
  warn_of_weak_frequencies(output, driven);
}

/* frequency,S11_re,S11_im,S21_re,...: the columns of driven ports, numbered as the ports are. */
static void write_table(const struct mx_port_output *output, FILE *file)
{
  const struct mx_ports *ports = ports_of(output);
  const struct mx_frequencies *frequencies = frequencies_of(output);
  fputs("frequency", file);
  for (size_t j = 0; j < output->ports; j++)
    for (size_t i = 0; output->known[j] && i < output->ports; i++) {
      int row = mx_ports_number(ports, i), column = mx_ports_number(ports, j);
      const char *between = row > 9 || column > 9 ? "_" : "";
      fprintf(file, ",S%d%s%d_re,S%d%s%d_im", row, between, column, row, between, column);
    }
  for (size_t f = 0; f < frequencies->count; f++) {
    fprintf(file, "\n%.17g", frequencies->hertz[f]);
    for (size_t j = 0; j < output->ports; j++)
      for (size_t i = 0; output->known[j] && i < output->ports; i++) {
        double complex s = *entry(output, f, i, j);
        fprintf(file, ",%.17g,%.17g", creal(s), cimag(s));
      }
  }
  fputc('\n', file);
}

/* The impedance that all ports share at all frequencies, or 0. */
static double common_impedance(const struct mx_port_output *output)
{
  const struct mx_frequencies *frequencies = frequencies_of(output);
  double complex first = mx_ports_impedance(ports_of(output), 0, frequencies->hertz[0]);
  for (size_t i = 0; i < output->ports; i++)
    for (size_t f = 0; f < frequencies->count; f++)
      if (cabs(mx_ports_impedance(ports_of(output), i, frequencies->hertz[f]) - first) > 1e-9 * cabs(first)) return 0;
  return creal(first);
}

/* Touchstone 1.1 (EIA/IBIS Open Forum, 2002): with two ports S11 S21 S12 S22 in one line, with more a row of the matrix
 * after the other, at most four numbers a line. */
static void write_touchstone(const struct mx_port_output *output, FILE *file)
{
  const struct mx_ports *ports = ports_of(output);
  const struct mx_frequencies *frequencies = frequencies_of(output);
  double impedance = common_impedance(output);
  for (size_t i = 0; i < output->ports; i++) fprintf(file, "! port %zu = %s\n", i + 1, mx_ports_name(ports, i));
  if (impedance == 0)
    fputs("! normalised to the impedance of each port's own mode at each frequency, not to the R of the next line\n",
          file);
  fprintf(file, "# Hz S RI R %.12g\n", impedance > 0 ? impedance : 50.0);
  for (size_t f = 0; f < frequencies->count; f++) {
    fprintf(file, "%.17g", frequencies->hertz[f]);
    for (size_t k = 0; k < output->ports * output->ports; k++) {
      size_t i = k / output->ports, j = k % output->ports;
      double complex s = output->ports == 2 ? *entry(output, f, j, i) : *entry(output, f, i, j);
      if (output->ports > 2 && k > 0 && (j == 0 || j % 4 == 0)) fputc('\n', file);
      fprintf(file, " %.12g %.12g", creal(s), cimag(s));
    }
    fputc('\n', file);
  }
}

/* Writes one file whole or not at all. */
static int write_file(const struct mx_port_output *output, const char *name,
                      void (*write)(const struct mx_port_output *, FILE *), struct dg_error *err)
{
  char *path = NULL, *part = NULL, part_name[300];
  snprintf(part_name, sizeof part_name, "%s.part", name);
  if (mx_folder_path(&path, output->folder, name, err) != 0 ||
      mx_folder_path(&part, output->folder, part_name, err) != 0)
    goto fail;
  FILE *file;
  if (dg_file_new(&file, part, path, err) != 0) goto fail;
  write(output, file);
  (void)!dg_file_finish(file, false, part, path, err);
fail:
  dg_free(path);
  dg_free(part);
  return err->code;
}

static int write_matrix(struct mx_port_output *output, struct dg_error *err)
{
  size_t columns = 0;
  for (size_t i = 0; i < output->ports; i++) columns += output->known[i];
  if (columns == 0) return 0;
  if (write_file(output, "sparameters.csv", write_table, err) != 0) return err->code;
  if (columns < output->ports) {
    dg_log_line(output->setup->log,
                "ports     %zu of %zu ports are driven: sparameters.csv has their columns; a Touchstone file needs a "
                "waveform on every port",
                columns, output->ports);
    return 0;
  }
  char name[280];
  snprintf(name, sizeof name, "%.200s.s%zup", output->setup->config->name, output->ports);
  return write_file(output, name, write_touchstone, err);
}

int mx_port_output_close(struct mx_port_output *output, struct dg_error *err)
{
  int status = 0;
  for (size_t i = 0; output->table != NULL && i < output->ports; i++)
    if (mx_csv_close(&output->table[i], err) != 0) status = err->code;
  if (status == 0 && output->matrix != NULL) status = write_matrix(output, err);
  return status;
}

void mx_port_output_release(struct mx_port_output *output)
{
  for (size_t i = 0; output->table != NULL && i < output->ports; i++) mx_csv_release(&output->table[i]);
  dg_free(output->table);
  dg_free(output->known);
  dg_free(output->matrix);
  *output = (struct mx_port_output){0};
}
