/* Adds up what goes in and out at the ports of a run. port_powers.h says what for. */
#include "maxwell/transform/port_powers.h"

#include <complex.h>
#include <math.h>

#include "libdg/base/memory.h"

int mx_port_powers_new(struct mx_port_powers **powers, size_t count, struct dg_error *err)
{
  if (dg_alloc(powers, count, sizeof **powers, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) (*powers)[k] = (struct mx_port_powers){NAN, NAN, NAN, NAN};
  return 0;
}

void mx_port_powers_note(struct mx_port_powers *powers, const struct mx_ports *ports,
                         const struct mx_frequencies *frequencies)
{
  for (size_t k = 0; k < frequencies->count; k++) {
    const double hertz = frequencies->hertz[k];
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
    powers[k] = (struct mx_port_powers){incident, incident - reflected, creal(wave), cimag(wave)};
  }
}

int mx_port_powers_archive(struct mx_port_powers *powers, size_t count, const char *name, struct mx_archive *archive,
                           struct dg_error *err)
{
  struct mx_archive own = *archive; /* only rank 0 has them */
  double *number;
  if (DG_NEW(number, 5 * count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) { /* NAN is not saved: what is not known yet is a 0 before four others */
    if (isnan(powers[k].incident)) continue;
    number[5 * k] = 1, number[5 * k + 1] = powers[k].incident, number[5 * k + 2] = powers[k].accepted;
    number[5 * k + 3] = powers[k].wave_re, number[5 * k + 4] = powers[k].wave_im;
  }
  (void)!mx_archive_doubles(&own, name, 5 * count, number, err);
  for (size_t k = 0; k < count && own.does == MX_ARCHIVE_LOADS; k++)
    if (number[5 * k] != 0)
      powers[k] = (struct mx_port_powers){number[5 * k + 1], number[5 * k + 2], number[5 * k + 3], number[5 * k + 4]};
  dg_free(number);
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return err->code;
}
