/* Boxes with an elliptic operator on host and card, for tests, of one rank or of several. Behind cmocka.h. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "gpu/elliptic/elliptic.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/tests/box.h"

enum kind { HELD, FREE, WALLS, TENSORS, CURVED, BODIES, KINDS, PLAIN };
static const char *const kind_names[KINDS] = {"a held surface", "nothing held",    "walls that take heat",
                                              "tensors",        "curved elements", "bodies"};

static struct dg_comm *scene_comm; /* NULL: one rank */
static enum dg_answer scene_direct = DG_UNKNOWN;
/* The elements of the ranks: by METIS, by chance, or by chance with nothing for the last rank. */
static enum { BY_METIS, BY_CHANCE, LAST_HAS_NONE } scene_parts;

struct scene {
  struct box box;
  struct dg_space space;
  struct dg_elliptic *op, *more;
  struct dg_device_solver *solver;
  struct dg_multigrid *multigrid, *levels; /* NULL: the diagonal is used; what could be */
  size_t terms;                            /* faces of the face term */
  bool *held;                              /* [count] */
  double *value;                           /* [count] what is held there */
  bool loose;                              /* nothing is held */
  int64_t *global;                         /* [count] numbers of the unknowns among all ranks */
};

static inline double *room(size_t count)
{
  struct dg_error err = {0};
  double *block = NULL;
  if (DG_NEW(block, count, &err) != 0) fail_msg("%s", err.message);
  return block;
}

/* 0 to 1, by the number alone: the same on all ranks. */
static inline double noise_of(int64_t number)
{
  uint64_t mixed = ((uint64_t)number + 1) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
  return (double)((mixed ^ mixed >> 32) >> 11) / 9007199254740992.0;
}

static inline double scene_noise(const struct scene *scene, size_t unknown) { return noise_of(scene->global[unknown]); }

static inline void bend(void *context, double x[3])
{
  (void)context;
  x[2] += 0.2 * x[0] * x[1];
}

/* Faces with x = 0 are those of body 0, with x = 1 of body 1; in sets of `wanted` the faces with y = 0. */
static inline void find_faces(const struct scene *scene, int32_t (*body)[4], struct dg_face_term *term, size_t *terms)
{
  const struct dg_mesh *mesh = &scene->box.mesh;
  *terms = 0;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int32_t surface = mesh->surface[e][f];
      body[e][f] = DG_NO_BODY;
      if (mesh->neighbour[e][f] != DG_BOUNDARY || surface < 0) continue;
      const int tag = mesh->entity[surface].tag;
      if (tag == 1 || tag == 2) body[e][f] = tag - 1;
      if (tag == 3 || tag == 5)
        term[(*terms)++] = (struct dg_face_term){(int32_t)(4 * e) + f, 1 + noise_of(4 * dg_mesh_global(mesh, e) + f)};
    }
}

/* Another rank holds an unknown. */
static inline int take_held(void *context, int32_t unknown, int32_t value, struct dg_error *err)
{
  bool *held = context;
  (void)err;
  held[unknown] = held[unknown] || value;
  return 0;
}

static inline void share_held(struct scene *scene)
{
  struct dg_error err = {0};
  int32_t *value = NULL;
  if (scene->space.shared == NULL) return;
  if (DG_NEW(value, scene->space.count, &err) != 0) fail_msg("%s", err.message);
  for (size_t i = 0; i < scene->space.count; i++) value[i] = scene->held[i];
  if (dg_shared_swap(scene->space.shared, value, take_held, scene->held, &err) != 0) fail_msg("%s", err.message);
  dg_free(value);
}

/* The surface is held, or two of its sides are bodies, of which the second is held. */
static inline void hold(struct scene *scene, enum kind kind)
{
  const struct dg_mesh *mesh = &scene->box.mesh;
  const struct dg_reference *ref = &scene->space.ref;
  const size_t n = scene->space.count;
  for (size_t i = 0; i < n; i++) scene->value[i] = scene_noise(scene, i);
  scene->loose = kind == FREE;
  if (kind == BODIES) scene->held[n - 1] = true;
  if (kind == BODIES || kind == FREE) return;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      if (mesh->neighbour[e][f] != DG_BOUNDARY || mesh->surface[e][f] < 0) continue;
      if (kind == WALLS && mesh->entity[mesh->surface[e][f]].tag != 6) continue;
      for (int m = 0; m < ref->Nf; m++)
        scene->held[scene->space.number[e * (size_t)ref->Np + (size_t)ref->face_node[f * ref->Nf + m]]] = true;
    }
  share_held(scene);
}

static inline void make_operators(struct scene *scene, enum kind kind, struct dg_error *err)
{
  const struct dg_mesh *mesh = &scene->box.mesh;
  const size_t K = mesh->K;
  int32_t(*body)[4] = malloc(K * sizeof *body);
  struct dg_face_term *term = malloc(4 * K * sizeof *term);
  double *k = room(K), *c = room(K), (*tensor)[6] = malloc(K * sizeof *tensor);
  for (size_t e = 0; e < K; e++) {
    const int64_t g = dg_mesh_global(mesh, e);
    k[e] = kind == PLAIN || g / 7 % 2 == 0 ? 1 : 100;
    c[e] = 1 + noise_of(g);
    const double some[6] = {2, 3, 1, 0.5, -0.3, 0.2};
    for (int q = 0; q < 6; q++) tensor[e][q] = k[e] * some[q];
  }
  find_faces(scene, body, term, &scene->terms);
  if (kind != WALLS && kind != CURVED) scene->terms = 0;
  const struct dg_elliptic_medium medium = {.k = k,
                                            .tensor = kind == TENSORS ? (const double(*)[6])tensor : NULL,
                                            .c = c,
                                            .faces = scene->terms,
                                            .face = term},
                                  other = {.k = c, .c = c};
  if (dg_space_init(&scene->space, mesh, scene_comm, scene->box.config.order, kind == BODIES ? 2 : 0,
                    kind == BODIES ? (const int32_t(*)[4])body : NULL, err) != 0 ||
      dg_elliptic_new(&scene->op, &scene->space, &medium, err) != 0 ||
      (kind != PLAIN && dg_elliptic_new(&scene->more, &scene->space, &other, err) != 0))
    fail_msg("%s", err->message);
  const struct dg_multigrid_setup setup = {.space = &scene->space,
                                           .op = scene->op,
                                           .medium = &medium,
                                           .body = kind == BODIES ? (const int32_t(*)[4])body : NULL,
                                           .more = kind != PLAIN ? &other : NULL,
                                           .halves = true};
  if (dg_multigrid_new(&scene->levels, &setup, err) != 0) fail_msg("%s", err->message);
  free(body), free(term), dg_free(k), dg_free(c), free(tensor);
}

static inline void give_out(struct box *box)
{
  struct dg_error err = {0};
  const int ranks = dg_comm_size(scene_comm), some = scene_parts == LAST_HAS_NONE ? ranks - 1 : ranks;
  int32_t *owner = NULL;
  dg_geometry_release(&box->geometry);
  if (dg_comm_rank(scene_comm) == 0) {
    owner = calloc(box->mesh.K, sizeof *owner);
    if (scene_parts == BY_METIS && dg_mesh_partition(&box->mesh, ranks, 0, NULL, owner, &err) != 0)
      fail_msg("%s", err.message);
    for (size_t e = 0; scene_parts != BY_METIS && e < box->mesh.K; e++)
      owner[e] = (int32_t)(noise_of((int64_t)e) * some);
  } else {
    dg_mesh_release(&box->mesh);
    box->mesh = (struct dg_mesh){0};
  }
  if (dg_mesh_distribute(&box->mesh, owner, scene_comm, &err) != 0 ||
      dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  free(owner);
}

static inline void open_cells(struct scene *scene, int order, const int cells[3], enum kind kind)
{
  struct dg_error err = {0};
  *scene = (struct scene){0};
  box_mesh(&scene->box, cells, (double[]){1, 1, 1}, 0.15, NULL);
  scene->box.config.order = order;
  if (kind == CURVED && dg_mesh_bend(&scene->box.mesh, 2, bend, NULL, &err) != 0) fail_msg("%s", err.message);
  if (scene_comm != NULL) give_out(&scene->box);
  make_operators(scene, kind, &err);
  const size_t n = scene->space.count;
  int64_t first, own;
  if (DG_NEW(scene->global, n, &err) != 0 || dg_space_global(&scene->space, scene->global, &first, &own, &err) != 0)
    fail_msg("%s", err.message);
  scene->value = room(n);
  if (DG_NEW(scene->held, n, &err) != 0) fail_msg("%s", err.message);
  hold(scene, kind);
}

static inline void open_scene(struct scene *scene, int order, int cells, enum kind kind)
{
  struct dg_error err = {0};
  open_cells(scene, order, (int[]){cells, cells, cells}, kind);
  const struct dg_device_setup setup = {.op = scene->op, .more = scene->more, .direct = scene_direct};
  if (gpu_elliptic_solver.create(&scene->solver, &setup, &err) != 0) fail_msg("%s", err.message);
}

/* From now on. */
static inline void use_multigrid(struct scene *scene)
{
  struct dg_error err = {0};
  scene->multigrid = scene->levels;
  if (gpu_elliptic_solver.give(scene->solver, scene->multigrid, &err) != 0) fail_msg("%s", err.message);
}

static inline void close_scene(struct scene *scene)
{
  gpu_elliptic_solver.destroy(scene->solver);
  dg_multigrid_free(scene->levels);
  dg_elliptic_free(scene->op);
  dg_elliptic_free(scene->more);
  dg_space_release(&scene->space);
  dg_free(scene->held);
  dg_free(scene->global);
  dg_free(scene->value);
  dg_geometry_release(&scene->box.geometry);
  dg_mesh_release(&scene->box.mesh);
}

/* b[count] of a source that changes at random from node to node; without a sum where nothing is held. */
static inline void make_load(const struct scene *scene, bool floating, double *b)
{
  const size_t n = scene->space.count, all = scene->box.mesh.K * (size_t)scene->space.ref.Np;
  struct dg_error err = {0};
  const bool *foreign = dg_space_foreign(&scene->space);
  double *q = room(all), sums[2] = {0};
  for (size_t i = 0; i < all; i++) q[i] = box_random();
  memset(b, 0, n * sizeof *b);
  dg_elliptic_load(scene->op, q, b);
  for (size_t i = 0; i < n; i++)
    if (foreign == NULL || !foreign[i]) sums[0] += b[i], sums[1] += 1;
  if (dg_space_reduce(&scene->space, 2, sums, &err) != 0) fail_msg("%s", err.message);
  for (size_t i = 0; floating && i < n; i++) b[i] -= sums[0] / sums[1];
  dg_free(q);
}
