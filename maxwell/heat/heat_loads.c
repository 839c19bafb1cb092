/* The loads of heat: sources, walls and blood, at a time. A step asks for the same moment several times, and the next
 * one again: the last moments are kept. heat_step.c calls this. */
#include "maxwell/heat/heat_loads.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/model/selectors.h"

/* ---- values */

/* A time at which functions are asked, and the weight of what they give. */
struct instant {
  double t, weight;
};

/* value[count] at places, which may be NULL where the value is a number. */
static int evaluate(const struct mx_heat_value *of, const char *what, size_t count, const double (*x)[3], double t,
                    double *value, struct dg_error *err)
{
  const struct mx_places at = {.what = what, .count = count, .x = x, .t = &t, .components = 1};
  if (of->function != NULL) return count > 0 ? mx_function_values(of->function, &at, value, err) : 0;
  for (size_t i = 0; i < count; i++) value[i] = of->value;
  return 0;
}

/* The same of a temperature, less the offset. */
static int evaluate_temperature(const struct mx_heat_problem *problem, const struct mx_heat_value *of, const char *what,
                                size_t count, const double (*x)[3], double t, double *value, struct dg_error *err)
{
  if (evaluate(of, what, count, x, t, value, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) value[i] -= problem->offset;
  return 0;
}

/* What a wall brings to a face, value[Nf] W/m^2: f, or h T_ambient. */
static int wall_values(const struct mx_heat_problem *problem, size_t n, double t, double *value, struct dg_error *err)
{
  const struct dg_reference *ref = &problem->space.ref;
  const size_t e = (size_t)problem->faces.face[n] / 4;
  const int f = problem->faces.face[n] % 4, Nf = ref->Nf;
  const struct mx_heat_wall *wall = &problem->heat->wall[problem->body->wall[e][f]];
  double x[DG_NF_MAX][3];
  for (int m = 0; m < Nf; m++)
    memcpy(x[m], problem->node_x[e * (size_t)ref->Np + (size_t)ref->face_node[f * Nf + m]], sizeof x[m]);
  if (wall->kind == MX_HEAT_FLUX)
    return evaluate(&wall->value, "heat.boundaries.flux", (size_t)Nf, (const double(*)[3])x, t, value, err);
  if (evaluate_temperature(problem, &wall->value, "heat.boundaries.ambient", (size_t)Nf, (const double(*)[3])x, t,
                           value, err) != 0)
    return err->code;
  for (int m = 0; m < Nf; m++) value[m] *= wall->coefficient;
  return 0;
}

/* Does a source act in the element? */
static bool acts(const struct mx_heat_problem *problem, const struct mx_heat_source *source, size_t e)
{
  const struct dg_mesh *mesh = &problem->body->mesh;
  return !source->by_region || mx_selector_fit(&source->on, mesh, (size_t)mesh->volume[e]) > 0;
}

/* Adds a source's density at a time to nodal[K * Np]; a function is asked only where the source acts. */
static int add_source(struct mx_heat_problem *problem, const struct mx_heat_source *source, struct instant at,
                      struct dg_error *err)
{
  const size_t Np = (size_t)problem->space.ref.Np, K = problem->body->mesh.K;
  double value[DG_NP_MAX];
  for (size_t e = 0; e < K; e++) {
    if (!acts(problem, source, e)) continue;
    if (evaluate(&source->density, "heat.sources.density", Np, (const double(*)[3])(problem->node_x + e * Np), at.t,
                 value, err) != 0)
      return err->code;
    for (size_t i = 0; i < Np; i++) problem->nodal[e * Np + i] += at.weight * value[i];
  }
  return 0;
}

/* ---- moments */

static bool is_function(const struct mx_heat_source *source) { return source->density.function != NULL; }

/* Adds to `moment` what densities bring, of functions or of numbers, summed over times with their weights. */
static int add_sources(struct mx_heat_problem *problem, bool functions, size_t times, const struct instant *time,
                       struct mx_heat_moment *moment, struct dg_error *err)
{
  bool any = false;
  memset(problem->nodal, 0, sizeof *problem->nodal * problem->body->mesh.K * (size_t)problem->space.ref.Np);
  for (size_t i = 0; i < problem->heat->sources; i++) {
    const struct mx_heat_source *source = &problem->heat->source[i];
    if (source->losses != NULL || is_function(source) != functions) continue;
    for (size_t n = 0; n < times; n++)
      if (add_source(problem, source, time[n], err) != 0) return err->code;
    any = true;
  }
  if (any) dg_elliptic_load(problem->op, problem->nodal, moment->load);
  return 0;
}

/* The same of walls; what a face brings goes to all ranks that have its unknowns. */
static int add_walls(struct mx_heat_problem *problem, bool functions, size_t times, const struct instant *time,
                     struct mx_heat_moment *moment, struct dg_error *err)
{
  const struct dg_reference *ref = &problem->space.ref;
  const size_t count = problem->space.count, Nf = (size_t)ref->Nf;
  double *sum = problem->values;
  memset(sum, 0, sizeof *sum * count);
  for (size_t n = 0; n < problem->faces.count; n++) {
    const size_t e = (size_t)problem->faces.face[n] / 4;
    const int f = problem->faces.face[n] % 4, which = problem->body->wall[e][f];
    const int *node = ref->face_node + (size_t)f * Nf;
    if ((problem->heat->wall[which].value.function != NULL) != functions) continue;
    double value[DG_NF_MAX] = {0}, once[DG_NF_MAX];
    for (size_t k = 0; k < times; k++) {
      if (wall_values(problem, n, time[k].t, once, err) != 0) return err->code;
      for (size_t i = 0; i < Nf; i++) value[i] += time[k].weight * once[i];
    }
    for (size_t i = 0; i < Nf; i++)
      for (size_t j = 0; j < Nf; j++) {
        const double part = problem->faces.matrix[(n * Nf + i) * Nf + j] * value[j];
        sum[problem->space.number[e * (size_t)ref->Np + (size_t)node[i]]] += part;
        moment->wall[which] += part;
      }
  }
  dg_space_sum(&problem->space, sum);
  for (size_t i = 0; i < count; i++) moment->load[i] += sum[i];
  return 0;
}

/* The heat of sources is what their loads add to, for the functions of the temperature add to one. */
static void add_up(const struct mx_heat_problem *problem, struct mx_heat_moment *moment)
{
  moment->sources = 0;
  for (size_t i = 0; i < problem->space.count; i++)
    if (mx_heat_counts(problem, i)) moment->sources += moment->load[i];
}

/* What is the same at all times. */
static int find_constant(struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct instant any = {.t = 0, .weight = 1};
  struct mx_heat_moment *moment = &problem->constant;
  const size_t count = problem->space.count;
  memcpy(moment->load, problem->fixed, sizeof *moment->load * count);
  if (add_sources(problem, false, 1, &any, moment, err) != 0) return err->code;
  add_up(problem, moment);
  if (add_walls(problem, false, 1, &any, moment, err) != 0) return err->code;
  moment->t = 0;
  for (size_t i = 0; problem->blood != NULL && i < count; i++)
    moment->load[i] += (problem->heat->blood - problem->offset) * problem->blood_of_one[i];
  return dg_space_error(&problem->space, err);
}

/* Finds the times of a moment and their weights: Gauss' two points in each part between turns. The theta scheme wants
 * theta F(t + dt) + (1 - theta) F(t) of a load on a line, which the mean and (theta - 1/2) times the rise give. The
 * rise is that of the lines through the points at both ends. */
static int find_times(const struct mx_heat_problem *problem, struct mx_heat_span span, size_t *times,
                      struct instant **time, struct dg_error *err)
{
  const double end = span.t + span.dt, place = 0.5 * 0.57735026918962576, tilt = problem->heat->theta - 0.5;
  size_t parts = 1, n = 0;
  double turn = mx_turns_next(&problem->turns, span.t);
  while (turn < end) {
    turn = mx_turns_next(&problem->turns, turn);
    parts++;
  }
  if (dg_alloc(time, 2 * parts, sizeof **time, err) != 0) return err->code;
  *times = span.dt > 0 ? 2 * parts : 1;
  (*time)[0] = (struct instant){.t = span.t, .weight = 1};
  double from = span.t;
  for (size_t k = 0; k < parts && span.dt > 0; k++) {
    const double to = k + 1 < parts ? mx_turns_next(&problem->turns, from) : end, middle = 0.5 * (from + to);
    for (int side = -1; side <= 1; side += 2)
      (*time)[n++] = (struct instant){.t = middle + side * place * (to - from), .weight = 0.5 * (to - from) / span.dt};
    from = to;
  }
  if (span.dt == 0 || tilt == 0) return 0;
  /* The value of a line at an end, of those at Gauss' points: (1 + sqrt 3)/2 of the nearer, (1 - sqrt 3)/2 of the
   * other. */
  const double near = 1.3660254037844386, far = -0.36602540378443865;
  (*time)[0].weight -= tilt * near;
  (*time)[1].weight -= tilt * far;
  (*time)[n - 1].weight += tilt * near;
  (*time)[n - 2].weight += tilt * far;
  return 0;
}

/* Fills the moment of a span. */
static int make_moment(struct mx_heat_problem *problem, struct mx_heat_span span, struct mx_heat_moment *moment,
                       struct dg_error *err)
{
  const struct mx_heat_moment *constant = &problem->constant;
  struct instant *time = NULL;
  size_t times = 0;
  moment->t = NAN; /* until it is whole */
  moment->used = ++problem->asked;
  memset(moment->load, 0, sizeof *moment->load * problem->space.count);
  memcpy(moment->wall, constant->wall, sizeof *moment->wall * problem->heat->walls);
  if (find_times(problem, span, &times, &time, err) != 0 || add_sources(problem, true, times, time, moment, err) != 0)
    goto fail;
  add_up(problem, moment);
  moment->sources += constant->sources;
  if (add_walls(problem, true, times, time, moment, err) != 0) goto fail;
  for (size_t i = 0; i < problem->space.count; i++) moment->load[i] += constant->load[i];
  moment->t = span.t;
  moment->dt = span.dt;
  (void)!dg_space_error(&problem->space, err);
fail:
  dg_free(time);
  return err->code;
}

/* *found: the moment of a span, which is computed where it is none of the last ones. */
static int find_moment(struct mx_heat_problem *problem, struct mx_heat_span span, const struct mx_heat_moment **found,
                       struct dg_error *err)
{
  const struct mx_heat_moment *constant = &problem->constant;
  struct mx_heat_moment *oldest = &problem->moment[0];
  *found = constant;
  if (isnan(constant->t) && find_constant(problem, err) != 0) return err->code;
  if (!problem->varies) return 0;
  for (int m = 0; m < MX_HEAT_MOMENTS; m++) {
    struct mx_heat_moment *moment = &problem->moment[m];
    if (moment->used < oldest->used) oldest = moment;
    if (moment->t != span.t || moment->dt != span.dt) continue;
    moment->used = ++problem->asked;
    *found = moment;
    return 0;
  }
  *found = oldest;
  return make_moment(problem, span, oldest, err);
}

/* ---- all of it */

/* The time at which losses that go on a line are those of the span. */
static double time_of_line(const struct mx_heat_problem *problem, struct mx_heat_span span)
{
  return span.t + problem->heat->theta * span.dt - problem->since;
}

int mx_heat_add_load(struct mx_heat_problem *problem, struct mx_heat_span span, double factor, double *load,
                     struct dg_error *err)
{
  const struct mx_heat_moment *moment;
  if (find_moment(problem, span, &moment, err) != 0) return err->code;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < problem->space.count; i++) load[i] += factor * moment->load[i];
  if (problem->slope == NULL) return 0;
  const double rise = factor * time_of_line(problem, span);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < problem->space.count; i++) load[i] += rise * problem->slope[i];
  return 0;
}

int mx_heat_set_losses(struct mx_heat_problem *problem, const double *from, const double *to, double t0, double t1,
                       struct dg_error *err)
{
  const size_t count = problem->space.count;
  if (problem->slope == NULL && DG_NEW(problem->slope, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    problem->fixed[i] = from[i];
    problem->slope[i] = to != NULL ? (to[i] - from[i]) / (t1 - t0) : 0;
  }
  problem->since = t0;
  problem->constant.t = NAN; /* what was found before is forgotten */
  memset(problem->constant.wall, 0, sizeof *problem->constant.wall * problem->heat->walls);
  for (int m = 0; m < MX_HEAT_MOMENTS; m++) problem->moment[m].t = NAN;
  return 0;
}

int mx_heat_add_given(struct mx_heat_problem *problem, struct mx_heat_span span, double factor,
                      struct mx_heat_powers *powers, struct dg_error *err)
{
  const struct mx_heat_moment *moment;
  double slope = 0; /* of the heat of losses, W/s, of this rank's part */
  if (find_moment(problem, span, &moment, err) != 0) return err->code;
  for (size_t i = 0; i < problem->space.count && problem->slope != NULL; i++)
    if (mx_heat_counts(problem, i)) slope += problem->slope[i];
  powers->sources += factor * (moment->sources + slope * time_of_line(problem, span));
  for (size_t w = 0; w < problem->heat->walls; w++) powers->wall[w] += factor * moment->wall[w];
  return 0;
}

void mx_heat_add_exchanged(const struct mx_heat_problem *problem, const double *T, double factor,
                           struct mx_heat_powers *powers)
{
  const struct dg_reference *ref = &problem->space.ref;
  const size_t Nf = (size_t)ref->Nf;
  for (size_t n = 0; n < problem->faces.count; n++) {
    const size_t e = (size_t)problem->faces.face[n] / 4;
    const int f = problem->faces.face[n] % 4, which = problem->body->wall[e][f];
    const int *node = ref->face_node + (size_t)f * Nf;
    const struct mx_heat_wall *wall = &problem->heat->wall[which];
    if (wall->kind != MX_HEAT_CONVECTION) continue;
    for (size_t i = 0; i < Nf; i++)
      for (size_t j = 0; j < Nf; j++) {
        const double here = T[problem->space.number[e * (size_t)ref->Np + (size_t)node[j]]];
        powers->wall[which] -= factor * problem->faces.matrix[(n * Nf + i) * Nf + j] * wall->coefficient * here;
      }
  }
  for (size_t i = 0; problem->blood != NULL && i < problem->space.count; i++)
    if (mx_heat_counts(problem, i))
      powers->blood += factor * (problem->heat->blood - problem->offset - T[i]) * problem->blood_of_one[i];
}

int mx_heat_hold(struct mx_heat_problem *problem, double t, double *T, struct dg_error *err)
{
  for (size_t w = 0; w < problem->heat->walls; w++) {
    const struct mx_heat_wall *wall = &problem->heat->wall[w];
    if (wall->kind != MX_HEAT_HELD) continue;
    for (size_t i = 0; i < problem->space.count; i++)
      if (problem->holder[i] == (int32_t)w &&
          evaluate_temperature(problem, &wall->value, "heat.boundaries.temperature", 1,
                               (const double(*)[3]) & problem->x[i], t, &T[i], err) != 0)
        return err->code;
  }
  return 0;
}

/* The value at the first unknown of the first rank that has one; the same on all. */
static int evaluate_somewhere(const struct mx_heat_problem *problem, const struct mx_heat_value *of, double *value,
                              struct dg_error *err)
{
  struct dg_comm *comm = problem->body->comm;
  const int64_t own = problem->space.count > 0 ? dg_comm_rank(comm) : INT64_MAX;
  int64_t first = own;
  *value = 0;
  if (dg_comm_reduce_int(comm, DG_MIN, 1, &first, err) != 0 ||
      (first == own && evaluate(of, "heat.boundaries", 1, (const double(*)[3])problem->x, 0, value, err) != 0))
    return err->code;
  return dg_comm_reduce(comm, DG_SUM, 1, value, err);
}

/* A temperature that is near those to come: the mean of the start, or where there is none the first that is given. */
static int choose_offset(struct mx_heat_problem *problem, const double *T, struct dg_error *err)
{
  const struct mx_heat_config *heat = problem->heat;
  double sum = 0;
  for (size_t i = 0; i < problem->space.count; i++)
    if (mx_heat_counts(problem, i)) sum += T[i];
  if (dg_space_reduce(&problem->space, 1, &sum, err) != 0) return err->code;
  problem->offset = sum / (double)problem->unknowns;
  if (problem->offset != 0) return 0;
  if (problem->blood != NULL) problem->offset = heat->blood;
  for (size_t w = 0; w < heat->walls && problem->offset == 0; w++)
    if (heat->wall[w].kind != MX_HEAT_FLUX &&
        evaluate_somewhere(problem, &heat->wall[w].value, &problem->offset, err) != 0)
      return err->code;
  return 0;
}

int mx_heat_start(struct mx_heat_problem *problem, double *T, struct dg_error *err)
{
  if (evaluate(&problem->heat->start, "heat.temperature", problem->space.count, (const double(*)[3])problem->x, 0, T,
               err) != 0 ||
      choose_offset(problem, T, err) != 0)
    return err->code;
  for (size_t i = 0; i < problem->space.count; i++) T[i] -= problem->offset;
  return mx_heat_hold(problem, 0, T, err);
}

/* ---- turns of functions */

/* Places at which a function is asked: of all nodes those that are nearest to some points of their bounding box. Ranks
 * that share the nodes in another way find the same ones. */
struct nearest {
  double box[6]; /* lowest coordinates, and highest ones with the other sign */
  double at[MX_TURNS_PLACES][3];
  double distance[MX_TURNS_PLACES], x[MX_TURNS_PLACES][3];
};

/* The k-th number of the sequence of van der Corput to a base: it fills (0, 1) evenly. */
static double fill(unsigned k, unsigned base)
{
  double part = 1, sum = 0;
  for (; k > 0; k /= base) sum += (part /= base) * (k % base);
  return sum;
}

static bool is_before(const double a[3], const double b[3])
{
  for (int d = 0; d < 3; d++)
    if (a[d] != b[d]) return a[d] < b[d];
  return false;
}

static void look_at(struct nearest *n, const double x[3], bool boxing)
{
  if (boxing) {
    for (int d = 0; d < 3; d++) {
      n->box[d] = fmin(n->box[d], x[d]);
      n->box[3 + d] = fmin(n->box[3 + d], -x[d]);
    }
    return;
  }
  for (int p = 0; p < MX_TURNS_PLACES; p++) {
    double square = 0;
    for (int d = 0; d < 3; d++) square += (x[d] - n->at[p][d]) * (x[d] - n->at[p][d]);
    if (square > n->distance[p] || (square == n->distance[p] && !is_before(x, n->x[p]))) continue;
    n->distance[p] = square;
    memcpy(n->x[p], x, sizeof n->x[p]);
  }
}

/* Shows all nodes of this rank at which a source or a wall acts. */
static void show(const struct mx_heat_problem *problem, const struct mx_heat_source *source, int wall,
                 struct nearest *n, bool boxing)
{
  const struct dg_reference *ref = &problem->space.ref;
  const struct mx_heat_body *body = problem->body;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf;
  for (size_t e = 0; e < body->mesh.K; e++) {
    const int32_t *number = problem->space.number + e * Np;
    if (source != NULL && acts(problem, source, e))
      for (size_t i = 0; i < Np; i++) look_at(n, problem->x[number[i]], boxing);
    for (int f = 0; f < 4 && source == NULL; f++)
      for (size_t i = 0; i < Nf && body->wall[e][f] == wall; i++)
        look_at(n, problem->x[number[ref->face_node[(size_t)f * Nf + i]]], boxing);
  }
}

static int find_places(const struct mx_heat_problem *problem, const struct mx_heat_source *source, int wall,
                       struct mx_turning *s, struct dg_error *err)
{
  struct dg_comm *comm = problem->body->comm;
  struct nearest n;
  double least[MX_TURNS_PLACES], part[MX_TURNS_PLACES];
  for (int d = 0; d < 6; d++) n.box[d] = INFINITY;
  show(problem, source, wall, &n, true);
  if (dg_comm_reduce(comm, DG_MIN, 6, n.box, err) != 0) return err->code;
  if (isinf(n.box[0])) return 0; /* it acts nowhere */
  for (unsigned p = 0; p < MX_TURNS_PLACES; p++) {
    static const unsigned base[3] = {2, 3, 5};
    n.distance[p] = INFINITY;
    for (int d = 0; d < 3; d++) {
      n.at[p][d] = n.box[d] + (p == 0 ? 0.5 : fill(p, base[d])) * (-n.box[3 + d] - n.box[d]);
      n.x[p][d] = INFINITY;
    }
  }
  show(problem, source, wall, &n, false);
  memcpy(least, n.distance, sizeof least);
  if (dg_comm_reduce(comm, DG_MIN, MX_TURNS_PLACES, least, err) != 0) return err->code;
  for (int p = 0; p < MX_TURNS_PLACES; p++)
    if (n.distance[p] > least[p]) n.x[p][0] = INFINITY;
  for (int d = 0; d < 3; d++) {
    for (int p = 0; p < MX_TURNS_PLACES; p++) part[p] = isinf(n.x[p][0]) ? INFINITY : n.x[p][d];
    if (dg_comm_reduce(comm, DG_MIN, MX_TURNS_PLACES, part, err) != 0) return err->code;
    for (int p = 0; p < MX_TURNS_PLACES; p++) {
      if (n.x[p][d] > part[p]) n.x[p][0] = INFINITY; /* another rank has the place */
      s->x[p][d] = part[p];
    }
  }
  s->places = MX_TURNS_PLACES;
  return 0;
}

/* Adds the turns of a source's density, or of what a wall has; is_late: there is no time. */
static int add_turns(struct mx_heat_problem *problem, const struct mx_heat_source *source, int wall,
                     struct dg_error *err)
{
  static const char *const of_wall[] = {"heat.boundaries.temperature", "heat.boundaries.flux",
                                        "heat.boundaries.ambient"};
  const struct mx_heat_config *heat = problem->heat;
  const struct mx_heat_wall *at = source == NULL ? &heat->wall[wall] : NULL;
  struct mx_turning of = {.function = source != NULL ? source->density.function : at->value.function,
                          .key = source != NULL ? "heat.sources.density" : of_wall[at->kind]};
  if (of.function == NULL || (source != NULL && source->losses != NULL)) return 0;
  if (find_places(problem, source, wall, &of, err) != 0 || of.places == 0) return err->code;
  if (heat->steady) return mx_turns_add_late(&problem->turns, &of, err);
  const double step = heat->step > 0 ? heat->stop / ceil(heat->stop / heat->step * (1 - 1e-12)) : 0;
  return mx_turns_add(&problem->turns, &of, heat->stop, step, err);
}

int mx_heat_find_turns(struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct mx_heat_config *heat = problem->heat;
  for (size_t i = 0; i < heat->sources; i++)
    if (add_turns(problem, &heat->source[i], -1, err) != 0) return err->code;
  for (size_t w = 0; w < heat->walls; w++)
    if (add_turns(problem, NULL, (int)w, err) != 0) return err->code;
  mx_turns_sort(&problem->turns, heat->stop);
  return 0;
}
