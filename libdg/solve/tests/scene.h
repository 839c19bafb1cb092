/* Equations for the tests and benches of preconditioners: graded meshes, media that jump, masses, bodies. Behind
 * cmocka.h. */
#pragma once

#include "libdg/base/memory.h"
#include "libdg/field/tests/need.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/parts/partition.h"
#include "libdg/mesh/tests/cube.h"
#include "libdg/solve/aip.h"
#include "libdg/solve/multigrid.h"
#include "libdg/solve/pcg.h"

enum what { HELD, FLOATING, BODY };

struct scene_setup {
  struct dg_comm *comm; /* shares the mesh; NULL: one rank */
  int cells, order;
  enum what what; /* the surface is held, nothing is, or two bodies are, at x = 0 and x = 1 */
  bool hard;      /* graded, with a medium that jumps */
  bool bent;      /* with curved elements */
  struct dg_elliptic_weights weights;
};

struct scene {
  enum what what;
  struct dg_mesh mesh; /* this rank's part */
  struct dg_space space;
  struct dg_elliptic *op;
  struct dg_elliptic_weights weights;
  struct dg_elliptic_medium medium;
  int32_t (*body)[4];
  double *k, *diagonal, *x, *b;
  bool *held;
  struct dg_multigrid *multigrid; /* made by scene_multigrid */
  struct dg_aip *aip;             /* made by scene_aip; NULL both: the diagonal */
};

static inline void scene_apply(void *context, const double *x, double *y)
{
  const struct scene *scene = context;
  dg_elliptic_apply(scene->op, scene->weights, x, y);
}

static inline void scene_improve(void *context, const double *r, double *z)
{
  const struct scene *scene = context;
  if (scene->aip != NULL) {
    dg_aip_apply(scene->aip, r, z);
  } else if (scene->multigrid != NULL) {
    dg_multigrid_apply(scene->multigrid, r, z);
  } else {
#ifdef _OPENMP /* the bench */
#pragma omp parallel for schedule(static)
#endif
    for (size_t i = 0; i < scene->space.count; i++) z[i] = r[i] / scene->diagonal[i];
  }
}

/* Which octants of the cube conduct 1e4 times better: every other one. Faces at x = 0 and x = 1 are bodies. */
static inline void scene_medium(struct scene *scene, bool jumps)
{
  const struct dg_mesh *mesh = &scene->mesh;
  for (size_t e = 0; e < mesh->K; e++) {
    double centre[3] = {0};
    for (int v = 0; v < 4; v++)
      for (int d = 0; d < 3; d++) centre[d] += 0.25 * mesh->vertex[mesh->element[e][v]][d];
    const int octant = (centre[0] > 0.5) + (centre[1] > 0.5) + (centre[2] > 0.5);
    scene->k[e] = !jumps || octant % 2 == 0 ? 1 : 1e4;
    for (int f = 0; f < 4; f++) {
      scene->body[e][f] = DG_NO_BODY;
      if (scene->what != BODY || mesh->neighbour[e][f] != DG_BOUNDARY) continue;
      int ends[2] = {0}; /* vertices at x = 0 and at x = 1 */
      for (int v = 0; v < 4; v++) {
        const double x = mesh->vertex[mesh->element[e][v]][0];
        if (v != f && x < 1e-9) ends[0]++;
        if (v != f && x > 1 - 1e-9) ends[1]++;
      }
      for (int b = 0; b < 2; b++)
        if (ends[b] == 3) scene->body[e][f] = b;
    }
  }
}

static inline int scene_sum(void *context, size_t count, double *value, struct dg_error *err)
{
  const struct scene *scene = context;
  return dg_space_reduce(&scene->space, count, value, err);
}

static inline void scene_bend(void *context, double x[3])
{
  (void)context;
  x[2] += 0.2 * x[0] * x[1];
}

static inline void scene_mesh(struct scene *scene, const struct scene_setup *setup)
{
  struct dg_error err = {0};
  int32_t *owner = NULL;
  if (dg_comm_rank(setup->comm) == 0) {
    cube(&scene->mesh, setup->cells);
    for (size_t v = 0; v < scene->mesh.vertices && setup->hard; v++)
      for (int d = 0; d < 3; d++) {
        double *x = &scene->mesh.vertex[v][d];
        *x = 0.5 * *x + 0.5 * *x * *x;
      }
    if (setup->bent) ok(dg_mesh_bend(&scene->mesh, 2, scene_bend, NULL, &err), &err);
  }
  if (dg_comm_size(setup->comm) == 1) return;
  if (dg_comm_rank(setup->comm) == 0) {
    owner = array(scene->mesh.K, sizeof *owner);
    ok(dg_mesh_partition(&scene->mesh, dg_comm_size(setup->comm), 0, NULL, owner, &err), &err);
  }
  ok(dg_mesh_distribute(&scene->mesh, owner, setup->comm, &err), &err);
  dg_free(owner);
}

/* Unknowns on the surface, also where this rank's elements have only an edge there. */
static inline void scene_hold(struct scene *scene)
{
  const struct dg_reference *ref = &scene->space.ref;
  double *mark = array(scene->space.count, sizeof *mark);
  for (size_t e = 0; e < scene->mesh.K; e++)
    for (int f = 0; f < 4; f++)
      for (int m = 0; scene->mesh.neighbour[e][f] == DG_BOUNDARY && m < ref->Nf; m++)
        mark[scene->space.number[e * (size_t)ref->Np + (size_t)ref->face_node[f * ref->Nf + m]]] = 1;
  dg_space_sum(&scene->space, mark);
  for (size_t i = 0; i < scene->space.count; i++) scene->held[i] = mark[i] > 0;
  dg_free(mark);
}

/* Cells of the even size, or from half to one and a half times of it in each direction. */
static inline void open_scene(struct scene *scene, const struct scene_setup *setup)
{
  struct dg_error err = {0};
  const enum what what = setup->what;
  *scene = (struct scene){.what = what, .weights = setup->weights};
  scene_mesh(scene, setup);
  const size_t K = scene->mesh.K;
  scene->body = array(K, sizeof *scene->body);
  scene->k = array(K, sizeof(double));
  scene_medium(scene, setup->hard);
  scene->medium = (struct dg_elliptic_medium){.k = scene->k};
  ok(dg_space_init(&scene->space, &scene->mesh, setup->comm, setup->order, what == BODY ? 2 : 0,
                   (const int32_t(*)[4])scene->body, &err),
     &err);
  ok(dg_elliptic_new(&scene->op, &scene->space, &scene->medium, &err), &err);
  const size_t n = scene->space.count;
  const struct dg_reference *ref = &scene->space.ref;
  scene->x = array(n, sizeof(double)), scene->b = array(n, sizeof(double)), scene->held = array(n, sizeof(bool));
  scene->diagonal = array(n, sizeof(double));
  dg_elliptic_diagonal(scene->op, setup->weights, scene->diagonal);
  if (what == BODY) scene->held[n - 2] = scene->held[n - 1] = true, scene->x[n - 1] = 1;
  if (what == HELD) scene_hold(scene);
  double *q = array(K * (size_t)ref->Np, sizeof *q); /* a source whose integral is not zero */
  for (size_t i = 0; i < K * (size_t)ref->Np; i++) q[i] = what == BODY ? 0 : rand() / (double)RAND_MAX;
  dg_elliptic_load(scene->op, q, scene->b);
  dg_free(q);
}

static inline void scene_multigrid(struct scene *scene)
{
  struct dg_error err = {0};
  const struct dg_multigrid_setup setup = {
      .space = &scene->space, .op = scene->op, .medium = &scene->medium, .body = (const int32_t(*)[4])scene->body};
  ok(dg_multigrid_new(&scene->multigrid, &setup, &err), &err);
  ok(dg_multigrid_set(scene->multigrid, scene->weights, scene->held, scene->what == FLOATING, &err), &err);
}

static inline void scene_aip(struct scene *scene)
{
  struct dg_error err = {0};
  const struct dg_elliptic_term term = {.op = scene->op, .weights = scene->weights};
  ok(dg_aip_new(&scene->aip, &scene->space, 1, &term, scene->held, &err), &err);
}

/* Forgets the preconditioners. */
static inline void scene_plain(struct scene *scene)
{
  dg_multigrid_free(scene->multigrid);
  dg_aip_free(scene->aip);
  scene->multigrid = NULL;
  scene->aip = NULL;
}

static inline void close_scene(struct scene *scene)
{
  scene_plain(scene);
  dg_elliptic_free(scene->op);
  dg_space_release(&scene->space);
  dg_mesh_release(&scene->mesh);
  dg_free(scene->body);
  dg_free(scene->k);
  dg_free(scene->diagonal);
  dg_free(scene->x);
  dg_free(scene->b);
  dg_free(scene->held);
}

/* Iterations to 1e-10 from x = 0, or from what bodies hold. */
static inline int scene_solve(struct scene *scene, int most)
{
  struct dg_error err = {0};
  struct dg_pcg_report report;
  const struct dg_pcg pcg = {.count = scene->space.count,
                             .apply = scene_apply,
                             .improve = scene_improve,
                             .context = scene,
                             .foreign = dg_space_foreign(&scene->space),
                             .sum = scene_sum,
                             .held = scene->held,
                             .floating = scene->what == FLOATING,
                             .tolerance = 1e-10,
                             .most = most};
  for (size_t i = 0; i < scene->space.count; i++)
    if (!scene->held[i]) scene->x[i] = 0;
  ok(dg_pcg_solve(&pcg, scene->b, scene->x, &report, &err), &err);
  return report.iterations;
}
