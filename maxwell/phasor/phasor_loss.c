/* Losses of media at the frequencies of phasors. phasor_loss.h has the formulas. */
#include "maxwell/phasor/phasor_loss.h"

#include <stdio.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/problem/curved.h"
#include "maxwell/response/pole_rows.h"

static const double pi = 3.14159265358979323846;

/* What takes power in the element of a part, as bits: a magnetic loss, a response whose losses are not known. */
enum { MAGNETIC = 1, UNKNOWN = 2 };

static int takes(const struct mx_problem *problem, size_t e)
{
  int bits = problem->sigma_m[e] > 0 ? MAGNETIC : 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const struct mx_response_ops *ops = mx_responses[response->kind];
    if (ops->layer || mx_response_find(response, e) < 0) continue;
    if (ops->vector) bits |= UNKNOWN; /* no poles: a term that turns E */
    else if (response->of == 1) bits |= MAGNETIC;
  }
  return bits;
}

int mx_phasor_loss_check(const struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const struct mx_phasor_config *config = phasor->config;
  int64_t found[2] = {0, 0};
  if (!config->losses && !config->sar) return 0;
  for (size_t k = 0; k < phasor->parts.count; k++) {
    const int bits = takes(place->problem, (size_t)phasor->element[k]);
    found[0] += (bits & UNKNOWN) != 0;
    found[1] += (bits & MAGNETIC) != 0 && phasor->components < 6;
  }
  if (dg_comm_reduce_int(place->problem->comm, DG_SUM, 2, found, err) != 0) return err->code;
  if (found[0] > 0)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.spectra: '%s' has a gyrotropic medium, whose losses at a frequency Curlew does not "
                            "know; leave losses out, or choose a region without it",
                   MX_AT(config->where), config->name);
  if (found[1] > 0)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.spectra: '%s' has a medium with magnetic losses, which need H among the fields",
                   MX_AT(config->where), config->name);
  return 0;
}

int mx_phasor_loss_init(struct mx_phasor_loss *loss, const struct mx_phasors *phasors, const struct mx_phasor *phasor,
                        struct dg_error *err)
{
  *loss = (struct mx_phasor_loss){.phasors = phasors, .phasor = phasor};
  return mx_curve_tables_init(&loss->curves, phasors->place.problem, err);
}

void mx_phasor_loss_release(struct mx_phasor_loss *loss) { mx_curve_tables_release(&loss->curves); }

/* The integral of tensor u . u over the element, u[3][Np], by the product of the backends. */
static double integral(const struct mx_phasor_loss *loss, size_t e, const double *u, const double *turned)
{
  const struct mx_problem *problem = loss->phasors->place.problem;
  const struct dg_reference *ref = problem->ref;
  const ptrdiff_t k = problem->curves.count > 0 ? mx_curve_find(problem, e) : -1;
  const int Np = ref->Np;
  double sum = 0;
  if (k >= 0) return 2 * mx_curve_product(&loss->curves, (size_t)k, u, turned);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < Np; i++) {
      double row = 0;
      for (int j = 0; j < Np; j++) row += ref->mass[i * Np + j] * u[c * Np + j];
      sum += turned[c * Np + i] * row;
    }
  return problem->jacobian[e] * sum;
}

/* Adds 1/2 u . tensor u times a factor to the density, and gives its integral. u[3][Np] is a real or imaginary part. */
static double add_square(const struct mx_phasor_loss *loss, size_t e, double factor, const double *shape,
                         const double *u, double *density)
{
  const size_t Np = (size_t)loss->phasors->place.problem->ref->Np;
  double turned[3 * DG_NP_MAX] = {0};
  for (size_t i = 0; i < Np; i++) {
    const double all[3] = {u[i], u[Np + i], u[2 * Np + i]};
    double to[3] = {all[0], all[1], all[2]};
    if (shape != NULL) mx_tensor_apply(shape, all, to);
    for (size_t c = 0; c < 3; c++) {
      turned[c * Np + i] = to[c];
      density[i] += 0.5 * factor * all[c] * to[c];
    }
  }
  return 0.5 * factor * integral(loss, e, u, turned);
}

/* The squares of E (equation 0) or of H, whose medium has a tensor for sigma and none for poles. */
static double add_field(const struct mx_phasor_loss *loss, enum mx_equation equation, size_t e, double k,
                        const double *u, double *density)
{
  const struct mx_problem *problem = loss->phasors->place.problem;
  const struct mx_tensor *tensor = mx_tensor_of(problem, e);
  const double scale = equation == MX_AMPERE ? 1 / MX_ETA0 : MX_ETA0; /* to S/m or ohm/m */
  const double sigma = mx_medium_of(problem, equation, e).loss;
  size_t entry;
  const struct mx_response *poles = mx_problem_poles(problem, equation, e, &entry);
  double power = 0;
  if (sigma > 0)
    power += add_square(loss, e, scale * sigma, tensor != NULL ? tensor->shape[equation] : NULL, u, density);
  if (poles != NULL)
    power += add_square(loss, e, scale * mx_poles_conduct(mx_response_parameter(poles, entry), k), NULL, u, density);
  return power;
}

double mx_phasor_loss_of(const struct mx_phasor_loss *loss, size_t frequency, size_t part, const double complex *value,
                         double *density)
{
  const struct mx_phasor *phasor = loss->phasor;
  const size_t Np = phasor->nodes, components = (size_t)phasor->components, e = (size_t)phasor->element[part];
  const double k = 2 * pi * phasor->config->frequencies.hertz[frequency] / MX_C0;
  double u[3 * DG_NP_MAX] = {0}, power = 0;
  for (size_t i = 0; i < Np; i++) density[i] = 0;
  for (size_t first = 0; first < components; first += 3)
    for (int imaginary = 0; imaginary < 2; imaginary++) {
      for (size_t n = 0; n < Np; n++)
        for (size_t c = 0; c < 3; c++) {
          const double complex z = value[n * components + first + c];
          u[c * Np + n] = imaginary ? cimag(z) : creal(z);
        }
      power += add_field(loss, first == 0 ? MX_AMPERE : MX_FARADAY, e, k, u, density);
    }
  return power;
}

double mx_phasor_loss_at(const struct mx_phasor_loss *loss, size_t frequency, size_t part, const double complex *field)
{
  const struct mx_problem *problem = loss->phasors->place.problem;
  const size_t e = (size_t)loss->phasor->element[part];
  const double k = 2 * pi * loss->phasor->config->frequencies.hertz[frequency] / MX_C0;
  const struct mx_tensor *tensor = mx_tensor_of(problem, e);
  double sum = 0;
  for (int first = 0; first < loss->phasor->components; first += 3) {
    const enum mx_equation equation = first == 0 ? MX_AMPERE : MX_FARADAY;
    const double scale = equation == MX_AMPERE ? 1 / MX_ETA0 : MX_ETA0, sigma = mx_medium_of(problem, equation, e).loss;
    size_t entry;
    const struct mx_response *poles = mx_problem_poles(problem, equation, e, &entry);
    const double of_poles = poles != NULL ? mx_poles_conduct(mx_response_parameter(poles, entry), k) : 0;
    for (int imaginary = 0; imaginary < 2; imaginary++) {
      double u[3];
      for (int c = 0; c < 3; c++) u[c] = imaginary ? cimag(field[first + c]) : creal(field[first + c]);
      const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      sum += 0.5 * scale *
             (of_poles * square + sigma * (tensor != NULL ? mx_tensor_product(tensor->shape[equation], u, u) : square));
    }
  }
  return sum;
}

int mx_phasor_loss_powers(const struct mx_phasor_loss *loss, double *power, struct dg_error *err)
{
  const struct mx_phasor *phasor = loss->phasor;
  const size_t frequencies = phasor->config->frequencies.count;
  double complex *value;
  double density[DG_NP_MAX] = {0};
  if (DG_NEW(value, phasor->parts.numbers, err) != 0) return err->code;
  for (size_t f = 0; f < frequencies; f++) {
    power[f] = 0;
    for (size_t part = 0; part < phasor->parts.count; part++) {
      mx_phasor_get(loss->phasors, phasor, f, part, value);
      power[f] += mx_phasor_loss_of(loss, f, part, value, density);
    }
  }
  dg_free(value);
  return dg_comm_reduce(loss->phasors->place.problem->comm, DG_SUM, (int)frequencies, power, err);
}

/* ---- the table */

struct table {
  const struct mx_frequencies *frequencies;
  const double *power;
};

static void write_table(FILE *file, const void *what)
{
  const struct table *table = what;
  fputs("frequency,power\n", file);
  for (size_t f = 0; f < table->frequencies->count; f++)
    fprintf(file, "%.17g,%.17g\n", table->frequencies->hertz[f], table->power[f]);
}

int mx_phasor_loss_write(const struct mx_phasor_loss *loss, struct mx_folder *folder, struct dg_error *err)
{
  const struct mx_phasor_config *config = loss->phasor->config;
  struct table table = {.frequencies = &config->frequencies};
  double *power;
  char name[300], *path;
  if (DG_NEW(power, config->frequencies.count, err) != 0) return err->code;
  table.power = power;
  if (mx_phasor_loss_powers(loss, power, err) != 0 || dg_comm_rank(loss->phasors->place.problem->comm) != 0) goto fail;
  (void)snprintf(name, sizeof name, "spectra/%.200s_losses.csv", config->name);
  if (mx_folder_path(&path, folder, name, err) == 0) (void)!dg_file_write(path, write_table, &table, err);
  dg_free(path);
fail:
  dg_free(power);
  return err->code;
}
