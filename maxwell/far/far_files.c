/* Writes the files of far fields at the end of a run, and says what is worth knowing of them. output.c calls it. */
#include <math.h>
#include <stdio.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/far/far_field.h"
#include "maxwell/shell/folder.h"

static const double pi = 3.14159265358979323846;

/* What is written: all frequencies of a far field. */
struct table {
  const struct mx_far_field *field;
  const struct mx_far_result *result; /* [frequencies] */
};

static double decibel(double ratio) { return ratio > 0 ? 10 * log10(ratio) : -999; }

static void put(FILE *file, double value)
{
  if (isnan(value)) fputs(",nan", file); /* printf's nan may carry a sign */
  else fprintf(file, ",%.15g", value);
}

static double intensity_of(const struct mx_far_field *field, double complex part)
{
  return creal(part * conj(part)) / (2 * MX_ETA0 * sqrt(field->surface.mu / field->surface.epsilon));
}

/* The ratio of the axes of the ellipse that E describes: 1 for circular, large for linear polarisation. Its powers are
 * half of |Eth|^2 + |Eph|^2 +- |Eth^2 + Eph^2|, whose product is Im(Eth Eph*)^2: the difference itself would lose the
 * digits of a wave that is almost linear. */
static double axial_ratio(const double complex field[2])
{
  const double most = 100;
  const double size = creal(field[0] * conj(field[0])) + creal(field[1] * conj(field[1]));
  const double linear = cabs(field[0] * field[0] + field[1] * field[1]);
  if (!(size > 0)) return NAN;
  const double across = 2 * fabs(cimag(field[0] * conj(field[1])));
  return fmin(most, 2 * decibel((size + linear) / fmax(across, 1e-300)));
}

/* A ratio of intensities in dB; nan where there is no reference. */
static double relative(double intensity, double power) { return power > 0 ? decibel(4 * pi * intensity / power) : NAN; }

static void write_pattern(FILE *file, const void *what)
{
  const struct table *table = what;
  const struct mx_far_config *config = table->field->config;
  fputs("frequency,theta,phi,Etheta_re,Etheta_im,Ephi_re,Ephi_im,directivity,gain,realised_gain,axial_ratio,rcs\n",
        file);
  for (size_t f = 0; f < config->frequencies.count; f++) {
    const struct mx_far_result *result = &table->result[f];
    for (size_t i = 0; i < config->thetas * config->phis; i++) {
      const double complex *E = result->pattern[i];
      const double U = intensity_of(table->field, E[0]) + intensity_of(table->field, E[1]);
      fprintf(file, "%.17g,%.9g,%.9g", result->hertz, config->theta[i / config->phis], config->phi[i % config->phis]);
      for (int c = 0; c < 2; c++) put(file, creal(E[c])), put(file, cimag(E[c]));
      put(file, relative(U, result->integral));
      put(file, relative(U, result->accepted));
      put(file, relative(U, result->incident));
      put(file, axial_ratio(E));
      put(file, result->scattering ? 4 * pi * U / result->flux : NAN);
      fputc('\n', file);
    }
  }
}

static void write_powers(FILE *file, const void *what)
{
  const struct table *table = what;
  fputs("frequency,radiated,integral,accepted,incident,efficiency,total_efficiency,directivity,theta,phi,scattering,"
        "absorption,extinction,forward\n",
        file);
  for (size_t f = 0; f < table->field->config->frequencies.count; f++) {
    const struct mx_far_result *result = &table->result[f];
    fprintf(file, "%.17g", result->hertz);
    put(file, result->radiated);
    put(file, result->integral);
    put(file, result->accepted);
    put(file, result->incident);
    put(file, result->radiated / result->accepted);
    put(file, result->radiated / result->incident);
    put(file, relative(result->largest, result->integral));
    put(file, result->theta);
    put(file, result->phi);
    put(file, result->scattering ? result->integral / result->flux : NAN);
    put(file, (result->extinction - result->radiated) / result->flux);
    put(file, result->extinction / result->flux);
    put(file, result->forward / result->flux);
    fputc('\n', file);
  }
}

/* FEKO's text format of far fields, .ffe: a block a frequency, theta running fastest. Other programs read it, too. The
 * last columns are in dB, cross-sections in m^2. */
static void write_ffe(FILE *file, const void *what)
{
  const struct table *table = what;
  const struct mx_far_config *config = table->field->config;
  fputs("##File Type: Far field\n##File Format: 3\n##Source: Curlew\n", file);
  for (size_t f = 0; f < config->frequencies.count; f++) {
    const struct mx_far_result *result = &table->result[f];
    const char *const kind = result->scattering ? "RCS" : isnan(result->accepted) ? "Directivity" : "Gain";
    fprintf(file,
            "\n#Configuration Name: Curlew\n#Request Name: %s\n#Frequency: %.9E\n#Coordinate System: Spherical\n"
            "#No. of Theta Samples: %zu\n#No. of Phi Samples: %zu\n#Result Type: %s\n#No. of Header Lines: 1\n"
            "#\"Theta\" \"Phi\" \"Re(Etheta)\" \"Im(Etheta)\" \"Re(Ephi)\" \"Im(Ephi)\" \"%s(Theta)\" \"%s(Phi)\" "
            "\"%s(Total)\"\n",
            config->name, result->hertz, config->thetas, config->phis, kind, kind, kind, kind);
    for (size_t j = 0; j < config->phis; j++)
      for (size_t i = 0; i < config->thetas; i++) {
        const double complex *E = result->pattern[i * config->phis + j];
        const double U[2] = {intensity_of(table->field, E[0]), intensity_of(table->field, E[1])};
        const double part[3] = {U[0], U[1], U[0] + U[1]};
        fprintf(file, "%.9E %.9E %.9E %.9E %.9E %.9E", config->theta[i], config->phi[j], creal(E[0]), cimag(E[0]),
                creal(E[1]), cimag(E[1]));
        for (int c = 0; c < 3; c++)
          fprintf(file, " %.9E",
                  result->scattering
                      ? 4 * pi * part[c] / result->flux
                      : relative(part[c], isnan(result->accepted) ? result->integral : result->accepted));
        fputc('\n', file);
      }
  }
}

static int write_files(const struct table *table, const struct mx_folder *folder, struct dg_error *err)
{
  static const struct {
    const char *ending;
    void (*write)(FILE *file, const void *what);
  } all[] = {{".csv", write_pattern}, {"_powers.csv", write_powers}, {".ffe", write_ffe}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char name[320], *path;
    (void)snprintf(name, sizeof name, "far_field/%.200s%s", table->field->config->name, all[i].ending);
    if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
    (void)!dg_file_write(path, all[i].write, table, err);
    dg_free(path);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}

/* ---- what is worth knowing */

static void report(const struct mx_far_fields *fields, const struct table *table, double left)
{
  const double tolerance = 0.01, ended = 1e-4;
  const struct mx_far_config *config = table->field->config;
  struct dg_log *log = fields->place.log;
  double worst = 0, at = 0;
  for (size_t f = 0; f < config->frequencies.count; f++) {
    const struct mx_far_result *result = &table->result[f];
    const double off = fabs(result->integral / result->radiated - 1);
    if (off > worst) worst = off, at = result->hertz;
  }
  const struct mx_far_result *last = &table->result[config->frequencies.count - 1];
  if (last->scattering)
    dg_log_line(log, "far field '%s': at %.6g Hz scattering %.6g, absorption %.3g, extinction %.6g m^2", config->name,
                last->hertz, last->integral / last->flux, (last->extinction - last->radiated) / last->flux,
                last->extinction / last->flux);
  else
    dg_log_line(log, "far field '%s': at %.6g Hz directivity %.2f dBi towards theta %g, phi %g%s", config->name,
                last->hertz, relative(last->largest, last->integral), last->theta, last->phi,
                isnan(last->accepted) ? "" : "; gain and efficiency are in its files");
  if (worst > tolerance)
    mx_doubt(fields->place.doubts, log, MX_DOUBT_PLACE, "output.far_field", config->name,
             "output.far_field: at %.6g Hz the power through the surface of '%s' differs from the integral of what "
             "it radiates by %.2g %%; waves come back from the walls, or the mesh is too "
             "coarse there",
             at, config->name, 100 * worst);
  if (left > ended)
    mx_doubt(fields->place.doubts, log, MX_DOUBT_RECORD, "output.far_field", config->name,
             "output.far_field: the run ends when the fields on the surface of '%s' are only %.1f dB below their "
             "largest; give time.stop (or time.decay) more",
             config->name, -decibel(left));
}

static int write_one(struct mx_far_fields *fields, size_t index, const struct mx_folder *folder, struct dg_error *err)
{
  struct mx_far_field *field = &fields->field[index];
  const struct mx_far_config *config = field->config;
  const size_t count = config->frequencies.count, directions = config->thetas * config->phis;
  struct dg_comm *comm = fields->place.problem->comm;
  struct mx_far_result *result = NULL;
  double complex(*pattern)[2] = NULL;
  double size[2] = {field->sums.largest, field->sums.last};
  const bool first = dg_comm_rank(comm) == 0;
  if (mx_running_settle(&field->sums.running, err) != 0 || DG_NEW(result, count, err) != 0 ||
      DG_NEW(pattern, first ? count * directions : 0, err) != 0 || dg_comm_reduce(comm, DG_SUM, 2, size, err) != 0)
    goto fail;
  for (size_t f = 0; f < count; f++) {
    result[f].pattern = first ? pattern + f * directions : NULL;
    if (mx_far_evaluate(fields, index, f, &result[f], err) != 0) goto fail;
  }
  const struct table table = {.field = field, .result = result};
  if (first && write_files(&table, folder, err) != 0) goto fail;
  if (first) report(fields, &table, size[0] > 0 ? size[1] / size[0] : 0);
fail:
  dg_free(result);
  dg_free(pattern);
  return err->code;
}

int mx_far_fields_write(struct mx_far_fields *fields, const struct mx_folder *folder, struct dg_error *err)
{
  for (size_t i = 0; i < fields->count; i++)
    if (write_one(fields, i, folder, err) != 0) return err->code;
  return 0;
}
