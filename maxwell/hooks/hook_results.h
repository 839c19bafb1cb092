/* The list of the tables of a run that its hooks can look at, from its scene. */
#pragma once

#include "maxwell/scene/scene.h"
#include "maxwell/shell/hooks/results.h"

struct mx_records;

/* Makes the list: energy, balance, measures with their spectra, ports, S-parameters, far fields, resonances, and the
 * hooks' own table, whose number is *own. Measures without a table (planes as grids) are left out. Release with
 * mx_hook_results_release in any case. */
int mx_hook_results_find(struct mx_results *results, size_t *own, const struct mx_scene *scene,
                         struct dg_error *err) DG_MUST_USE;
/* Makes the table of the spectrum so far of a measure of which results.result[result] is the spectrum. */
int mx_hook_results_spectrum(const struct mx_records *records, const struct mx_results *results, size_t result,
                             struct mx_table *table, struct dg_error *err) DG_MUST_USE;
/* The run is over: what is known at the end only may be looked at, as far as its file is there. */
void mx_hook_results_end(struct mx_results *results);
void mx_hook_results_release(struct mx_results *results);
