/* From sums on a surface to powers and patterns at one frequency: what both sides of a face give is added, the incident
 * wave is taken off where the field is the total one, and the currents are integrated. far_files.c calls it. */
#include <math.h>
#include <string.h>

#include "libdg/base/clock.h"
#include "libdg/base/memory.h"
#include "libdg/halo/halo.h"
#include "libdg/ref/quadrature.h"
#include "maxwell/far/far_field.h"
#include "maxwell/far/far_radiate.h"
#include "maxwell/model/selectors.h"

static const double pi = 3.14159265358979323846;

/* A frequency that is being worked out. */
struct work {
  const struct mx_far_place *place;
  const struct mx_far_field *field;
  size_t frequency;
  double hertz, k;     /* k in the medium, 1/m */
  double impedance;    /* of the medium, over eta0 */
  double complex wave; /* spectrum of the incident wave, V s/m; 0: none */
  double copies;       /* 2 for every plane of symmetry */
  double
      complex (*trace)[6]; /* [faces][Nf] J and M at the nodes, in x, y, z; of a curved face densities along t1, t2 */
  struct mx_far_rule rule;
  struct mx_far_currents currents;
  double power[3]; /* out of the surface: of the field, of both waves together, number of own faces */
  struct dg_error *err;
};

static void cross(const double a[3], const double complex b[3], double complex c[3])
{
  for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void point_on(const struct mx_far_face *face, const double bary[3], double x[3])
{
  for (int c = 0; c < 3; c++)
    x[c] = bary[0] * face->corner[0][c] + bary[1] * face->corner[1][c] + bary[2] * face->corner[2][c];
}

static void node_on(const struct dg_reference *ref, const struct mx_far_face *face, size_t m, double x[3])
{
  const int node = ref->face_node[3 * (size_t)ref->Nf + m]; /* face 3 is the reference triangle */
  const double bary[3] = {-(ref->r[node] + ref->s[node]) / 2, (1 + ref->r[node]) / 2, (1 + ref->s[node]) / 2};
  double t[2][3];
  if (face->map.geometry > 0) dg_face_map_at(&face->map, bary, x, t);
  else point_on(face, bary, x);
}

static bool is_total(const struct work *work, int32_t side)
{
  const struct mx_far_incident *incident = &work->field->incident;
  const struct dg_mesh *mesh = work->place->mesh;
  return incident->present && side >= 0 && mx_selector_fit(incident->inside, mesh, (size_t)mesh->volume[side / 4]) > 0;
}

/* What this rank's sides of a face give: tangential numbers to trace[Nf][6]. In leapfrog the observed H is the mean of
 * half a step before and behind, whose spectrum is that of H times cos(w dt/2). */
static void own_traces(const struct work *work, size_t k)
{
  const struct mx_far_sums *sums = &work->field->sums;
  const struct mx_far_face *face = &work->field->surface.face[k];
  const size_t Nf = sums->Nf;
  const double *re = sums->running.sum + 2 * work->frequency * sums->running.width + k * MX_FAR_NUMBERS * Nf,
               *im = re + sums->running.width;
  const double lag = mx_staggered(work->place->config->time.integrator) ? cos(pi * work->hertz * work->place->step) : 1;
  const bool total[2] = {is_total(work, face->side[0]), is_total(work, face->side[1])};
  double weight[2][MX_FAR_NUMBERS][6];
  for (int s = 0; s < 2; s++)
    if (total[s]) mx_far_side_weights(work->place->problem, face, s, weight[s]);
  for (size_t m = 0; m < Nf; m++) {
    double complex number[MX_FAR_NUMBERS], field[6], *trace = work->trace[k * Nf + m];
    for (size_t i = 0; i < MX_FAR_NUMBERS; i++) number[i] = (re[i * Nf + m] + im[i * Nf + m] * I) / (i < 2 ? lag : 1);
    if (total[0] || total[1]) {
      double x[3];
      node_on(work->place->problem->ref, face, m, x);
      mx_far_incident_at(&work->field->incident, work->hertz, x, field);
    }
    for (int s = 0; s < 2; s++)
      if (total[s] && face->map.geometry > 0) mx_far_node_weights(work->place->problem, face, s, m, weight[s]);
    for (int s = 0; s < 2; s++)
      for (int i = 0; i < MX_FAR_NUMBERS && total[s]; i++)
        for (int c = 0; c < 6; c++) number[i] -= work->wave * weight[s][i][c] * field[c];
    for (int c = 0; c < 3 && face->map.geometry > 0; c++) {
      trace[c] = c < 2 ? number[c] : 0;
      trace[3 + c] = c < 2 ? number[2 + c] : 0;
    }
    for (int c = 0; c < 3 && face->map.geometry == 0; c++) {
      trace[c] = number[0] * face->tangent[0][c] + number[1] * face->tangent[1][c];
      trace[3 + c] = number[2] * face->tangent[0][c] + number[3] * face->tangent[1][c];
    }
  }
}

/* Lists which face of the halo each face of the surface is that has one side here: index[faces], -1 for others. */
static int list_cut(const struct work *work, int64_t *index)
{
  const struct dg_halo *halo = work->place->problem->halo;
  int64_t *of_side;
  if (DG_NEW(of_side, 4 * work->place->problem->K, work->err) != 0) return work->err->code;
  for (size_t h = 0; h < halo->faces; h++) of_side[halo->send[h]] = (int64_t)h + 1;
  for (size_t k = 0; k < work->field->surface.count; k++) {
    const int32_t *side = work->field->surface.face[k].side;
    index[k] = side[0] >= 0 && side[1] >= 0 ? -1 : of_side[side[0] >= 0 ? side[0] : side[1]] - 1;
  }
  dg_free(of_side);
  return 0;
}

/* Adds what the other rank has of the faces between two ranks. */
static int swap_traces(const struct work *work)
{
  const struct dg_halo *halo = work->place->problem->halo;
  const size_t Nf = work->field->sums.Nf, faces = work->field->surface.count;
  double complex(*send)[6] = NULL, (*receive)[6] = NULL;
  int64_t *index = NULL;
  if (halo == NULL) return 0;
  if (DG_NEW(send, halo->faces * Nf, work->err) != 0 || DG_NEW(receive, halo->faces * Nf, work->err) != 0 ||
      DG_NEW(index, faces, work->err) != 0 || list_cut(work, index) != 0)
    goto fail;
  for (size_t k = 0; k < faces; k++)
    if (index[k] >= 0) memcpy(send[(size_t)index[k] * Nf], work->trace[k * Nf], Nf * sizeof *send);
  if (dg_halo_swap(halo, work->place->problem->comm, Nf * sizeof *send, send, receive, work->err) != 0) goto fail;
  for (size_t k = 0; k < faces; k++)
    for (size_t m = 0; m < Nf && index[k] >= 0; m++)
      for (int c = 0; c < 6; c++) work->trace[k * Nf + m][c] += receive[(size_t)index[k] * Nf + m][c];
fail:
  dg_free(send);
  dg_free(receive);
  dg_free(index);
  return work->err->code;
}

/* The power through a point of the face, ½ Re (E x H*).n = -½ Re E.J* with E = n x M, times the weight. */
static void add_power(struct work *work, const double normal[3], const double x[3], const double complex at[6],
                      double weight)
{
  double complex E[3], wave[6], J[3];
  cross(normal, at + 3, E);
  for (int c = 0; c < 3; c++) work->power[0] -= 0.5 * weight * creal(E[c] * conj(at[c]));
  if (!work->field->incident.present) return;
  mx_far_incident_at(&work->field->incident, work->hertz, x, wave);
  for (int c = 0; c < 6; c++) wave[c] *= work->wave;
  cross(normal, wave + 3, J);
  for (int c = 0; c < 3; c++) work->power[1] -= 0.5 * weight * creal(E[c] * conj(J[c]) + wave[c] * conj(at[c]));
}

/* Makes densities along t1, t2 at a place of a curved face into currents in x, y, z. */
static void from_densities(const struct mx_face_frame *frame, double complex value[6])
{
  const double complex along[4] = {value[0], value[1], value[3], value[4]};
  for (int c = 0; c < 6; c++)
    value[c] = (along[c / 3 * 2] * frame->t[0][c % 3] + along[c / 3 * 2 + 1] * frame->t[1][c % 3]) / frame->area;
}

/* Makes the currents at the points of integration of the faces whose inside is here, and sums the power. */
static int make_currents(struct work *work)
{
  const struct mx_far_surface *surface = &work->field->surface;
  const size_t Nf = work->field->sums.Nf, points = (size_t)work->rule.count;
  size_t faces = 0, at = 0;
  for (size_t k = 0; k < surface->count; k++) faces += surface->face[k].side[0] >= 0;
  if (mx_far_currents_init(&work->currents, faces * points, work->err) != 0) return work->err->code;
  for (size_t k = 0; k < surface->count; k++) {
    const struct mx_far_face *face = &surface->face[k];
    if (face->side[0] < 0) continue;
    for (size_t q = 0; q < points; q++, at++) {
      const bool curved = face->map.geometry > 0;
      struct mx_face_frame frame = {0};
      if (curved) mx_face_frame_at(&face->map, face->normal, work->rule.bary[q], &frame);
      const double weight = (curved ? 2 * frame.area : face->area) * work->rule.weight[q];
      double complex value[6] = {0};
      if (curved) memcpy(work->currents.x[at], frame.x, sizeof frame.x);
      else point_on(face, work->rule.bary[q], work->currents.x[at]);
      for (size_t m = 0; m < Nf; m++)
        for (int c = 0; c < 6; c++) value[c] += work->rule.from_nodes[q * Nf + m] * work->trace[k * Nf + m][c];
      if (curved) from_densities(&frame, value);
      add_power(work, curved ? frame.normal : face->normal, work->currents.x[at], value, weight);
      for (int c = 0; c < 6; c++) {
        work->currents.part[c][0][at] = weight * creal(value[c]);
        work->currents.part[c][1][at] = weight * cimag(value[c]);
      }
    }
  }
  return 0;
}

/* ---- directions */

/* Says whether a direction points beyond a ground, where nothing radiates. */
static bool is_dark(const struct work *work, const double r[3])
{
  const struct mx_far_config *config = work->field->config;
  for (size_t i = 0; i < config->images; i++) {
    const int axis = config->image[i].axis;
    const double side = work->field->surface.above[axis] ? 1 : -1;
    if (config->image[i].ground && side * r[axis] < -1e-9) return true;
  }
  return false;
}

/* The field towards theta[count], phi[count] (degrees): field[count][2] on rank 0; zero beyond a ground unless
 * `mirrored`, which gives what device and images together would radiate in open space. */
static int radiate(const struct work *work, bool mirrored, size_t count, const double *theta, const double *phi,
                   double complex (*field)[2])
{
  const struct mx_far_config *config = work->field->config;
  struct dg_comm *comm = work->place->problem->comm;
  double(*sum)[12];
  if (DG_NEW(sum, count, work->err) != 0) return work->err->code;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) {
    double r[3], to_theta[3], to_phi[3];
    double complex part[6];
    mx_far_direction(theta[i], phi[i], r, to_theta, to_phi);
    if (!mirrored && is_dark(work, r)) continue;
    mx_far_integrate_images(&work->currents, work->k, r, config->images, config->image, part);
    for (int c = 0; c < 6; c++) sum[i][2 * c] = creal(part[c]), sum[i][2 * c + 1] = cimag(part[c]);
  }
  if (dg_comm_reduce_to_root(comm, DG_SUM, 12 * count, sum[0], work->err) == 0 && dg_comm_rank(comm) == 0)
    for (size_t i = 0; i < count; i++) {
      double r[3], to_theta[3], to_phi[3];
      double complex part[6];
      mx_far_direction(theta[i], phi[i], r, to_theta, to_phi);
      for (int c = 0; c < 6; c++) part[c] = sum[i][2 * c] + sum[i][2 * c + 1] * I;
      mx_far_field_of(part, work->k, work->impedance, to_theta, to_phi, field[i]);
    }
  dg_free(sum);
  return work->err->code;
}

static double intensity(const struct work *work, const double complex field[2])
{
  return (creal(field[0] * conj(field[0])) + creal(field[1] * conj(field[1]))) / (2 * MX_ETA0 * work->impedance);
}

static int make_pattern(const struct work *work, struct mx_far_result *result)
{
  const struct mx_far_config *config = work->field->config;
  const size_t count = config->thetas * config->phis;
  double *angle;
  if (DG_NEW(angle, 2 * count, work->err) != 0) return work->err->code;
  for (size_t i = 0; i < config->thetas; i++)
    for (size_t j = 0; j < config->phis; j++) {
      angle[i * config->phis + j] = config->theta[i];
      angle[count + i * config->phis + j] = config->phi[j];
    }
  if (radiate(work, false, count, angle, angle + count, result->pattern) == 0 &&
      dg_comm_rank(work->place->problem->comm) == 0)
    for (size_t i = 0; i < count; i++) {
      const double here = intensity(work, result->pattern[i]);
      if (i > 0 && !(here > result->largest)) continue;
      result->largest = here;
      result->theta = angle[i];
      result->phi = angle[count + i];
    }
  dg_free(angle);
  return work->err->code;
}

/* Says whether a direction is the mirror image of one that is taken, in a plane of images. */
static bool is_mirrored(const struct work *work, double theta, double phi)
{
  double r[3], to_theta[3], to_phi[3];
  mx_far_direction(theta, phi, r, to_theta, to_phi);
  for (size_t i = 0; i < work->field->config->images; i++)
    if (r[work->field->config->image[i].axis] < 0) return true;
  return false;
}

enum { MOST_THETAS = 400 };
/* Angles theta of the rule below; of phi there are twice as many. */
static size_t thetas_of(const struct work *work)
{
  const double size = work->k * work->field->surface.radius;
  return ((size_t)fmin(MOST_THETAS - 2, ceil(size + 4.5 * cbrt(size)) + 2) + 2) / 2 * 2;
}

/* The integral of the radiation intensity: over the sphere, and half of that where there is a ground, since device and
 * image radiate alike to both sides. In theta the rule is Gauss's in cos theta, in phi that of equal distances; it is
 * symmetric in all three axes. Fields of a source within a ball of radius R have degrees up to about
 * kR + 4.5 (kR)^(1/3) to four digits (W. C. Chew et al., Fast and Efficient Algorithms in Computational
 * Electromagnetics, 2001, section 3.4). */
static int integrate_sphere(const struct work *work, double *power)
{
  const struct mx_far_config *config = work->field->config;
  const size_t thetas = thetas_of(work), phis = 2 * thetas;
  double x[MOST_THETAS], w[MOST_THETAS], *angle = NULL, *weight = NULL, folds = 1;
  double complex(*field)[2] = NULL;
  size_t count = 0;
  dg_gauss_legendre((int)thetas, x, w);
  for (size_t i = 0; i < config->images; i++) folds *= config->image[i].ground ? 1 : 2;
  *power = 0;
  if (DG_NEW(angle, 2 * thetas * phis, work->err) != 0 || DG_NEW(weight, thetas * phis, work->err) != 0 ||
      DG_NEW(field, thetas * phis, work->err) != 0)
    goto fail;
  for (size_t i = 0; i < thetas * phis; i++) {
    const double theta = acos(2 * x[i / phis] - 1) * 180 / pi, phi = 360 * ((double)(i % phis) + 0.5) / (double)phis;
    if (is_mirrored(work, theta, phi)) continue;
    angle[count] = theta;
    angle[thetas * phis + count] = phi;
    weight[count++] = 4 * pi * folds * w[i / phis] / (double)phis;
  }
  if (radiate(work, true, count, angle, angle + thetas * phis, field) != 0) goto fail;
  for (size_t i = 0; i < count; i++) *power += weight[i] * intensity(work, field[i]);
fail:
  dg_free(angle);
  dg_free(weight);
  dg_free(field);
  return work->err->code;
}

/* ---- the whole */

/* The power that a plane wave loses, by the field that is scattered forwards: -(2 pi/(k eta)) Im (E0* . F), F the field
 * r E towards the wave's direction. */
static int extinguish(const struct work *work, double *power)
{
  const double *d = work->field->incident.direction, *p = work->field->incident.polarisation;
  const double theta = acos(fmax(-1, fmin(1, d[2]))) * 180 / pi, phi = atan2(d[1], d[0]) * 180 / pi;
  double r[3], to_theta[3], to_phi[3], along[2] = {0, 0};
  double complex field[1][2] = {{0, 0}};
  mx_far_direction(theta, phi, r, to_theta, to_phi);
  for (int c = 0; c < 3; c++) along[0] += p[c] * to_theta[c], along[1] += p[c] * to_phi[c];
  if (radiate(work, true, 1, &theta, &phi, field) != 0) return work->err->code;
  *power = -2 * pi / (work->k * MX_ETA0 * work->impedance) *
           cimag(conj(work->wave) * (along[0] * field[0][0] + along[1] * field[0][1]));
  return 0;
}

/* Divides everything by what the device is driven with. */
static void normalise(const struct work *work, struct mx_far_result *result)
{
  const struct mx_port_powers *ports = &work->field->ports[work->frequency];
  const size_t count = work->field->config->thetas * work->field->config->phis;
  double complex unit = sqrt(fmax(result->radiated, 0));
  if (result->scattering) unit = work->wave;
  else if (!isnan(ports->incident)) unit = sqrt(work->copies) * (ports->wave_re + ports->wave_im * I);
  const double square = creal(unit * conj(unit));
  result->incident = work->copies * ports->incident / square;
  result->accepted = work->copies * ports->accepted / square;
  result->radiated /= square;
  result->integral /= square;
  result->extinction /= square;
  result->forward /= square;
  result->flux /= square;
  result->largest /= square;
  for (size_t i = 0; i < count; i++)
    for (int c = 0; c < 2; c++) result->pattern[i][c] /= unit;
}

/* Fills work->currents and work->power. */
static int make_all_currents(struct work *work)
{
  const size_t faces = work->field->surface.count;
  if (DG_NEW(work->trace, faces * work->field->sums.Nf, work->err) != 0 ||
      mx_far_rule_init(&work->rule, work->place->problem->ref, 1, work->err) != 0)
    return work->err->code;
  for (size_t k = 0; k < faces; k++) own_traces(work, k);
  if (swap_traces(work) != 0 || make_currents(work) != 0) return work->err->code;
  return dg_comm_reduce(work->place->problem->comm, DG_SUM, 3, work->power, work->err);
}

static int evaluate(struct work *work, struct mx_far_result *result)
{
  const struct mx_far_incident *incident = &work->field->incident;
  struct dg_comm *comm = work->place->problem->comm;
  if (make_all_currents(work) != 0) return work->err->code;
  result->radiated = work->copies * work->power[0] / MX_ETA0;
  if (incident->present) {
    result->extinction = -work->copies * work->power[1] / MX_ETA0;
    result->flux = creal(work->wave * conj(work->wave)) / (2 * MX_ETA0 * work->impedance);
    if (extinguish(work, &result->forward) != 0) return work->err->code;
  }
  if (make_pattern(work, result) != 0 || integrate_sphere(work, &result->integral) != 0) return work->err->code;
  if (dg_comm_rank(comm) == 0) normalise(work, result);
  return 0;
}

/* What all frequencies of a far field have, and one of them. */
static struct work begin(const struct mx_far_fields *fields, size_t index, size_t frequency, struct dg_error *err)
{
  const struct mx_far_field *field = &fields->field[index];
  const double hertz = field->sums.running.hertz[frequency], epsilon = field->surface.epsilon, mu = field->surface.mu;
  struct work work = {.place = &fields->place,
                      .field = field,
                      .frequency = frequency,
                      .hertz = hertz,
                      .k = 2 * pi * hertz * sqrt(epsilon * mu) / MX_C0,
                      .impedance = sqrt(mu / epsilon),
                      .copies = 1,
                      .err = err};
  for (size_t i = 0; i < field->config->images; i++) work.copies *= field->config->image[i].ground ? 1 : 2;
  if (field->incident.present)
    work.wave = mx_far_incident_spectrum(&field->incident, hertz, fields->place.step,
                                         fields->place.step * (double)fields->place.steps);
  return work;
}

static void end(struct work *work)
{
  mx_far_currents_release(&work->currents);
  mx_far_rule_release(&work->rule);
  dg_free(work->trace);
}

int mx_far_evaluate(const struct mx_far_fields *fields, size_t index, size_t frequency, struct mx_far_result *result,
                    struct dg_error *err)
{
  struct work work = begin(fields, index, frequency, err);
  const double hertz = work.hertz;
  *result = (struct mx_far_result){.hertz = hertz,
                                   .scattering = work.field->incident.present,
                                   .extinction = NAN,
                                   .forward = NAN,
                                   .flux = NAN,
                                   .pattern = result->pattern};
  (void)!evaluate(&work, result);
  end(&work);
  return err->code;
}

/* Times what a frequency takes once, and some directions. */
static int estimate(struct work *work, double *once, double *direction)
{
  enum { SOME = 64 };
  double angle[2][SOME];
  double complex field[SOME][2];
  double start = mx_clock();
  if (make_all_currents(work) != 0) return work->err->code;
  *once = mx_clock() - start;
  for (int i = 0; i < SOME; i++) angle[0][i] = 180 * (i + 0.5) / SOME, angle[1][i] = 360 * (i + 0.5) / SOME;
  start = mx_clock();
  if (radiate(work, true, SOME, angle[0], angle[1], field) != 0) return work->err->code;
  *direction = (mx_clock() - start) / SOME;
  return 0;
}

int mx_far_estimate(struct mx_far_fields *fields, size_t index, double *seconds, struct dg_error *err)
{
  const double line = 7e-6; /* s, of a direction in the files */
  const struct mx_far_config *config = fields->field[index].config;
  const size_t count = config->frequencies.count;
  struct work work = begin(fields, index, 0, err);
  double once = 0, direction = 0;
  *seconds = 0;
  if (mx_running_settle(&fields->field[index].sums.running, err) == 0 && estimate(&work, &once, &direction) == 0)
    for (size_t f = 0; f < count; f++) {
      work.k *= fields->field[index].sums.running.hertz[f] / work.hertz;
      work.hertz = fields->field[index].sums.running.hertz[f];
      double sphere = 2 * (double)thetas_of(&work) * (double)thetas_of(&work);
      for (size_t i = 0; i < config->images; i++) sphere /= 2;
      const double pattern = (double)config->thetas * (double)config->phis;
      *seconds += once + direction * (sphere + pattern) + line * pattern;
    }
  end(&work);
  return err->code;
}
