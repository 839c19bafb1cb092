/* Materials that change with their temperature: the values of epsilon_r and sigma that the section `heat` lets the
 * fields have. A key of `with_temperature` is a number, the relative change by K from a reference, or a function of the
 * temperature that gives the value itself. */
#pragma once

#include "maxwell/model/config.h"

extern const char *const mx_warm_names[MX_WARM_KEYS]; /* as in the script */

/* value[count] of a key that is given, at the temperatures T[count]; sigma in S/m. DG_INPUT: a function fails, or a
 * value is out of the key's range. Not collective. */
int mx_warm_values(const struct mx_material_config *material, enum mx_warm_key key, size_t count, const double *T,
                   double *value, struct dg_error *err) DG_MUST_USE;
/* Checks that functions give value[count] again. */
int mx_warm_repeat(const struct mx_material_config *material, enum mx_warm_key key, size_t count, const double *T,
                   const double *value, struct dg_error *err) DG_MUST_USE;
