/* Writes S-parameters as a Touchstone file, in waves that the file can say. See touchstone.h. */
#include "maxwell/output/ports/touchstone.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"

static const struct mx_ports *ports_of(const struct mx_touchstone *t) { return &t->s->scene->sources->ports; }

static const struct mx_frequencies *frequencies_of(const struct mx_touchstone *t)
{
  return &t->s->scene->config->output.s_parameters;
}

/* Has a port one real impedance at all frequencies? */
static bool is_constant(const struct mx_touchstone *t, size_t port)
{
  return !(mx_ports_line(ports_of(t), port).cutoff > 0);
}

static double complex impedance_of(const struct mx_touchstone *t, size_t port, size_t f)
{
  return mx_ports_impedance(ports_of(t), port, frequencies_of(t)->hertz[f]);
}

static void choose_reference(struct mx_touchstone *t)
{
  const double alike = 1e-3, same = 1e-12;
  double low = INFINITY, high = 0, first = 0;
  for (size_t i = 0; i < t->s->ports; i++) {
    if (!is_constant(t, i)) {
      t->guides = true;
      continue;
    }
    const double Z = creal(impedance_of(t, i, 0));
    if (first == 0) first = Z;
    low = fmin(low, Z);
    high = fmax(high, Z);
  }
  t->alike = high <= (1 + alike) * low;
  t->renormalised = high > (1 + same) * low;
  t->R = first == 0 ? 50 : t->renormalised && t->alike ? 0.5 * (low + high) : first;
}

/* X with X B = A, all [n][n], by Gauss's method with pivots; A becomes X, B is used up. NAN: there is none. */
static void divide_from_right(size_t n, double complex *A, double complex *B)
{
  for (size_t c = 0; c < n; c++) { /* columns are combined: what is done to columns of B is done to those of A */
    size_t pivot = c;
    for (size_t j = c + 1; j < n; j++)
      if (cabs(B[c * n + j]) > cabs(B[c * n + pivot])) pivot = j;
    for (size_t r = 0; r < n; r++) {
      const double complex a = A[r * n + c], b = B[r * n + c];
      A[r * n + c] = A[r * n + pivot], A[r * n + pivot] = a;
      B[r * n + c] = B[r * n + pivot], B[r * n + pivot] = b;
    }
    const double complex by = 1 / B[c * n + c];
    for (size_t r = 0; r < n; r++) A[r * n + c] *= by, B[r * n + c] *= by;
    for (size_t j = 0; j < n; j++) {
      const double complex share = B[c * n + j];
      for (size_t r = 0; r < n && j != c; r++) {
        A[r * n + j] -= share * A[r * n + c];
        B[r * n + j] -= share * B[r * n + c];
      }
    }
  }
}

void mx_s_renormalise(size_t n, double complex *matrix, const double complex *z, const double complex *new_z,
                      double complex *room)
{
  double complex *out = room, *in = room + n * n;
  for (size_t i = 0; i < n; i++) {
    const double complex root = 2 * csqrt(z[i]) * csqrt(new_z[i]);
    const double complex p = (new_z[i] + z[i]) / root, m = (new_z[i] - z[i]) / root;
    for (size_t j = 0; j < n; j++) {
      const double complex S = matrix[i * n + j];
      out[i * n + j] = p * S - (i == j ? m : 0);
      in[i * n + j] = (i == j ? p : 0) - m * S;
    }
  }
  divide_from_right(n, out, in);
  memcpy(matrix, out, n * n * sizeof *matrix);
}

static int renormalise(struct mx_touchstone *t, struct dg_error *err)
{
  const size_t n = t->s->ports;
  double complex *room = NULL, *z = NULL;
  if (DG_NEW(room, 2 * n * n, err) == 0 && DG_NEW(z, 2 * n, err) == 0)
    for (size_t f = 0; f < frequencies_of(t)->count; f++) {
      for (size_t i = 0; i < n; i++) {
        z[i] = impedance_of(t, i, f);
        z[n + i] = is_constant(t, i) ? t->R : z[i];
      }
      mx_s_renormalise(n, t->matrix + f * n * n, z, z + n, room);
    }
  dg_free(room);
  dg_free(z);
  return err->code;
}

int mx_touchstone_init(struct mx_touchstone *touchstone, const struct mx_s_parameters *s,
                       const struct mx_s_quality *quality, struct dg_error *err)
{
  const size_t entries = s->scene->config->output.s_parameters.count * s->ports * s->ports;
  *touchstone = (struct mx_touchstone){.s = s, .quality = quality};
  if (DG_NEW(touchstone->matrix, entries, err) != 0) return err->code;
  memcpy(touchstone->matrix, s->matrix, entries * sizeof *touchstone->matrix);
  choose_reference(touchstone);
  return touchstone->renormalised ? renormalise(touchstone, err) : 0;
}

void mx_touchstone_release(struct mx_touchstone *touchstone)
{
  dg_free(touchstone->matrix);
  *touchstone = (struct mx_touchstone){0};
}

static void comment_waves(const struct mx_touchstone *t, FILE *file)
{
  if (t->renormalised) {
    fputs("! renormalised to R: waves of the run, as in sparameters.csv, refer to", file);
    for (size_t i = 0, said = 0; i < t->s->ports; i++)
      if (is_constant(t, i))
        fprintf(file, "%s %.12g ohm at port %zu", said++ > 0 ? "," : "", creal(impedance_of(t, i, 0)), i + 1);
    fputc('\n', file);
  }
  if (!t->guides) return;
  fputs("! waves of the impedance of their own mode, not of R:", file);
  for (size_t i = 0, said = 0; i < t->s->ports; i++)
    if (!is_constant(t, i)) fprintf(file, "%s port %zu", said++ > 0 ? "," : "", i + 1);
  fputs("; 'Port Impedance' says it for all ports (real and imaginary part, ohm)\n", file);
}

static void write_frequency(const struct mx_touchstone *t, size_t f, FILE *file)
{
  const size_t ports = t->s->ports;
  const double complex *matrix = t->matrix + f * ports * ports;
  fprintf(file, "%.17g", frequencies_of(t)->hertz[f]);
  for (size_t i = 0; i < ports; i++)
    for (size_t j = 0; j < ports; j++) {
      const double complex value = ports == 2 ? matrix[j * ports + i] : matrix[i * ports + j];
      if (ports > 2 && i + j > 0 && j % 4 == 0) fputc('\n', file);
      fprintf(file, " %.15g %.15g", creal(value), cimag(value));
    }
  fputc('\n', file);
  if (!t->guides) return;
  fputs("! Port Impedance", file);
  for (size_t i = 0; i < ports; i++) {
    const double complex Z = is_constant(t, i) ? t->R : impedance_of(t, i, f);
    fprintf(file, " %.15g %.15g", creal(Z), cimag(Z));
  }
  fputc('\n', file);
}

/* A frequency of the file: the lowest above `below`, with all of S known; the count of frequencies: there is none. */
static size_t next_frequency(const struct mx_touchstone *t, double below)
{
  const struct mx_frequencies *frequencies = frequencies_of(t);
  const size_t ports = t->s->ports;
  size_t found = frequencies->count;
  for (size_t f = 0; f < frequencies->count; f++) {
    bool gap = !(frequencies->hertz[f] > below) ||
               (found < frequencies->count && frequencies->hertz[f] >= frequencies->hertz[found]);
    for (size_t j = 0; j < ports; j++) gap = gap || isnan(creal(t->matrix[f * ports * ports + j]));
    if (!gap) found = f;
  }
  return found;
}

/* Frequencies ascend, as the format wants them. Two ports have S11 S21 S12 S22 in one line. More ports have one row of
 * the matrix after the other, at most four numbers a line. The format has no way to say "unknown", so that such
 * frequencies are left out. */
void mx_touchstone_write(const struct mx_touchstone *t, FILE *file)
{
  mx_s_comment(t->s, t->quality, file);
  comment_waves(t, file);
  fprintf(file, "# Hz S RI R %.15g\n", t->R);
  const size_t none = frequencies_of(t)->count;
  for (size_t f = next_frequency(t, -INFINITY); f < none; f = next_frequency(t, frequencies_of(t)->hertz[f]))
    write_frequency(t, f, file);
}
