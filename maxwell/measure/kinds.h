/* The kinds of measures: one line each, in the order in which a script's lists are read, measured and written. */
#pragma once

#include <stdio.h>

#include "maxwell/measure/measure.h"

#define MX_MEASURE_KINDS(X)                                                                                            \
  X(mx_probes) X(mx_lines) X(mx_planes) X(mx_fluxes) X(mx_voltages) X(mx_currents) X(mx_losses) X(mx_polarisations)

#define MX_MEASURE_KIND(kind) extern const struct mx_measure_kind kind;
MX_MEASURE_KINDS(MX_MEASURE_KIND)
#undef MX_MEASURE_KIND

/* The kinds as mx_config_read takes them; NULL-terminated. */
extern const struct mx_measure_reader *const mx_measure_kinds[];

/* Writes the kinds for summary.json, from which readers of results know them:
 * {"probes": {"title": "Probe", "places": false}, ...}. */
void mx_measure_kinds_write_json(FILE *file);
