/* What media take from phasors: the density of losses at the nodes of elements, and their sum over a region.
 *
 *   density = 1/2 (sigma + w e'') |E|^2 + 1/2 (sigma_m + w mu'') |H|^2,
 *
 * W/m^3 of peak phasors; e'' and mu'' are those of poles at the frequency, and a tensor stands between E* and E.
 * Phasors without a norm are transforms, V s/m, and give J s/m^3.
 *
 * The power of an element is the integral of the squares by the mass matrix, as the backends have it for output.losses:
 * summed over all frequencies of a discrete transform (Parseval) the powers are the sum of the samples of output.losses
 * to rounding. The exception are poles, whose losses in time have the integrator's error. */
#pragma once

#include "maxwell/phasor/phasors.h"
#include "maxwell/problem/curve_tables.h"
#include "maxwell/shell/folder.h"

struct mx_phasor_loss {
  const struct mx_phasors *phasors;
  const struct mx_phasor *phasor;
  struct mx_curve_tables curves;
};

/* Refuses media whose losses are not known at a frequency, or need H where the phasors have none. Collective. */
int mx_phasor_loss_check(const struct mx_phasor *phasor, const struct mx_phasor_place *place,
                         struct dg_error *err) DG_MUST_USE;
/* Not collective. Release in any case. */
int mx_phasor_loss_init(struct mx_phasor_loss *loss, const struct mx_phasors *phasors, const struct mx_phasor *phasor,
                        struct dg_error *err) DG_MUST_USE;
/* Of the phasors value[node][component] of a part, as mx_phasor_get gives them: the density at its nodes, density[Np],
 * and the power of the element, W, which is returned. */
double mx_phasor_loss_of(const struct mx_phasor_loss *loss, size_t frequency, size_t part, const double complex *value,
                         double *density);
/* The density at any place of a part, from the phasors field[components] there. */
double mx_phasor_loss_at(const struct mx_phasor_loss *loss, size_t frequency, size_t part, const double complex *field);
/* The power of all ranks' parts at every frequency, power[frequencies]. Collective. */
int mx_phasor_loss_powers(const struct mx_phasor_loss *loss, double *power, struct dg_error *err) DG_MUST_USE;
void mx_phasor_loss_release(struct mx_phasor_loss *loss);

/* Writes spectra/NAME_losses.csv: "frequency,power". Collective. */
int mx_phasor_loss_write(const struct mx_phasor_loss *loss, struct mx_folder *folder, struct dg_error *err) DG_MUST_USE;
