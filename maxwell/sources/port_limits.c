/* Warns of ports that are asked for S at frequencies at which their mode is not all that their face meets. port.h
 * documents it. */
#include <math.h>

#include "libdg/base/log.h"
#include "maxwell/model/config.h"
#include "maxwell/sources/port.h"
#include "maxwell/sources/port_state.h"

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
