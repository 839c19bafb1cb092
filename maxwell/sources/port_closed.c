/* The walls, functionals and terms of closed ports. The set-up of local time steps calls it. */
#include "maxwell/sources/port_closed.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/sources/port_state.h"

size_t mx_port_faces(const struct mx_ports *ports, size_t port, const struct mx_problem *problem, const int32_t **where)
{
  const struct mx_port *p = &ports->port[port];
  *where = NULL;
  if (port >= ports->count && p->circuit.form == MX_RESISTOR) return 0; /* has no term: an open wall like others */
  const struct mx_term *term = &problem->term[p->mode[0].term];
  *where = term->where;
  return term->count;
}

static bool is_own(size_t count, const int32_t *where, int32_t face)
{
  for (size_t k = 0; k < count; k++)
    if (where[k] == face) return true;
  return false;
}

bool mx_port_can_close(const struct mx_ports *ports, size_t port, const struct mx_problem *problem)
{
  const struct mx_port *p = &ports->port[port];
  const int32_t *where;
  const size_t count = mx_port_faces(ports, port, problem, &where);
  if (p->kind != MX_LUMPED_PORT) return false;
  for (size_t k = 0; k < count; k++) {
    const size_t e = (size_t)where[k] / 4;
    size_t entry;
    if (mx_problem_response(problem, e, &entry) != NULL || problem->sigma_m[e] > 0 || problem->warm[e]) return false;
    for (int f = 0; f < 4; f++)
      if (mx_face_has_term(problem, e, f) || problem->far[e][f] != 0 ||
          (mx_open_slot(problem->neighbour[e][f]) >= 0 && !is_own(count, where, 4 * (int32_t)e + f)))
        return false;
  }
  return true;
}

/* Gives a port's faces the flux that they had. */
static void open_walls(struct mx_ports *ports, size_t port, struct mx_problem *problem)
{
  struct mx_port *p = &ports->port[port];
  const int32_t *where;
  const size_t count = mx_port_faces(ports, port, problem, &where);
  for (size_t k = 0; k < count && p->open != NULL; k++) problem->flux[where[k] / 4][where[k] % 4] = p->open[k];
  dg_free(p->open);
  p->open = NULL;
}

/* Makes a port's faces magnetic walls. */
static int close_walls(struct mx_ports *ports, size_t port, struct mx_problem *problem, struct dg_error *err)
{
  struct mx_port *p = &ports->port[port];
  const int32_t *where;
  const size_t count = mx_port_faces(ports, port, problem, &where);
  if (DG_NEW(p->open, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) {
    const size_t e = (size_t)where[k] / 4, f = (size_t)where[k] % 4;
    p->open[k] = problem->flux[e][f];
    problem->flux[e][f] = mx_face_flux(sqrt(problem->mu[e] / problem->epsilon[e]), INFINITY, 0);
    problem->neighbour[e][f] = MX_GHOST;
  }
  return 0;
}

/* Gives the open faces that are left the slots 0, 1, ... in the order of those that they have. */
static int number_open_faces(struct mx_problem *problem, struct dg_error *err)
{
  int32_t *slot;
  if (DG_NEW(slot, problem->open_faces, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      const int open = mx_open_slot(problem->neighbour[e][f]);
      if (open >= 0) slot[open] = 1;
    }
  int32_t left = 0;
  for (size_t i = 0; i < problem->open_faces; i++) {
    const int32_t there = slot[i];
    slot[i] = left;
    left += there;
  }
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      const int open = mx_open_slot(problem->neighbour[e][f]);
      if (open >= 0) problem->neighbour[e][f] = MX_GHOST - 1 - slot[open];
    }
  problem->open_faces = (size_t)left;
  dg_free(slot);
  return 0;
}

int mx_ports_close(struct mx_ports *ports, struct mx_problem *problem, const bool *close, struct dg_error *err)
{
  bool any = false;
  for (size_t i = 0; i < ports->count; i++) any = any || close[i];
  if (ports->codes != NULL) {
    memcpy(problem->neighbour, ports->codes, problem->K * sizeof *ports->codes);
    problem->open_faces = ports->open_faces;
  } else if (any) {
    if (DG_NEW(ports->codes, problem->K, err) != 0) return err->code;
    memcpy(ports->codes, problem->neighbour, problem->K * sizeof *ports->codes);
    ports->open_faces = problem->open_faces;
  }
  for (size_t i = 0; i < ports->count; i++) open_walls(ports, i, problem);
  for (size_t i = 0; i < ports->count; i++)
    if (close[i] && close_walls(ports, i, problem, err) != 0) return err->code;
  return any ? number_open_faces(problem, err) : 0;
}

bool mx_port_is_closed(const struct mx_ports *ports, size_t port) { return ports->port[port].open != NULL; }

void mx_port_add_voltage(const struct mx_ports *ports, size_t port, const struct mx_problem *problem, double *voltage)
{
  const struct mx_port *p = &ports->port[port];
  const struct mx_functional *V = &problem->functional[ports->first + p->mode[0].functional];
  for (size_t i = 0; i < V->count; i++) {
    const size_t e = V->index[i] / (3 * (size_t)problem->ref->Np);
    const double Z = sqrt(problem->mu[e] / problem->epsilon[e]);
    voltage[V->index[i]] += V->weight[i] / (p->kind == MX_LUMPED_PORT ? p->wall / (Z + p->wall) : 0.5);
  }
}

const double *mx_port_current(const struct mx_ports *ports, size_t port) { return ports->port[port].current; }

static int replace(struct mx_functional *functional, size_t n, const double *weight, struct dg_error *err)
{
  size_t count = 0, *index;
  double *value;
  for (size_t i = 0; i < n; i++) count += weight[i] != 0;
  if (DG_NEW(index, count, err) != 0) return err->code;
  if (DG_NEW(value, count, err) != 0) {
    dg_free(index);
    return err->code;
  }
  for (size_t i = 0, k = 0; i < n; i++) {
    if (weight[i] == 0) continue;
    index[k] = i;
    value[k++] = weight[i];
  }
  dg_free(functional->index);
  dg_free(functional->weight);
  functional->count = count;
  functional->index = index;
  functional->weight = value;
  return 0;
}

int mx_port_use_current(struct mx_ports *ports, size_t port, struct mx_problem *problem, const double *const weight[2],
                        double own, struct dg_error *err)
{
  struct mx_port *p = &ports->port[port];
  struct mx_term *term = &problem->term[p->mode[0].term];
  const size_t numbers = 3 * (size_t)problem->ref->Nf * term->count;
  for (size_t i = 0; i < 2; i++)
    if (replace(&problem->functional[ports->first + p->mode[0].functional + i],
                3 * (size_t)problem->ref->Np * problem->K, weight[i], err) != 0)
      return err->code;
  if (term->H == NULL && DG_NEW(term->H, numbers, err) != 0) return err->code;
  memcpy(term->H, p->current, numbers * sizeof *term->H);
  dg_free(term->E);
  term->E = NULL;
  term->open = false;
  p->own_part = own;
  p->source_share = 1;
  return 0;
}
