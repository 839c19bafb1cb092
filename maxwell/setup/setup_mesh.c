/* Gets the mesh of a run from an earlier run, from a file, or from curlew-mesh, and shares it out among ranks.
 * setup_build.c and run.c call it. */
#include "maxwell/setup/setup_mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <omp.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/face_map.h"
#include "libdg/mesh/grow/straighten.h"
#include "libdg/mesh/load/format.h"
#include "maxwell/model/selectors.h"
#include "maxwell/problem/curved.h"
#include "maxwell/setup/open_layer.h"
#include "maxwell/setup/part_weights.h"
#include "maxwell/periods/bloch.h"
#include "maxwell/periods/periods.h"

/* Refuses a mesh file outside a script's folder. Somebody else's script may name only files there; the command line is
 * the user's own word. */
static int check_mesh_place(const struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  if (mx_origin_may_name(setup->origin, config->mesh.file) ||
      strncmp(config->mesh.where, "--set ", strlen("--set ")) == 0)
    return 0;
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "mesh file '%s' lies outside of the script's folder: copy it there, name it with --set "
                          "mesh.file=..., or start curlew with --trust if you trust this script",
                 MX_AT(config->mesh.where), config->mesh.file);
}

/* Loads the mesh. With `in_parts` each rank loads its own part, else rank 0 loads the whole. */
static int load_mesh(struct mx_setup *setup, bool in_parts, const struct mx_keeping *keeping, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  struct dg_mesh_report *report = &setup->mesh_report;
  struct dg_mesh_options options = {
      .file = config->mesh.file,
      .size = config->mesh.size,
      .unit = config->mesh.unit,
      .seconds = config->mesh.seconds,
      .memory = 1e9 * config->mesh.memory,
      .threads = config->mesh.threads > 0 ? config->mesh.threads : omp_get_num_procs(),
      .geometry = config->mesh.geometry > 0 ? config->mesh.geometry
                  : config->order < 4       ? 2
                                            : 4,
      .own_geometry = config->mesh.geometry == 0,
      .report = report,
      .kept = setup->mesh_kept,
      .remake = keeping->remesh,
      .same_run = keeping->restart,
      .trust = setup->origin == NULL || setup->origin->trust,
      .parameters = config->mesh.parameters,
      .parameter_name = config->mesh.parameter_name,
      .parameter_value = config->mesh.parameter_value,
  };
  struct dg_error why = {0};
  if (check_mesh_place(setup, err) != 0) return err->code;
  int status = in_parts ? dg_mesh_load_parts(&setup->mesh, &options, setup->comm, &why)
                        : dg_mesh_load(&setup->mesh, &options, &why);
  if (report->why[0] != '\0')
    dg_log_line(setup->log, "mesh      made anew, '%s' is not used: %s", setup->mesh_kept, report->why);
  for (size_t i = 0; i < report->notes; i++) {
    if (report->note[i].surface != 0) continue; /* tell_of_curves has them, when it is known what happens there */
    if (report->note[i].warning) dg_log_warning(setup->log, "%s", report->note[i].text);
    else dg_log_line(setup->log, "mesh      %s", report->note[i].text);
  }
  if (status == 0) return 0;
  /* libdg knows no script: the place is put in front of its message. */
  if (why.code != DG_INPUT) *err = why;
  else (void)dg_fail(err, DG_INPUT, MX_PLACE "%s", MX_AT(config->mesh.where), why.message);
  return status;
}

/* Names the file of this rank's mesh in the output folder. */
static int name_kept(struct mx_setup *setup, bool in_parts, const struct mx_keeping *keeping, struct dg_error *err)
{
  if (keeping->folder == NULL || !setup->config->mesh.keep) return 0;
  size_t size = strlen(keeping->folder) + 40;
  if (dg_alloc(&setup->mesh_kept, size, 1, err) != 0) return err->code;
  if (in_parts)
    snprintf(setup->mesh_kept, size, "%s/mesh/part_%04d.mesh", keeping->folder, dg_comm_rank(setup->comm) + 1);
  else snprintf(setup->mesh_kept, size, "%s/mesh/whole.mesh", keeping->folder);
  return 0;
}

int mx_setup_keep_mesh(struct mx_setup *setup, struct dg_ledger *ledger, struct dg_error *err)
{
  struct dg_error why = {0};
  const struct dg_mesh_report *report = &setup->mesh_report;
  int64_t failed = 0;
  /* A claim also removes what a run that was killed left unfinished. */
  if (report->fresh != NULL || report->reused)
    failed = dg_ledger_claim(ledger, DG_LEDGER_KEPT, setup->mesh_kept, &why) != 0 && report->fresh != NULL;
  if (!failed) failed = dg_mesh_keep(&setup->mesh_report, setup->mesh_kept, &why) != 0;
  if (failed) dg_log_warning(setup->log, "the mesh is not kept: %s", why.message);
  int64_t others = failed && dg_comm_rank(setup->comm) != 0;
  if (dg_comm_reduce_int(setup->comm, DG_SUM, 1, &others, err) != 0) return err->code;
  if (others > 0) dg_log_warning(setup->log, "the mesh is not kept: %d ranks could not write their parts", (int)others);
  return 0;
}

/* Gives every rank its part of rank 0's mesh. */
static int share_mesh(struct mx_setup *setup, struct dg_error *err)
{
  const int ranks = dg_comm_size(setup->comm);
  const bool given = setup->mesh.partitions == ranks; /* the file says who has what */
  int32_t *owner = NULL, *weight = NULL;
  int constraints = 0;
  if (dg_comm_rank(setup->comm) == 0 &&
      (DG_NEW(owner, setup->mesh.K, err) != 0 ||
       (!given && ranks > 1 && mx_part_weights(setup, &constraints, &weight, err) != 0) ||
       dg_mesh_partition(&setup->mesh, ranks, constraints, weight, owner, err) != 0))
    goto fail;
  (void)!dg_mesh_distribute(&setup->mesh, owner, setup->comm, err);
fail:
  dg_free(weight);
  dg_free(owner);
  return err->code;
}

/* The estimated work of the part with most of it, over the mean. */
static int measure_work(struct mx_setup *setup, struct dg_error *err)
{
  int32_t *weight = NULL;
  int64_t most = 0, sum = 0;
  setup->partition.work = 1;
  if (!mx_has_fields(setup->config)) return 0;
  if (DG_NEW(weight, setup->mesh.K, err) != 0 || mx_kind_weights(setup, weight, err) != 0) goto fail;
  for (size_t e = 0; e < setup->mesh.K; e++) sum += weight[e];
  most = sum;
  setup->partition.passes = 2 * (double)sum / MX_PLAIN_WEIGHT;
  if (dg_comm_reduce_int(setup->comm, DG_MAX, 1, &most, err) != 0 ||
      dg_comm_reduce_int(setup->comm, DG_SUM, 1, &sum, err) != 0)
    goto fail;
  setup->partition.work = (double)most * dg_comm_size(setup->comm) / (double)sum;
  dg_log_line(setup->log, "ranks     the largest has %.1f %% more work than the mean, as kinds of elements are weighed",
              100 * (setup->partition.work - 1));
fail:
  dg_free(weight);
  return err->code;
}

/* Measures the sizes of the parts; every rank knows its own. */
static int measure_parts(struct mx_setup *setup, struct dg_error *err)
{
  struct dg_comm *comm = setup->comm;
  int64_t most[] = {(int64_t)setup->mesh.K, -(int64_t)setup->mesh.K}, cut = (int64_t)setup->ranks.halo.faces;
  for (size_t i = 0; i < setup->ranks.halo.peers; i++) /* faces that a rank shares with itself are not cut */
    if (setup->ranks.halo.peer[i].rank == DG_SELF) cut -= (int64_t)setup->ranks.halo.peer[i].send_count;
  if (dg_comm_reduce_int(comm, DG_MAX, 2, most, err) != 0 || dg_comm_reduce_int(comm, DG_SUM, 1, &cut, err) != 0)
    return err->code;
  setup->partition = (struct mx_partition){.smallest = (size_t)-most[1],
                                           .largest = (size_t)most[0],
                                           .mean = (double)setup->mesh.whole.K / dg_comm_size(comm),
                                           .cut = (size_t)cut / 2};
  const struct mx_partition *part = &setup->partition;
  dg_log_line(
      setup->log,
      "ranks     %d parts of %zu to %zu tetrahedra (the largest %.1f %% above the mean), %zu faces between them",
      dg_comm_size(comm), part->smallest, part->largest, 100 * ((double)part->largest / part->mean - 1), part->cut);
  return measure_work(setup, err);
}

/* ---- curved elements that have to be straight ---- */

#define MOST_TILT 0.01 /* of a port's direction out of a curved face; sources/port_build.c refuses twice as much */

/* The error of libdg, which knows no script, behind the place that asked. */
static int explain(const struct dg_error *why, const char *where, const char *what, struct dg_error *err)
{
  if (why->code != DG_INPUT) *err = *why;
  else (void)dg_fail(err, DG_INPUT, MX_PLACE "%s: %s", MX_AT(where), what, why->message);
  return err->code;
}

static int straighten_layers(struct mx_setup *setup, struct dg_error *err)
{
  struct dg_mesh *mesh = &setup->mesh;
  const struct mx_config *config = setup->config;
  struct dg_error why = {0};
  bool *chosen = NULL;
  size_t changed = 0;
  if (config->layers == 0) return 0;
  if (DG_NEW(chosen, mesh->K, err) != 0) return err->code;
  for (size_t i = 0; i < config->layers; i++)
    for (size_t e = 0; e < mesh->K; e++)
      chosen[e] |= mx_selector_fit(&config->layer[i].where, mesh, (size_t)mesh->volume[e]) > 0;
  const int status = dg_mesh_straighten_elements(mesh, chosen, &changed, &why);
  dg_free(chosen);
  if (status != 0) return explain(&why, config->layer[0].where.where, "layers", err);
  if (changed > 0)
    dg_log_line(setup->log, "curved    the maps of %zu elements are made straight in and beside drawn layers", changed);
  return 0;
}

/* The largest part of a unit vector along the normal of a face, at points of a lattice; 0: the face is flat. */
static double tilt_of(const struct dg_mesh *mesh, int32_t code, const double direction[3])
{
  enum { FINE = 6 };
  struct dg_face_map map;
  double worst = 0;
  if (!dg_face_map_of(mesh, (size_t)code >> 2, code & 3, &map)) return 0;
  for (int i = 0; i <= FINE; i++)
    for (int j = 0; i + j <= FINE; j++) {
      const double bary[3] = {(double)(FINE - i - j) / FINE, (double)i / FINE, (double)j / FINE};
      double x[3], t[2][3], n[3];
      dg_face_map_at(&map, bary, x, t);
      dg_cross(t[0], t[1], n);
      worst = fmax(worst, fabs(dg_dot(n, direction)) / sqrt(dg_dot(n, n)));
    }
  return worst;
}

static int straighten_port(struct mx_setup *setup, const struct mx_boundary_config *port, struct dg_error *err)
{
  struct dg_mesh *mesh = &setup->mesh;
  struct dg_error why = {0};
  int32_t *code = NULL;
  size_t faces = 0, changed = 0;
  double worst = 0;
  char name[128];
  if (DG_NEW(code, mesh->boundary_faces, err) != 0) return err->code;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t surface = mesh->surface[i / 4][i % 4];
    if (mesh->neighbour[i / 4][i % 4] != DG_BOUNDARY || surface < 0) continue;
    if (mx_selector_fit(&port->where, mesh, (size_t)surface) < 2) continue;
    worst = fmax(worst, tilt_of(mesh, (int32_t)i, port->port.direction));
    code[faces++] = (int32_t)i;
  }
  mx_selector_name(&port->where, name, sizeof name);
  const int status = worst > MOST_TILT ? dg_mesh_straighten(mesh, faces, code, &changed, &why) : 0;
  dg_free(code);
  if (status != 0) return explain(&why, port->where.where, name, err);
  if (changed > 0)
    dg_log_line(setup->log,
                "curved    the maps of %zu elements are made straight at port '%s': its faces are too large for their "
                "curve, and would lean",
                changed, name);
  return 0;
}

/* ---- surfaces where nothing happens to a field ---- */

/* The entry of a list of `count` that fits an entity best; -1: none. */
static ptrdiff_t best_fit(const struct mx_config *config, const struct dg_mesh *mesh, size_t entity, size_t count,
                          const struct mx_selector *(*selector)(const struct mx_config *, size_t))
{
  ptrdiff_t best = -1;
  int most = 0;
  for (size_t i = 0; i < count; i++) {
    const int fit = mx_selector_fit(selector(config, i), mesh, entity);
    if (fit > most) most = fit, best = (ptrdiff_t)i;
  }
  return best;
}

static const struct mx_selector *material(const struct mx_config *config, size_t i)
{
  return &config->material[i].where;
}
static const struct mx_selector *boundary(const struct mx_config *config, size_t i)
{
  return &config->boundary[i].where;
}
static const struct mx_selector *interface(const struct mx_config *config, size_t i)
{
  return &config->interface[i].where;
}
/* Is a surface an absorbing wall (outside), or within a medium that of a total or a far field (inside)? */
static void judge_surface(const struct mx_config *config, const struct dg_mesh *mesh, size_t entity, bool *outside,
                          bool *inside)
{
  const ptrdiff_t b = best_fit(config, mesh, entity, config->boundaries, boundary),
                  i = best_fit(config, mesh, entity, config->interfaces, interface);
  *outside = b >= 0 && config->boundary[b].kind == MX_ABSORBING;
  *inside = i >= 0 && config->interface[i].kind == MX_TOTAL_FIELD;
  for (size_t f = 0; f < config->output.far_fields && i < 0; f++) {
    const struct mx_far_config *far = &config->output.far_field[f];
    *inside = *inside || (!far->by_region && mx_selector_fit(&far->on, mesh, entity) > 0);
  }
}

/* Have two scalars one number? */
static bool equal(const struct mx_scalar *a, const struct mx_scalar *b)
{
  return a->function == NULL && b->function == NULL && a->value == b->value;
}

static bool same_poles(const struct mx_poles_config *a, const struct mx_poles_config *b)
{
  bool same = a->count == b->count;
  for (size_t i = 0; i < a->count && same; i++) {
    same = a->pole[i].form == b->pole[i].form;
    for (int n = 0; n < 4; n++) same = same && a->pole[i].number[n] == b->pole[i].number[n];
  }
  return same;
}

static bool same_tensors(const struct mx_material_config *a, const struct mx_material_config *b)
{
  bool same = true;
  for (int i = 0; i < 2; i++) {
    same = same && a->tensor[i].given == b->tensor[i].given;
    for (int n = 0; n < 6; n++) same = same && a->tensor[i].number[n] == b->tensor[i].number[n];
  }
  return same;
}

static bool same_gyrotropic(const struct mx_gyrotropic_config *a, const struct mx_gyrotropic_config *b)
{
  bool same = a->given == b->given && a->omega_p == b->omega_p && a->omega_0 == b->omega_0 && a->gamma == b->gamma;
  for (int i = 0; i < 3; i++) same = same && a->omega_c[i] == b->omega_c[i];
  return same;
}

static bool same_ferrite(const struct mx_ferrite_config *a, const struct mx_ferrite_config *b)
{
  bool same = a->given == b->given && a->omega_0 == b->omega_0 && a->omega_m == b->omega_m && a->damping == b->damping;
  for (int i = 0; i < 3; i++) same = same && a->direction[i] == b->direction[i];
  return same;
}

/* Are two volumes one medium, with the same currents? */
static bool alike(const struct mx_config *config, const struct dg_mesh *mesh, size_t one, size_t other)
{
  const ptrdiff_t m = best_fit(config, mesh, one, config->materials, material),
                  n = best_fit(config, mesh, other, config->materials, material);
  if (m < 0 || n < 0) return false;
  const struct mx_material_config *a = &config->material[m], *b = &config->material[n];
  if (!equal(&a->epsilon_r, &b->epsilon_r) || !equal(&a->mu_r, &b->mu_r) || !equal(&a->sigma, &b->sigma) ||
      !equal(&a->sigma_m, &b->sigma_m) || !equal(&a->density, &b->density) || !same_poles(&a->poles[0], &b->poles[0]) ||
      !same_poles(&a->poles[1], &b->poles[1]) || !same_tensors(a, b) ||
      !same_gyrotropic(&a->gyrotropic, &b->gyrotropic) || !same_ferrite(&a->ferrite, &b->ferrite) ||
      a->loss_tangent != b->loss_tangent || a->loss_at != b->loss_at)
    return false;
  for (size_t i = 0; i < config->sources; i++)
    if (config->source[i].shape == MX_REGION && (mx_selector_fit(&config->source[i].where, mesh, one) > 0) !=
                                                    (mx_selector_fit(&config->source[i].where, mesh, other) > 0))
      return false;
  return true;
}

/* Finds absorbing walls and surfaces of total and far fields, which are drawn for the computation, not for what is
 * computed: *unseen[entities]. */
static int find_unseen(const struct mx_setup *setup, bool **found, struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  const struct mx_config *config = setup->config;
  bool *unseen = NULL, *outside = NULL, *inside = NULL;
  if (DG_NEW(unseen, mesh->entities, err) != 0 || DG_NEW(outside, mesh->entities, err) != 0 ||
      DG_NEW(inside, mesh->entities, err) != 0)
    goto fail;
  for (size_t i = 0; i < mesh->entities; i++) {
    if (mesh->entity[i].dim == 2) judge_surface(config, mesh, i, &outside[i], &inside[i]);
    unseen[i] = outside[i] || inside[i];
  }
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t s = mesh->surface[i / 4][i % 4], other = mesh->neighbour[i / 4][i % 4];
    if (s < 0 || !unseen[s]) continue;
    if (other < 0) unseen[s] = outside[s];
    else unseen[s] = inside[s] && alike(config, mesh, (size_t)mesh->volume[i / 4], (size_t)mesh->volume[other / 4]);
  }
fail:
  *found = unseen;
  dg_free(outside);
  dg_free(inside);
  return err->code;
}

/* Warns of the surface where the mesh misses the geometry most, and lists others in the log; not of those where nothing
 * happens to a field. */
static int tell_of_curves(const struct mx_setup *setup, struct dg_error *err)
{
  const struct dg_mesh_report *report = &setup->mesh_report;
  bool *unseen = NULL, told = false;
  for (size_t i = 0; i < report->notes; i++) {
    if (report->note[i].surface == 0) continue;
    if (unseen == NULL && find_unseen(setup, &unseen, err) != 0) break;
    const int entity = dg_mesh_find_entity(&setup->mesh, 2, report->note[i].surface);
    if (entity >= 0 && unseen[entity]) continue;
    if (told) dg_log_line(setup->log, "mesh      %s", report->note[i].text);
    else dg_log_warning(setup->log, "%s", report->note[i].text);
    told = true;
  }
  dg_free(unseen);
  return err->code;
}

/* Curved elements at unseen surfaces only cost time. What a file holds, or the script asks for, stays as it is. */
static int straighten_unseen(struct mx_setup *setup, struct dg_error *err)
{
  struct dg_mesh *mesh = &setup->mesh;
  const struct mx_config *config = setup->config;
  bool *unseen = NULL;
  size_t changed = 0;
  if (config->mesh.geometry != 0 || dg_format_by_name(config->mesh.file) == DG_FORMAT_MESH) return 0;
  if (find_unseen(setup, &unseen, err) != 0) goto fail;
  if (dg_mesh_straighten_unseen(mesh, unseen, &changed, err) == 0 && changed > 0)
    dg_log_line(setup->log,
                "curved    the maps of %zu elements are made straight at absorbing walls and surfaces of "
                "total and far fields; with a number for mesh.geometry they follow them",
                changed);
fail:
  dg_free(unseen);
  return err->code;
}

/* Makes parts of a whole mesh straight, of which rank 0 alone has one, and says so in the log: drawn layers, with the
 * sides of their neighbours, as layers are straight; and gaps of lumped ports where faces follow their surface so
 * coarsely that the direction of the port is not along them. Walls from which layers grow are open_layer.c's. */
static int straighten(struct mx_setup *setup, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  if (tell_of_curves(setup, err) != 0) return err->code;
  if (setup->mesh.curved == 0) return 0;
  if (straighten_layers(setup, err) != 0 || straighten_unseen(setup, err) != 0) return err->code;
  for (size_t i = 0; i < config->boundaries; i++)
    if (mx_walls[config->boundary[i].kind].behind == MX_BEHIND_GAP &&
        straighten_port(setup, &config->boundary[i], err) != 0)
      return err->code;
  return 0;
}

/* ---- the mesh ---- */

int mx_setup_make_mesh(struct mx_setup *setup, const struct mx_keeping *keeping, struct dg_error *err)
{
  double start = mx_clock();
  if (mx_bloch_check(setup->config, err) != 0) return err->code;
  bool in_parts = dg_comm_rank(setup->comm) == 0 && dg_mesh_in_parts(setup->config->mesh.file);
  if (dg_comm_broadcast(setup->comm, sizeof in_parts, &in_parts, err) != 0) return err->code;
  if ((in_parts || dg_comm_rank(setup->comm) == 0) &&
      (name_kept(setup, in_parts, keeping, err) != 0 || load_mesh(setup, in_parts, keeping, err) != 0))
    return err->code;
  const struct dg_mesh_size *whole = &setup->mesh.whole;
  setup->meshing_seconds = mx_clock() - start;
  dg_log_line(setup->log, "mesh      %s: %zu tetrahedra, %zu vertices, %zu boundary faces (%.2f s%s)",
              setup->config->mesh.file, whole->K, whole->vertices, whole->boundary_faces, setup->meshing_seconds,
              setup->mesh_report.reused ? ", as an earlier run kept it" : "");
  if (in_parts && mx_open_wanted(setup->config))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "no layer grows from an open wall of a mesh that comes in parts: take one file for the whole "
                   "mesh",
                   MX_AT(setup->config->mesh.where));
  if (in_parts && mx_periods_wanted(setup->config))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "a mesh that comes in parts has no periodic boundaries: take one file for the whole mesh",
                   MX_AT(setup->config->mesh.where));
  if (dg_comm_rank(setup->comm) == 0 &&
      ((!in_parts && straighten(setup, err) != 0) || mx_periods_order(setup->config, &setup->mesh, err) != 0 ||
       mx_open_grow(setup, err) != 0 || mx_periods_join(setup->config, &setup->mesh, setup->log, err) != 0))
    return err->code;
  if (setup->comm != NULL && !in_parts && share_mesh(setup, err) != 0) return err->code;
  if (setup->config->bloch.given && mx_bloch_pair(setup->config, &setup->mesh, setup->log, err) != 0) return err->code;
  if (setup->comm == NULL && !setup->mesh.paired) return mx_open_share(setup, err);
  if (dg_halo_init(&setup->ranks.halo, &setup->mesh, err) != 0 ||
      (setup->mesh.paired && dg_halo_set_turns(&setup->ranks.halo, &setup->mesh, setup->config->bloch.k, err) != 0))
    return err->code;
  setup->ranks.comm = setup->comm;
  if (mx_open_share(setup, err) != 0) return err->code;
  return measure_parts(setup, err);
}

/* ---- curved elements ---- */

/* Backends that take curved elements. */
static bool takes(const char *backend)
{
  static const char *const list[] = {"reference", "cpu", "cuda"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i], backend) == 0) return true;
  return false;
}

/* Finds a curved element in a layer: layers take straight ones only, and a mesh in parts is not made straight. */
static int check_layers(const struct mx_setup *setup, struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  for (size_t k = 0; k < mesh->curved && setup->layers.of_volume != NULL; k++) {
    const int32_t volume = mesh->volume[mesh->curve[k]];
    if (setup->layers.of_volume[volume] < 0) continue;
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "volume %d, a layer, has curved elements, and layers do not take them: draw it straight",
                   MX_AT(setup->config->mesh.where), mesh->entity[volume].tag);
  }
  return 0;
}

int mx_check_curved(struct mx_setup *setup, struct dg_error *err)
{
  const struct dg_mesh *mesh = &setup->mesh;
  int64_t curved = (int64_t)mesh->curved, geometry = mesh->geometry;
  if (dg_comm_reduce_int(setup->comm, DG_SUM, 1, &curved, err) != 0 ||
      dg_comm_reduce_int(setup->comm, DG_MAX, 1, &geometry, err) != 0)
    return err->code;
  if (curved == 0) return 0;
  dg_log_line(setup->log, "curved    %" PRId64 " of %zu elements (%.1f %%), maps of order %" PRId64, curved,
              mesh->whole.K, 100.0 * (double)curved / (double)mesh->whole.K, geometry);
  if (!takes(setup->ops->name))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "the mesh has curved elements, which backend '%s' does not take: set mesh.geometry = 1",
                   MX_AT(setup->config->mesh.where), setup->ops->name);
  if (check_layers(setup, err) == 0) (void)!mx_curve_check(mesh, &setup->ref, err);
  return dg_comm_agree(setup->comm, err);
}
