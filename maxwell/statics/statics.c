/* Solves for the potential of conductors, and makes of it E, charges, capacitances and conductances. start.c calls it
 * for the fields at t = 0, and run.c writes what was found. */
#include "maxwell/statics/statics.h"

#include <math.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/field/elliptic.h"
#include "libdg/solve/aip.h"
#include "libdg/solve/amg.h"
#include "libdg/solve/device.h"
#include "libdg/solve/multigrid.h"
#include "libdg/solve/pcg.h"
#include "maxwell/shell/folder.h"
#include "maxwell/statics/clouds.h"
#include "maxwell/statics/conductors.h"

static const double tolerance = 1e-12;
/* Fewer unknowns than MANY are found with the diagonal before multigrid is ready. */
enum { ITERATIONS = 20000, MANY = 20000 };

struct solver {
  struct dg_space space;
  struct dg_elliptic *op;
  struct dg_multigrid *multigrid; /* NULL, and `aip`, too: the diagonal instead */
  struct dg_aip *aip;
  const struct dg_device_ops *ops; /* of `device` */
  struct dg_device_solver *device; /* NULL: the host solves */
  double *diagonal, *phi, *b, *flux;
  int32_t (*body)[4]; /* [K] the conductor of each face */
  double *near;       /* [conductors] integral of the conductor's function with the charges in space, over epsilon0 */
  double *density;    /* of charges in space, [K][Np of the space] C/m^3; NULL: none */
  bool *held;
};

static const struct dg_elliptic_weights stiffness = {.stiffness = 1};

static void apply(void *context, const double *x, double *y)
{
  struct solver *solver = context;
  dg_elliptic_apply(solver->op, stiffness, x, y);
}

static void improve(void *context, const double *r, double *z)
{
  const struct solver *solver = context;
  if (solver->multigrid != NULL) {
    dg_multigrid_apply(solver->multigrid, r, z);
    return;
  }
  if (solver->aip != NULL) {
    dg_aip_apply(solver->aip, r, z);
    return;
  }
  for (size_t i = 0; i < solver->space.count; i++) z[i] = r[i] / solver->diagonal[i];
}

static int sum(void *context, size_t count, double *value, struct dg_error *err)
{
  const struct solver *solver = context;
  return dg_space_reduce(&solver->space, count, value, err);
}

/* Operator and what solves with it. */
static void release_operator(struct solver *solver)
{
  if (solver->device != NULL) solver->ops->destroy(solver->device);
  dg_multigrid_free(solver->multigrid);
  dg_aip_free(solver->aip);
  dg_elliptic_free(solver->op);
  solver->device = NULL;
  solver->multigrid = NULL;
  solver->aip = NULL;
  solver->op = NULL;
}

static void release(struct solver *solver)
{
  release_operator(solver);
  dg_space_release(&solver->space);
  dg_free(solver->diagonal);
  dg_free(solver->phi);
  dg_free(solver->b);
  dg_free(solver->flux);
  dg_free(solver->near);
  dg_free(solver->density);
  dg_free(solver->body);
  dg_free(solver->held);
}

/* Does a device have multigrid? It makes the cycle itself, without hypre. The diagonal takes many iterations at orders
 * above two. */
static bool device_has_multigrid(const struct solver *solver, const struct mx_statics *statics, int choice)
{
  if (choice == MX_SOLVER_DIAGONAL) return false;
  return choice == MX_SOLVER_MULTIGRID || (statics->unknowns >= MANY && solver->space.ref.order > 2);
}

static int make_device(struct solver *solver, const struct mx_statics *statics, const struct mx_statics_place *place,
                       const struct dg_elliptic_medium *medium, struct dg_error *err)
{
  const struct dg_multigrid_setup setup = {.space = &solver->space,
                                           .op = solver->op,
                                           .medium = medium,
                                           .body = (const int32_t(*)[4])solver->body,
                                           .halves = true};
  solver->ops = place->device;
  if (solver->ops == NULL) return 0;
  const int choice = place->config->initial.statics.solver;
  if (choice == MX_SOLVER_AIP) {
    dg_log_line(place->log, "statics   solved on the host: %s has no approximate inverse", solver->ops->name);
    return 0;
  }
  if (device_has_multigrid(solver, statics, choice) && dg_multigrid_new(&solver->multigrid, &setup, err) != 0)
    return err->code;
  const struct dg_device_setup device = {.op = solver->op, .multigrid = solver->multigrid, .direct = place->direct};
  if (dg_device_make(&solver->device, solver->ops, &device, place->log, "statics", err) != 0) return err->code;
  if (solver->device != NULL) return 0;
  dg_multigrid_free(solver->multigrid);
  solver->multigrid = NULL;
  return 0;
}

/* What conductors hold makes no difference to the approximate inverse, which knows bodies by their diagonal alone. */
static int make_inverse(struct solver *solver, const struct mx_statics_place *place, struct dg_error *err)
{
  const struct dg_elliptic_term term = {.op = solver->op, .weights = stiffness};
  if (dg_aip_new(&solver->aip, &solver->space, 1, &term, NULL, err) != 0) return err->code;
  dg_log_line(place->log, "statics   with an approximate inverse, %.1f MB on this rank",
              1e-6 * (double)dg_aip_bytes(solver->aip));
  return 0;
}

/* The host's preconditioner: what the script says, or multigrid where it pays and can be had. What is missing is said.
 */
static int make_preconditioner(struct solver *solver, const struct mx_statics *statics,
                               const struct mx_statics_place *place, const struct dg_elliptic_medium *medium,
                               struct dg_error *err)
{
  const struct dg_multigrid_setup setup = {
      .space = &solver->space, .op = solver->op, .medium = medium, .body = (const int32_t(*)[4])solver->body};
  const int choice = place->config->initial.statics.solver;
  struct dg_error missing = {0};
  if (choice == MX_SOLVER_AIP) return make_inverse(solver, place, err);
  if (choice == MX_SOLVER_DIAGONAL || (choice == MX_SOLVER_AUTOMATIC && statics->unknowns < MANY)) return 0;
  if (dg_amg_prepare(&missing) == 0) return dg_multigrid_new(&solver->multigrid, &setup, err);
  if (choice == MX_SOLVER_MULTIGRID)
    return dg_fail(err, DG_ENVIRONMENT, "initial.statics.solver = \"multigrid\": %s", missing.message);
  dg_log_line(place->log, "statics   without multigrid: %s", missing.message);
  return make_inverse(solver, place, err);
}

/* The permittivity of each element, or its conductivity (times eta0): numbers, or tensors where the problem has some.
 */
static int make_operator(struct solver *solver, const struct mx_statics *statics, const struct mx_statics_place *place,
                         const double *k, struct dg_error *err)
{
  static const int order[6] = {0, 3, 5, 1, 2, 4}; /* ours: xx yy zz xy xz yz; a medium's: xx xy xz yy yz zz */
  const struct mx_problem *problem = place->problem;
  struct dg_elliptic_medium medium = {.k = k};
  double(*tensor)[6] = NULL;
  if (problem->shapes > 0 && DG_NEW(tensor, problem->K, err) != 0) return err->code;
  for (size_t e = 0; tensor != NULL && e < problem->K; e++) {
    const struct mx_tensor *shape = mx_tensor_of(problem, e);
    for (int q = 0; q < 6; q++)
      tensor[e][q] = k[e] * (shape != NULL ? shape->shape[MX_AMPERE][order[q]] : q < 3 ? 1 : 0);
  }
  medium.tensor = (const double(*)[6])tensor;
  if (dg_elliptic_new(&solver->op, &solver->space, &medium, err) == 0 &&
      make_device(solver, statics, place, &medium, err) == 0 && solver->device == NULL)
    (void)make_preconditioner(solver, statics, place, &medium, err);
  dg_free(tensor);
  if (err->code == 0) dg_elliptic_diagonal(solver->op, stiffness, solver->diagonal);
  return err->code;
}

static int make_space(struct solver *solver, struct mx_statics *statics, const struct mx_statics_place *place,
                      struct dg_error *err)
{
  const int p = place->problem->ref->order, order = p < DG_ORDER_MAX ? p + 1 : p;
  if (DG_NEW(solver->body, place->mesh->K, err) != 0 || mx_find_conductors(statics, place, solver->body, err) != 0 ||
      dg_space_init(&solver->space, place->mesh, place->problem->comm, order, statics->conductors,
                    (const int32_t(*)[4])solver->body, err) != 0 ||
      dg_space_total(&solver->space, &statics->unknowns, err) != 0)
    return err->code;
  const size_t n = solver->space.count;
  return DG_NEW(solver->diagonal, n, err) != 0 || DG_NEW(solver->phi, n, err) != 0 || DG_NEW(solver->b, n, err) != 0 ||
                 DG_NEW(solver->flux, n, err) != 0 || DG_NEW(solver->held, n, err) != 0 ||
                 DG_NEW(solver->near, statics->conductors, err) != 0
             ? err->code
             : 0;
}

static int make_solver(struct solver *solver, struct mx_statics *statics, const struct mx_statics_place *place,
                       struct dg_error *err)
{
  if (make_space(solver, statics, place, err) != 0 ||
      make_operator(solver, statics, place, place->problem->epsilon, err) != 0)
    return err->code;
  /* A conductor without a face, such as a `default` that stands for none, has an equation of its own. */
  for (size_t i = 0; i < solver->space.count; i++)
    if (!(solver->diagonal[i] > 0)) solver->diagonal[i] = 1;
  return dg_space_error(&solver->space, err);
}

/* Does anything hold the potential? Only conductors do, and all ranks have all of them. */
static bool any_held(const struct solver *solver, const struct mx_statics *statics)
{
  for (size_t i = 0; i < statics->conductors; i++)
    if (solver->held[dg_space_body(&solver->space, i)]) return true;
  return false;
}

static struct dg_device_system system_of(const struct solver *solver, const struct mx_statics *statics)
{
  return (struct dg_device_system){.weights = {.of = stiffness},
                                   .multigrid = solver->multigrid != NULL,
                                   .diagonal = solver->diagonal,
                                   .held = solver->held,
                                   .floating = !any_held(solver, statics),
                                   .tolerance = tolerance,
                                   .most = ITERATIONS};
}

/* Readies the preconditioner for the unknowns that are held now. */
static int ready(struct solver *solver, const struct mx_statics *statics, struct dg_error *err)
{
  const struct dg_device_system system = system_of(solver, statics);
  if (solver->device != NULL) return solver->ops->ready(solver->device, &system, err);
  if (solver->multigrid == NULL) return 0;
  return dg_multigrid_set(solver->multigrid, stiffness, solver->held, !any_held(solver, statics), err);
}

/* Solves with phi and b as they stand, behind ready(); `flux` is what conductors give then. */
static int solve(struct solver *solver, struct mx_statics *statics, struct dg_error *err)
{
  struct dg_pcg_report report = {0};
  const struct dg_pcg pcg = {.count = solver->space.count,
                             .apply = apply,
                             .improve = improve,
                             .context = solver,
                             .foreign = dg_space_foreign(&solver->space),
                             .sum = sum,
                             .held = solver->held,
                             .floating = !any_held(solver, statics),
                             .tolerance = tolerance,
                             .most = ITERATIONS};
  const struct dg_device_system system = system_of(solver, statics);
  if (solver->device != NULL) (void)solver->ops->solve(solver->device, &system, solver->b, solver->phi, &report, err);
  else (void)!dg_pcg_solve(&pcg, solver->b, solver->phi, &report, err);
  if (err->code != 0) return dg_context(err, "for initial.statics");
  statics->iterations += report.iterations;
  dg_elliptic_apply(solver->op, stiffness, solver->phi, solver->flux);
  return dg_space_error(&solver->space, err);
}

/* The charges in space: b, and their sum. */
static int load_clouds(struct solver *solver, struct mx_statics *statics, const struct mx_statics_place *place,
                       struct dg_error *err)
{
  const size_t n = solver->space.count;
  (void)!mx_clouds_find(&solver->density, place, &solver->space, err);
  if (dg_comm_agree(place->problem->comm, err) != 0 || place->config->initial.statics.clouds == 0) return err->code;
  dg_elliptic_load(solver->op, solver->density, solver->b);
  const bool *foreign = dg_space_foreign(&solver->space);
  for (size_t i = 0; i < n; i++) {
    solver->b[i] /= MX_EPSILON0;
    if (foreign == NULL || !foreign[i]) statics->cloud += MX_EPSILON0 * solver->b[i];
  }
  for (size_t i = 0; i < statics->conductors; i++) solver->near[i] = solver->b[dg_space_body(&solver->space, i)];
  return dg_space_reduce(&solver->space, 1, &statics->cloud, err);
}

/* The energy, and how well the charges add to zero. */
static int sum_up(struct solver *solver, struct mx_statics *statics, struct dg_error *err)
{
  double sum = statics->cloud, sizes = fabs(statics->cloud);
  for (size_t i = 0; i < statics->conductors; i++) {
    struct mx_conductor *conductor = &statics->conductor[i];
    const size_t n = dg_space_body(&solver->space, i);
    conductor->potential = solver->phi[n];
    conductor->charge = MX_EPSILON0 * (solver->flux[n] - solver->near[i]);
    sum += conductor->charge;
    sizes += fabs(conductor->charge);
  }
  statics->balance = sizes > 0 ? sum / sizes : 0;
  const bool *foreign = dg_space_foreign(&solver->space);
  for (size_t i = 0; i < solver->space.count; i++)
    if (foreign == NULL || !foreign[i]) statics->energy += 0.5 * MX_EPSILON0 * solver->phi[i] * solver->flux[i];
  return dg_space_reduce(&solver->space, 1, &statics->energy, err);
}

/* The conductors as the script wants them. */
static int solve_field(struct solver *solver, struct mx_statics *statics, const struct mx_statics_config *wanted,
                       struct dg_error *err)
{
  double sum = statics->cloud, sizes = fabs(statics->cloud);
  bool any = false;
  for (size_t i = 0; i < statics->conductors; i++) {
    const struct mx_conductor_config *conductor = &wanted->conductor[i];
    const size_t n = dg_space_body(&solver->space, i);
    solver->held[n] = !conductor->charged || statics->conductor[i].faces == 0;
    if (statics->conductor[i].faces == 0) continue;
    any = any || !conductor->charged;
    if (conductor->charged) {
      solver->b[n] += conductor->value / MX_EPSILON0;
      sum += conductor->value;
      sizes += fabs(conductor->value);
    } else {
      solver->phi[n] = conductor->value;
    }
  }
  if (!any && fabs(sum) > 1e-12 * sizes)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "initial.statics: no conductor has a potential, and the charges add to %.3g C, not to zero",
                   MX_AT(wanted->where), sum);
  if (ready(solver, statics, err) != 0 || solve(solver, statics, err) != 0) return err->code;
  return sum_up(solver, statics, err);
}

/* One volt on each conductor in turn: matrix[conductors][conductors], of what flows out of the row's, times `unit`. */
static int solve_columns(struct solver *solver, struct mx_statics *statics, double unit, double **matrix,
                         struct dg_error *err)
{
  const size_t count = statics->conductors, n = solver->space.count;
  if (DG_NEW(*matrix, count * count, err) != 0) return err->code;
  memset(solver->b, 0, sizeof *solver->b * n);
  for (size_t i = 0; i < count; i++) solver->held[dg_space_body(&solver->space, i)] = true;
  if (ready(solver, statics, err) != 0) return err->code;
  for (size_t j = 0; j < count; j++) {
    memset(solver->phi, 0, sizeof *solver->phi * n);
    solver->phi[dg_space_body(&solver->space, j)] = 1;
    if (solve(solver, statics, err) != 0) return err->code;
    for (size_t i = 0; i < count; i++) (*matrix)[i * count + j] = unit * solver->flux[dg_space_body(&solver->space, i)];
  }
  return 0;
}

/* The currents of media that conduct: div sigma grad phi = 0, where sigma > 0. */
static int solve_conductance(struct solver *solver, struct mx_statics *statics, const struct mx_statics_place *place,
                             struct dg_error *err)
{
  int64_t any = mx_any_loss(place->problem, MX_AMPERE);
  if (dg_comm_reduce_int(place->problem->comm, DG_MAX, 1, &any, err) != 0) return err->code;
  if (!any)
    return dg_fail(err, DG_INPUT, MX_PLACE "initial.statics.conductance: no medium has a sigma above 0",
                   MX_AT(place->config->initial.statics.where));
  release_operator(solver);
  if (make_operator(solver, statics, place, place->problem->sigma, err) != 0) return err->code;
  for (size_t i = 0; i < solver->space.count; i++) {
    solver->held[i] = !(solver->diagonal[i] > 0); /* it lies in no medium that conducts */
    if (solver->held[i]) solver->diagonal[i] = 1;
  }
  return solve_columns(solver, statics, 1 / MX_ETA0, &statics->conductance, err);
}

/* E at the nodes of the field, from the derivatives of phi there. */
static int make_field(const struct solver *solver, const struct mx_problem *problem, const struct dg_mesh *mesh,
                      double *E, struct dg_error *err)
{
  const struct dg_reference *fine = &solver->space.ref, *ref = problem->ref;
  const size_t Nf = (size_t)fine->Np, Np = (size_t)ref->Np;
  double *weight = NULL, *slope = NULL; /* slope[3][Np][Nf] */
  if (DG_NEW(weight, Nf, err) != 0 || DG_NEW(slope, 3 * Np * Nf, err) != 0) {
    dg_free(weight);
    return err->code;
  }
  for (size_t i = 0; i < Np; i++) {
    dg_reference_interpolate(fine, ref->r[i], ref->s[i], ref->t[i], weight);
    for (size_t a = 0; a < 3; a++)
      for (size_t k = 0; k < Nf; k++)
        for (size_t j = 0; j < Nf; j++) slope[(a * Np + i) * Nf + j] += weight[k] * fine->D[a][k * Nf + j];
  }
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < mesh->K; e++) {
    const int32_t *number = solver->space.number + e * Nf;
    for (size_t i = 0; i < Np; i++) {
      const double place[3] = {ref->r[i], ref->s[i], ref->t[i]};
      double along[3] = {0}, R[3][3];
      for (size_t a = 0; a < 3; a++)
        for (size_t j = 0; j < Nf; j++) along[a] += slope[(a * Np + i) * Nf + j] * solver->phi[number[j]];
      dg_elliptic_metric_at(mesh, e, place, R);
      for (size_t c = 0; c < 3; c++)
        E[(3 * e + c) * Np + i] = -(along[0] * R[0][c] + along[1] * R[1][c] + along[2] * R[2][c]);
    }
  }
  dg_free(weight);
  dg_free(slope);
  return 0;
}

int mx_statics_solve(struct mx_statics *statics, const struct mx_statics_place *place, double **E, struct dg_error *err)
{
  const struct mx_statics_config *wanted = &place->config->initial.statics;
  struct solver solver = {0};
  *statics = (struct mx_statics){0};
  *E = NULL;
  if (make_solver(&solver, statics, place, err) != 0 || load_clouds(&solver, statics, place, err) != 0 ||
      solve_field(&solver, statics, wanted, err) != 0 ||
      mx_statics_forces(statics, place, &solver.space, solver.phi, solver.density, err) != 0 ||
      DG_NEW(*E, 3 * place->mesh->K * (size_t)place->problem->ref->Np, err) != 0 ||
      make_field(&solver, place->problem, place->mesh, *E, err) != 0 ||
      (wanted->capacitance && solve_columns(&solver, statics, MX_EPSILON0, &statics->capacitance, err) != 0) ||
      (wanted->conductance && solve_conductance(&solver, statics, place, err) != 0)) {
    dg_free(*E);
    *E = NULL;
    mx_statics_release(statics);
  }
  release(&solver);
  return err->code;
}

void mx_statics_release(struct mx_statics *statics)
{
  dg_free(statics->conductor);
  dg_free(statics->capacitance);
  dg_free(statics->conductance);
  *statics = (struct mx_statics){0};
}

/* How far a matrix is from what it must be: symmetric, and without a sum of its columns where no field leaves. */
static void report_matrix(const double *matrix, size_t count, const char *name, struct dg_log *log)
{
  double most = 0, skew = 0, left = 0;
  for (size_t i = 0; i < count; i++) {
    double sum = 0;
    for (size_t j = 0; j < count; j++) {
      most = fmax(most, fabs(matrix[i * count + j]));
      skew = fmax(skew, fabs(matrix[i * count + j] - matrix[j * count + i]));
      sum += matrix[j * count + i];
    }
    left = fmax(left, fabs(sum));
  }
  dg_log_line(log, "statics   %s: symmetric to %.1e, columns add to %.1e of the largest", name,
              most > 0 ? skew / most : 0, most > 0 ? left / most : 0);
}

void mx_statics_report(const struct mx_statics *statics, struct dg_log *log)
{
  dg_log_line(log, "statics   %zu unknowns, %d iterations; energy %.9g J; charges add to %.1e of their sizes",
              statics->unknowns, statics->iterations, statics->energy, statics->balance);
  for (size_t i = 0; i < statics->conductors; i++)
    if (statics->conductor[i].faces > 0)
      dg_log_line(log, "statics   '%s': %.9g V, %.9g C; force %.6g, %.6g, %.6g N", statics->conductor[i].name,
                  statics->conductor[i].potential, statics->conductor[i].charge, statics->conductor[i].force[0],
                  statics->conductor[i].force[1], statics->conductor[i].force[2]);
  if (statics->cloud != 0) dg_log_line(log, "statics   charges in space: %.9g C", statics->cloud);
  if (statics->capacitance != NULL) report_matrix(statics->capacitance, statics->conductors, "capacitances", log);
  if (statics->conductance != NULL) report_matrix(statics->conductance, statics->conductors, "conductances", log);
}

static void write_conductors(FILE *file, const void *what)
{
  const struct mx_statics *statics = what;
  fputs("conductor,potential,charge,force_x,force_y,force_z\n", file);
  for (size_t i = 0; i < statics->conductors; i++) {
    const struct mx_conductor *conductor = &statics->conductor[i];
    fprintf(file, "%s,%.17g,%.17g,%.17g,%.17g,%.17g\n", conductor->name, conductor->potential, conductor->charge,
            conductor->force[0], conductor->force[1], conductor->force[2]);
  }
}

static void write_matrix(FILE *file, const struct mx_statics *statics, const double *matrix)
{
  fputs("conductor", file);
  for (size_t j = 0; j < statics->conductors; j++) fprintf(file, ",%s", statics->conductor[j].name);
  fputc('\n', file);
  for (size_t i = 0; i < statics->conductors; i++) {
    fputs(statics->conductor[i].name, file);
    for (size_t j = 0; j < statics->conductors; j++) fprintf(file, ",%.17g", matrix[i * statics->conductors + j]);
    fputc('\n', file);
  }
}

static void write_capacitance(FILE *file, const void *what)
{
  const struct mx_statics *statics = what;
  write_matrix(file, statics, statics->capacitance);
}

static void write_conductance(FILE *file, const void *what)
{
  const struct mx_statics *statics = what;
  write_matrix(file, statics, statics->conductance);
}

static int write_one(const struct mx_statics *statics, const struct mx_folder *folder, const char *name,
                     void (*write)(FILE *, const void *), struct dg_error *err)
{
  char *path;
  if (mx_folder_path(&path, folder, name, err) != 0) return err->code;
  (void)!dg_file_write(path, write, statics, err);
  dg_free(path);
  return err->code;
}

int mx_statics_write(const struct mx_statics *statics, const struct mx_folder *folder, struct dg_error *err)
{
  if (write_one(statics, folder, "statics.csv", write_conductors, err) != 0) return err->code;
  if (statics->capacitance != NULL && write_one(statics, folder, "capacitance.csv", write_capacitance, err) != 0)
    return err->code;
  return statics->conductance != NULL ? write_one(statics, folder, "conductance.csv", write_conductance, err) : 0;
}
