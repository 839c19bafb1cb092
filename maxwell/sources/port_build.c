/* Makes terms and functionals of the problem from what the script says of ports: profiles of modes, their scale,
 * weights. mx_sources_init (sources.c) calls it.
 *
 * Profiles are projected onto the polynomials of the faces (in the mean of squares, by quadrature), as the lifted flux
 * and the integral of e.E see them; nodal values would alias. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/sources/common_medium.h"
#include "libdg/base/vec3.h"
#include "maxwell/sources/faces/port_curved.h"
#include "maxwell/sources/faces/port_gap.h"
#include "maxwell/sources/faces/port_rule.h"
#include "maxwell/sources/faces/port_shape.h"
#include "maxwell/sources/port_profile.h"
#include "maxwell/sources/port_state.h"
#include "maxwell/model/selectors.h"

static const double pi = 3.14159265358979323846;

/* How much of a profile may be normal to the face; it is left out. A curved face follows its surface only nearly. */
#define TILT        1e-3
#define CURVED_TILT 0.02

/* Everything for one port. */
struct build {
  struct mx_ports *ports;
  struct mx_source_list *list;
  struct mx_problem *problem;
  const struct dg_mesh *mesh;
  const struct mx_port_rule *rule;
  const struct mx_config *all;
  const struct mx_boundary_config *config;
  struct mx_port *port;
  struct mx_port_place place;
  struct mx_port_face face;
  double Z;      /* relative impedance of the medium; of a lumped port and of a TEM line: of the wall */
  double weight; /* of what the functionals give: 1 but for a TEM line */
  struct dg_error *err;
};

/* Adds a point of a triangle to the moments and the square: e is the tangential part of the profile. In a curved
 * triangle the moments are those of contravariant components. */
static void add_point(const struct build *b, size_t k, size_t q, const struct mx_face_frame *frame, const double e[3],
                      double *moment, double *square)
{
  const struct mx_port_rule *rule = b->rule;
  const struct mx_port_triangle *triangle = &b->face.triangle[k];
  const size_t Nf = rule->Nf;
  if (triangle->map.geometry == 0) {
    for (size_t c = 0; c < 3; c++) {
      *square += triangle->area * rule->weight[q] * e[c] * e[c];
      for (size_t m = 0; m < Nf; m++)
        moment[(3 * k + c) * Nf + m] += triangle->area * rule->weight[q] * rule->basis[q * Nf + m] * e[c];
    }
    return;
  }
  const double(*t)[3] = (const double(*)[3])frame->t, weight = 2 * rule->weight[q] * frame->area;
  const double g11 = dg_dot(t[0], t[0]), g12 = dg_dot(t[0], t[1]), g22 = dg_dot(t[1], t[1]),
               det = g11 * g22 - g12 * g12, u[2] = {dg_dot(t[0], e), dg_dot(t[1], e)};
  const double along[2] = {(g22 * u[0] - g12 * u[1]) / det, (g11 * u[1] - g12 * u[0]) / det};
  *square += weight * dg_dot(e, e);
  for (size_t a = 0; a < 2; a++)
    for (size_t m = 0; m < Nf; m++) moment[(3 * k + a) * Nf + m] += weight * rule->basis[q * Nf + m] * along[a];
}

/* moment[count][3][Nf] of all triangles: integrals of the basis times the tangential part of the profile; *square: the
 * integral of its square. */
static int integrate(const struct build *b, const struct mx_port_profile *profile, double *moment, double *square)
{
  const struct mx_port_rule *rule = b->rule;
  double largest = 0, worst = 0, tilt = 0, at[3] = {0};
  *square = 0;
  for (size_t k = 0; k < b->face.count; k++) {
    const struct mx_port_triangle *triangle = &b->face.triangle[k];
    const double(*corner)[3] = triangle->corner, *n = triangle->normal;
    for (size_t q = 0; q < rule->count; q++) {
      struct mx_face_frame frame = {0};
      double x[3], e[3], normal = 0, size = 0;
      for (int c = 0; c < 3; c++)
        x[c] = rule->bary[q][0] * corner[0][c] + rule->bary[q][1] * corner[1][c] + rule->bary[q][2] * corner[2][c];
      if (triangle->map.geometry > 0) {
        mx_face_frame_at(&triangle->map, triangle->normal, rule->bary[q], &frame);
        memcpy(x, frame.x, sizeof x);
        n = frame.normal;
      }
      if (mx_port_profile_at(profile, k, rule->bary[q], x, e, b->err) != 0) return b->err->code;
      for (int c = 0; c < 3; c++) {
        normal += n[c] * e[c];
        size = fmax(size, fabs(e[c]));
      }
      largest = fmax(largest, size);
      const double excess = fabs(normal) / (triangle->map.geometry > 0 ? CURVED_TILT : TILT);
      if (excess > worst) {
        memcpy(at, x, sizeof at);
        worst = excess;
        tilt = fabs(normal);
      }
      for (int c = 0; c < 3; c++) e[c] -= normal * n[c];
      add_point(b, k, q, &frame, e, moment, square);
    }
  }
  if (largest == 0)
    return dg_fail(b->err, DG_INPUT, MX_PLACE "%s.profile is zero all over the face", MX_AT(b->place.where),
                   b->port->what);
  if (worst > largest)
    return dg_fail(b->err, DG_INPUT,
                   MX_PLACE
                   "%s.profile must be tangential to the face; near (%g, %g, %g) m its normal part is %g of its "
                   "largest component",
                   MX_AT(b->place.where), b->port->what, at[0], at[1], at[2], tilt / largest);
  return 0;
}

/* Scales moment and nodal[count][3][Nf] of the projected profile together, so that the integral of its square is 1.
 * Returns the integral before. */
static double normalise(const struct build *b, double *moment, double *nodal)
{
  size_t Nf = b->rule->Nf, numbers = 3 * b->face.count * Nf;
  double square = 0;
  memcpy(nodal, moment, numbers * sizeof *nodal);
  for (size_t k = 0; k < b->face.count; k++) {
    if (b->face.triangle[k].map.geometry > 0 &&
        mx_port_project(&b->face.triangle[k], b->rule->count, Nf, b->rule->bary, b->rule->weight, b->rule->basis,
                        moment + 3 * k * Nf, nodal + 3 * k * Nf, b->err) != 0)
      return 0;
    for (size_t c = 0; c < 3 && b->face.triangle[k].map.geometry == 0; c++) {
      double *x = nodal + (3 * k + c) * Nf;
      mx_port_solve_mass(b->rule, x);
      for (size_t m = 0; m < Nf; m++) x[m] /= b->face.triangle[k].area;
    }
  }
  for (size_t i = 0; i < numbers; i++) square += nodal[i] * moment[i];
  for (size_t i = 0; i < numbers; i++) {
    nodal[i] /= sqrt(square);
    moment[i] /= sqrt(square);
  }
  return square;
}

/* The factor of E + Z (n x) H in the functionals of a face before a medium of impedance Z. */
static double share_of(const struct build *b, double Z)
{
  if (b->config->kind == MX_LUMPED_ELEMENT) return mx_circuit_share(&b->port->circuit, Z);
  return b->config->kind == MX_LUMPED_PORT || b->config->kind == MX_TEM_PORT ? b->weight * b->Z / (Z + b->Z) : 0.5;
}

/* Adds this rank's faces to the functionals: the two parts of a_out = (V + Z I)/2. Of a lumped port they are the parts
 * of (Zs E + Zs Z (n x) H)/(Z + Zs), where each face has its own medium; of an element see circuit.h. */
static int add_functionals(const struct build *b, struct mx_port_mode *mode, const double *moment, const double *nodal)
{
  size_t Nf = b->rule->Nf, Np = (size_t)b->problem->ref->Np;
  mode->functional = b->problem->functionals - b->ports->first;
  for (int magnetic = 0; magnetic < 2; magnetic++) {
    struct mx_functional *functional;
    if (mx_problem_add_functional(b->problem, magnetic, 3 * b->face.own * Nf, &functional, b->err) != 0)
      return b->err->code;
    for (size_t k = 0, own = 0; k < b->face.count; k++) {
      const struct mx_port_triangle *triangle = &b->face.triangle[k];
      if (triangle->where < 0) continue;
      size_t e = (size_t)triangle->where / 4, f = (size_t)triangle->where % 4;
      double Z = sqrt(triangle->mu / triangle->epsilon), share = share_of(b, Z);
      double of_E[3 * DG_NF_MAX], of_H[3 * DG_NF_MAX]; /* of a curved triangle */
      if (triangle->map.geometry > 0)
        mx_port_weights(triangle, b->problem->ref, moment + 3 * k * Nf, nodal + 3 * k * Nf, of_E, of_H);
      for (size_t m = 0; m < Nf; m++) {
        double v[3], turned[3];
        for (size_t c = 0; c < 3; c++) v[c] = moment[(3 * k + c) * Nf + m];
        dg_cross(triangle->normal, v, turned);
        for (size_t c = 0; c < 3 && triangle->map.geometry > 0; c++) {
          v[c] = of_E[c * Nf + m];
          turned[c] = of_H[c * Nf + m];
        }
        for (size_t c = 0; c < 3; c++) {
          size_t i = (3 * own + c) * Nf + m;
          functional->index[i] = (3 * e + c) * Np + (size_t)b->problem->ref->face_node[f * Nf + m];
          functional->weight[i] = magnetic ? Z * share * turned[c] : share * v[c];
        }
      }
      own++;
    }
  }
  return 0;
}

/* Adds the term of the ghost state of a unit number: E = e, H = -(n x e)/Z; of a lumped port only E. Of an element it
 * is E = e or H = n x e. */
static int add_term(const struct build *b, struct mx_port_mode *mode, const double *moment, const double *nodal)
{
  const struct mx_new_term wanted = {
      .kind = MX_JUMP, .values = MX_ONE_NUMBER, .count = b->face.own, .what = b->port->what};
  struct mx_term *term;
  struct mx_source *source;
  size_t Nf = b->rule->Nf, numbers = 3 * b->face.own * Nf;
  const bool element = b->config->kind == MX_LUMPED_ELEMENT;
  const bool of_H = element ? mx_circuit_gives_H(&b->port->circuit) : b->config->kind != MX_LUMPED_PORT;
  const bool of_E = !element || !of_H;
  const double factor = element ? 1 : -1 / b->Z;
  mode->term = b->problem->terms;
  if (mx_source_add(b->list, &wanted, &term, &source, b->err) != 0 || (of_E && DG_NEW(term->E, numbers, b->err) != 0) ||
      (of_H && DG_NEW(term->H, numbers, b->err) != 0))
    return b->err->code;
  term->open = mx_boundary_is_open(b->config);
  source->port = true;
  if (mode == b->port->mode && b->config->port.driven) {
    source->driven = true;
    source->waveform = b->config->port.waveform;
    source->delay = b->config->port.delay;
  }
  for (size_t k = 0, own = 0; k < b->face.count; k++) {
    const struct mx_port_triangle *triangle = &b->face.triangle[k];
    if (triangle->where < 0) continue;
    term->where[own] = triangle->where;
    double e[3 * DG_NF_MAX], turned[3 * DG_NF_MAX], solved[2 * DG_NF_MAX];
    memcpy(e, nodal + 3 * k * Nf, sizeof(double) * 3 * Nf);
    if (triangle->map.geometry > 0) {
      memcpy(solved, moment + 3 * k * Nf, 2 * Nf * sizeof *solved);
      for (size_t a = 0; a < 2; a++) mx_port_solve_mass(b->rule, solved + a * Nf);
      for (size_t i = 0; i < 2 * Nf; i++) solved[i] *= 0.5; /* the factor is that of the mass by area, which is 2 */
      mx_port_fields(triangle, b->problem->ref, nodal + 3 * k * Nf, solved, e, turned);
    }
    for (size_t m = 0; m < Nf && triangle->map.geometry == 0; m++) {
      double v[3], w[3];
      for (size_t c = 0; c < 3; c++) v[c] = e[c * Nf + m];
      dg_cross(triangle->normal, v, w);
      for (size_t c = 0; c < 3; c++) turned[c * Nf + m] = w[c];
    }
    if (of_E) memcpy(term->E + 3 * own * Nf, e, 3 * Nf * sizeof *e);
    for (size_t i = 0; i < 3 * Nf && of_H; i++) term->H[3 * own * Nf + i] = factor * turned[i];
    own++;
  }
  return 0;
}

/* Refuses a mode of which the faces hold too little: they would drive another mode. */
static int check_kept(const struct build *b, const struct mx_port_profile *profile, double kept)
{
  const double least = 0.9;
  const struct mx_mode none = b->config->port.mode;
  char name[40];
  if (kept >= least) return 0;
  mx_port_name_mode(profile->mode != NULL ? profile->mode : &none, name);
  return dg_fail(b->err, DG_INPUT,
                 MX_PLACE
                 "%s: the mesh cannot hold the mode %s: order %d on the %zu triangles of the face keeps %.3g %% "
                 "of its power. Make elements there smaller than a half wave of the mode, or the order higher",
                 MX_AT(b->place.where), b->port->what, name, b->problem->ref->order, b->face.count, 100 * kept);
}

/* The wall W before media Z of a TEM line. A wave v comes in as E - G = 2 v p, p = (E + G)/2 the profile, P the
 * integral of its square and N that of E.G, with the K that tem_mode.h says. The field on the face is E* = (W (E + Z n
 * x H) + 2 Z v p)/(Z + W), and what leaves is (integral of E.G* + E*.G)/(2 N) = (integral of E*.p)/N + v (1 - 2 P/N):
 * the integral of W/(Z + W) (E + Z n x H).p over N, and v times 1 - 2 P/N + 2/N times the integral of Z/(Z + W) p^2. */
static void weigh_line(struct build *b, const struct mx_tem_mode *tem, double square, const double *moment,
                       const double *nodal)
{
  const size_t Nf = b->rule->Nf;
  double share = 0;
  for (size_t k = 0; k < b->face.count; k++) {
    const double Z = sqrt(b->face.triangle[k].mu / b->face.triangle[k].epsilon);
    for (size_t i = 3 * k * Nf; i < 3 * (k + 1) * Nf; i++) share += Z / (Z + b->Z) * nodal[i] * moment[i];
  }
  b->weight = square / tem->overlap;
  b->port->own_share = 1 + 2 * b->weight * (share - 1);
  b->port->scale = 1 / sqrt(square);
  b->port->impedance = tem->impedance * square;
}

static int add_mode(struct build *b, size_t index, const struct mx_port_profile *profile)
{
  struct mx_port_mode *mode = &b->port->mode[index];
  double *moment = NULL, *nodal = NULL;
  size_t numbers = 3 * b->face.count * b->rule->Nf;
  if (DG_NEW(moment, numbers, b->err) != 0 || DG_NEW(nodal, numbers, b->err) != 0) goto fail;
  double square;
  if (integrate(b, profile, moment, &square) != 0) goto fail;
  mode->kept = normalise(b, moment, nodal) / square;
  if (b->err->code != DG_OK) goto fail;
  if (profile->tem != NULL) weigh_line(b, profile->tem, square, moment, nodal);
  if (check_kept(b, profile, mode->kept) != 0) goto fail;
  if (add_functionals(b, mode, moment, nodal) != 0) goto fail;
  const bool resistor = b->config->kind == MX_LUMPED_ELEMENT && b->port->circuit.form == MX_RESISTOR;
  if (!resistor && add_term(b, mode, moment, nodal) != 0) goto fail; /* whose wall is all that it is */
fail:
  dg_free(moment);
  dg_free(nodal);
  return b->err->code;
}

/* Writes the port's line for the log, so that the user sees a face that was not meant. */
static void describe(const struct build *b, const char *face, const struct mx_mode *mode)
{
  const double *n = b->face.normal, cutoff = b->port->mode[0].cutoff / (2 * pi);
  char name[40], from[60] = "";
  mx_port_name_mode(mode, name);
  if (cutoff > 0) snprintf(from, sizeof from, ", cut-off %.6g Hz", cutoff);
  snprintf(b->port->about, sizeof b->port->about, "%s, normal (%.3g, %.3g, %.3g), %s%s", face, n[0] + 0.0, n[1] + 0.0,
           n[2] + 0.0, name, from);
}

/* Walls take their impedance from the medium until the port knows better. */
static void set_wall(const struct build *b)
{
  for (size_t i = 0; i < b->face.own; i++) {
    const size_t e = (size_t)b->face.where[i] / 4, f = (size_t)b->face.where[i] % 4;
    b->problem->flux[e][f] = mx_face_flux(sqrt(b->problem->mu[e] / b->problem->epsilon[e]), b->Z, 1);
  }
}

static int build_waveguide(struct build *b, double speed)
{
  const struct mx_port_config *config = &b->config->port;
  struct mx_port_rectangle rectangle;
  if (mx_port_face_rectangle(&rectangle, &b->face, &b->place, config->has_axis ? config->axis : NULL, b->err) != 0)
    return b->err->code;
  for (size_t i = 0; i < b->port->modes; i++) {
    const struct mx_port_profile profile = {.normal = b->face.normal,
                                            .what = b->port->what,
                                            .mode = i == 0 ? &config->mode : &config->absorb[i - 1],
                                            .rectangle = &rectangle};
    b->port->mode[i].family = profile.mode->family;
    b->port->mode[i].cutoff =
        speed * pi * hypot(profile.mode->m / rectangle.side[0], profile.mode->n / rectangle.side[1]);
    if (add_mode(b, i, &profile) != 0) return b->err->code;
  }
  mx_port_find_other(b->port, config, rectangle.side);
  char face[160];
  const double(*axis)[3] = (const double(*)[3])rectangle.axis;
  snprintf(face, sizeof face, "%.6g m along (%.3g, %.3g, %.3g) x %.6g m along (%.3g, %.3g, %.3g)", rectangle.side[0],
           axis[0][0] + 0.0, axis[0][1] + 0.0, axis[0][2] + 0.0, rectangle.side[1], axis[1][0] + 0.0, axis[1][1] + 0.0,
           axis[1][2] + 0.0);
  describe(b, face, &config->mode);
  return 0;
}

static int build_coaxial(struct build *b)
{
  struct mx_port_ring ring;
  if (mx_port_face_ring(&ring, &b->face, &b->place, b->err) != 0) return b->err->code;
  const struct mx_port_profile profile = {.normal = b->face.normal, .what = b->port->what, .ring = &ring};
  const struct mx_mode tem = {.family = MX_TEM};
  char face[160];
  b->port->mode[0].family = MX_TEM;
  /* TE11 has one wave on the mean circle; between radii up to 1 : 5 this is 0 to 3 % too low. */
  b->port->other = b->port->speed / (pi * (ring.inner + ring.outer));
  snprintf(b->port->other_name, sizeof b->port->other_name, "TE11");
  /* The square of E = V/(r ln(b/a)) then integrates to 1. */
  b->port->scale = sqrt(log(ring.outer / ring.inner) / (2 * pi));
  snprintf(face, sizeof face, "a ring with radii %.6g and %.6g m, %.6g ohm", ring.inner, ring.outer,
           b->port->impedance * b->port->scale * b->port->scale);
  describe(b, face, &tem);
  return add_mode(b, 0, &profile);
}

static int build_modal(struct build *b)
{
  const struct mx_port_profile profile = {
      .normal = b->face.normal, .what = b->port->what, .function = b->config->port.profile};
  b->port->mode[0].family = b->config->port.mode.family;
  b->port->mode[0].cutoff = 2 * pi * b->config->port.cutoff;
  const struct mx_mode mode = {.family = b->config->port.mode.family};
  char face[160];
  snprintf(face, sizeof face, "a face of %.6g m^2, at most %.6g m across", b->face.area, b->face.extent);
  describe(b, face, &mode);
  return add_mode(b, 0, &profile);
}

/* Keeps the bodies of a line for ports at other ends of it. */
static int keep_bodies(const struct build *b, const struct mx_tem_conductors *conductors, const struct mx_tem_mode *tem)
{
  struct mx_port *port = b->port;
  if (DG_NEW(port->body, conductors->count, b->err) != 0) return b->err->code;
  for (size_t i = 0; i < conductors->count; i++) {
    port->body[i] = conductors->body[i];
    if (tem->potential[i] == 0) port->ground = conductors->body[i];
  }
  if (b->config->port.voltages == 0)
    port->bodies = conductors->count; /* what a script says of potentials is for one port */
  return 0;
}

/* The line between the conductors that end at the face. */
static int build_tem(struct build *b, const struct mx_assignment *assignment)
{
  struct mx_tem_conductors conductors;
  struct mx_tem_mode tem = {0};
  const struct mx_mode family = {.family = MX_TEM};
  if (b->mesh->periods > 0)
    return dg_fail(b->err, DG_INPUT, MX_PLACE "%s: a tem_port does not know periodic sides yet", MX_AT(b->place.where),
                   b->place.what);
  int status = mx_tem_conductors_init(&conductors, &b->face, &b->place, assignment, b->all, b->err);
  for (const struct mx_port *port = b->ports->port; port < b->port && status == 0; port++)
    mx_tem_share_ground(&conductors, port->bodies, port->body, port->ground);
  if (status == 0 && mx_tem_mode_init(&tem, &b->face, &b->place, &conductors, b->all, &b->config->port,
                                      b->problem->ref->order, b->err) == 0) {
    const struct mx_port_profile profile = {.normal = b->face.normal, .what = b->port->what, .tem = &tem};
    char line[160];
    b->Z = tem.wall;
    set_wall(b);
    b->port->speed = MX_C0 / tem.index;
    b->port->mode[0].family = MX_TEM;
    b->port->mixed = tem.mixed;
    b->port->other = tem.range.cutoff;
    b->port->dispersion = tem.range.dispersion;
    b->port->losses = tem.losses;
    tem.losses = (struct mx_line_losses){0};
    mx_tem_mode_describe(&tem, &conductors, b->mesh, line, sizeof line);
    if (keep_bodies(b, &conductors, &tem) == 0 && add_mode(b, 0, &profile) == 0) describe(b, line, &family);
  }
  mx_tem_mode_release(&tem);
  mx_tem_conductors_release(&conductors);
  return b->err->code;
}

static void name_port(const struct mx_boundary_config *boundary, char what[160])
{
  char name[128];
  mx_selector_name(&boundary->where, name, sizeof name);
  snprintf(what, 160, "boundaries.%s", name);
}

/* Adds a triangle to the damping of an element and, on the triangle's rank, to the coupling. A functional of a constant
 * field on a face of area A is as large as the trace of polynomials lets it be, (p + 1)(p + 3)/3 A/volume (T.
 * Warburton, J. S. Hesthaven, On the constants in hp-finite element trace inverse inequalities, 2003); three faces of
 * an element together three times that. */
static void measure_element(const struct build *b, const struct mx_port_triangle *triangle, double Z, double part)
{
  const int p = b->problem->ref->order;
  struct mx_circuit *circuit = &b->port->circuit;
  const double share = mx_circuit_share(circuit, Z);
  circuit->damping += part * share * (mx_circuit_of_current(circuit) ? 1 : Z);
  if (triangle->where < 0) return;
  size_t faces = 0;
  for (size_t i = 0; i < b->face.own; i++) faces += b->face.where[i] / 4 == triangle->where / 4;
  const double volume = 4.0 / 3 * b->problem->jacobian[triangle->where / 4]; /* that of the reference is 4/3 */
  circuit->coupling +=
      (double)faces * share * share * part * (p + 1) * (p + 3) / 3 * triangle->area / volume / triangle->epsilon;
}

/* The frequency (Hz) up to which a rod-like gap is a gap. Its wall also takes what does not go around it evenly, of
 * which the port knows nothing. In a parallel-plate line, two square rods of 20 and 36 mm around took 5 % of the power
 * so at 0.20 and 0.24 of a wavelength around, 17 and 20 % at 0.25 and 0.36, 43 % at 0.38. A rod longer than a quarter
 * of a wavelength is no gap either. */
static double rod_frequency(double around, double length, double index)
{
  return MX_C0 / index * fmin(0.2 / around, 0.25 / length);
}

/* V = -integral of E along the direction, averaged over the width; V_s makes E = -V_s/l along it. */
static int build_lumped(struct build *b, const struct mx_assignment *assignment, int index)
{
  const double *direction = b->config->port.direction;
  struct mx_port_gap gap;
  double share = 0, slow = 0;
  if (mx_port_gap_find(&gap, &b->face, &b->place, assignment, b->all, index, b->err) != 0) return b->err->code;
  const double length = gap.length, width = gap.width;
  struct mx_circuit *circuit = &b->port->circuit;
  const bool element = b->config->kind == MX_LUMPED_ELEMENT;
  if (element) mx_circuit_make(circuit, &b->config->port, length / width);
  b->Z = element ? mx_circuit_wall(circuit) : b->config->port.resistance * width / length / MX_ETA0;
  b->port->impedance = b->config->port.resistance;
  set_wall(b);
  for (size_t k = 0; k < b->face.count; k++) {
    const struct mx_port_triangle *triangle = &b->face.triangle[k];
    double Z = sqrt(triangle->mu / triangle->epsilon), part = triangle->area / b->face.area;
    share += part * Z / (Z + b->Z);
    slow = fmax(slow, sqrt(triangle->mu * triangle->epsilon));
    if (element) measure_element(b, triangle, Z, part);
  }
  b->port->source_share = share;
  if (gap.around > 0) b->port->slender = rod_frequency(gap.around, length, slow);
  /* The square of e = -direction/sqrt(l w) integrates to 1: V = sqrt(l/w) times the integral of e.E, and 1 V is the
   * field sqrt(w/l) e. */
  b->port->scale = sqrt(length / width);
  char what[120];
  if (element) mx_circuit_describe(&b->config->port, what, sizeof what);
  else snprintf(what, sizeof what, "%.6g ohm", b->port->impedance);
  snprintf(b->port->about, sizeof b->port->about, "a gap of %.6g m along (%.3g, %.3g, %.3g), %.6g m wide, %s", length,
           direction[0] + 0.0, direction[1] + 0.0, direction[2] + 0.0, width, what);
  b->port->mode[0].family = MX_TEM;
  const struct mx_port_profile profile = {
      .normal = b->face.normal, .what = b->port->what, .constant = {-direction[0], -direction[1], -direction[2]}};
  return add_mode(b, 0, &profile);
}

static int build_port(struct build *b, const struct mx_assignment *assignment, int index)
{
  struct mx_port *port = b->port;
  const struct mx_boundary_config *config = b->config;
  char what[160];
  double epsilon = 1, mu = 1;
  name_port(config, what);
  if (dg_copy_string(&port->what, what, b->err) != 0) return b->err->code;
  char name[140];
  if (config->where.group != NULL) snprintf(name, sizeof name, "%s", config->where.group);
  else snprintf(name, sizeof name, "surface_%d", config->where.tag);
  if (dg_copy_string(&port->name, name, b->err) != 0) return b->err->code;
  port->where = config->where.where;
  port->kind = config->kind;
  port->driven = config->port.driven;
  port->amplitude = config->port.amplitude;
  port->delay = config->port.delay;
  port->scale = port->source_share = 1;
  port->modes = 1 + (config->kind == MX_WAVEGUIDE_PORT ? config->port.absorbed : 0);
  if (DG_NEW(port->mode, port->modes, b->err) != 0) return b->err->code;
  b->place = (struct mx_port_place){.mesh = b->mesh, .problem = b->problem, .where = port->where, .what = port->what};
  if (mx_port_face_init(&b->face, &b->place, assignment, index, b->err) != 0) return b->err->code;
  port->area = b->face.area;
  if (mx_walls[config->kind].behind == MX_BEHIND_GAP) return build_lumped(b, assignment, index);
  const struct mx_surface_faces surface = {
      .count = b->face.own, .where = b->face.where, .place = port->where, .what = port->what, .who = "a port"};
  if (mx_port_face_plane(&b->face, &b->place, b->err) != 0) return b->err->code;
  memcpy(port->normal, b->face.normal, sizeof port->normal);
  if (config->kind == MX_TEM_PORT) {
    if (mx_plain_media(b->problem, b->mesh, &surface, b->err) != 0) return b->err->code;
    return build_tem(b, assignment);
  }
  if (mx_common_medium(b->problem, b->mesh, &surface, &epsilon, &mu, b->err) != 0 ||
      (config->kind != MX_MODAL_PORT &&
       mx_port_face_walls(&b->face, &b->place, assignment, b->all, index, b->err) != 0))
    return b->err->code;
  b->Z = sqrt(mu / epsilon);
  port->impedance = b->Z * MX_ETA0;
  port->speed = MX_C0 / sqrt(epsilon * mu);
  if (config->kind == MX_WAVEGUIDE_PORT) return build_waveguide(b, port->speed);
  return config->kind == MX_COAXIAL_PORT ? build_coaxial(b) : build_modal(b);
}

/* Fills order[count] with the boundaries that are ports, by number. Ports without a number get the lowest free ones, in
 * turn. */
static void put_in_order(const struct mx_config *config, size_t count, size_t *order, int *number)
{
  size_t n = 0;
  int next = 1;
  for (size_t i = 0; i < config->boundaries; i++) {
    if (!mx_is_port(config->boundary[i].kind)) continue;
    order[n] = i;
    number[n++] = config->boundary[i].port.number;
  }
  for (size_t i = 0; i < count; i++) {
    if (number[i] > 0) continue;
    for (size_t j = 0; j < count; j++)
      if (number[j] == next) {
        next++;
        j = (size_t)-1; /* start over */
      }
    number[i] = next;
  }
  for (size_t i = 1; i < count; i++) /* insertion sort, since there are few */
    for (size_t j = i; j > 0 && number[j] < number[j - 1]; j--) {
      int swap = number[j];
      number[j] = number[j - 1];
      number[j - 1] = swap;
      size_t other = order[j];
      order[j] = order[j - 1];
      order[j - 1] = other;
    }
}

int mx_ports_init(struct mx_ports *ports, struct mx_source_list *list, const struct mx_assignment *assignment,
                  const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err)
{
  struct mx_port_rule *rule = NULL;
  size_t *order = NULL, count = 0, elements = 0;
  int *number = NULL;
  *ports = (struct mx_ports){.active = -1,
                             .first = list->problem->functionals,
                             .integrator = config->time.integrator,
                             .schedule = mx_schedule_of(config->time.integrator, list->problem),
                             .here = dg_comm_rank(list->problem->comm) == 0};
  for (size_t i = 0; i < config->boundaries; i++) {
    count += mx_is_port(config->boundary[i].kind);
    elements += config->boundary[i].kind == MX_LUMPED_ELEMENT;
  }
  const size_t all = count + elements;
  if (all == 0) return 0;
  if (DG_NEW(ports->port, all, err) != 0 || DG_NEW(order, all, err) != 0 || DG_NEW(number, all, err) != 0 ||
      DG_NEW(rule, 1, err) != 0 || mx_port_rule_init(rule, list->problem->ref, err) != 0)
    goto fail;
  put_in_order(config, count, order, number);
  ports->count = count;
  ports->elements = elements;
  for (size_t i = 0, k = count; i < config->boundaries; i++)
    if (config->boundary[i].kind == MX_LUMPED_ELEMENT) order[k++] = i;
  for (size_t i = 0; i < all; i++) {
    struct build b = {.ports = ports,
                      .list = list,
                      .problem = list->problem,
                      .mesh = mesh,
                      .rule = rule,
                      .all = config,
                      .config = &config->boundary[order[i]],
                      .port = &ports->port[i],
                      .weight = 1,
                      .err = err};
    b.port->number = number[i];
    int status = build_port(&b, assignment, (int)order[i]);
    ports->here = ports->here || b.face.own > 0;
    mx_port_face_release(&b.face);
    if (status != 0 || dg_comm_reduce(list->problem->comm, DG_SUM, 1, &b.port->circuit.coupling, err) != 0) goto fail;
  }
  ports->functionals = list->problem->functionals - ports->first;
  (void)!dg_comm_part(&ports->comm, list->problem->comm, ports->here, err);
fail:
  if (rule != NULL) mx_port_rule_release(rule);
  dg_free(rule);
  dg_free(order);
  dg_free(number);
  return err->code;
}
