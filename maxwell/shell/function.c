/* Calls functions of position and time, checks their values, and makes messages about them, whoever carries them out.
 * Sources, materials and initial fields call it; see function.h. */
#include "maxwell/shell/function.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int mx_places_inputs(const struct mx_places *at, size_t k, double in[4])
{
  int inputs = 0;
  if (at->x != NULL)
    for (; inputs < 3; inputs++) in[inputs] = at->x[k][inputs];
  if (at->t != NULL) in[inputs++] = at->t[at->x != NULL ? 0 : k];
  return inputs;
}

void mx_describe_inputs(int inputs, const double *in, char *text, size_t size)
{
  static const char *const names[] = {"", "t", "x, y", "x, y, z", "x, y, z, t"};
  size_t used = (size_t)snprintf(text, size, "(%s) = (", inputs <= 4 ? names[inputs] : "inputs");
  for (int i = 0; i < inputs && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%.6g", i == 0 ? "" : ", ", in[i]);
  if (used < size) snprintf(text + used, size - used, ")");
}

int mx_function_fail(const struct mx_function *function, const struct mx_places *at, size_t k, struct dg_error *err,
                     const char *format, ...)
{
  char inputs[256], fault[256];
  double in[4] = {0};
  va_list list;
  va_start(list, format);
  vsnprintf(fault, sizeof fault, format, list);
  va_end(list);
  mx_describe_inputs(mx_places_inputs(at, k, in), in, inputs, sizeof inputs);
  if (at->argument != NULL) (void)snprintf(inputs, sizeof inputs, "(%s) = (%.6g)", at->argument, in[0]);
  const char *place = function->place != NULL ? function->place : "";
  return dg_fail(err, DG_INPUT, "%s%s%s %s at %s", place, *place != '\0' ? ": " : "", at->what, fault, inputs);
}

int mx_function_values(const struct mx_function *function, const struct mx_places *at, double *value,
                       struct dg_error *err)
{
  const size_t components = (size_t)at->components, numbers = components * at->count;
  if (function->values(function->self, at, value, err) != 0) return err->code;
  for (size_t i = 0; i < numbers; i++)
    if (!isfinite(value[i]))
      return mx_function_fail(function, at, i / components, err, "returned %s", isnan(value[i]) ? "nan" : "infinity");
  return 0;
}

int mx_function_repeat(const struct mx_function *function, const struct mx_places *at, const double *value,
                       struct dg_error *err)
{
  enum { MOST = 4000 };
  const size_t stride = 1 + at->count / MOST, components = (size_t)at->components;
  for (size_t left = at->count; left > 0; left = left > stride ? left - stride : 0) {
    const size_t k = left - 1;
    struct mx_places one = *at;
    double again[3] = {0};
    one.count = 1;
    if (at->x != NULL) one.x = at->x + k;
    else if (at->t != NULL) one.t = at->t + k;
    if (mx_function_values(function, &one, again, err) != 0) return err->code;
    for (size_t i = 0; i < components; i++)
      if (again[i] != value[k * components + i])
        return mx_function_fail(
            function, at, k, err,
            "does not give the same whenever it is called with the same numbers (%.10g, then %.10g), but must depend "
            "on its arguments alone,",
            value[k * components + i], again[i]);
  }
  return 0;
}
