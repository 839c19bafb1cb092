/* What the lines of TEM ports lose: for the log and for who goes on with S-parameters. port.h documents it. */
#include <math.h>
#include <stdio.h>

#include "libdg/base/log.h"
#include "maxwell/model/config.h"
#include "maxwell/sources/port.h"
#include "maxwell/sources/port_state.h"

static const double decibel = 8.685889638065036; /* per neper */

/* The impedance of the line without losses, which the port's waves refer to. */
static double reference_of(const struct mx_port *port) { return port->impedance * port->scale * port->scale; }

struct mx_port_loss mx_ports_loss(const struct mx_ports *ports, size_t port, double hertz)
{
  const struct mx_port *p = &ports->port[port];
  const double Z = reference_of(p);
  struct mx_port_loss loss = {.reference = Z};
  double complex gamma, own;
  if (p->kind != MX_TEM_PORT || !mx_line_loses(&p->losses)) return loss;
  loss.media = decibel * 0.5 * (p->losses.conductance * Z + p->losses.resistance / Z);
  if (!(hertz > 0)) return loss;
  mx_line_at(&p->losses, Z, p->speed, hertz, &gamma, &own);
  loss.walls = decibel * 0.5 * creal(mx_line_walls(&p->losses, hertz)) / Z;
  loss.all = decibel * creal(gamma);
  loss.reflected = cabs((own - Z) / (own + Z));
  return loss;
}

const struct mx_line_losses *mx_ports_losses(const struct mx_ports *ports, size_t port)
{
  return ports->port[port].kind == MX_TEM_PORT ? &ports->port[port].losses : NULL;
}

static void widen(const struct mx_frequencies *frequencies, double band[2])
{
  for (size_t i = 0; i < frequencies->count; i++) {
    if (!(frequencies->hertz[i] > 0)) continue;
    band[0] = fmin(band[0], frequencies->hertz[i]);
    band[1] = fmax(band[1], frequencies->hertz[i]);
  }
}

/* The lowest and the highest frequency that the script names in its output, but 0; without any the highest of its
 * sources. */
static bool find_band(const struct mx_config *config, double band[2])
{
  band[0] = INFINITY;
  band[1] = 0;
  widen(&config->output.s_parameters, band);
  for (size_t i = 0; i < config->output.spectra; i++) widen(&config->output.spectrum[i].frequencies, band);
  for (size_t i = 0; i < config->output.far_fields; i++) widen(&config->output.far_field[i].frequencies, band);
  for (size_t i = 0; i < config->output.measures; i++) widen(&config->output.measure[i].frequencies, band);
  if (band[1] == 0) band[0] = band[1] = mx_highest_frequency(config);
  return band[1] > 0;
}

static void describe(const struct mx_ports *ports, size_t port, const double band[2], bool banded, struct dg_log *log)
{
  const struct mx_port *p = &ports->port[port];
  char text[600] = "walls take what depends on the frequency, and the script names none";
  size_t used = 0;
  const double media = mx_ports_loss(ports, port, 0).media;
  if (p->losses.conductance > 0) used += (size_t)snprintf(text, sizeof text, "G' = %.4g S/m", p->losses.conductance);
  if (p->losses.resistance > 0)
    used += (size_t)snprintf(text + used, sizeof text - used, "%sR' = %.4g ohm/m of magnetic losses",
                             used > 0 ? ", " : "", p->losses.resistance);
  if (media > 0) used += (size_t)snprintf(text + used, sizeof text - used, ": media take %.4g dB/m; ", media);
  for (int i = 0; i < 2 && banded && (i == 0 || band[1] > band[0]); i++) {
    const struct mx_port_loss loss = mx_ports_loss(ports, port, band[i]);
    used += (size_t)snprintf(text + used, sizeof text - used, "%sat %.4g Hz ", i > 0 ? ", " : "", band[i]);
    if (p->losses.walls > 0)
      used += (size_t)snprintf(text + used, sizeof text - used, "walls take %.4g dB/m, ", loss.walls);
    used += (size_t)snprintf(text + used, sizeof text - used, "all %.4g dB/m, and a matched line reflects %.2g",
                             loss.all, loss.reflected);
  }
  if (!banded && media > 0 && used > 2) text[used - 2] = '\0'; /* nothing follows the semicolon */
  dg_log_line(log, "line      %d '%s': %s; S refers to %.6g ohm, that of the line without losses", p->number, p->name,
              text, reference_of(p));
}

/* Warns where the reference is not what the line has. */
static void warn(const struct mx_ports *ports, size_t port, double lowest, struct dg_log *log)
{
  const double much = 0.05;
  const struct mx_port *p = &ports->port[port];
  const struct mx_port_loss loss = mx_ports_loss(ports, port, lowest);
  if (loss.reflected > much)
    dg_log_warning(log,
                   MX_PLACE
                   "%s: at %.4g Hz losses make the impedance of this line another: the port, whose S refers to "
                   "%.6g ohm, reflects %.2g of its waves, and where several media share its face their losses "
                   "are known in the first order only; begin at a higher frequency",
                   MX_AT(p->where), p->what, lowest, loss.reference, loss.reflected);
}

static void warn_of_mixture(const struct mx_port *port, struct dg_log *log)
{
  const double much = 0.01;
  if (port->mixed > much)
    dg_log_warning(log,
                   MX_PLACE
                   "%s: the media on the face of this port differ, so that only certain potentials are one mode, "
                   "and these are a mixture, whose parts travel and fade each in its own way (%.2g %% of what "
                   "is on the conductors is not of one mode): say mode = 1 (or \"even\", \"odd\"), or potentials "
                   "that are one",
                   MX_AT(port->where), port->what, 100 * port->mixed);
}

void mx_ports_report_losses(const struct mx_ports *ports, const struct mx_config *config, struct dg_log *log)
{
  double band[2];
  const bool banded = find_band(config, band);
  for (size_t i = 0; i < ports->count; i++) {
    const struct mx_port *port = &ports->port[i];
    if (port->kind != MX_TEM_PORT) continue;
    warn_of_mixture(port, log);
    if (port->losses.sheets)
      dg_log_line(log,
                  "line      %d '%s': what its sheets of metal lose is not known here: at the edge of a sheet without "
                  "thickness the current has no finite square",
                  port->number, port->name);
    if (!mx_line_loses(&port->losses)) continue;
    describe(ports, i, band, banded, log);
    if (banded) warn(ports, i, band[0], log);
  }
}
