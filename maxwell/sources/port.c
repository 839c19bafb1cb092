/* Ports in time: the past of their modes, the convolution with it, and the measured voltages and currents. sources.c
 * and the time loop call it; port.h has the equations. */
#define _XOPEN_SOURCE 700 /* jn */
#include "maxwell/sources/port.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/log.h"
#include "libdg/base/memory.h"
#include "maxwell/sources/port_state.h"

static const double pi = 3.14159265358979323846;

static bool is_staggered(const struct mx_ports *ports) { return mx_staggered(ports->integrator); }

/* 2 J2(w t)/t, t >= 0; by its series where the recurrence behind jn cancels. */
static double kernel(double w, double t)
{
  double x = w * t, y = 0.25 * x * x;
  if (x < 0.1) return 0.25 * w * x * (1 - y / 3 * (1 - y / 8 * (1 - y / 15)));
  return 2 * jn(2, x) / t;
}

/* The sum follows from Euler and Maclaurin, with Bernoulli polynomials B, g(tau) = rho(tau) f(t - tau) and h = dt:
 *   h sum g((j + c) h) = integral - h^2 B2(c)/2 g'(0) - h^3 B3(c)/6 g''(0) - ..., because g(0) = 0.
 * The kernel is odd, so that g'(0) = k f(t) and g''(0) = -2 k f'(t), k its slope w^2/4 at 0. Both follow from the two
 * newest values, f(t) = f_n + c (f_n - f_(n-1)), which leaves an error of order h^4. */
void mx_port_table(double w, double sign, double c, double dt, double *weight, size_t count)
{
  double slope = 0.25 * w * w * dt * dt, b2 = c * c - c + 1.0 / 6, b3 = c * (c - 0.5) * (c - 1);
  for (size_t j = 0; j < count; j++) weight[j] = sign * dt * kernel(w, ((double)j + c) * dt);
  weight[0] += sign * slope * (0.5 * b2 * (1 + c) - b3 / 3);
  if (count > 1) weight[1] -= sign * slope * (0.5 * b2 * c - b3 / 3);
}

/* The table of stage s. Stages with the same time share the table of the first of them. */
static int table_of(const struct mx_ports *ports, int s)
{
  int first = 0;
  while (ports->schedule.pass[first].time != ports->schedule.pass[s].time) first++;
  return first;
}

/* Refuses a cut-off that the step does not resolve: its convolution would be meaningless. */
static int check_step(const struct mx_port *port, double step, struct dg_error *err)
{
  for (size_t k = 0; k < port->modes; k++)
    if (port->mode[k].cutoff * step > 1)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE
                     "%s: the cut-off of its mode %zu, %.4g Hz, is too high for the step of %.4g s: it must be "
                     "below %.4g Hz",
                     MX_AT(port->where), port->what, k + 1, port->mode[k].cutoff / (2 * pi), step, 1 / (2 * pi * step));
  return 0;
}

int mx_ports_prepare(struct mx_ports *ports, double step, long steps, struct dg_error *err)
{
  for (size_t i = 0; i < ports->count; i++)
    if (check_step(&ports->port[i], step, err) != 0) return err->code;
  ports->step = step;
  ports->room = (size_t)steps + 1;
  for (size_t i = 0; ports->here && i < ports->count; i++) {
    struct mx_port *port = &ports->port[i];
    if (DG_NEW(port->incident, ports->room, err) != 0 || DG_NEW(port->incoming, ports->room, err) != 0)
      return err->code;
    for (size_t k = 0; k < port->modes; k++) {
      struct mx_port_mode *mode = &port->mode[k];
      if (DG_NEW(mode->past[0], ports->room, err) != 0 ||
          (is_staggered(ports) && DG_NEW(mode->past[1], ports->room, err) != 0))
        return err->code;
      for (int s = 0; s < ports->schedule.passes && mode->family != MX_TEM; s++) {
        if (table_of(ports, s) != s) continue;
        if (DG_NEW(mode->table[s], ports->room, err) != 0) return err->code;
        mx_port_table(mode->cutoff, mode->family == MX_TE ? -1 : 1, ports->schedule.pass[s].time, step, mode->table[s],
                      ports->room);
      }
    }
  }
  mx_ports_reset(ports, -1);
  return 0;
}

static size_t all_of(const struct mx_ports *ports) { return ports->count + ports->elements; }

size_t mx_ports_element_faces(const struct mx_ports *ports, const struct mx_problem *problem, size_t element,
                              const int32_t **where)
{
  const struct mx_port *port = &ports->port[ports->count + element];
  *where = NULL;
  if (port->circuit.form == MX_RESISTOR) return 0;
  *where = problem->term[port->mode[0].term].where;
  return problem->term[port->mode[0].term].count;
}

double mx_ports_limit(const struct mx_ports *ports, double limit, struct dg_log *log)
{
  const double small = 0.5;
  for (size_t i = ports->count; i < all_of(ports); i++) {
    const double with = mx_circuit_limit(&ports->port[i].circuit, ports->integrator, limit);
    if (with < small * limit)
      dg_log_warning(log,
                     MX_PLACE
                     "%s makes the step %.2g times as long: its inductance or capacitance is smaller than what "
                     "the mesh knows of the gap itself; leave it out, or take a smaller resistance beside it",
                     MX_AT(ports->port[i].where), ports->port[i].what, with / limit);
    limit = with;
  }
  return limit;
}

void mx_ports_reset(struct mx_ports *ports, int active)
{
  for (size_t i = ports->count; i < all_of(ports); i++) mx_circuit_reset(&ports->port[i].circuit);
  ports->active = active;
  ports->steps_seen = 0; /* nothing beyond the recorded steps is ever read */
}

/* Returns the place of f_n: the newest value is in front of the older ones. */
static double *past_at(const struct mx_ports *ports, const struct mx_port_mode *mode, int part, long n)
{
  return mode->past[part] + (ports->room - 1 - (size_t)n);
}

int mx_ports_archive(struct mx_ports *ports, long n, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_archive own = *archive;
  const size_t count = (size_t)n;
  own.comm = ports->comm;
  for (size_t i = 0; ports->here && i < ports->count && n > 0; i++) {
    struct mx_port *port = &ports->port[i];
    char name[100];
    snprintf(name, sizeof name, "ports/%zu/incident", i);
    if (mx_archive_doubles(&own, name, count, port->incident, err) != 0) return err->code;
    snprintf(name, sizeof name, "ports/%zu/incoming", i);
    if (mx_archive_doubles(&own, name, count, port->incoming, err) != 0) return err->code;
    snprintf(name, sizeof name, "ports/%zu/half_before", i);
    if (mx_archive_doubles(&own, name, 1, &port->half_before, err) != 0) return err->code;
    for (size_t k = 0; k < port->modes; k++)
      for (int part = 0; part < (is_staggered(ports) ? 2 : 1); part++) {
        snprintf(name, sizeof name, "ports/%zu/modes/%zu/past_%d", i, k, part);
        if (mx_archive_doubles(&own, name, count, past_at(ports, &port->mode[k], part, n - 1), err) != 0)
          return err->code;
      }
  }
  for (size_t i = ports->count; ports->here && i < all_of(ports) && n > 0; i++) {
    struct mx_circuit *circuit = &ports->port[i].circuit;
    char name[100];
    snprintf(name, sizeof name, "ports/%zu/state", i);
    if (mx_archive_doubles(&own, name, 2, circuit->state, err) != 0) return err->code;
    snprintf(name, sizeof name, "ports/%zu/before", i);
    if (mx_archive_doubles(&own, name, 2, circuit->before, err) != 0) return err->code;
  }
  ports->steps_seen = count;
  archive->arrays = own.arrays;
  archive->bytes = own.bytes;
  return 0;
}

int mx_ports_sum(const struct mx_ports *ports, double *value, struct dg_error *err)
{
  return dg_comm_reduce(ports->comm, DG_SUM, ports->functionals, value, err);
}

void mx_ports_record(struct mx_ports *ports, long n, int s, const double *functional)
{
  (void)n, (void)s;
  for (size_t i = 0; i < all_of(ports); i++)
    for (size_t k = 0; k < ports->port[i].modes; k++) {
      struct mx_port_mode *mode = &ports->port[i].mode[k];
      memcpy(mode->recorded, functional + mode->functional, sizeof mode->recorded);
    }
}

/* The sum of a[i] b[i]. Eight partial sums let a compiler use vectors. */
static double product(const double *a, const double *b, size_t count)
{
  double sum[8] = {0}, rest = 0;
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; k++) sum[k] += a[i + k] * b[i + k];
  for (; i < count; i++) rest += a[i] * b[i];
  return rest + ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* The integral of the kernel times the past, at stage s of step n. */
static double convolve(const struct mx_ports *ports, const struct mx_port_mode *mode, long n, int s)
{
  if (mode->family == MX_TEM) return 0;
  const double *table = mode->table[table_of(ports, s)];
  size_t count = (size_t)n + 1;
  const double *past = past_at(ports, mode, 0, n);
  double sum = product(table, past, count) - 0.5 * table[n] * past[n]; /* half an interval belongs to t = 0 */
  if (!is_staggered(ports)) return sum;
  /* H's part is half a step away: behind t_n at stage 0, and at the same time as stage 1. */
  if (s == 1) return sum + product(mode->table[0], past_at(ports, mode, 1, n), count);
  return n == 0 ? sum : sum + product(mode->table[1], past_at(ports, mode, 1, n - 1), count - 1);
}

void mx_ports_evaluate(struct mx_ports *ports, struct mx_source_list *list, long n, int s, double t)
{
  for (size_t i = 0; ports->here && i < ports->count; i++) {
    struct mx_port *port = &ports->port[i];
    bool driven = port->driven && (ports->active < 0 || (size_t)ports->active == i);
    double incident = 0;
    if (driven)
      incident =
          port->amplitude / port->scale * mx_waveform_at(&list->source[port->mode[0].term].waveform, t - port->delay);
    for (size_t k = 0; k < port->modes; k++) {
      struct mx_port_mode *mode = &port->mode[k];
      double v = k == 0 ? incident : 0;
      if (s == 0)
        *past_at(ports, mode, 0, n) =
            mode->recorded[0] + (is_staggered(ports) ? 0 : mode->recorded[1]) - (1 - port->own_share) * v;
      else if (is_staggered(ports)) *past_at(ports, mode, 1, n) = mode->recorded[1];
      double incoming = v + convolve(ports, mode, n, s);
      list->source[mode->term].now[0] = incoming;
      if (k > 0 || s > 0) continue;
      port->incident[n] = v;
      port->incoming[n] = incoming;
      if (is_staggered(ports) && n == 0) port->half_before = mode->recorded[1];
    }
  }
  for (size_t i = ports->count; ports->here && i < all_of(ports); i++) {
    struct mx_port *port = &ports->port[i];
    const double told =
        mx_circuit_stage(&port->circuit, &ports->schedule.pass[s], ports->step * MX_C0, n, port->mode[0].recorded);
    if (port->circuit.form != MX_RESISTOR) list->source[port->mode[0].term].now[0] = told;
  }
  ports->steps_seen = (size_t)n + 1;
}

void mx_ports_resume(const struct mx_ports *ports, struct mx_source_list *list)
{
  for (size_t i = ports->count; i < all_of(ports); i++)
    if (ports->port[i].circuit.form != MX_RESISTOR)
      list->source[ports->port[i].mode[0].term].now[0] = ports->port[i].circuit.state[0];
}

/* Makes the voltage of the mode, and its current times the impedance, from a_out, a_in and v. */
static void combine(const struct mx_port *port, double complex out, double complex in, double complex v,
                    double complex *voltage, double complex *current)
{
  if (port->kind == MX_LUMPED_PORT) {
    *voltage = port->scale * (out + port->source_share * v);
    *current = (port->scale * v - *voltage) / port->impedance;
  } else {
    *voltage = port->scale * (out + in);
    *current = (in - out) / (port->scale * port->impedance);
  }
}

void mx_ports_values(const struct mx_ports *ports, size_t port, long n, struct mx_port_values *values)
{
  const struct mx_port *p = &ports->port[port];
  const struct mx_port_mode *mode = &p->mode[0];
  double v = p->incident[n], out = *past_at(ports, mode, 0, n) + v;
  if (is_staggered(ports)) {
    double before = n > 0 ? *past_at(ports, mode, 1, n - 1) : p->half_before;
    out += 0.5 * (before + *past_at(ports, mode, 1, n));
  }
  double complex voltage, current;
  combine(p, out, p->incoming[n], v, &voltage, &current);
  values->incident = (p->kind == MX_LUMPED_PORT ? 0.5 : 1) * p->scale * v;
  values->voltage = creal(voltage);
  values->current = creal(current);
  values->reflected = values->voltage - values->incident;
}

/* Transforms the voltages of the steps from `first` on. */
static void transform(const struct mx_ports *ports, size_t port, double hertz, size_t first, double complex *incident,
                      double complex *reflected)
{
  const struct mx_port *p = &ports->port[port];
  double complex v = 0, in = 0, out = 0, out_half = 0, voltage, current;
  double phase = -2 * pi * hertz * ports->step;
  for (size_t n = first; n < ports->steps_seen; n++) {
    double complex phasor = cexp(I * phase * (double)n);
    v += p->incident[n] * phasor;
    in += p->incoming[n] * phasor;
    out += *past_at(ports, &p->mode[0], 0, (long)n) * phasor;
    if (is_staggered(ports)) out_half += *past_at(ports, &p->mode[0], 1, (long)n) * phasor;
  }
  /* Each part is taken at its own times: no mean of two half steps is needed. */
  out += v + out_half * cexp(0.5 * I * phase);
  combine(p, out, in, v, &voltage, &current);
  *incident = (p->kind == MX_LUMPED_PORT ? 0.5 : 1) * p->scale * v * ports->step;
  *reflected = voltage * ports->step - *incident;
}

void mx_ports_spectrum(const struct mx_ports *ports, size_t port, double hertz, double complex *incident,
                       double complex *reflected)
{
  transform(ports, port, hertz, 0, incident, reflected);
}

double complex mx_ports_leaving(const struct mx_ports *ports, size_t port, double hertz, size_t first)
{
  double complex incident, reflected;
  transform(ports, port, hertz, first, &incident, &reflected);
  return reflected;
}

void mx_ports_incident(const struct mx_ports *ports, size_t port, double *size, double *energy)
{
  const struct mx_port *p = &ports->port[port];
  const bool lumped = p->kind == MX_LUMPED_PORT;
  const double factor = (lumped ? 0.5 : 1) * p->scale;
  *size = *energy = 0;
  for (size_t n = 0; n < ports->steps_seen; n++) {
    const double v = factor * p->incident[n];
    *size += fabs(v) * ports->step;
    *energy += v * v * ports->step / (p->impedance * (lumped ? 1 : p->scale * p->scale));
  }
}

double complex mx_ports_impedance(const struct mx_ports *ports, size_t port, double hertz)
{
  const struct mx_port *p = &ports->port[port];
  const struct mx_port_mode *mode = &p->mode[0];
  double Z = p->impedance * (p->kind == MX_LUMPED_PORT ? 1 : p->scale * p->scale), w = 2 * pi * hertz;
  if (p->kind == MX_LUMPED_PORT || mode->family == MX_TEM) return Z;
  double complex root =
      w > mode->cutoff ? I * sqrt(w * w - mode->cutoff * mode->cutoff) : sqrt(mode->cutoff * mode->cutoff - w * w);
  return mode->family == MX_TE ? Z * I * w / root : Z * root / (I * w);
}

struct mx_port_line mx_ports_line(const struct mx_ports *ports, size_t port)
{
  static const char *const family[] = {"TE", "TM", "TEM"};
  const struct mx_port *p = &ports->port[port];
  return (struct mx_port_line){.kind = mx_boundary_kind_names[p->kind],
                               .family = family[p->mode[0].family],
                               .impedance = p->impedance * (p->kind == MX_LUMPED_PORT ? 1 : p->scale * p->scale),
                               .cutoff = p->mode[0].cutoff / (2 * pi),
                               .speed = p->speed,
                               .area = p->area,
                               .normal = {p->normal[0], p->normal[1], p->normal[2]}};
}

const char *mx_ports_place(const struct mx_ports *ports, size_t port) { return ports->port[port].where; }
const char *mx_ports_name(const struct mx_ports *ports, size_t port) { return ports->port[port].name; }
int mx_ports_number(const struct mx_ports *ports, size_t port) { return ports->port[port].number; }
bool mx_ports_driven(const struct mx_ports *ports, size_t port) { return ports->port[port].driven; }

void mx_ports_describe(const struct mx_ports *ports, struct dg_log *log)
{
  for (size_t i = 0; i < ports->count; i++) {
    const struct mx_port *port = &ports->port[i];
    char absorbed[60] = "";
    if (port->modes > 1) snprintf(absorbed, sizeof absorbed, ", %zu more absorbed", port->modes - 1);
    dg_log_line(log, "port      %d '%s': %s%s%s", port->number, port->name, port->about, absorbed,
                port->driven ? "; driven" : "");
  }
  for (size_t i = ports->count; i < all_of(ports); i++)
    dg_log_line(log, "element   '%s': %s", ports->port[i].name, ports->port[i].about);
}

/* Warns of modes that the faces hold, but not well. */
static void warn_of_modes(const struct mx_port *port, struct dg_log *log)
{
  const double well = 0.99;
  for (size_t k = 0; k < port->modes; k++)
    if (port->mode[k].kept < well)
      dg_log_warning(log,
                     MX_PLACE "%s: the mesh holds %.3g %% of the power of its mode %zu: what is measured of it is as "
                              "wrong; make elements on the face smaller, or the order higher",
                     MX_AT(port->where), port->what, 100 * port->mode[k].kept, k + 1);
}

void mx_ports_warn(const struct mx_ports *ports, const struct mx_source_list *list, struct dg_log *log)
{
  for (size_t i = 0; i < all_of(ports); i++) warn_of_modes(&ports->port[i], log);
  for (size_t i = 0; i < ports->count; i++) {
    const struct mx_port *port = &ports->port[i];
    const struct mx_waveform *w = &list->source[port->mode[0].term].waveform;
    double cutoff = port->mode[0].cutoff / (2 * pi), high = mx_waveform_band(w), low = 0;
    if (!port->driven || cutoff == 0) continue;
    if (w->kind == MX_TABULATED || w->kind == MX_FUNCTION_WAVEFORM) continue; /* its spectrum is not known */
    if (w->kind == MX_SINE) low = high;
    if (w->kind == MX_MODULATED_GAUSSIAN) low = fmax(0, 2 * w->f0 - high);
    if (low >= cutoff) continue;
    if (w->kind != MX_SMOOTH_STEP && high <= cutoff)
      dg_log_warning(log,
                     MX_PLACE
                     "%s: the waveform's band, %.4g to %.4g Hz, lies below the mode's cut-off, %.6g Hz: nothing "
                     "propagates",
                     MX_AT(port->where), port->what, low, high, cutoff);
    else
      dg_log_warning(log,
                     MX_PLACE "%s: the waveform reaches down to %.4g Hz, below the mode's cut-off, %.6g Hz: that part "
                              "does not propagate and decays slowly",
                     MX_AT(port->where), port->what, low, cutoff);
  }
}

void mx_ports_warn_of_rods(const struct mx_ports *ports, const struct mx_config *config, struct dg_log *log)
{
  const struct mx_frequencies *asked = &config->output.s_parameters;
  double highest = asked->count > 0 ? 0 : mx_highest_frequency(config);
  for (size_t f = 0; f < asked->count; f++) highest = fmax(highest, asked->hertz[f]);
  for (size_t i = 0; i < all_of(ports); i++) {
    const struct mx_port *port = &ports->port[i];
    if (port->slender == 0 || highest <= port->slender) continue;
    dg_log_warning(log,
                   MX_PLACE
                   "%s goes around a rod that is thin up to %.4g Hz, and %.4g Hz %s: beyond, the field around it is "
                   "not even, and more than 5 %% of a wave's power goes into its wall without being counted. Make "
                   "rod and gap smaller, or take a face between two conductors",
                   MX_AT(port->where), port->what, port->slender, highest,
                   asked->count > 0 ? "is asked for" : "is in the sources' band");
  }
}

void mx_ports_release(struct mx_ports *ports)
{
  for (size_t i = 0; ports->port != NULL && i < all_of(ports); i++) {
    struct mx_port *port = &ports->port[i];
    for (size_t k = 0; port->mode != NULL && k < port->modes; k++) {
      for (int p = 0; p < 2; p++) dg_free(port->mode[k].past[p]);
      for (int s = 0; s < MX_PASSES_MAX; s++) dg_free(port->mode[k].table[s]);
    }
    dg_free(port->mode);
    mx_line_losses_release(&port->losses);
    dg_free(port->body);
    dg_free(port->what);
    dg_free(port->name);
    dg_free(port->incident);
    dg_free(port->incoming);
  }
  dg_free(ports->port);
  dg_comm_free(ports->comm);
  *ports = (struct mx_ports){0};
}
