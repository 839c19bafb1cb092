/* The currents of closed ports. local_steps.c closes ports while it looks for levels, setup_build.c finishes them.
 *
 * A current of one adds T to dE/dt, T = -(eps M)^-1 v. A pass without current leads from E to (1 - l) E + g (eps M)^-1
 * (C H - D E), with l and g of maxwell/time/medium.h (0 and dt without losses), so that with T' = g T
 *
 *   (V + V')/2 = (1 - l/2) v.E + 1/2 [(D T').E - (C' T').H],   K = -v.T'.
 *
 * (D T', C' T') is the symmetric operator of the step limit on (T', 0), times the mass matrix. T' lives in the elements
 * of the port and the rest in their neighbours, so that a small part of the problem is enough. */
#include "maxwell/setup/closed_ports.h"

#include <math.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/log.h"
#include "libdg/base/memory.h"
#include "maxwell/limit/vectors.h"
#include "maxwell/sources/port_closed.h"
#include "maxwell/time/medium.h"

static int close_some(struct mx_sources *sources, struct mx_problem *problem, bool all,
                      const struct mx_level_steps *steps, double step, struct dg_error *err)
{
  struct mx_ports *ports = &sources->ports;
  bool *close;
  if (ports->count == 0 || dg_comm_size(problem->comm) > 1 || problem->halo != NULL) return 0;
  if (DG_NEW(close, ports->count, err) != 0) return err->code;
  for (size_t i = 0; i < ports->count && all; i++) {
    const int32_t *where;
    const size_t count = mx_port_faces(ports, i, problem, &where);
    bool inside = steps == NULL;
    for (size_t k = 0; k < count && !inside; k++) inside = steps->part[where[k] / 4] < step;
    close[i] = inside && (mx_port_is_closed(ports, i) || mx_port_can_close(ports, i, problem));
  }
  (void)!mx_ports_close(ports, problem, close, err);
  dg_free(close);
  return err->code;
}

int mx_close_ports(struct mx_sources *sources, struct mx_problem *problem, const struct mx_level_steps *steps,
                   double step, struct dg_error *err)
{
  return close_some(sources, problem, true, steps, step, err);
}

int mx_open_ports(struct mx_sources *sources, struct mx_problem *problem, struct dg_error *err)
{
  return close_some(sources, problem, false, NULL, 0, err);
}

int mx_hold_elements(const struct mx_sources *sources, const struct mx_problem *problem, struct mx_level_steps *steps,
                     struct dg_error *err)
{
  const struct mx_ports *ports = &sources->ports;
  for (size_t i = ports->count; i < ports->count + ports->elements; i++) {
    const int32_t *where;
    const size_t count = mx_port_faces(ports, i, problem, &where);
    for (size_t k = 0; k < count; k++) steps->most = fmin(steps->most, steps->part[where[k] / 4]);
  }
  return dg_comm_reduce(problem->comm, DG_MIN, 1, &steps->most, err);
}

/* A port with the elements around it. */
struct around {
  struct mx_problem *whole, part;
  struct mx_limit work;
  size_t *element; /* [part.K] in the whole */
  double *T, *S;   /* [work.whole] vectors of vectors.h */
  double *v;       /* [work.all] weights of the voltage */
  double *mass;    /* [work.all] */
};

static void release(struct around *a)
{
  mx_limit_release(&a->work);
  mx_problem_release(&a->part);
  dg_free(a->element);
  dg_free(a->T);
  dg_free(a->S);
  dg_free(a->v);
  dg_free(a->mass);
}

/* Cuts the port's elements and their neighbours out. */
static int cut(struct around *a, size_t count, const int32_t *where, struct dg_error *err)
{
  const struct mx_problem *whole = a->whole;
  bool *in;
  size_t K = 0;
  if (DG_NEW(in, whole->K, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) {
    in[where[k] / 4] = true;
    for (int f = 0; f < 4; f++) {
      const int32_t code = whole->neighbour[where[k] / 4][f];
      if (code >= 0) in[code / 4] = true;
    }
  }
  for (size_t e = 0; e < whole->K; e++) K += in[e];
  if (DG_NEW(a->element, K, err) != 0) goto fail;
  for (size_t e = 0, i = 0; e < whole->K; e++)
    if (in[e]) a->element[i++] = e;
  (void)!mx_problem_restrict(&a->part, whole, K, a->element, err);
fail:
  dg_free(in);
  return err->code;
}

static size_t local_of(const struct around *a, size_t e)
{
  size_t first = 0, end = a->part.K;
  while (end - first > 1) {
    const size_t middle = (first + end) / 2;
    if (a->element[middle] <= e) first = middle;
    else end = middle;
  }
  return first;
}

static struct mx_medium_update update_of(const struct around *a, const struct mx_ports *ports, size_t i, double step)
{
  return mx_medium_update(ports->integrator, MX_AMPERE, mx_medium_of(&a->part, MX_AMPERE, i), step);
}

/* T and v. */
static int find_current(struct around *a, const struct mx_ports *ports, size_t port, struct dg_error *err)
{
  const struct mx_problem *part = &a->part;
  const size_t Nf = (size_t)part->ref->Nf, numbers = 3 * (size_t)part->ref->Np;
  const double zero[3 * DG_NF_MAX] = {0}, *current = mx_port_current(ports, port);
  const int32_t *where;
  const size_t count = mx_port_faces(ports, port, a->whole, &where);
  double *v;
  if (DG_NEW(v, numbers * a->whole->K, err) != 0) return err->code;
  mx_port_add_voltage(ports, port, a->whole, v);
  for (size_t i = 0; i < part->K; i++) memcpy(a->v + numbers * i, v + numbers * a->element[i], numbers * sizeof *v);
  dg_free(v);
  for (size_t k = 0; k < count; k++)
    mx_lift_jump_double(part, a->work.matrices, MX_AMPERE, local_of(a, (size_t)where[k] / 4), (size_t)where[k] % 4,
                        current + 3 * Nf * k, zero, a->T);
  /* The current and the voltage are one another's transpose, or nothing here is right. */
  mx_limit_find_densities(&a->work, a->T);
  mx_limit_mass(&a->work, a->T, a->mass);
  double most = 0, off = 0;
  for (size_t i = 0; i < a->work.n; i++) {
    most = fmax(most, fabs(a->v[i]));
    off = fmax(off, fabs(a->v[i] + a->mass[i]));
  }
  DG_BUG_IF(!(off <= 1e-6 * most), "the current of a port is %g off its voltage", off / most);
  return 0;
}

/* The weights of the mean of V and V'; returns K. */
static double weigh(struct around *a, const struct mx_ports *ports, double step, double *const weight[2])
{
  const struct mx_limit *work = &a->work;
  const size_t numbers = 3 * (size_t)a->part.ref->Np, n = work->n;
  double own = 0;
  for (size_t i = 0; i < n; i++) a->T[i] *= update_of(a, ports, i / numbers, step).gain;
  mx_limit_find_densities(work, a->T);
  mx_limit_symmetric(&a->work, a->T, a->S);
  mx_limit_mass(work, a->S, a->mass);
  for (size_t i = 0; i < n; i++) {
    const size_t at = numbers * a->element[i / numbers] + i % numbers;
    own -= a->v[i] * a->T[i];
    weight[0][at] = (1 - 0.5 * update_of(a, ports, i / numbers, step).loss) * a->v[i] + 0.5 * a->mass[i];
    weight[1][at] = -0.5 * a->mass[n + i];
  }
  return own;
}

static int finish(struct mx_ports *ports, size_t port, struct mx_problem *problem, double step, struct dg_error *err)
{
  struct around a = {.whole = problem};
  const size_t numbers = 3 * (size_t)problem->ref->Np * problem->K;
  const int32_t *where;
  const size_t count = mx_port_faces(ports, port, problem, &where);
  double *weight[2] = {NULL, NULL};
  if (DG_NEW(weight[0], numbers, err) != 0 || DG_NEW(weight[1], numbers, err) != 0 || cut(&a, count, where, err) != 0 ||
      mx_limit_start(&a.work, &a.part, ports->integrator, err) != 0 || DG_NEW(a.T, a.work.whole, err) != 0 ||
      DG_NEW(a.S, a.work.whole, err) != 0 || DG_NEW(a.v, a.work.all, err) != 0 ||
      DG_NEW(a.mass, a.work.all, err) != 0 || find_current(&a, ports, port, err) != 0)
    goto fail;
  const double own = weigh(&a, ports, step, weight);
  (void)!mx_port_use_current(ports, port, problem, (const double *const *)weight, own, err);
fail:
  release(&a);
  dg_free(weight[0]);
  dg_free(weight[1]);
  return err->code;
}

int mx_finish_closed_ports(struct mx_sources *sources, struct mx_problem *problem, double step, struct dg_log *log,
                           struct dg_error *err)
{
  struct mx_ports *ports = &sources->ports;
  for (size_t i = 0; i < ports->count; i++) {
    if (!mx_port_is_closed(ports, i)) continue;
    if (finish(ports, i, problem, step, err) != 0) return err->code;
    dg_log_line(log, "levels    port %d '%s' has small elements: its wall takes the mode of the port alone",
                mx_ports_number(ports, i), mx_ports_name(ports, i));
  }
  return 0;
}
