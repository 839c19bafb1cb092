/* Powers at the ports of a run at the frequencies of a transform: what its results are divided by. */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/shell/archive.h"
#include "maxwell/sources/port.h"

/* Powers at ports at a frequency, summed over ports, J/Hz; NAN: no port drives. `wave` is the square root of the
 * incident power with the phase of the first driven port. */
struct mx_port_powers {
  double incident, accepted, wave_re, wave_im;
};

/* Makes (*powers)[count], of ports that do not drive; free it with dg_free. */
int mx_port_powers_new(struct mx_port_powers **powers, size_t count, struct dg_error *err) DG_MUST_USE;
/* Notes the powers at the end of a run, on rank 0. */
void mx_port_powers_note(struct mx_port_powers *powers, const struct mx_ports *ports,
                         const struct mx_frequencies *frequencies);
int mx_port_powers_archive(struct mx_port_powers *powers, size_t count, const char *name, struct mx_archive *archive,
                           struct dg_error *err) DG_MUST_USE;
