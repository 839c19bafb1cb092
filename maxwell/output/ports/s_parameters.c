/* S-parameters from running transforms of port voltages, and an estimate of what is wrong with them: energy that is
 * left, gain above one, asymmetry. port_output.c calls it. */
#include "maxwell/output/ports/s_parameters.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "maxwell/output/ports/takers.h"

static const struct mx_ports *ports_of(const struct mx_s_parameters *s) { return &s->scene->sources->ports; }

static const struct mx_frequencies *frequencies_of(const struct mx_s_parameters *s)
{
  return &s->scene->config->output.s_parameters;
}

static double complex *entry(const struct mx_s_parameters *s, size_t f, size_t i, size_t j)
{
  return &s->matrix[(f * s->ports + i) * s->ports + j];
}

static double decibel(double ratio) { return ratio > 0 ? 10 * log10(ratio) : -999; }

int mx_s_init(struct mx_s_parameters *s, const struct mx_scene *scene, struct dg_error *err)
{
  size_t count = scene->sources->ports.count, frequencies = scene->config->output.s_parameters.count;
  if (dg_comm_rank(scene->problem->comm) != 0) count = 0; /* rank 0 writes */
  *s = (struct mx_s_parameters){.scene = scene, .ports = count};
  if (DG_NEW(s->known, count, err) != 0 || DG_NEW(s->left, count, err) != 0 ||
      DG_NEW(s->rest, count * count, err) != 0 || DG_NEW(s->matrix, frequencies * count * count, err) != 0 ||
      DG_NEW(s->error, frequencies * count, err) != 0)
    return err->code;
  return scene->sources->ports.count > 0 && frequencies > 0 ? mx_find_taker(scene, &s->taker, err) : 0;
}

void mx_s_release(struct mx_s_parameters *s)
{
  dg_free(s->known);
  dg_free(s->left);
  dg_free(s->matrix);
  dg_free(s->error);
  dg_free(s->rest);
  *s = (struct mx_s_parameters){0};
}

/* ---- a column */

/* The least share of the incident spectrum's possible maximum that S is divided by. Rounding adds about 1e-10 (double)
 * or 1e-6 (single) of the largest to it and to what comes back; the error of the result is then below 1e-4. */
static double least_carried(const struct mx_s_parameters *s)
{
  return s->scene->config->precision == MX_DOUBLE ? 1e-6 : 1e-3;
}

/* The size of the voltage that leaves through a port in steps [first, last): root of the mean square. */
static double size_of(const struct mx_ports *ports, size_t port, long first, long last)
{
  double square = 0;
  for (long n = first; n < last; n++) {
    struct mx_port_values v;
    mx_ports_values(ports, port, n, &v);
    square += v.reflected * v.reflected;
  }
  return sqrt(square / (double)(last - first));
}

/* The ringing at a port's end, which tells what the oscillation would still add to its transform. Two windows of
 * different length end with the run. Window k begins at step begin[k]; weight[k] follows from r, the factor by which
 * the voltage has shrunk since the window before. */
struct ringing {
  long begin[2];
  double weight[2]; /* r/(1 - r) */
};

static struct ringing ringing_of(const struct mx_ports *ports, size_t port)
{
  const double part[2] = {0.1, 0.07}, most = 0.98; /* shares of the run; cap of the factor */
  const long steps = (long)ports->steps_seen;
  struct ringing ringing = {{0, 0}, {0, 0}};
  for (int k = 0; k < 2; k++) {
    const long window = (long)fmax(1, part[k] * (double)steps);
    if (steps < 2 * window) return ringing;
    const double late = size_of(ports, port, steps - window, steps);
    const double before = size_of(ports, port, steps - 2 * window, steps - window);
    const double ratio = before > 0 ? fmin(most, late / before) : 0;
    ringing.begin[k] = steps - window;
    ringing.weight[k] = ratio / (1 - ratio);
  }
  return ringing;
}

/* The largest voltage that leaves through a port in steps [first, last). */
static double largest_of(const struct mx_ports *ports, size_t port, long first, long last)
{
  double most = 0;
  for (long n = first; n < last; n++) {
    struct mx_port_values v;
    mx_ports_values(ports, port, n, &v);
    most = fmax(most, fabs(v.reflected));
  }
  return most;
}

/* How far the voltage that leaves through a port has fallen at the end of the run. */
static double left_at(const struct mx_ports *ports, size_t port)
{
  const long steps = (long)ports->steps_seen, window = (long)fmax(1, 0.1 * (double)steps);
  const double all = largest_of(ports, port, 0, steps);
  return all > 0 ? largest_of(ports, port, steps - window, steps) / all : 0;
}

/* Divides column `driven` by a at one frequency: S, and the estimate of the error from what rings at each port. */
static void divide(struct mx_s_parameters *s, size_t driven, size_t f, double complex a, const struct ringing *ringing)
{
  const struct mx_ports *ports = ports_of(s);
  const double hertz = frequencies_of(s)->hertz[f];
  for (size_t i = 0; i < s->ports; i++) {
    const double complex root = csqrt(mx_ports_impedance(ports, i, hertz));
    double complex unused, leaving;
    mx_ports_spectrum(ports, i, hertz, &unused, &leaving);
    *entry(s, f, i, driven) = leaving / root / a;
    for (int k = 0; k < 2; k++) {
      const double complex end = mx_ports_leaving(ports, i, hertz, (size_t)ringing[i].begin[k]);
      const double error = ringing[i].weight[k] * cabs(end / root / a);
      struct mx_s_rest *rest = &s->rest[driven * s->ports + i];
      s->error[f * s->ports + driven] = fmax(s->error[f * s->ports + driven], error);
      rest->error = fmax(rest->error, error); /* NAN before the first */
    }
  }
}

/* Lists the frequencies that are left out of a column: "1e+09 to 2e+09, 5e+09 to 6e+09", as many as the text holds. */
static void list_gaps(const struct mx_s_parameters *s, size_t driven, char *text, size_t size)
{
  const struct mx_frequencies *frequencies = frequencies_of(s);
  size_t used = 0;
  text[0] = '\0';
  for (size_t f = 0, last; f < frequencies->count && used + 60 < size; f = last + 1) {
    last = f;
    if (!isnan(creal(*entry(s, f, 0, driven)))) continue;
    while (last + 1 < frequencies->count && isnan(creal(*entry(s, last + 1, 0, driven)))) last++;
    used += (size_t)snprintf(text + used, size - used, "%s%.6g", used > 0 ? ", " : "", frequencies->hertz[f]);
    if (last > f) used += (size_t)snprintf(text + used, size - used, " to %.6g", frequencies->hertz[last]);
  }
}

static double worst_error(const struct mx_s_parameters *s, size_t driven)
{
  double worst = 0;
  for (size_t f = 0; f < frequencies_of(s)->count; f++) worst = fmax(worst, s->error[f * s->ports + driven]);
  return worst;
}

/* Writes what was left at each port: "45.2 dB at 'a' (S11 wrong by 0.004), ..", the worst ones if they are many.
 * Returns the port whose S is worst. */
static size_t list_rests(const struct mx_s_parameters *s, size_t driven, char *text, size_t size)
{
  enum { MOST = 6, ROOM = 80 };
  const struct mx_s_rest *rest = s->rest + driven * s->ports;
  size_t used = 0, worst = 0, said = 0;
  text[0] = '\0';
  for (size_t i = 1; i < s->ports; i++)
    if (rest[i].error > rest[worst].error) worst = i;
  for (size_t i = 0; i < s->ports && used + ROOM < size; i++) {
    if (s->ports > MOST && i != worst && said + 1 >= MOST) continue;
    const int row = mx_ports_number(ports_of(s), i), column = mx_ports_number(ports_of(s), driven);
    used += (size_t)snprintf(text + used, size - used, "%s%.1f dB at '%.30s' (S%d%s%d wrong by %.2g)",
                             said++ > 0 ? ", " : "", 0.0 - 2 * decibel(rest[i].left), mx_ports_name(ports_of(s), i),
                             row, row > 9 || column > 9 ? "_" : "", column, rest[i].error);
  }
  return worst;
}

/* Doubts a column whose run ended too early. */
static void doubt_column(const struct mx_s_parameters *s, size_t driven)
{
  const double suspicious = 0.05, error = worst_error(s, driven);
  const char *name = mx_ports_name(ports_of(s), driven);
  char rests[600];
  const size_t worst = list_rests(s, driven, rests, sizeof rests);
  if (!(error > suspicious)) return;
  mx_doubt(s->scene->doubts, s->scene->log, MX_DOUBT_RECORD, "output.s_parameters", name,
           "the run with port '%s' driven ends too early for S-parameters: the energy that is left is %.1f dB "
           "below what came in, what leaves at port '%s' has fallen by %.1f dB only, and S may be wrong by "
           "%.2g; give time.stop (or time.decay) more",
           name, -decibel(s->left[driven]), mx_ports_name(ports_of(s), worst),
           0.0 - 2 * decibel(s->rest[driven * s->ports + worst].left), error);
}

static void report_column(const struct mx_s_parameters *s, size_t driven, size_t gaps)
{
  const char *name = mx_ports_name(ports_of(s), driven);
  char rests[600];
  list_rests(s, driven, rests, sizeof rests);
  dg_log_line(s->scene->log,
              "s-params  port '%s': the energy that is left is %.1f dB below what came in; S is wrong by about %.2g at "
              "most",
              name, -decibel(s->left[driven]), worst_error(s, driven));
  dg_log_line(s->scene->log, "s-params  port '%s': what leaves has fallen by %s", name, rests);
  doubt_column(s, driven);
  if (gaps == 0) return;
  char text[300];
  list_gaps(s, driven, text, sizeof text);
  dg_log_warning(s->scene->log,
                 "the waveform of port '%s' carries less than %g of what it could at %s Hz: S-parameters are nan there",
                 name, least_carried(s), text);
}

int mx_s_column(struct mx_s_parameters *s, size_t driven, double last, double peak, struct dg_error *err)
{
  const struct mx_frequencies *frequencies = frequencies_of(s);
  const struct mx_ports *ports = ports_of(s);
  struct ringing *ringing;
  double size, energy;
  size_t gaps = 0;
  if (s->ports == 0 || frequencies->count == 0) return 0;
  if (DG_NEW(ringing, s->ports, err) != 0) return err->code;
  for (size_t i = 0; i < s->ports; i++) ringing[i] = ringing_of(ports, i);
  for (size_t i = 0; i < s->ports; i++)
    s->rest[driven * s->ports + i] = (struct mx_s_rest){.left = left_at(ports, i), .error = NAN};
  mx_ports_incident(ports, driven, &size, &energy);
  const double in = fmax(energy, peak);
  s->left[driven] = in > 0 && last > 0 ? last / in : 0;
  for (size_t f = 0; f < frequencies->count; f++) {
    double complex incident, unused;
    mx_ports_spectrum(ports, driven, frequencies->hertz[f], &incident, &unused);
    const bool weak = !(cabs(incident) > least_carried(s) * size);
    s->error[f * s->ports + driven] = weak ? NAN : fmin(1, sqrt(s->left[driven]));
    for (size_t i = 0; i < s->ports && !weak; i++) {
      struct mx_s_rest *rest = &s->rest[driven * s->ports + i];
      rest->error = fmax(rest->error, rest->left * fmin(1, sqrt(s->left[driven])));
    }
    for (size_t i = 0; i < s->ports && weak; i++) *entry(s, f, i, driven) = NAN + NAN * I;
    gaps += weak;
    if (!weak)
      divide(s, driven, f, incident / csqrt(mx_ports_impedance(ports, driven, frequencies->hertz[f])), ringing);
  }
  s->known[driven] = true;
  dg_free(ringing);
  report_column(s, driven, gaps);
  return 0;
}

/* ---- a checkpoint */

int mx_s_archive(struct mx_s_parameters *s, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_archive own = *archive; /* only rank 0 has ports here */
  const size_t frequencies = frequencies_of(s)->count, entries = s->ports * s->ports * frequencies;
  own.comm = NULL;
  for (size_t i = 0; i < s->ports; i++) {
    long known = s->known[i];
    char name[40];
    snprintf(name, sizeof name, "port_output/%zu/known", i);
    if (mx_archive_longs(&own, name, 1, &known, err) != 0) return err->code;
    s->known[i] = known != 0;
  }
  for (size_t part = 0; part < 2 && entries > 0; part++) {
    double *number;
    if (DG_NEW(number, entries, err) != 0) return err->code;
    for (size_t k = 0; k < entries; k++) number[k] = part == 0 ? creal(s->matrix[k]) : cimag(s->matrix[k]);
    (void)!mx_archive_doubles(&own, part == 0 ? "port_output/re" : "port_output/im", entries, number, err);
    for (size_t k = 0; k < entries && own.does == MX_ARCHIVE_LOADS; k++)
      s->matrix[k] = part == 0 ? number[k] : creal(s->matrix[k]) + number[k] * I; /* clang has no CMPLX */
    dg_free(number);
    if (err->code != DG_OK) return err->code;
  }
  if (entries > 0 && (mx_archive_doubles(&own, "port_output/error", s->ports * frequencies, s->error, err) != 0 ||
                      mx_archive_doubles(&own, "port_output/left", s->ports, s->left, err) != 0 ||
                      mx_archive_doubles(&own, "port_output/rest", 2 * s->ports * s->ports, &s->rest->left, err) != 0))
    return err->code;
  /* what was doubted of columns before the checkpoint is so still */
  for (size_t i = 0; i < s->ports && entries > 0 && own.does == MX_ARCHIVE_LOADS; i++)
    if (s->known[i]) doubt_column(s, i);
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return 0;
}

/* ---- what must hold */

/* Says whether all modes carry power at a frequency and all columns are known there. */
static bool carries(const struct mx_s_parameters *s, size_t f)
{
  for (size_t i = 0; i < s->ports; i++) {
    const double complex Z = mx_ports_impedance(ports_of(s), i, frequencies_of(s)->hertz[f]);
    if (!(fabs(cimag(Z)) <= 1e-9 * creal(Z))) return false;
    if (s->known[i] && isnan(creal(*entry(s, f, 0, i)))) return false;
  }
  return true;
}

/* The largest singular value of the known columns, by powers of S^H S. */
static double largest_gain(const struct mx_s_parameters *s, size_t f)
{
  enum { ITERATIONS = 60, PORTS = 64 };
  double complex x[PORTS], y[PORTS];
  const size_t n = s->ports < PORTS ? s->ports : PORTS;
  double gain = 0;
  for (size_t j = 0; j < n; j++) x[j] = s->known[j] ? cexp(2.4 * I * (double)(j * j)) : 0;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double norm = 0, out = 0;
    for (size_t j = 0; j < n; j++) norm += creal(x[j] * conj(x[j]));
    if (norm == 0) return 0;
    for (size_t i = 0; i < n; i++) {
      y[i] = 0;
      for (size_t j = 0; j < n; j++)
        if (s->known[j]) y[i] += *entry(s, f, i, j) * x[j] / sqrt(norm);
      out += creal(y[i] * conj(y[i]));
    }
    gain = sqrt(out);
    for (size_t j = 0; j < n; j++) {
      x[j] = 0;
      for (size_t i = 0; i < n && s->known[j]; i++) x[j] += conj(*entry(s, f, i, j)) * y[i];
    }
  }
  return gain;
}

static void judge_frequency(const struct mx_s_parameters *s, size_t f, struct mx_s_quality *quality)
{
  const double hertz = frequencies_of(s)->hertz[f], gain = largest_gain(s, f);
  if (isnan(quality->gain) || gain > quality->gain) {
    quality->gain = gain;
    quality->gain_at = hertz;
  }
  for (size_t j = 0; j < s->ports && s->taker == NULL; j++) {
    double missing = 1;
    for (size_t i = 0; i < s->ports; i++) missing -= creal(*entry(s, f, i, j) * conj(*entry(s, f, i, j)));
    if (!s->known[j] || (!isnan(quality->missing) && fabs(missing) <= fabs(quality->missing))) continue;
    quality->missing = missing;
    quality->missing_at = hertz;
    quality->missing_of = j;
  }
  for (size_t i = 0; i < s->ports; i++)
    for (size_t j = 0; j < i; j++) {
      if (!s->known[i] || !s->known[j]) continue;
      const double difference = cabs(*entry(s, f, i, j) - *entry(s, f, j, i));
      if (!isnan(quality->asymmetry) && difference <= quality->asymmetry) continue;
      quality->asymmetry = difference;
      quality->asymmetry_at = hertz;
    }
}

/* How much of the power that comes in may be missing where nothing takes it, or be too much. */
static const double MISSING = 0.005;

static void warn_of_power(const struct mx_s_parameters *s, const struct mx_s_quality *quality)
{
  if (!(fabs(quality->missing) > MISSING)) return;
  dg_log_warning(
      s->scene->log,
      "S-parameters do not keep the power: nothing here takes any, and at %.6g Hz %.4g times what comes in at port "
      "'%s' "
      "leaves in the ports' modes; the mesh or the run is too coarse or too short, or fields of other modes end on the "
      "faces of ports (put these further away, or give them absorb)",
      quality->missing_at, 1 - quality->missing, mx_ports_name(ports_of(s), quality->missing_of));
}

/* Does a medium turn waves one way, so that S_ij and S_ji differ? */
static bool turns_waves(const struct mx_config *config)
{
  for (size_t m = 0; m < config->materials; m++)
    if (config->material[m].gyrotropic.given || config->material[m].ferrite.given) return true;
  return false;
}

static void warn(const struct mx_s_parameters *s, const struct mx_s_quality *quality)
{
  const double tolerance = 0.01;
  if (quality->gain > 1 + tolerance)
    dg_log_warning(
        s->scene->log,
        "S-parameters are not passive: at %.6g Hz up to %.4g times the power that comes in goes out; the mesh "
        "or the run is too coarse or too short, or the modes of ports are not those of their guides",
        quality->gain_at, quality->gain * quality->gain);
  else warn_of_power(s, quality);
  if (quality->asymmetry > tolerance && turns_waves(s->scene->config))
    dg_log_line(s->scene->log,
                "s-params  not reciprocal, as a magnetised medium makes them: at %.6g Hz a pair differs by %.3g",
                quality->asymmetry_at, quality->asymmetry);
  else if (quality->asymmetry > tolerance)
    dg_log_warning(s->scene->log,
                   "S-parameters are not reciprocal: at %.6g Hz a pair differs by %.3g; the mesh or the run is too "
                   "coarse or too short",
                   quality->asymmetry_at, quality->asymmetry);
}

void mx_s_judge(const struct mx_s_parameters *s, struct mx_s_quality *quality)
{
  *quality = (struct mx_s_quality){.frequencies = frequencies_of(s)->count,
                                   .ports = s->ports,
                                   .driven = s->known,
                                   .rest = s->rest,
                                   .gain = NAN,
                                   .missing = NAN,
                                   .asymmetry = NAN};
  for (size_t j = 0; j < s->ports; j++) {
    if (!s->known[j]) continue;
    quality->known = true;
    quality->left = fmax(quality->left, s->left[j]);
    quality->error = fmax(quality->error, worst_error(s, j));
  }
  if (!quality->known) return;
  for (size_t f = 0; f < quality->frequencies; f++) {
    bool gap = false;
    for (size_t j = 0; j < s->ports; j++) gap = gap || (s->known[j] && isnan(creal(*entry(s, f, 0, j))));
    quality->left_out += gap;
    if (carries(s, f)) judge_frequency(s, f, quality);
  }
  warn(s, quality);
}

void mx_s_take_quality(struct mx_s_parameters *s)
{
  s->known = NULL;
  s->rest = NULL;
}

void mx_s_quality_release(struct mx_s_quality *quality)
{
  dg_free(quality->driven);
  dg_free(quality->rest);
  *quality = (struct mx_s_quality){0};
}

/* ---- files */

void mx_s_write_table(const struct mx_s_parameters *s, FILE *file)
{
  const struct mx_ports *ports = ports_of(s);
  const struct mx_frequencies *frequencies = frequencies_of(s);
  fputs("frequency", file);
  for (size_t j = 0; j < s->ports; j++)
    for (size_t i = 0; s->known[j] && i < s->ports; i++) {
      int row = mx_ports_number(ports, i), column = mx_ports_number(ports, j);
      const char *between = row > 9 || column > 9 ? "_" : "";
      fprintf(file, ",S%d%s%d_re,S%d%s%d_im", row, between, column, row, between, column);
    }
  fputs(",error", file);
  for (size_t f = 0; f < frequencies->count; f++) {
    double error = 0;
    fprintf(file, "\n%.17g", frequencies->hertz[f]);
    for (size_t j = 0; j < s->ports; j++) {
      for (size_t i = 0; s->known[j] && i < s->ports; i++) {
        const double complex value = *entry(s, f, i, j);
        if (isnan(creal(value))) fputs(",nan,nan", file);
        else fprintf(file, ",%.17g,%.17g", creal(value), cimag(value));
      }
      if (s->known[j] && !(s->error[f * s->ports + j] <= error)) error = s->error[f * s->ports + j];
    }
    if (isnan(error)) fputs(",nan", file);
    else fprintf(file, ",%.3g", error);
  }
  fputc('\n', file);
}

void mx_s_comment(const struct mx_s_parameters *s, const struct mx_s_quality *quality, FILE *file)
{
  const struct mx_ports *ports = ports_of(s);
  double error = 0, left = 0;
  for (size_t i = 0; i < s->ports; i++) {
    char gaps[300];
    fprintf(file, "! port %zu = %s\n", i + 1, mx_ports_name(ports, i));
    error = fmax(error, worst_error(s, i));
    left = fmax(left, s->left[i]);
    list_gaps(s, i, gaps, sizeof gaps);
    if (gaps[0] != '\0')
      fprintf(file, "! left out, where the waveform of port %zu carries next to nothing: %s Hz\n", i + 1, gaps);
  }
  fprintf(file, "! the runs end when %.1f dB of the energy that came in is left: errors of about %.2g at most\n",
          decibel(left), error);
  if (fabs(quality->missing) > MISSING)
    fprintf(file,
            "! power is not kept: nothing takes any, and at %.6g Hz %.4g times what comes in at port %zu leaves\n",
            quality->missing_at, 1 - quality->missing, quality->missing_of + 1);
  else if (quality->gain > 1 + MISSING)
    fprintf(file, "! not passive: at %.6g Hz up to %.4g times the power that comes in goes out\n", quality->gain_at,
            quality->gain * quality->gain);
  mx_doubts_write_comments(s->scene->doubts, "output.s_parameters", NULL, "! ", file);
}
