/* SAR of a region at the frequencies of phasors. phasor_sar.h has the definitions. */
#include "maxwell/phasor/phasor_sar.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/phasor/sar_cubes.h"
#include "maxwell/problem/curved.h"

enum { CUBES = 2, MOST_VOXELS = 20000000 };
static const double cube_mass[CUBES] = {1e-3, 10e-3};

/* The largest SAR at a frequency, and where. */
struct peak {
  double sar, x[3];
};

/* Points of a grid in the region. */
struct grid {
  struct mx_voxels voxels; /* whose arrays are mass and power */
  double origin[3];        /* m: the corner of the first voxel */
  size_t count;
  double *mass, *power, *average; /* [count] */
  int64_t *element;               /* [count] of this rank, or < 0 */
  double (*bary)[4];
};

struct table {
  const struct mx_phasor_config *config;
  double mass, *power; /* [frequencies] */
  struct peak *peak;   /* [frequencies][1 + CUBES] */
  struct dg_quadrature rule;
};

double mx_phasor_mass_density(const struct mx_phasors *phasors, const struct mx_phasor *phasor, size_t part)
{
  const struct mx_phasor_place *place = &phasors->place;
  return place->config->material[place->material[phasor->element[part]]].mass_density;
}

int mx_phasor_sar_check(const struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const struct mx_phasors phasors = {.place = *place};
  int64_t parts = 0;
  if (!phasor->config->sar) return 0;
  for (size_t k = 0; k < phasor->parts.count; k++) parts += mx_phasor_mass_density(&phasors, phasor, k) > 0;
  if (dg_comm_reduce_int(place->problem->comm, DG_SUM, 1, &parts, err) != 0) return err->code;
  if (parts > 0) return 0;
  return dg_fail(err, DG_INPUT, MX_PLACE "output.spectra: '%s' asks for sar, but no material there has a mass_density",
                 MX_AT(phasor->config->where), phasor->config->name);
}

/* The volume of an element, m^3. */
static double volume_of(const struct mx_phasor_loss *loss, size_t e)
{
  const struct mx_problem *problem = loss->phasors->place.problem;
  const struct dg_quadrature *rule = &loss->curves.rule;
  const ptrdiff_t k = problem->curves.count > 0 ? mx_curve_find(problem, e) : -1;
  double sum = 0, tangent[3][3];
  if (k < 0) return 4.0 / 3 * problem->jacobian[e];
  for (int q = 0; q < rule->volume.points; q++)
    sum += rule->volume.weight[q] * fabs(mx_curve_tangent(problem, (size_t)k, rule->place[q], tangent));
  return 4.0 / 3 * sum;
}

/* Makes one peak of those of all ranks. */
static int agree(struct dg_comm *comm, struct peak *peak, struct dg_error *err)
{
  double most = peak->sar;
  int64_t rank = dg_comm_rank(comm);
  if (dg_comm_reduce(comm, DG_MAX, 1, &most, err) != 0) return err->code;
  if (peak->sar < most) rank = INT64_MAX;
  if (dg_comm_reduce_int(comm, DG_MIN, 1, &rank, err) != 0) return err->code;
  for (int d = 0; d < 3 && rank != dg_comm_rank(comm); d++) peak->x[d] = 0;
  peak->sar = most;
  return dg_comm_reduce(comm, DG_SUM, 3, peak->x, err);
}

/* The largest SAR at the points of a rule of integration, which lie inside the element: there fields are known better
 * than at nodes on its faces. */
static double largest_inside(const struct mx_phasor_loss *loss, size_t frequency, size_t part, double mass,
                             const struct dg_quadrature *rule, const double complex *value)
{
  const struct mx_phasor *phasor = loss->phasor;
  const size_t components = (size_t)phasor->components;
  double most = 0;
  for (size_t q = 0; q < (size_t)rule->volume.points; q++) {
    double complex field[6] = {0};
    for (size_t n = 0; n < phasor->nodes; n++)
      for (size_t c = 0; c < components; c++) field[c] += rule->at[q * phasor->nodes + n] * value[n * components + c];
    most = fmax(most, mx_phasor_loss_at(loss, frequency, part, field) / mass);
  }
  return most;
}

/* The peak is that of a node. Nodes lie on faces, where the fields of a coarse mesh jump: one element may have far more
 * there than any has inside. */
static void doubt_peak(const struct mx_phasor_loss *loss, size_t frequency, const struct peak *peak, double inside)
{
  const double much = 1.2;
  const struct mx_phasor_place *place = &loss->phasors->place;
  const struct mx_phasor_config *config = loss->phasor->config;
  if (!(peak->sar > much * inside)) return;
  mx_doubt(place->doubts, place->log, MX_DOUBT_PLACE, "output.spectra", config->name,
           "output.spectra: at %.6g Hz the peak of the SAR of '%s', %.4g W/kg at a node, is %.0f %% above the largest "
           "inside of elements, %.4g W/kg: the fields of neighbours differ there, and the true peak may be that one; "
           "make elements smaller or the order higher, or take averages (sar_grid)",
           config->frequencies.hertz[frequency], config->name, peak->sar, 100 * (peak->sar / inside - 1), inside);
}

/* Mass, and power and largest SAR of a frequency, of the elements with mass. */
static int find_whole(const struct mx_phasor_loss *loss, size_t frequency, struct table *table, struct dg_error *err)
{
  const struct mx_phasor *phasor = loss->phasor;
  const struct mx_phasor_place *place = &loss->phasors->place;
  struct peak peak = {.sar = -DBL_MAX};
  double complex *value;
  double density[DG_NP_MAX] = {0}, sums[2] = {0, 0}, inside = 0;
  if (DG_NEW(value, phasor->parts.numbers, err) != 0) return err->code;
  for (size_t part = 0; part < phasor->parts.count; part++) {
    const double mass = mx_phasor_mass_density(loss->phasors, phasor, part);
    const size_t e = (size_t)phasor->element[part];
    if (!(mass > 0)) continue;
    mx_phasor_get(loss->phasors, phasor, frequency, part, value);
    sums[0] += mass * volume_of(loss, e);
    sums[1] += mx_phasor_loss_of(loss, frequency, part, value, density);
    inside = fmax(inside, largest_inside(loss, frequency, part, mass, &table->rule, value));
    for (size_t n = 0; n < phasor->nodes; n++) {
      const struct dg_reference *ref = place->problem->ref;
      if (!(density[n] / mass > peak.sar)) continue;
      peak.sar = density[n] / mass;
      dg_mesh_map(place->mesh, e, (double[]){ref->r[n], ref->s[n], ref->t[n]}, peak.x, NULL);
    }
  }
  dg_free(value);
  if (dg_comm_reduce(place->problem->comm, DG_SUM, 2, sums, err) != 0 ||
      dg_comm_reduce(place->problem->comm, DG_MAX, 1, &inside, err) != 0 ||
      agree(place->problem->comm, &peak, err) != 0)
    return err->code;
  table->mass = sums[0];
  table->power[frequency] = sums[1];
  table->peak[(1 + CUBES) * frequency] = peak;
  doubt_peak(loss, frequency, &peak, inside);
  return 0;
}

/* ---- the grid */

static void widen(double low[3], double high[3], const double x[3])
{
  for (int d = 0; d < 3; d++) {
    low[d] = fmin(low[d], x[d]);
    high[d] = fmax(high[d], x[d]);
  }
}

/* The box in which the elements with mass lie, of all ranks. */
static int find_box(const struct mx_phasor_loss *loss, double low[3], double high[3], struct dg_error *err)
{
  const struct dg_mesh *mesh = loss->phasors->place.mesh;
  struct dg_comm *comm = loss->phasors->place.problem->comm;
  for (int d = 0; d < 3; d++) low[d] = DBL_MAX, high[d] = -DBL_MAX;
  for (size_t part = 0; part < loss->phasor->parts.count; part++) {
    const size_t e = (size_t)loss->phasor->element[part];
    const ptrdiff_t k = mesh->curved > 0 ? dg_mesh_curve(mesh, e) : -1;
    if (!(mx_phasor_mass_density(loss->phasors, loss->phasor, part) > 0)) continue;
    for (int i = 0; i < 4; i++) widen(low, high, mesh->vertex[mesh->element[e][i]]);
    for (size_t i = 0; k >= 0 && i < dg_shape_nodes(mesh->geometry); i++)
      widen(low, high, dg_mesh_shape(mesh, (size_t)k)[i]);
  }
  return dg_comm_reduce(comm, DG_MIN, 3, low, err) != 0 || dg_comm_reduce(comm, DG_MAX, 3, high, err) != 0 ? err->code
                                                                                                           : 0;
}

static int place_voxels(const struct mx_phasor_loss *loss, struct grid *grid, struct dg_error *err)
{
  const struct mx_phasor_config *config = loss->phasor->config;
  double low[3], high[3], count = 1;
  if (find_box(loss, low, high, err) != 0) return err->code;
  grid->voxels.size = config->grid;
  for (int d = 0; d < 3; d++) {
    const double n = fmax(ceil((high[d] - low[d]) / config->grid * (1 - 1e-9)), 1);
    count *= n;
    if (count > MOST_VOXELS)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "output.spectra: '%s' needs more than %d voxels of sar_grid = %g m; choose a larger one",
                     MX_AT(config->where), config->name, MOST_VOXELS, config->grid);
    grid->voxels.n[d] = (size_t)n;
    grid->origin[d] = (low[d] + high[d] - n * config->grid) / 2;
  }
  grid->count = (size_t)count;
  return 0;
}

static void centre_of(const struct grid *grid, size_t at, double x[3])
{
  const size_t *n = grid->voxels.n;
  const size_t i[3] = {at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
  for (int d = 0; d < 3; d++) x[d] = grid->origin[d] + grid->voxels.size * ((double)i[d] + 0.5);
}

/* The part that an element is; -1: none with mass. */
static ptrdiff_t part_of(const struct mx_phasor_loss *loss, int64_t element)
{
  if (element < 0) return -1;
  const ptrdiff_t part = dg_find_ascending(loss->phasor->parts.count, loss->phasor->element, (size_t)element);
  return part >= 0 && mx_phasor_mass_density(loss->phasors, loss->phasor, (size_t)part) > 0 ? part : -1;
}

static int make_grid(const struct mx_phasor_loss *loss, struct grid *grid, struct dg_error *err)
{
  const struct mx_phasor_place *place = &loss->phasors->place;
  const double cube = pow(loss->phasor->config->grid, 3);
  double(*x)[3] = NULL;
  if (place_voxels(loss, grid, err) != 0) return err->code;
  if (DG_NEW(grid->mass, grid->count, err) != 0 || DG_NEW(grid->power, grid->count, err) != 0 ||
      DG_NEW(grid->average, grid->count, err) != 0 || DG_NEW(grid->element, grid->count, err) != 0 ||
      DG_NEW(grid->bary, grid->count, err) != 0 || DG_NEW(x, grid->count, err) != 0)
    goto fail;
  for (size_t i = 0; i < grid->count; i++) centre_of(grid, i, x[i]);
  if (dg_mesh_locate_shared(place->mesh, place->problem->comm, grid->count, (const double(*)[3])x, grid->element,
                            grid->bary, err) != 0)
    goto fail;
  for (size_t i = 0; i < grid->count; i++) {
    const ptrdiff_t part = part_of(loss, grid->element[i]);
    if (part >= 0) grid->mass[i] = cube * mx_phasor_mass_density(loss->phasors, loss->phasor, (size_t)part);
  }
  (void)!dg_comm_reduce(place->problem->comm, DG_SUM, grid->count, grid->mass, err);
  grid->voxels.mass = grid->mass;
  grid->voxels.power = grid->power;
fail:
  dg_free(x);
  return err->code;
}

static void release_grid(struct grid *grid)
{
  dg_free(grid->mass);
  dg_free(grid->power);
  dg_free(grid->average);
  dg_free(grid->element);
  dg_free(grid->bary);
}

/* The power of every voxel, from the fields in its middle. */
static int fill_power(const struct mx_phasor_loss *loss, size_t frequency, struct grid *grid, struct dg_error *err)
{
  const struct mx_phasor *phasor = loss->phasor;
  const struct mx_problem *problem = loss->phasors->place.problem;
  const double cube = pow(grid->voxels.size, 3);
  const size_t components = (size_t)phasor->components;
  double complex *value;
  ptrdiff_t there = -1;
  if (DG_NEW(value, phasor->parts.numbers, err) != 0) return err->code;
  for (size_t i = 0; i < grid->count; i++) {
    const ptrdiff_t part = part_of(loss, grid->element[i]);
    double weight[DG_NP_MAX];
    double complex field[6] = {0};
    grid->power[i] = 0;
    if (part < 0) continue;
    if (part != there) mx_phasor_get(loss->phasors, phasor, frequency, (size_t)part, value);
    there = part;
    dg_reference_interpolate(problem->ref, 2 * grid->bary[i][1] - 1, 2 * grid->bary[i][2] - 1, 2 * grid->bary[i][3] - 1,
                             weight);
    for (size_t n = 0; n < phasor->nodes; n++)
      for (size_t c = 0; c < components; c++) field[c] += weight[n] * value[n * components + c];
    grid->power[i] = cube * mx_phasor_loss_at(loss, frequency, (size_t)part, field);
  }
  dg_free(value);
  return dg_comm_reduce(problem->comm, DG_SUM, grid->count, grid->power, err);
}

/* The largest averages of a frequency, on rank 0. */
static int find_cubes(const struct mx_phasor_loss *loss, size_t frequency, struct grid *grid, struct peak *peak,
                      struct dg_error *err)
{
  if (fill_power(loss, frequency, grid, err) != 0) return err->code;
  for (int c = 0; c < CUBES && dg_comm_rank(loss->phasors->place.problem->comm) == 0; c++) {
    peak[c] = (struct peak){NAN, {NAN, NAN, NAN}};
    if (mx_sar_cubes(&grid->voxels, cube_mass[c], grid->average, err) != 0) return err->code;
    for (size_t i = 0; i < grid->count; i++) {
      if (isnan(grid->average[i]) || peak[c].sar >= grid->average[i]) continue;
      peak[c].sar = grid->average[i];
      centre_of(grid, i, peak[c].x);
    }
  }
  return 0;
}

/* ---- the table */

static void write_number(FILE *file, double number)
{
  if (isnan(number)) fputs(",nan", file); /* printf's nan may carry a sign */
  else fprintf(file, ",%.17g", number);
}

static void write_table(FILE *file, const void *what)
{
  const struct table *table = what;
  const int peaks = table->config->grid > 0 ? 1 + CUBES : 1;
  fputs("frequency,mass,power,average,peak,x,y,z", file);
  if (peaks > 1) fputs(",peak_1g,x_1g,y_1g,z_1g,peak_10g,x_10g,y_10g,z_10g", file);
  fputc('\n', file);
  for (size_t f = 0; f < table->config->frequencies.count; f++) {
    fprintf(file, "%.17g", table->config->frequencies.hertz[f]);
    write_number(file, table->mass);
    write_number(file, table->power[f]);
    write_number(file, table->power[f] / table->mass);
    for (int p = 0; p < peaks; p++) {
      const struct peak *peak = &table->peak[(1 + CUBES) * f + (size_t)p];
      write_number(file, peak->sar);
      for (int d = 0; d < 3; d++) write_number(file, peak->x[d]);
    }
    fputc('\n', file);
  }
}

int mx_phasor_sar_write(const struct mx_phasor_loss *loss, struct mx_folder *folder, struct dg_error *err)
{
  const struct mx_phasor_config *config = loss->phasor->config;
  const size_t frequencies = config->frequencies.count;
  struct table table = {.config = config};
  struct grid grid = {0};
  char name[300], *path;
  if (dg_quadrature_init(&table.rule, loss->phasors->place.problem->ref, err) != 0 ||
      DG_NEW(table.power, frequencies, err) != 0 || DG_NEW(table.peak, (1 + CUBES) * frequencies, err) != 0)
    goto fail;
  if (config->grid > 0 && make_grid(loss, &grid, err) != 0) goto fail;
  for (size_t f = 0; f < frequencies; f++)
    if (find_whole(loss, f, &table, err) != 0 ||
        (config->grid > 0 && find_cubes(loss, f, &grid, &table.peak[(1 + CUBES) * f + 1], err) != 0))
      goto fail;
  if (dg_comm_rank(loss->phasors->place.problem->comm) != 0) goto fail;
  (void)snprintf(name, sizeof name, "spectra/%.200s_sar.csv", config->name);
  if (mx_folder_path(&path, folder, name, err) == 0) (void)!dg_file_write(path, write_table, &table, err);
  dg_free(path);
fail:
  release_grid(&grid);
  dg_quadrature_release(&table.rule);
  dg_free(table.power);
  dg_free(table.peak);
  return err->code;
}
