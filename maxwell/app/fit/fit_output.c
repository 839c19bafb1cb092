/* The material in Lua, the fit as JSON, and its values at the points of the table as CSV. fit_command.c calls it. */
#include "maxwell/app/fit/fit_output.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "libdg/base/text.h"

static const double TWO_PI = 6.283185307179586, EPS0 = 8.8541878128e-12;

/* The name of the table as a name in Lua: "Johnson Au.csv" is Johnson_Au. */
static void make_name(const char *path, char *name)
{
  const char *slash = strrchr(path, '/'), *from = slash != NULL ? slash + 1 : path, *dot = strrchr(from, '.');
  const size_t length = dot != NULL && dot > from ? (size_t)(dot - from) : strlen(from);
  size_t n = 0;
  if (isdigit((unsigned char)*from) != 0) name[n++] = '_';
  for (size_t i = 0; i < length && n + 1 < MX_FIT_TITLE; i++)
    name[n++] = isalnum((unsigned char)from[i]) != 0 ? from[i] : '_';
  name[n] = '\0';
}

/* -K/(s + gamma) + (K + rest)/s is rest/s + K gamma/(s (s + gamma)): a Drude term with wp^2 = K gamma. */
void mx_fit_tell(struct mx_fit_told *told, const struct mx_fit_command *command, const struct mx_fit_data *data,
                 const struct mx_fit_result *result)
{
  *told = (struct mx_fit_told){.command = command, .data = data, .result = result};
  make_name(command->table, told->name);
  told->rest = result->model;
  told->rest.poles = 0;
  for (size_t p = 0; p < result->model.poles; p++) {
    const struct mx_fit_pole *pole = &result->model.pole[p];
    const double taken = -creal(pole->c) * EPS0, gamma = -creal(pole->a);
    if (cimag(pole->a) > 0 || !(taken > 0) || taken > told->rest.sigma * (1 + 1e-9)) {
      told->rest.pole[told->rest.poles++] = *pole;
      continue;
    }
    told->rest.sigma = fmax(told->rest.sigma - taken, 0);
    if (told->rest.sigma < 1e-9 * taken) told->rest.sigma = 0; /* rounding of the two */
    told->drude[told->drudes].omega_p = sqrt(-creal(pole->c) * gamma);
    told->drude[told->drudes++].gamma = gamma;
  }
}

static void write_remarks(FILE *file, const struct mx_fit_told *told)
{
  const struct mx_fit_result *r = told->result;
  const struct mx_fit_data *data = told->data;
  const size_t last = data->count - 1;
  const char *kind = told->command->fit.absolute ? "" : " %";
  const double unit = told->command->fit.absolute ? 1 : 100;
  fprintf(file, "-- curlew fit %s: %zu points, %.5g to %.5g Hz (%g to %g %s)\n", told->command->table, data->count,
          data->omega[0] / TWO_PI, data->omega[last] / TWO_PI, data->x[0], data->x[last], data->unit);
  fprintf(file, "-- %d state%s; error of epsilon_r: largest %.3g%s at %.5g Hz, rms %.3g%s; no gain at any frequency\n",
          r->states, r->states == 1 ? "" : "s", r->max_error * unit, kind, r->worst / TWO_PI, r->rms_error * unit,
          kind);
  fprintf(file, "-- largest error of the real part %.3g%s of |epsilon_r|, of the loss %.3g%s%s\n", r->real_error * unit,
          kind, r->loss_error * unit, kind, told->command->fit.absolute ? "" : " of itself");
  if (r->max_error > 1.05 * r->free_max && r->max_error > 1e-9)
    fprintf(file, "-- as many states, if they might amplify: largest %.3g%s, rms %.3g%s\n", r->free_max * unit, kind,
            r->free_rms * unit, kind);
}

void mx_fit_write_lua(FILE *file, const void *what)
{
  const struct mx_fit_told *told = what;
  write_remarks(file, told);
  fprintf(file, "%s = {\n  epsilon_r = %.13g,\n", told->name, told->rest.epsilon_r);
  if (told->rest.sigma > 0) fprintf(file, "  sigma = %.13g, -- S/m\n", told->rest.sigma);
  if (told->drudes > 0) fprintf(file, "  drude = { -- -omega_p^2/(w (w - j gamma)), rad/s\n");
  for (size_t i = 0; i < told->drudes; i++)
    fprintf(file, "    { omega_p = %.13g, gamma = %.13g },\n", told->drude[i].omega_p, told->drude[i].gamma);
  if (told->drudes > 0) fprintf(file, "  },\n");
  if (told->rest.poles > 0)
    fprintf(file, "  poles = { -- c/(jw - a), and the conjugate pair where a is not real; rad/s\n");
  for (size_t i = 0; i < told->rest.poles; i++) {
    const struct mx_fit_pole *pole = &told->rest.pole[i];
    if (cimag(pole->a) > 0)
      fprintf(file, "    { c = { %.13g, %.13g }, a = { %.13g, %.13g } },\n", creal(pole->c), cimag(pole->c),
              creal(pole->a), cimag(pole->a));
    else fprintf(file, "    { c = %.13g, a = %.13g },\n", creal(pole->c), creal(pole->a));
  }
  if (told->rest.poles > 0) fprintf(file, "  },\n");
  fprintf(file, "},\n");
}

static void write_pair(FILE *file, const char *name, double re, double im)
{
  fprintf(file, "\"%s\": [", name);
  dg_json_number(file, re);
  fputs(", ", file);
  dg_json_number(file, im);
  fputs("]", file);
}

static void write_number(FILE *file, const char *name, double value, const char *behind)
{
  fprintf(file, "\"%s\": ", name);
  dg_json_number(file, value);
  fputs(behind, file);
}

static void write_points(FILE *file, const struct mx_fit_told *told)
{
  fputs("  \"points\": [\n", file);
  for (size_t i = 0; i < told->data->count; i++) {
    const double w = told->data->omega[i];
    const double complex fit = mx_fit_evaluate(&told->result->model, w);
    fputs("    {", file);
    write_number(file, "frequency", w / TWO_PI, ", ");
    write_pair(file, "epsilon_r", creal(told->data->eps[i]), cimag(told->data->eps[i]));
    fputs(", ", file);
    write_pair(file, "fit", creal(fit), cimag(fit));
    fprintf(file, "}%s\n", i + 1 < told->data->count ? "," : "");
  }
  fputs("  ]\n", file);
}

void mx_fit_write_json(FILE *file, const void *what)
{
  const struct mx_fit_told *told = what;
  const struct mx_fit_result *r = told->result;
  fputs("{\n  \"table\": ", file);
  dg_json_string(file, told->command->table);
  fputs(",\n  \"name\": ", file);
  dg_json_string(file, told->name);
  fprintf(file, ",\n  \"error\": \"%s\",\n  \"states\": %d,\n  ", told->command->fit.absolute ? "absolute" : "relative",
          r->states);
  write_number(file, "tolerance", told->command->fit.tolerance, ",\n  ");
  write_number(file, "max_error", r->max_error, ",\n  ");
  write_number(file, "rms_error", r->rms_error, ",\n  ");
  write_number(file, "real_error", r->real_error, ",\n  ");
  write_number(file, "loss_error", r->loss_error, ",\n  ");
  write_number(file, "max_error_with_gain", r->free_max, ",\n  ");
  write_number(file, "rms_error_with_gain", r->free_rms, ",\n  ");
  write_number(file, "epsilon_r", told->rest.epsilon_r, ",\n  ");
  write_number(file, "sigma", told->rest.sigma, ",\n  \"drude\": [");
  for (size_t i = 0; i < told->drudes; i++) {
    fputs(i > 0 ? ", {" : "{", file);
    write_number(file, "omega_p", told->drude[i].omega_p, ", ");
    write_number(file, "gamma", told->drude[i].gamma, "}");
  }
  fputs("],\n  \"poles\": [", file);
  for (size_t i = 0; i < told->rest.poles; i++) {
    const struct mx_fit_pole *pole = &told->rest.pole[i];
    fputs(i > 0 ? ",\n    {" : "\n    {", file);
    write_pair(file, "c", creal(pole->c), cimag(pole->c));
    fputs(", ", file);
    write_pair(file, "a", creal(pole->a), cimag(pole->a));
    fputs("}", file);
  }
  fputs("],\n", file);
  write_points(file, told);
  fputs("}\n", file);
}

void mx_fit_write_csv(FILE *file, const void *what)
{
  const struct mx_fit_told *told = what;
  fputs("frequency,eps_re,eps_im,fit_re,fit_im,error\n", file);
  for (size_t i = 0; i < told->data->count; i++) {
    const double w = told->data->omega[i];
    const double complex eps = told->data->eps[i], fit = mx_fit_evaluate(&told->result->model, w);
    const double error = cabs(fit - eps) / (told->command->fit.absolute ? 1 : cabs(eps));
    /* losses are positive, as in tables that are read */
    fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.3g\n", w / TWO_PI, creal(eps), -cimag(eps), creal(fit), -cimag(fit),
            error);
  }
}
