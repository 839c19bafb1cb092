/* Warns of ports that are asked for S at frequencies at which their mode is not all that their face meets. port.h
 * documents it. */
#include <math.h>
#include <stdio.h>

#include "libdg/base/log.h"
#include "maxwell/model/config.h"
#include "maxwell/sources/port.h"
#include "maxwell/sources/port_state.h"

void mx_port_name_mode(const struct mx_mode *mode, char text[40])
{
  static const char *const family[] = {"TE", "TM", "TEM"};
  const bool wide = mode->m > 9 || mode->n > 9;
  if (mode->m == 0 && mode->n == 0) snprintf(text, 40, "%s", family[mode->family]);
  else snprintf(text, 40, "%s%d%s%d", family[mode->family], mode->m, wide ? "," : "", mode->n);
}

/* Does a waveguide port have a mode, or absorb it? */
static bool has_mode(const struct mx_port_config *config, enum mx_mode_family family, int m, int n)
{
  for (size_t i = 0; i <= config->absorbed; i++) {
    const struct mx_mode *mode = i == 0 ? &config->mode : &config->absorb[i - 1];
    if (mode->family == family && mode->m == m && mode->n == n) return true;
  }
  return false;
}

void mx_port_find_other(struct mx_port *port, const struct mx_port_config *config, const double side[2])
{
  enum { HIGHEST = 12 };
  for (int family = MX_TE; family <= MX_TM; family++)
    for (int m = 0; m <= HIGHEST; m++)
      for (int n = 0; n <= HIGHEST; n++) {
        const struct mx_mode mode = {.family = (enum mx_mode_family)family, .m = m, .n = n};
        const double cutoff = 0.5 * port->speed * hypot(m / side[0], n / side[1]);
        const bool exists = family == MX_TE ? m + n > 0 : m > 0 && n > 0;
        if (!exists || has_mode(config, mode.family, m, n) || (port->other > 0 && cutoff >= port->other)) continue;
        port->other = cutoff;
        mx_port_name_mode(&mode, port->other_name);
      }
}

/* Growth of n, as it begins, above which the static mode of a line is not that of the line any more. The ports of a
 * microstrip (1.6 mm of epsilon_r 4.4) took a third of this growth from the power, 2.5 % at 0.076, beside what the mesh
 * took. */
static const double MUCH = 0.02;

/* One line a port: where the line's own mode is another one, others matter less. */
static bool warn_of_dispersion(const struct mx_port *port, double highest, struct dg_log *log)
{
  const double growth = port->dispersion * highest * highest;
  if (growth <= MUCH) return false;
  dg_log_warning(
      log,
      MX_PLACE "%s: the mode of several media is that of low frequencies, and S is asked for up to %.6g Hz, where the "
               "line's wave is another one: above about %.3g Hz, where its index has grown by %.2g %%, the port "
               "reflects and absorbs what its mode is not; end output.s_parameters lower, or make the line smaller",
      MX_AT(port->where), port->what, highest, sqrt(MUCH / port->dispersion), 100 * MUCH);
  return true;
}

static void warn_of_modes(const struct mx_port *port, double highest, struct dg_log *log)
{
  const char *name = port->other_name;
  if (!(port->other > 0) || highest <= port->other) return;
  if (port->kind == MX_WAVEGUIDE_PORT)
    dg_log_warning(
        log,
        MX_PLACE
        "%s: the mode %s of this guide propagates from %.6g Hz on, and S is asked for up to %.6g Hz: what goes "
        "into that mode is in no S, and some of it comes back from this port; end output.s_parameters lower, "
        "or let the port absorb = { \"%s\" }",
        MX_AT(port->where), port->what, name, port->other, highest, name);
  else
    dg_log_warning(log,
                   MX_PLACE
                   "%s: a mode beside the line's own%s%s%s propagates from about %.4g Hz on, and S is asked for up to "
                   "%.6g Hz: what goes into that mode is in no S, and some of it comes back from this port; end "
                   "output.s_parameters lower",
                   MX_AT(port->where), port->what, name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "",
                   port->other, highest);
}

/* Frequencies that are all but 0 to the waveforms were meant in another unit. */
static void warn_of_units(const struct mx_ports *ports, const struct mx_config *config, double highest,
                          struct dg_log *log)
{
  const double far = 1e-4, reach = mx_highest_frequency(config);
  if (ports->count == 0 || !(highest > 0) || !isfinite(reach) || highest >= far * reach) return;
  dg_log_warning(log,
                 MX_PLACE
                 "output.s_parameters ends at %.6g Hz, and waveforms reach up to %.4g Hz: what is asked for is a "
                 "constant voltage to them; frequencies are in Hz",
                 MX_AT(config->output.s_parameters_where), highest, reach);
}

void mx_ports_report_limits(const struct mx_ports *ports, const struct mx_config *config, struct dg_log *log)
{
  const struct mx_frequencies *asked = &config->output.s_parameters;
  double highest = 0;
  for (size_t i = 0; i < asked->count; i++) highest = fmax(highest, asked->hertz[i]);
  warn_of_units(ports, config, highest, log);
  for (size_t i = 0; i < ports->count; i++) {
    if (!warn_of_dispersion(&ports->port[i], highest, log)) warn_of_modes(&ports->port[i], highest, log);
  }
}
