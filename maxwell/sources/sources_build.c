/* Makes terms of the problem from the script's sources: elements, faces, nodes, profiles, lags. mx_sources_init
 * (sources.c) calls it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/find/invert.h"
#include "libdg/mesh/find/segment.h"
#include "libdg/mesh/parts/partition.h"
#include "libdg/ref/modal.h"
#include "libdg/ref/quadrature.h"
#include "maxwell/model/selectors.h"
#include "maxwell/problem/curve_face.h"
#include "maxwell/problem/curved.h"
#include "maxwell/sources/common_medium.h"
#include "maxwell/sources/sources.h"
#include "maxwell/sources/sources_check.h"

/* A list of this rank's elements, or of faces 4 * element + face with the sign of what jumps there. */
struct places {
  size_t count, room;
  int32_t *where;
  signed char *sign;
};

struct build {
  struct mx_sources *sources;
  struct mx_problem *problem;
  const struct mx_assignment *assignment;
  const struct mx_config *config;
  const struct dg_mesh *mesh;
  struct dg_error *err;
};

static int add_place(struct places *places, int32_t where, int sign, struct dg_error *err)
{
  if (places->count == places->room) {
    places->room = places->room < 64 ? 64 : 2 * places->room;
    if (dg_grow(&places->where, places->room, sizeof *places->where, err) != 0 ||
        dg_grow(&places->sign, places->room, sizeof *places->sign, err) != 0)
      return err->code;
  }
  places->where[places->count] = where;
  places->sign[places->count++] = (signed char)sign;
  return 0;
}

/* Says whether any rank has places. A term that one rank has, all ranks have, so that its index is the same everywhere.
 */
static int anywhere(const struct build *b, const struct places *places, bool *exist)
{
  int64_t count = (int64_t)places->count;
  if (dg_comm_reduce_int(b->problem->comm, DG_SUM, 1, &count, b->err) != 0) return b->err->code;
  *exist = count > 0;
  return 0;
}

static void release_places(struct places *places)
{
  dg_free(places->where);
  dg_free(places->sign);
}

/* Finds the position of node i of an element, or of node i of a face. */
static void node_position(const struct build *b, enum mx_term_kind kind, int32_t where, size_t i, double x[3])
{
  const struct dg_reference *ref = b->problem->ref;
  size_t e = (size_t)(kind == MX_CURRENT ? where : where / 4);
  size_t node = kind == MX_CURRENT ? i : (size_t)ref->face_node[(size_t)(where % 4) * (size_t)ref->Nf + i];
  dg_geometry_point(b->mesh, e, ref->r[node], ref->s[node], ref->t[node], x);
}

/* The normal of node i of a face. */
static void node_normal(const struct build *b, int32_t where, size_t i, double normal[3])
{
  mx_face_normal(b->problem, (size_t)where / 4, where % 4, i, normal);
}

/* The target of a drive: the part of the problem that it changes. */
struct target {
  enum mx_term_kind kind;
  bool into_H;       /* jumps: the vector is of H instead of E */
  bool sheet;        /* the vector is a surface current K: the jump of H is -K x n */
  double factor;     /* from the script's unit to V/m or V/m^2 */
  const char *place; /* as in mx_selector.where */
};

/* Refuses a profile without a tangential part: only that part acts of what is prescribed on faces. value[points][3] are
 * the profile's vectors. */
static int check_tangential(const struct build *b, const struct places *places, const struct target *target,
                            const double *value, size_t N, const char *what)
{
  double most[2] = {0, 0}; /* largest whole vector, largest tangential part */
  for (size_t k = 0; k < places->count * N; k++) {
    const double *v = value + 3 * k;
    double n[3], out[3];
    node_normal(b, places->where[k / N], k % N, n);
    dg_cross(n, v, out);
    most[0] = fmax(most[0], sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    most[1] = fmax(most[1], sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]));
  }
  if (dg_comm_reduce(b->problem->comm, DG_MAX, 2, most, b->err) != 0) return b->err->code;
  if (most[1] > 1e-6 * most[0] || most[0] == 0) return 0;
  return dg_fail(b->err, DG_INPUT,
                 MX_PLACE "%s: the profile is normal to the surface everywhere on it, and only its tangential part "
                          "acts: nothing would happen",
                 MX_AT(target->place), what);
}

/* The part of exp(-j k.x) that drives the set of element e; 1 without Bloch phases. */
static double bloch_factor(const struct build *b, size_t e, const double x[3])
{
  return b->mesh->paired ? mx_bloch_factor(b->config, e % 2 != 0, x) : 1;
}

/* Evaluates the profile of a drive at x[points], into value[points][3]. */
static int evaluate_profile(const struct build *b, const struct mx_drive *drive, const char *what, size_t points,
                            const double (*x)[3], double *value)
{
  const struct mx_places at = {.what = what, .count = points, .x = x, .components = 3};
  if (drive->profile == NULL) {
    for (size_t k = 0; k < points; k++) memcpy(value + 3 * k, drive->constant, 3 * sizeof *value);
    return 0;
  }
  if (mx_function_values(drive->profile, &at, value, b->err) != 0) return b->err->code;
  return mx_function_repeat(drive->profile, &at, value, b->err);
}

/* Fills in the part of a drive that does not change in time: the profile, or the places and normals of its function. */
static int fill_drive(const struct build *b, const struct places *places, const struct mx_drive *drive,
                      const struct target *target, const char *what, struct mx_source *source, double *part)
{
  const size_t points = source->points, N = points / (places->count > 0 ? places->count : 1);
  double(*x)[3] = NULL, *value = NULL;
  if (DG_NEW(x, points, b->err) != 0 || DG_NEW(value, 3 * points, b->err) != 0) goto fail;
  DG_BUG_IF(points > 0 && places->where == NULL, "a source has points and no places"); /* tells the analyzer */
  for (size_t k = 0; k < points; k++) node_position(b, target->kind, places->where[k / N], k % N, x[k]);
  if (part == NULL) {
    memcpy(source->x, x, points * sizeof *x);
    for (size_t k = 0; k < points && source->sheet != NULL; k++)
      node_normal(b, places->where[k / N], k % N, source->sheet + 3 * k);
    goto fail;
  }
  if (evaluate_profile(b, drive, what, points, (const double(*)[3])x, value) != 0 ||
      (target->kind == MX_JUMP && check_tangential(b, places, target, value, N, what) != 0))
    goto fail;
  for (size_t k = 0; k < points; k++) {
    double *v = value + 3 * k, n[3], jump[3];
    if (target->sheet) {
      node_normal(b, places->where[k / N], k % N, n);
      dg_cross(n, v, jump);
      memcpy(v, jump, sizeof jump);
    }
    const size_t e = (size_t)places->where[k / N] / (target->kind == MX_CURRENT ? 1 : 4);
    const double factor = target->factor * bloch_factor(b, e, x[k]);
    for (size_t c = 0; c < 3; c++) part[(3 * (k / N) + c) * N + k % N] = factor * v[c];
  }
fail:
  dg_free(x);
  dg_free(value);
  return b->err->code;
}

/* Adds a term whose nodes all follow one waveform, or a function of position and time. */
static int add_drive(const struct build *b, const struct places *places, const struct mx_drive *drive,
                     const struct target *target, const char *what, struct dg_error *err)
{
  bool exist = false, general = drive->general != NULL;
  if (anywhere(b, places, &exist) != 0) return err->code;
  if (!exist) return 0; /* a `default` that nothing is left for */
  const struct mx_new_term wanted = {
      .kind = target->kind, .values = general ? MX_VECTOR_A_NODE : MX_ONE_NUMBER, .count = places->count, .what = what};
  struct mx_term *term;
  struct mx_source *source;
  if (mx_source_add(&b->sources->list, &wanted, &term, &source, err) != 0) return err->code;
  for (size_t k = 0; k < places->count; k++) term->where[k] = places->where[k];
  term->into_H = target->into_H;
  double *part = NULL;
  if (general) {
    source->function = drive->general;
    source->factor = target->factor;
    if (DG_NEW(source->x, source->points, err) != 0 || DG_NEW(source->called, 3 * source->points, err) != 0)
      return err->code;
    if (target->sheet && DG_NEW(source->sheet, 3 * source->points, err) != 0) return err->code;
  } else {
    source->waveform = drive->waveform;
    source->delay = drive->delay;
    if (DG_NEW(part, 3 * source->points, err) != 0) return err->code;
    if (target->into_H) term->H = part;
    else term->E = part;
  }
  return fill_drive(b, places, drive, target, what, source, part);
}

/* Adds a term whose faces carry a plane wave. */
static int add_plane_wave(const struct build *b, const struct places *places, const struct mx_plane_wave *wave,
                          bool open, const struct mx_selector *where, const char *what)
{
  struct dg_error *err = b->err;
  const struct mx_new_term wanted = {.kind = MX_JUMP, .values = MX_NUMBER_A_NODE, .count = places->count, .what = what};
  struct mx_term *term;
  struct mx_source *source;
  double epsilon = 1, mu = 1, H[3], first = INFINITY;
  bool exist = false;
  if (anywhere(b, places, &exist) != 0) return err->code;
  if (!exist) return 0; /* a `default` that nothing is left for */
  const struct mx_surface_faces faces = {
      .count = places->count, .where = places->where, .place = where->where, .what = what, .who = "a plane wave"};
  if (mx_common_medium(b->problem, b->mesh, &faces, &epsilon, &mu, err) != 0) return err->code;
  if (mx_source_add(&b->sources->list, &wanted, &term, &source, err) != 0) return err->code;
  if (DG_NEW(term->E, 3 * source->points, err) != 0 || DG_NEW(term->H, 3 * source->points, err) != 0 ||
      DG_NEW(source->lag, source->points, err) != 0)
    return err->code;
  for (size_t k = 0; k < places->count; k++) term->where[k] = places->where[k];
  term->open = open;
  source->waveform = wave->waveform;
  source->delay = wave->delay;
  dg_cross(wave->direction, wave->polarisation, H);
  size_t N = (size_t)b->problem->ref->Nf;
  double slowness = sqrt(epsilon * mu) / MX_C0, admittance = sqrt(epsilon / mu);
  for (size_t k = 0; k < places->count; k++)
    for (size_t i = 0; i < N; i++) {
      double x[3], lag = 0;
      node_position(b, MX_JUMP, places->where[k], i, x);
      for (size_t c = 0; c < 3; c++) {
        lag += slowness * wave->direction[c] * (x[c] - (wave->has_origin ? wave->origin[c] : 0));
        term->E[(3 * k + c) * N + i] = places->sign[k] * wave->amplitude * wave->polarisation[c];
        term->H[(3 * k + c) * N + i] = places->sign[k] * wave->amplitude * admittance * H[c];
      }
      source->lag[k * N + i] = lag;
      first = fmin(first, lag);
    }
  if (wave->has_origin) return 0;
  if (dg_comm_reduce(b->problem->comm, DG_MIN, 1, &first, err) != 0) return err->code; /* where the wave comes in */
  for (size_t i = 0; i < source->points; i++) source->lag[i] -= first;
  return 0;
}

/* Adds the terms of currents. */
static int add_current(const struct build *b, size_t index)
{
  const struct mx_source_config *config = &b->config->source[index];
  struct places places = {0};
  char what[64];
  snprintf(what, sizeof what, "sources[%zu]", index + 1);
  if (mx_check_selector(b->mesh, what, &config->where, 3, b->err) != 0) return b->err->code;
  for (size_t e = 0; e < b->problem->K; e++)
    if (mx_selector_fit(&config->where, b->mesh, (size_t)b->mesh->volume[e]) > 0 &&
        add_place(&places, (int32_t)e, 1, b->err) != 0)
      goto fail;
  const struct target target = {.kind = MX_CURRENT, .factor = MX_ETA0};
  if (add_drive(b, &places, &config->drive, &target, what, b->err) != 0) goto fail;
fail:
  release_places(&places);
  return b->err->code;
}

/* Adds the density of a current element (A m) at a point: part[3][Np] += moment delta. The basis of the element sees it
 * as the sum over the orthonormal modes of their value at the point. */
static void add_delta(const struct build *b, size_t e, const double bary[4], const double moment[3], double *part)
{
  const struct dg_reference *ref = b->problem->ref;
  double there[DG_NP_MAX], here[DG_NP_MAX];
  size_t Np = (size_t)ref->Np;
  dg_modal_basis(ref->order, 2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1, there);
  for (size_t i = 0; i < Np; i++) {
    double delta = 0;
    dg_modal_basis(ref->order, ref->r[i], ref->s[i], ref->t[i], here);
    for (size_t m = 0; m < Np; m++) delta += here[m] * there[m];
    for (size_t c = 0; c < 3; c++) part[c * Np + i] += moment[c] * delta / b->problem->jacobian[e];
  }
}

/* The same in curved element k. Its basis takes the contravariant density of the current, whose parts at the point are
 * moment . grad r_a, and turns it back at the nodes. */
static void add_curved_delta(const struct build *b, size_t k, const double bary[4], const double moment[3],
                             double *part)
{
  const struct dg_reference *ref = b->problem->ref;
  const size_t Np = (size_t)ref->Np;
  const double at[3] = {2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1};
  double there[DG_NP_MAX], here[DG_NP_MAX], metric[9], along[3];
  (void)mx_curve_metric(b->problem, k, at, metric);
  for (int a = 0; a < 3; a++) along[a] = dg_dot(metric + 3 * (size_t)a, moment);
  dg_modal_basis(ref->order, at[0], at[1], at[2], there);
  for (size_t i = 0; i < Np; i++) {
    const double place[3] = {ref->r[i], ref->s[i], ref->t[i]};
    double delta = 0, tangent[3][3];
    const double det = mx_curve_tangent(b->problem, k, place, tangent);
    dg_modal_basis(ref->order, place[0], place[1], place[2], here);
    for (size_t m = 0; m < Np; m++) delta += here[m] * there[m];
    for (size_t c = 0; c < 3; c++)
      part[c * Np + i] +=
          delta / fabs(det) * (along[0] * tangent[0][c] + along[1] * tangent[1][c] + along[2] * tangent[2][c]);
  }
}

/* Adds a term for thin currents with `count` elements of this rank. */
static int add_thin_term(const struct build *b, const struct mx_source_config *config, const char *what, size_t count,
                         struct mx_term **term)
{
  const struct mx_new_term wanted = {.kind = MX_CURRENT, .values = MX_ONE_NUMBER, .count = count, .what = what};
  struct mx_source *source;
  if (mx_source_add(&b->sources->list, &wanted, term, &source, b->err) != 0) return b->err->code;
  source->waveform = config->drive.waveform;
  source->delay = config->drive.delay;
  return DG_NEW((*term)->E, 3 * source->points, b->err);
}

static int add_dipole(const struct build *b, const struct mx_source_config *config, const char *what)
{
  double bary[4], moment[3];
  int64_t element;
  struct mx_term *term;
  if (dg_mesh_locate_shared(b->mesh, b->problem->comm, 1, &config->at, &element, &bary, b->err) != 0)
    return b->err->code;
  if (element == DG_NOWHERE)
    return dg_fail(b->err, DG_INPUT, MX_PLACE "%s: the point (%g, %g, %g) m is outside the mesh", MX_AT(config->place),
                   what, config->at[0], config->at[1], config->at[2]);
  const size_t sets = b->mesh->paired ? 2 : 1;
  if (add_thin_term(b, config, what, element >= 0 ? sets : 0, &term) != 0) return b->err->code;
  for (size_t set = 0; set < sets && element >= 0; set++) { /* else the element is another rank's */
    const size_t e = (size_t)element + set;
    double *part = term->E + 3 * (size_t)b->problem->ref->Np * set;
    const ptrdiff_t curve = mx_curve_find(b->problem, e);
    for (int c = 0; c < 3; c++) moment[c] = MX_ETA0 * config->moment[c] * bloch_factor(b, e, config->at);
    term->where[set] = (int32_t)e;
    if (curve >= 0) add_curved_delta(b, (size_t)curve, bary, moment, part);
    else add_delta(b, e, bary, moment, part);
  }
  return 0;
}

/* Adds a wire, cut at the faces of the elements. In each straight element the integral of the current times the
 * polynomials along the piece is exact (Gauss); in curved ones the rule has more points. The result is the projection
 * of a line current, whatever its length and the elements' sizes. */
static int add_wire(const struct build *b, const struct mx_source_config *config, const char *what)
{
  enum { GAUSS_MAX = 16 };
  const double outside_max = 0.01; /* of the length: some of a wire may lie behind a curved wall made of flat faces */
  const double ends[2][3] = {{config->at[0], config->at[1], config->at[2]},
                             {config->to[0], config->to[1], config->to[2]}};
  double x[GAUSS_MAX], weight[GAUSS_MAX];
  struct dg_path path = {0};
  struct dg_inverse inverse;
  struct mx_term *term;
  dg_inverse_init(&inverse, b->mesh);
  if (dg_path_cut(&path, b->mesh, b->problem->comm, 2, ends, 0, b->err) != 0) goto fail;
  if (path.outside > outside_max * path.length) {
    (void)dg_fail(b->err, DG_INPUT, MX_PLACE "%s: %g m of the wire of %g m are outside the mesh", MX_AT(config->place),
                  what, path.outside, path.length);
    goto fail;
  }
  const size_t sets = b->mesh->paired ? 2 : 1;
  if (add_thin_term(b, config, what, sets * path.pieces, &term) != 0) goto fail;
  for (size_t k = 0; k < sets * path.pieces; k++) {
    const struct dg_path_piece *piece = &path.piece[k / sets];
    const size_t e = piece->element + k % sets;
    const ptrdiff_t curve = mx_curve_find(b->problem, e);
    const int points = curve >= 0 ? GAUSS_MAX : b->problem->ref->order / 2 + 1;
    double *part = term->E + 3 * (size_t)b->problem->ref->Np * k;
    term->where[k] = (int32_t)e;
    dg_gauss_legendre(points, x, weight);
    for (int g = 0; g < points; g++) {
      const double length = piece->end - piece->begin, t = piece->begin + length * x[g];
      double at[3], bary[4], moment[3];
      for (int c = 0; c < 3; c++) at[c] = ends[0][c] + t * (ends[1][c] - ends[0][c]);
      const double current = MX_ETA0 * config->current * weight[g] * length * bloch_factor(b, e, at);
      for (int c = 0; c < 3; c++) moment[c] = current * (ends[1][c] - ends[0][c]);
      dg_mesh_place(&inverse, e, at, bary);
      if (curve >= 0) add_curved_delta(b, (size_t)curve, bary, moment, part);
      else add_delta(b, e, bary, moment, part);
    }
  }
fail:
  dg_path_release(&path);
  return b->err->code;
}

static int add_thin_current(const struct build *b, size_t index)
{
  const struct mx_source_config *config = &b->config->source[index];
  char what[64];
  snprintf(what, sizeof what, "sources[%zu]", index + 1);
  return config->shape == MX_DIPOLE ? add_dipole(b, config, what) : add_wire(b, config, what);
}

static int add_boundary(const struct build *b, size_t index)
{
  const struct mx_boundary_config *config = &b->config->boundary[index];
  const enum mx_entering entering = mx_walls[config->kind].entering;
  const bool wave = entering == MX_WAVE, electric = entering == MX_GIVEN_E, sheet = entering == MX_SHEET_CURRENT;
  if (entering == MX_NOTHING || entering == MX_MODES || entering == MX_CIRCUIT) return 0; /* port.c takes these */
  struct places places = {0};
  char name[128], what[160];
  mx_selector_name(&config->where, name, sizeof name);
  snprintf(what, sizeof what, "boundaries.%s", name);
  for (size_t e = 0; e < b->problem->K; e++)
    for (int f = 0; f < 4; f++)
      if (b->assignment->boundary[e][f] == (int)index && add_place(&places, 4 * (int32_t)e + f, 1, b->err) != 0)
        goto fail;
  if (wave) {
    if (add_plane_wave(b, &places, &config->wave, true, &config->where, what) != 0) goto fail;
  } else {
    const struct target target = {.kind = MX_JUMP,
                                  .into_H = !electric,
                                  .sheet = sheet,
                                  .factor = electric ? 1 : MX_ETA0,
                                  .place = config->where.where};
    if (add_drive(b, &places, &config->drive, &target, what, b->err) != 0) goto fail;
  }
fail:
  release_places(&places);
  return b->err->code;
}

/* Lists both sides of every face of the interface: sign +1 inside the region of total field, -1 outside. */
static int interface_faces(const struct build *b, const struct mx_interface_config *config, const int *choice,
                           int index, const char *what, struct places *places)
{
  const struct dg_mesh *mesh = b->mesh;
  bool total = config->kind == MX_TOTAL_FIELD;
  for (size_t e = 0; e < b->problem->K; e++)
    for (int f = 0; f < 4; f++) {
      int surface = mesh->surface[e][f];
      if (surface < 0 || choice[surface] != index) continue;
      int32_t code = mesh->neighbour[e][f];
      double x[3];
      dg_geometry_barycentre(mesh, e, x);
      if (code < 0)
        return dg_fail(b->err, DG_INPUT,
                       MX_PLACE "%s: surface %d is part of the outer boundary near (%g, %g, %g) m; an interface lies "
                                "inside the domain",
                       MX_AT(config->where.where), what, mesh->entity[surface].tag, x[0], x[1], x[2]);
      int sign = 1;
      if (total) {
        bool here = mx_selector_fit(&config->inside, mesh, (size_t)mesh->volume[e]) > 0;
        bool there = mx_selector_fit(&config->inside, mesh, (size_t)mesh->volume[code / 4]) > 0;
        if (here == there)
          return dg_fail(b->err, DG_INPUT,
                         MX_PLACE "%s: near (%g, %g, %g) m the surface %s the region of total field, which it must "
                                  "bound",
                         MX_AT(config->where.where), what, x[0], x[1], x[2], here ? "runs inside" : "does not touch");
        sign = here ? 1 : -1;
      }
      if (add_place(places, 4 * (int32_t)e + f, sign, b->err) != 0) return b->err->code;
    }
  return 0;
}

static int add_interface(const struct build *b, size_t index, const int *choice)
{
  const struct mx_interface_config *config = &b->config->interface[index];
  struct places places = {0};
  char name[128], what[160];
  mx_selector_name(&config->where, name, sizeof name);
  snprintf(what, sizeof what, "interfaces.%s", name);
  if (config->kind == MX_TOTAL_FIELD && mx_check_selector(b->mesh, what, &config->inside, 3, b->err) != 0)
    return b->err->code;
  if (interface_faces(b, config, choice, (int)index, what, &places) != 0) goto fail;
  if (config->kind == MX_TOTAL_FIELD) {
    if (add_plane_wave(b, &places, &config->wave, false, &config->where, what) != 0) goto fail;
  } else if (config->kind == MX_SURFACE_CURRENT) {
    const struct target target = {
        .kind = MX_JUMP, .into_H = true, .sheet = true, .factor = MX_ETA0, .place = config->where.where};
    if (add_drive(b, &places, &config->drive, &target, what, b->err) != 0) goto fail;
  }
fail:
  release_places(&places);
  return b->err->code;
}

int mx_sources_build(struct mx_sources *sources, const struct mx_assignment *assignment, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_error *err)
{
  const struct build b = {.sources = sources,
                          .problem = sources->list.problem,
                          .assignment = assignment,
                          .config = config,
                          .mesh = mesh,
                          .err = err};
  const struct mx_source_check check = {
      .problem = sources->list.problem, .assignment = assignment, .config = config, .mesh = mesh};
  if (mx_check_plane_waves(&check, err) != 0) return err->code;
  for (size_t i = 0; i < config->sources; i++)
    if ((config->source[i].shape == MX_REGION ? add_current(&b, i) : add_thin_current(&b, i)) != 0) return err->code;
  for (size_t i = 0; i < config->boundaries; i++)
    if (add_boundary(&b, i) != 0) return err->code;
  for (size_t i = 0; i < config->interfaces; i++)
    if (add_interface(&b, i, assignment->interface) != 0 ||
        (config->interface[i].kind == MX_TOTAL_FIELD &&
         mx_check_total_field(&check, i, assignment->interface, err) != 0))
      return err->code;
  return 0;
}
