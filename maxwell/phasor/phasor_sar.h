/* The specific absorption rate (SAR) of a region: losses over mass, W/kg of peak phasors.
 *
 *   at a node: the density of losses over the material's mass_density; whole body: the power of all elements with mass
 *   over their mass; cubes of 1 g and 10 g: sar_cubes.h, on a grid of points where the fields are interpolated.
 *
 * Elements whose material has no mass_density take no part. */
#pragma once

#include "maxwell/phasor/phasor_loss.h"

/* Refuses a region without mass. Collective. */
int mx_phasor_sar_check(const struct mx_phasor *phasor, const struct mx_phasor_place *place,
                        struct dg_error *err) DG_MUST_USE;
/* kg/m^3 of the material of a part. */
double mx_phasor_mass_density(const struct mx_phasors *phasors, const struct mx_phasor *phasor, size_t part);
/* Writes spectra/NAME_sar.csv: "frequency,mass,power,average,peak,x,y,z" and, with a grid, "peak_1g,x_1g,y_1g,z_1g,
 * peak_10g,x_10g,y_10g,z_10g". Collective. */
int mx_phasor_sar_write(const struct mx_phasor_loss *loss, struct mx_folder *folder, struct dg_error *err) DG_MUST_USE;
