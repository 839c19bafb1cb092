/* The true stability limit of one integrator on one mesh, by trial: random fields, many steps, does their norm explode?
 *
 *   curlew_bisect MESH ORDER FLUX INTEGRATOR GUESS       (FLUX: 0 .. 1, GUESS: seconds, where the search begins)
 *
 * prints one line of CSV: elements, ratio of the longest to the shortest mean edge, largest step that stayed bounded
 * and smallest step that exploded (seconds, at most 1 % apart), number of trials. It uses curlew's mesh reader,
 * operator and backend, and neither its search for the limit nor its refusal of steps beyond it.
 *
 * The norm is the plain sum of squares of the nodal values. (Leapfrog's own energy would not do: with the centered flux
 * it is an invariant even of modes that explode.)
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/backend/backend.h"
#include "maxwell/problem/build/problem_build.h"

enum { STEPS = 200, LOOK = 20 };
static const double explosion = 1e4; /* of the squared norm; leapfrog's bounded modes reach about 100 near the limit */
static const double width = 0.01;    /* of the final bracket, relative */

struct trial {
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  struct dg_reference ref;
  struct mx_material_config material;
  struct mx_config config;
  struct mx_problem problem;
  struct mx_assignment assignment;
  size_t n;      /* numbers in a field */
  double *E, *H; /* noise plus what exploded last: the next trial then sees at once whether that mode still grows */
  double *out_E, *out_H;
  int trials;
};

static int prepare(struct trial *trial, const char *path, int order, double flux, enum mx_integrator integrator,
                   struct dg_error *err)
{
  const struct dg_mesh_options options = {.file = path, .unit = 1};
  trial->material = (struct mx_material_config){
      .where = {.is_default = true}, .epsilon_r = {.value = 1}, .mu_r = {.value = 1}, .sigma = {.value = 0}};
  trial->config = (struct mx_config){.script_path = "bisect",
                                     .order = order,
                                     .alpha = flux,
                                     .time = {.integrator = integrator},
                                     .materials = 1,
                                     .material = &trial->material};
  if (dg_mesh_load(&trial->mesh, &options, err) != 0 || dg_geometry_init(&trial->geometry, &trial->mesh, err) != 0 ||
      dg_reference_init(&trial->ref, order, err) != 0 ||
      mx_problem_init(&trial->problem, &trial->assignment, &trial->config, &trial->mesh, &trial->geometry, &trial->ref,
                      NULL, err) != 0)
    return err->code;
  trial->n = 3 * (size_t)trial->ref.Np * trial->mesh.K;
  if (DG_NEW(trial->E, trial->n, err) != 0 || DG_NEW(trial->H, trial->n, err) != 0 ||
      DG_NEW(trial->out_E, trial->n, err) != 0 || DG_NEW(trial->out_H, trial->n, err) != 0)
    return err->code;
  return 0;
}

static void release(struct trial *trial)
{
  dg_free(trial->E);
  dg_free(trial->H);
  dg_free(trial->out_E);
  dg_free(trial->out_H);
  mx_problem_release(&trial->problem);
  mx_assignment_release(&trial->assignment);
  dg_reference_release(&trial->ref);
  dg_geometry_release(&trial->geometry);
  dg_mesh_release(&trial->mesh);
}

static double squares(const struct trial *trial, const double *E, const double *H)
{
  double sum = 0;
  for (size_t i = 0; i < trial->n; i++) sum += E[i] * E[i] + H[i] * H[i];
  return sum;
}

/* start fields = noise + what exploded in the last trial (out), both with mean square 1 */
static void start_fields(struct trial *trial, bool exploded)
{
  uint64_t state = 88172645463325252u + (uint64_t)trial->trials;
  double scale = 0;
  if (exploded) scale = sqrt(2 * (double)trial->n / squares(trial, trial->out_E, trial->out_H));
  for (int field = 0; field < 2; field++) {
    double *to = field == 0 ? trial->E : trial->H, *add = field == 0 ? trial->out_E : trial->out_H;
    for (size_t i = 0; i < trial->n; i++) {
      state ^= state << 13; /* xorshift64 (G. Marsaglia, J. Stat. Softw. 8 (2003) 14) */
      state ^= state >> 7;
      state ^= state << 17;
      to[i] = sqrt(12) * ((double)(state >> 11) / 9007199254740992.0 - 0.5);
      if (exploded) to[i] += scale * add[i];
    }
  }
}

/* Runs `count` steps and looks at the fields at the start of the next one. */
static int advance(struct trial *trial, struct mx_backend *backend, int count, struct dg_error *err)
{
  const struct mx_backend_ops *ops = &mx_backend_reference;
  const struct mx_scheme *scheme = &mx_schemes[trial->config.time.integrator];
  for (int n = 0; n < count; n++)
    for (int s = 0; s < scheme->stages; s++) {
      bool look = n + 1 == count && scheme->observe_stage > 0;
      if (ops->stage_begin(backend, s, look, NULL, err) != 0 || ops->stage_end(backend, s, err) != 0) return err->code;
      if (look && s + 1 == scheme->observe_stage && ops->download(backend, trial->out_E, trial->out_H, err) != 0)
        return err->code;
    }
  return scheme->observe_stage > 0 ? 0 : ops->download(backend, trial->out_E, trial->out_H, err);
}

static int explodes(struct trial *trial, double step, bool *result, struct dg_error *err)
{
  const struct mx_backend_ops *ops = &mx_backend_reference;
  const struct mx_backend_options options = {
      .integrator = trial->config.time.integrator, .precision = MX_DOUBLE, .step = step};
  struct mx_backend *backend = NULL;
  double first = squares(trial, trial->E, trial->H);
  *result = false;
  trial->trials++;
  if (ops->create(&backend, &trial->problem, &options, err) != 0 || ops->upload(backend, trial->E, trial->H, err) != 0)
    goto fail;
  for (int done = 0; done < STEPS && !*result; done += LOOK) {
    if (advance(trial, backend, LOOK, err) != 0) goto fail;
    double growth = squares(trial, trial->out_E, trial->out_H) / first;
    *result = !(growth < explosion);
  }
  /* what overflowed is no pattern to start from; LOOK steps can do that only far beyond the limit */
  if (*result && isfinite(squares(trial, trial->out_E, trial->out_H))) start_fields(trial, true);
fail:
  ops->destroy(backend);
  return err->code;
}

/* Brackets the limit from the guess, then halves the bracket. Steps are c0 dt in metres. */
static int search(struct trial *trial, double guess, double *low, double *high, struct dg_error *err)
{
  bool exploded;
  start_fields(trial, false);
  *low = 0;
  *high = 1.12 * guess;
  for (;;) { /* an upper end that explodes */
    if (explodes(trial, *high, &exploded, err) != 0) return err->code;
    if (exploded) break;
    *low = *high;
    *high *= 1.3;
  }
  for (double try = 0.95 * guess; *low == 0; try /= 1.3) { /* a lower end that does not */
    if (explodes(trial, try, &exploded, err) != 0) return err->code;
    if (exploded) *high = try;
    else *low = try;
  }
  while (*high / *low > 1 + width) {
    double middle = sqrt(*low * *high);
    if (explodes(trial, middle, &exploded, err) != 0) return err->code;
    *(exploded ? high : low) = middle;
  }
  return 0;
}

static double edge_ratio(const struct dg_mesh *mesh)
{
  double shortest = INFINITY, longest = 0;
  for (size_t e = 0; e < mesh->K; e++) {
    double sum = 0;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < i; j++) {
        const double *a = mesh->vertex[mesh->element[e][i]], *b = mesh->vertex[mesh->element[e][j]];
        sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
      }
    shortest = fmin(shortest, sum / 6);
    longest = fmax(longest, sum / 6);
  }
  return longest / shortest;
}

int main(int argc, char **argv)
{
  int integrator = -1;
  for (int i = MX_LEAPFROG; argc == 6 && i <= MX_LSRK; i++)
    if (strcmp(argv[4], mx_integrator_names[i]) == 0) integrator = i;
  if (argc != 6 || integrator < 0 || atoi(argv[2]) < 1 || !(atof(argv[5]) > 0)) {
    fprintf(stderr, "usage: %s MESH ORDER FLUX leapfrog|rk4|lsrk GUESS\n", argv[0]);
    return 2;
  }
  struct trial trial = {0};
  struct dg_error err = {0};
  double low, high;
  if (prepare(&trial, argv[1], atoi(argv[2]), atof(argv[3]), (enum mx_integrator)integrator, &err) == 0 &&
      search(&trial, atof(argv[5]) * MX_C0, &low, &high, &err) == 0)
    printf("%zu,%.3f,%.9g,%.9g,%d\n", trial.mesh.K, edge_ratio(&trial.mesh), low / MX_C0, high / MX_C0, trial.trials);
  release(&trial);
  if (err.code != DG_OK) fprintf(stderr, "error: %s\n", err.message);
  return err.code;
}
