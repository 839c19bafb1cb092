/* Sources, ports and measurements of a mesh in parts on several ranks against those of the whole, which every rank has
 * for itself: terms and functionals number by number, then a run, its fields, ports and files. With two numbers on the
 * command line: the n-th allocation of that rank fails while all of it is built. */
#include "script_fixture.h"

#include "libdg/mesh/curve.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/sources/port_state.h"
#include "maxwell/sources/sources.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/measure/path.h"
#include "libdg/io/formats.h"
#include "maxwell/tests/box.h"
#include "maxwell/sources/tests/ring.h"
#include "maxwell/limit/stability.h"
#include "maxwell/measure/kinds.h"

static struct dg_comm *comm;
static int ranks;

/* The whole, or this rank's part. */
struct side {
  struct mx_script *script;
  struct mx_config config;
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  struct dg_reference ref;
  struct mx_ranks ranks;
  struct mx_problem problem;
  struct mx_assignment assignment;
  struct mx_sources sources;
  struct mx_measures measures;
  struct mx_folder folder;
  struct mx_records records;
  struct mx_backend *backend;
  double *amplitude; /* of the ports' functionals */
};

struct scene {
  void (*mesh)(struct box *box);
  const char *script; /* what stands in simulation { } */
};

static double uneven(double u) { return u + 0.15 * u * (1 - u); }

static void slab(struct box *box)
{
  static const int cells[3] = {4, 3, 2};
  static const double size[3] = {1.0, 1.0, 0.5};
  box_mesh(box, cells, size, 0, uneven);
}

static void line(struct box *box) { ring_mesh(box, 1); }

static void bulge(void *context, double x[3])
{
  (void)context;
  x[2] += 0.15 * x[0] * x[0] * (x[1] - 0.6 * x[1] * x[1]);
  x[0] += 0.1 * x[0] * x[1] * x[1];
}

static void bent_slab(struct box *box)
{
  struct dg_error err = {0};
  slab(box);
  if (dg_mesh_bend(&box->mesh, 2, bulge, NULL, &err) != 0) fail_msg("%s", err.message);
}

#define PULSE "waveform = waveform.step { rise = 3e-9 }"
#define LATER "waveform = function(t) return t > 1e-9 and math.sin(1e9 * (t - 1e-9)) or 0 end"
#define WAVE  "polarisation = { 0, 0, 1 }, " PULSE

static const struct scene scenes[] = {
    {slab,
     "materials = { [1] = { epsilon_r = 1.5 }, [2] = { epsilon_r = 2.5, sigma = 0.02 } },\n"
     "boundaries = { [1] = { kind = 'waveguide_port', absorb = { 'TM11' }, " PULSE " },\n"
     "  [2] = { kind = 'lumped_port', resistance = 80, direction = { 0, 0, 1 }, " PULSE ", delay = 1e-9 },\n"
     "  [3] = { kind = 'electric_field', field = function(x, y, z, t) return 0, 0, math.sin(3 * x + 1e9 * t) end },\n"
     "  [5] = { kind = 'impedance', impedance = 1 } },\n"
     "interfaces = { [7] = { kind = 'surface_current', current = function(x, y, z, t) return 0, t * 1e8, y end } },\n"
     "sources = { { region = 1, profile = function(x, y, z) return y, z, x end, " LATER " },\n"
     "  { region = 2, current = function(x, y, z, t) return t * 1e6, 0, x * t * 1e6 end },\n"
     "  { at = { 0.5, 0.5, 0.25 }, moment = { 0, 1e-3, 1e-3 }, " PULSE " },\n"
     "  { from = { 0.1, 0.1, 0.1 }, to = { 0.9, 0.8, 0.4 }, amperes = 0.1, " PULSE " } },\n"
     "output = { probes = { { name = 'a', at = { 0.3, 0.4, 0.2 } }, { name = 'b', at = { 0.5, 0, 0 }, every = 3 } },\n"
     "  lines = { { name = 'a', from = { 0, 0.5, 0.25 }, to = { 1.3, 0.5, 0.25 }, points = 27, every = 2,\n"
     "    frequencies = { 1e8, 2e8 } } },\n"
     "  planes = { { name = 'a', origin = { -0.1, 0, 0.2 }, u = { 1.2, 0, 0 }, v = { 0, 1, 0 }, points = { 9, 7 } },\n"
     "    { name = 's', origin = { 0.5, 0, 0 }, u = { 0, 1, 0 }, v = { 0, 0, 0.6 }, points = { 5, 6 }, every = 9,\n"
     "      format = 'silo', frequencies = { 1e8 } } },\n"
     "  fluxes = { { name = 'in', surface = 7, direction = { -1, 0, 0 }, frequencies = { 3e8 } },\n"
     "    { name = 'out', surface = 2 } },\n"
     "  voltages = { { name = 'a', path = { { 0.1, 0.1, 0.1 }, { 0.9, 0.3, 0.2 }, { 0.5, 0.5, 0.4 } } },\n"
     "    { name = 'b', from = { 0.5, 0.2, 0 }, to = { 0.5, 0.2, 0.7 } } },\n"
     "  currents = { { name = 'a', circle = { centre = { 0.5, 0.5, 0.2 }, normal = { 0, 0, 1 }, radius = 0.3 } } },\n"
     "  losses = { { name = 'a', region = 2 } } }"},
    {slab, "materials = { default = { epsilon_r = 1.5 } },\n"
           "boundaries = { [1] = { kind = 'modal_port', family = 'TE', cutoff = 1.3e8,\n"
           "    profile = function(x, y, z) return 0, 0, math.sin(math.pi * y) end, " LATER " },\n"
           "  [2] = { kind = 'plane_wave', direction = { -1, 0.3, 0 }, " WAVE " },\n"
           "  [3] = { kind = 'magnetic_field', profile = { 1, 0, 0 }, " PULSE " },\n"
           "  [4] = { kind = 'surface_current', profile = function(x, y, z) return x, 0, z end, " PULSE " } },\n"
           "interfaces = { [7] = { kind = 'total_field', region = 1, direction = { 1, 0, 0 }, " WAVE " } },\n"
           "output = { fluxes = { { name = 'in', surface = 7, direction = { 1, 0.2, 0 } } } }"},
    {bent_slab,
     "materials = { [1] = { epsilon_r = 1.5 }, [2] = { epsilon_r = 1.5, sigma = 0.02, mu_r = 1.2, sigma_m = 30 } },\n"
     "boundaries = { [1] = { kind = 'modal_port', family = 'TE', cutoff = 1.3e8,\n"
     "    profile = function(x, y, z) return 0, 0, math.sin(math.pi * y) end, " LATER " },\n"
     "  [2] = { kind = 'impedance', impedance = 100 },\n"
     "  [3] = { kind = 'magnetic_field', profile = { 1, 0, 0 }, " PULSE " },\n"
     "  [4] = { kind = 'absorbing' },\n"
     "  [6] = { kind = 'electric_field', field = function(x, y, z, t) return 0, math.sin(3 * x + 1e9 * t), 0 end } },\n"
     "interfaces = { [7] = { kind = 'surface_current', current = function(x, y, z, t) return 0, t * 1e8, y end } },\n"
     "sources = { { region = 1, profile = function(x, y, z) return y, z, x end, " LATER " },\n"
     "  { region = 2, current = function(x, y, z, t) return t * 1e6, 0, x * t * 1e6 end },\n"
     "  { at = { 0.5, 0.5, 0.25 }, moment = { 0, 1e-3, 1e-3 }, " PULSE " },\n"
     "  { from = { 0.1, 0.1, 0.1 }, to = { 0.9, 0.8, 0.4 }, amperes = 0.1, " PULSE " } },\n"
     "output = { probes = { { name = 'a', at = { 0.3, 0.4, 0.2 } }, { name = 'b', at = { 0.8, 0.3, 0.1 }, every = 3 } "
     "},\n"
     "  planes = { { name = 'a', origin = { -0.1, 0, 0.2 }, u = { 1.2, 0, 0 }, v = { 0, 1, 0 }, points = { 9, 7 } } "
     "},\n"
     "  fluxes = { { name = 'in', surface = 7, direction = { -1, 0, 0 }, frequencies = { 3e8 } },\n"
     "    { name = 'out', surface = 2 } },\n"
     "  voltages = { { name = 'a', path = { { 0.1, 0.1, 0.1 }, { 0.9, 0.3, 0.2 }, { 0.5, 0.5, 0.4 } } } },\n"
     "  currents = { { name = 'a', circle = { centre = { 0.5, 0.5, 0.2 }, normal = { 0, 0, 1 }, radius = 0.3 } } },\n"
     "  losses = { { name = 'a', region = 2 } } }"},
    {bent_slab, "materials = { [1] = { epsilon_r = 1.5 }, [2] = { epsilon_r = 2.5 } },\n"
                "boundaries = { [2] = { kind = 'absorbing' } },\n"
                "interfaces = { [7] = { kind = 'resistive_sheet', resistance = 150 } },\n"
                "sources = { { region = 1, profile = function(x, y, z) return y, z, x end, " LATER " } }"},
    {line, "materials = { default = { epsilon_r = 2.25 } },\n"
           "boundaries = { [1] = { kind = 'coaxial_port', " PULSE " }, [2] = { kind = 'coaxial_port' } },\n"
           "output = { probes = { { name = 'a', at = { 0.25, 0.3, -0.02 } } } }"},
};

static struct mx_script *read_config(struct mx_config *config, const struct scene *scene)
{
  struct dg_error err = {0};
  char text[8192];
  snprintf(text, sizeof text,
           "simulation { mesh = { file = 'a.geo' }, order = 2, time = { steps = 1 }, precision = 'double',\n%s }\n",
           scene->script);
  struct mx_script *script = load_text(text, 0, NULL, 0, NULL, &err);
  if (script == NULL || mx_config_read(config, mx_measure_kinds, mx_script_origin(script), &err) != 0)
    fail_msg("%s", err.message);
  return script;
}

/* owner NULL: the whole. Else rank 0's mesh goes to all. */
static void make_mesh(struct side *side, const struct scene *scene, const int32_t *owner)
{
  struct dg_error err = {0};
  struct box box = {0};
  if (owner == NULL || dg_comm_rank(comm) == 0) {
    scene->mesh(&box);
    dg_geometry_release(&box.geometry);
    side->mesh = box.mesh;
  }
  if (owner != NULL && dg_mesh_distribute(&side->mesh, dg_comm_rank(comm) == 0 ? owner : NULL, comm, &err) != 0)
    fail_msg("%s", err.message);
  if (owner != NULL) side->ranks.comm = comm;
  if (dg_halo_init(&side->ranks.halo, &side->mesh, &err) != 0) fail_msg("%s", err.message);
}

static void build_problem(struct side *side, const struct scene *scene, const int32_t *owner)
{
  struct dg_error err = {0};
  side->script = read_config(&side->config, scene);
  make_mesh(side, scene, owner);
  if (dg_geometry_init(&side->geometry, &side->mesh, &err) != 0 || dg_reference_init(&side->ref, 2, &err) != 0 ||
      mx_problem_init(&side->problem, &side->assignment, &side->config, &side->mesh, &side->geometry, &side->ref,
                      owner != NULL ? &side->ranks : NULL, &err) != 0)
    fail_msg("%s", err.message);
}

static void build(struct side *side, const struct scene *scene, const int32_t *owner)
{
  struct dg_error err = {0};
  build_problem(side, scene, owner);
  if (mx_sources_init(&side->sources, &side->problem, &side->assignment, &side->config, &side->mesh, &err) != 0 ||
      mx_measures_init(&side->measures, &side->problem, &side->config, &side->mesh, NULL, &err) != 0)
    fail_msg("%s", err.message);
}

static void release(struct side *side)
{
  if (side->backend != NULL) mx_backend_reference.destroy(side->backend);
  mx_measures_release(&side->measures);
  mx_sources_release(&side->sources);
  mx_problem_release(&side->problem);
  mx_assignment_release(&side->assignment);
  dg_reference_release(&side->ref);
  dg_geometry_release(&side->geometry);
  dg_halo_release(&side->ranks.halo);
  dg_mesh_release(&side->mesh);
  mx_config_release(&side->config);
  mx_script_free(side->script);
  free(side->amplitude);
  *side = (struct side){0};
}

/* By METIS, or every element where chance has it, which cuts every surface and path. */
static int32_t *give_out(const struct dg_mesh *mesh, bool at_random)
{
  struct dg_error err = {0};
  int32_t *owner = calloc(mesh->K, sizeof *owner);
  if (!at_random && dg_mesh_partition(mesh, ranks, 0, NULL, owner, &err) != 0) fail_msg("%s", err.message);
  for (size_t e = 0; at_random && e < mesh->K; e++) owner[e] = (int32_t)((e * 2654435761u >> 7) % (unsigned)ranks);
  return owner;
}

/* ---- numbers of the part, put where they are in the whole and summed over ranks ---- */

/* All numbers of a term, by the whole's element or face: how often it is there, E, H, lag, x and sheet. */
static double *spread_term(const struct side *side, size_t index, size_t K, size_t *count)
{
  struct dg_error err = {0};
  const struct mx_term *term = &side->problem.term[index];
  const struct mx_source *source = &side->sources.list.source[index];
  bool current = term->kind == MX_CURRENT;
  size_t N = (size_t)(current ? side->ref.Np : side->ref.Nf), width = 1 + 13 * N;
  double *all = calloc(*count = 4 * K * width, sizeof *all);
  for (size_t k = 0; k < term->count; k++) {
    size_t e = (size_t)(current ? term->where[k] : term->where[k] / 4), f = current ? 0 : (size_t)term->where[k] % 4;
    double *to = all + (4 * (size_t)dg_mesh_global(&side->mesh, e) + f) * width;
    *to++ += 1;
    for (size_t i = 0; i < 3 * N; i++) {
      if (term->E != NULL) to[i] += term->E[3 * N * k + i];
      if (term->H != NULL) to[3 * N + i] += term->H[3 * N * k + i];
      if (source->x != NULL) to[6 * N + i] += source->x[N * k + i / 3][i % 3];
      if (source->sheet != NULL) to[9 * N + i] += source->sheet[3 * N * k + i];
      if (source->lag != NULL && i < N) to[12 * N + i] += source->lag[N * k + i];
    }
  }
  assert_int_equal(dg_comm_reduce(side->problem.comm, DG_SUM, *count, all, &err), 0);
  return all;
}

/* What stands for each element, in[K][width], by its number in the whole. */
static double *spread(const struct side *side, const double *in, size_t width, size_t K)
{
  struct dg_error err = {0};
  double *all = calloc(K * width, sizeof *all);
  for (size_t e = 0; e < side->problem.K; e++)
    memcpy(all + (size_t)dg_mesh_global(&side->mesh, e) * width, in + e * width, width * sizeof *in);
  assert_int_equal(dg_comm_reduce(side->problem.comm, DG_SUM, K * width, all, &err), 0);
  return all;
}

static double *spread_functional(const struct side *side, size_t index, size_t K)
{
  const struct mx_functional *functional = &side->problem.functional[index];
  size_t width = 3 * (size_t)side->ref.Np;
  double *own = calloc(side->problem.K * width, sizeof *own);
  for (size_t i = 0; i < functional->count; i++) own[functional->index[i]] += functional->weight[i];
  double *all = spread(side, own, width, K);
  free(own);
  return all;
}

static double largest(const double *value, size_t count)
{
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(value[i]));
  return most;
}

static void alike(const double *value, const double *expected, size_t count, double tolerance, const char *what)
{
  double scale = largest(expected, count);
  for (size_t i = 0; i < count; i++)
    if (isnan(value[i]) != isnan(expected[i]) || fabs(value[i] - expected[i]) > tolerance * scale)
      fail_msg("%s: number %zu is %.17g, not %.17g", what, i, value[i], expected[i]);
}

static void compare_tables(const struct side *part, const struct side *whole)
{
  size_t K = whole->mesh.K, count;
  assert_int_equal(part->problem.terms, whole->problem.terms);
  for (size_t i = 0; i < whole->problem.terms; i++) {
    double *a = spread_term(part, i, K, &count), *b = spread_term(whole, i, K, &count);
    assert_true(largest(b, count) > 0);
    assert_int_equal(part->problem.term[i].open, whole->problem.term[i].open);
    alike(a, b, count, 0, part->sources.list.source[i].what);
    free(a);
    free(b);
  }
  assert_int_equal(part->problem.functionals, whole->problem.functionals);
  for (size_t i = 0; i < whole->problem.functionals; i++) {
    double *a = spread_functional(part, i, K), *b = spread_functional(whole, i, K);
    assert_int_equal(part->problem.functional[i].magnetic, whole->problem.functional[i].magnetic);
    alike(a, b, 3 * (size_t)whole->ref.Np * K, 0, "functional");
    free(a);
    free(b);
  }
  assert_int_equal(part->sources.ports.count, whole->sources.ports.count);
  for (size_t i = 0; i < whole->sources.ports.count; i++) {
    const struct mx_port *a = &part->sources.ports.port[i], *b = &whole->sources.ports.port[i];
    assert_true(a->scale == b->scale && a->impedance == b->impedance && a->source_share == b->source_share);
    for (size_t k = 0; k < b->modes; k++) assert_true(a->mode[k].cutoff == b->mode[k].cutoff);
  }
  for (size_t i = 0; i < whole->measures.count; i++) {
    const struct mx_measure *a = &part->measures.measure[i], *b = &whole->measures.measure[i];
    assert_int_equal(a->values, b->values);
    if (a->config->kind == &mx_voltages.reads || a->config->kind == &mx_currents.reads) {
      const struct mx_measured_path *p = a->own, *q = b->own;
      assert_true(p->length == q->length && p->uncovered == q->uncovered);
    }
  }
}

/* ---- a run ---- */

static void noise(const struct side *side, double *field)
{
  for (size_t e = 0; e < side->problem.K; e++) {
    size_t n = 3 * (size_t)side->ref.Np, number = (size_t)dg_mesh_global(&side->mesh, e);
    for (size_t i = 0; i < n; i++) field[n * e + i] = sin(37.0 * (double)(n * number + i) + 1) + 0.2;
  }
}

static void start(struct side *side, enum mx_integrator integrator, double step, long steps, char *folder)
{
  struct dg_error err = {0};
  const struct mx_backend_options options = {.integrator = integrator, .precision = MX_DOUBLE, .step = step * MX_C0};
  double *E = calloc(2 * 3 * (size_t)side->ref.Np * side->problem.K + 1, sizeof *E),
         *H = E + 3 * (size_t)side->ref.Np * side->problem.K;
  noise(side, E);
  noise(side, H);
  side->amplitude = calloc(side->sources.ports.functionals + 1, sizeof(double));
  if (mx_sources_prepare(&side->sources, step, steps, &err) != 0 ||
      mx_backend_reference.create(&side->backend, &side->problem, &options, &err) != 0 ||
      mx_backend_reference.upload(side->backend, E, H, &err) != 0)
    fail_msg("%s", err.message);
  free(E);
  side->folder.path = folder;
  for (size_t i = 0; dg_comm_rank(side->problem.comm) == 0 && i < side->config.output.measures; i++)
    if (mx_folder_part(&side->folder, side->config.output.measure[i].kind->key, &err) != 0) fail_msg("%s", err.message);
  if (mx_records_open(&side->records, &side->measures, &mx_backend_reference, &dg_silo_format, &side->folder, step,
                      false, &err) != 0)
    fail_msg("%s", err.message);
}

static void do_stage(struct side *side, enum mx_integrator integrator, long n, int s, double step)
{
  struct dg_error err = {0};
  struct mx_ports *ports = &side->sources.ports;
  const struct mx_stage_sources *now;
  if (mx_backend_reference.functionals(side->backend, ports->first, ports->functionals, false, side->amplitude, &err) !=
          0 ||
      mx_ports_sum(ports, side->amplitude, &err) != 0)
    fail_msg("%s", err.message);
  mx_ports_record(ports, n, s, side->amplitude);
  if (mx_sources_evaluate(&side->sources, n, s, step, &now, &err) != 0) fail_msg("%s", err.message);
  if (s == mx_schemes[integrator].observe_stage &&
      mx_records_write(&side->records, side->backend, n, step * (double)n, &err) != 0)
    fail_msg("%s", err.message);
  if (mx_backend_reference.stage_begin(side->backend, s, true, now, &err) != 0 ||
      mx_backend_reference.stage_end(side->backend, s, &err) != 0)
    fail_msg("%s", err.message);
}

static void compare_ports(const struct side *part, const struct side *whole, long n)
{
  const struct mx_ports *ports = &whole->sources.ports;
  if (!part->sources.ports.here) return;
  alike(part->amplitude, whole->amplitude, ports->functionals, 1e-12, "amplitude");
  for (size_t i = 0; i < ports->count; i++) {
    struct mx_port_values a, b;
    mx_ports_values(&part->sources.ports, i, n, &a);
    mx_ports_values(ports, i, n, &b);
    alike(&a.incident, &b.incident, 4, 1e-12, "port"); /* all its members */
  }
}

static void compare_fields(struct side *part, struct side *whole)
{
  struct dg_error err = {0};
  struct side *side[2] = {part, whole};
  size_t width = 3 * (size_t)whole->ref.Np, K = whole->mesh.K;
  double *all[2][2];
  for (int i = 0; i < 2; i++) {
    double *E = calloc(2 * width * side[i]->problem.K + 1, sizeof *E), *H = E + width * side[i]->problem.K;
    /* leapfrog: the fields of the last step that was observed */
    if (mx_backend_reference.stage_begin(side[i]->backend, 0, true, NULL, &err) != 0 ||
        mx_backend_reference.stage_end(side[i]->backend, 0, &err) != 0 ||
        mx_backend_reference.download(side[i]->backend, E, H, &err) != 0)
      fail_msg("%s", err.message);
    all[i][0] = spread(side[i], E, width, K);
    all[i][1] = spread(side[i], H, width, K);
    free(E);
  }
  for (int f = 0; f < 2; f++) {
    alike(all[0][f], all[1][f], width * K, 1e-12, f == 0 ? "E" : "H");
    free(all[0][f]);
    free(all[1][f]);
  }
}

/* Numbers of a table; the first line is text. */
static size_t read_table(const char *path, double *value, size_t room)
{
  FILE *file = fopen(path, "r");
  char text[100];
  size_t count = 0;
  int c;
  if (file == NULL) fail_msg("there is no %s", path);
  while ((c = fgetc(file)) != '\n' && c != EOF) {
  }
  while (count < room && fscanf(file, "%99[^,\n]%*c", text) == 1) value[count++] = strtod(text, NULL);
  fclose(file);
  return count;
}

static void compare_tables_of(const struct mx_measure_config *config, const char *end)
{
  enum { ROOM = 1 << 16 };
  static double a[ROOM], b[ROOM];
  char path[2][300], name[300];
  for (int i = 0; i < 2; i++)
    snprintf(path[i], sizeof path[i], "%s/%s/%s%s.csv", i == 0 ? "part" : "whole", config->kind->key, config->name,
             end);
  size_t count = read_table(path[1], b, ROOM);
  assert_true(count > 0);
  assert_int_equal(read_table(path[0], a, ROOM), count);
  snprintf(name, sizeof name, "%s", path[0]);
  for (size_t i = 0; i < count; i++) a[i] = isnan(b[i]) && isnan(a[i]) ? (b[i] = 0) : a[i];
  alike(a, b, count, 1e-12, name);
}

static void compare_files(const struct side *part, const struct side *whole)
{
  for (size_t i = 0; i < whole->measures.count; i++) {
    const struct mx_measure_config *config = whole->measures.measure[i].config;
    if (config->silo) { /* what the last file holds */
      alike(part->records.record[i].own, whole->records.record[i].own, 13 * whole->measures.measure[i].rows, 1e-12,
            "grid");
      continue;
    }
    compare_tables_of(config, "");
    if (config->frequencies.count > 0) compare_tables_of(config, "_spectrum");
  }
}

static void finish(struct side *side)
{
  struct dg_error err = {0};
  if (mx_records_drain(&side->records, &err) != 0 || mx_records_write_spectra(&side->records, &err) != 0 ||
      mx_records_close(&side->records, &err) != 0)
    fail_msg("%s", err.message);
}

/* Sources for another integrator than that of the configuration. */
static void step_with(struct side *side, enum mx_integrator integrator)
{
  side->sources.integrator = side->sources.ports.integrator = integrator;
  side->sources.schedule = side->sources.ports.schedule = mx_schedule_of(integrator, &side->problem);
}

static void run(const struct scene *scene, bool at_random, enum mx_integrator integrator)
{
  enum { STEPS = 70 }; /* more than a batch of rows */
  struct side part = {0}, whole = {0};
  struct dg_error err = {0};
  struct mx_stability stability;
  build(&whole, scene, NULL);
  int32_t *owner = give_out(&whole.mesh, at_random);
  build(&part, scene, owner);
  compare_tables(&part, &whole);
  if (mx_stability_limit(&stability, &whole.problem, integrator, 0, &err) != 0) fail_msg("%s", err.message);
  step_with(&whole, integrator);
  step_with(&part, integrator);
  double step = 0.8 * stability.limit / MX_C0;
  char whole_folder[] = "whole", part_folder[] = "part";
  start(&whole, integrator, step, STEPS, whole_folder);
  start(&part, integrator, step, STEPS, part_folder);
  for (long n = 0; n < STEPS; n++)
    for (int s = 0; s < mx_schemes[integrator].stages; s++) {
      do_stage(&whole, integrator, n, s, step);
      do_stage(&part, integrator, n, s, step);
      if (s == mx_schemes[integrator].observe_stage) compare_ports(&part, &whole, n);
    }
  compare_fields(&part, &whole);
  finish(&part);
  finish(&whole);
  if (dg_comm_rank(comm) == 0) compare_files(&part, &whole);
  mx_records_release(&part.records);
  mx_records_release(&whole.records);
  release(&part);
  release(&whole);
  free(owner);
}

static void parts_are_the_whole(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (int at_random = 0; at_random < 2; at_random++) run(&scenes[i], at_random, at_random ? MX_LEAPFROG : MX_LSRK);
}

/* ---- what all ranks say alike ---- */

static void errors_are_those_of_the_whole(void **state)
{
  (void)state;
  static const char *const wrong[] = {
      "sources = { { at = { 3, 0, 0 }, moment = { 0, 0, 1 }, " PULSE " } }",
      "boundaries = { [3] = { kind = 'coaxial_port' } }",
      "boundaries = { [1] = { kind = 'waveguide_port', axis = { 0, 3, 4 } } }",
      "output = { probes = { { name = 'a', at = { 3, 0, 0 } } } }",
      "output = { lines = { { name = 'a', from = { 3, 0, 0 }, to = { 4, 0, 0 } } } }",
      "output = { voltages = { { name = 'a', from = { 0.5, 0.5, 0.2 }, to = { 4, 0.5, 0.2 } } } }",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[500];
    const struct scene scene = {slab, text};
    struct side side[2] = {{0}};
    struct dg_error err[2] = {{0}};
    int32_t *owner = NULL;
    snprintf(text, sizeof text, "materials = { default = {} },\n%s", wrong[i]);
    for (int k = 0; k < 2; k++) {
      build_problem(&side[k], &scene, owner);
      if (mx_sources_init(&side[k].sources, &side[k].problem, &side[k].assignment, &side[k].config, &side[k].mesh,
                          &err[k]) == 0)
        assert_int_equal(
            mx_measures_init(&side[k].measures, &side[k].problem, &side[k].config, &side[k].mesh, NULL, &err[k]),
            DG_INPUT);
      if (k == 0) owner = give_out(&side[0].mesh, true);
    }
    assert_int_equal(err[0].code, DG_INPUT);
    assert_string_equal(err[1].message, err[0].message);
    release(&side[0]);
    release(&side[1]);
    free(owner);
  }
}

/* ---- failure of one rank ---- */

/* All ranks return, with the same error, whatever they were waiting for. */
static int fail_on(int victim, long n)
{
  struct side part = {0}, whole = {0};
  struct dg_error err = {0};
  void *state;
  if (enter_folder(&state) != 0) return 1;
  make_mesh(&whole, &scenes[0], NULL);
  int32_t *owner = give_out(&whole.mesh, true);
  part.script = read_config(&part.config, &scenes[0]);
  make_mesh(&part, &scenes[0], owner);
  if (dg_geometry_init(&part.geometry, &part.mesh, &err) != 0 || dg_reference_init(&part.ref, 2, &err) != 0) return 1;
  if (dg_comm_rank(comm) == victim) dg_memory_fail_at(n);
  if (mx_problem_init(&part.problem, &part.assignment, &part.config, &part.mesh, &part.geometry, &part.ref, &part.ranks,
                      &err) == 0 &&
      mx_sources_init(&part.sources, &part.problem, &part.assignment, &part.config, &part.mesh, &err) == 0)
    (void)!mx_measures_init(&part.measures, &part.problem, &part.config, &part.mesh, NULL, &err);
  dg_memory_fail_at(0);
  release(&part);
  dg_halo_release(&whole.ranks.halo);
  dg_mesh_release(&whole.mesh);
  free(owner);
  if (leave_folder(&state) != 0) return 1;
  dg_comm_stop(comm, &err);
  dg_comm_settle(comm, &err);
  dg_comm_finish(comm, err.code);
  if (err.code == DG_ENVIRONMENT && strstr(err.message, "out of memory") != NULL) return 0;
  return err.code == DG_OK ? 2 : 1;
}

static int enter(void **state) { return enter_folder(state) != 0 || system("mkdir part whole") != 0; }

static int leave(void **state) { return system("rm -r part whole") != 0 || leave_folder(state) != 0; }

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_the_whole),
      cmocka_unit_test(errors_are_those_of_the_whole),
  };
  struct dg_error err = {0};
  if (dg_comm_start(&comm, &err) != 0) return 1;
  ranks = dg_comm_size(comm);
  if (argc == 3) return fail_on(atoi(argv[1]), atol(argv[2]));
  int failed = cmocka_run_group_tests(tests, enter, leave);
  dg_comm_settle(comm, &err);
  dg_comm_finish(comm, failed);
  return failed;
}
