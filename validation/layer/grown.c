/* The mesh that an open wall makes, as a file: the whole outer wall grows, as the set-up of open walls lets it grow.
 *
 *   curlew_grown MESH SHEETS THICKNESS [shell] > GROWN.msh
 *
 * THICKNESS: of one sheet, m; 0: the mean edge of the wall, which is what an open wall takes that is told nothing. Of a
 * geometry (.geo), 0 sheets give the mesh itself.
 *
 * The new elements belong to the groups that they continue, so that the file is a room, and no layer. How many sheets
 * there are does not change the first ones: a mesh with many is "the same mesh in a far larger one" of one whose open
 * wall has a few. With `shell` all new elements are the group "shell", for those who name a layer in `layers`. The new
 * outer surface is the group "wall". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/grow/extrude.h"
#include "libdg/mesh/grow/wall_shape.h"

/* As mean_edge in maxwell/setup/open_size.c. */
static double mean_edge(const struct dg_mesh *mesh, const struct dg_wall *wall)
{
  double areas = 0, sum = 0, normal[3];
  for (size_t k = 0; k < wall->faces; k++) {
    const double area = dg_face_normal(mesh, wall->face[k], normal);
    areas += area;
    sum += area * sqrt(4 / sqrt(3) * area);
  }
  return sum / areas;
}

/* Grows sheets on a wall. */
static int grow_on(struct dg_mesh *mesh, const struct dg_wall *wall, size_t sheets, double thickness,
                   struct dg_error *err)
{
  struct dg_wall_shape shape;
  double *depth = NULL;
  int *stage = NULL;
  if (thickness == 0) thickness = mean_edge(mesh, wall);
  if (DG_NEW(depth, sheets, err) != 0 || DG_NEW(stage, wall->faces, err) != 0 ||
      dg_wall_shape_find(&shape, stage, mesh, wall, err) != 0)
    goto fail;
  for (size_t n = 0; n < sheets; n++) depth[n] = thickness * (double)(n + 1);
  const struct dg_growth growth = {.wall = wall,
                                   .name = "grown",
                                   .stages = DG_WALL_STAGES,
                                   .stage = stage,
                                   .way = dg_wall_shape_way,
                                   .shape = &shape,
                                   .sheets = sheets,
                                   .depth = depth};
  (void)!dg_mesh_grow(mesh, 1, &growth, err);
fail:
  dg_free(depth);
  dg_free(stage);
  return err->code;
}

/* Grows them on all of the outer surface. */
static int grow(struct dg_mesh *mesh, size_t sheets, double thickness, struct dg_error *err)
{
  struct dg_walls walls = {0};
  int32_t *face = NULL;
  size_t faces = 0;
  if (sheets == 0) return 0;
  if (DG_NEW(face, mesh->boundary_faces, err) != 0) return err->code;
  for (size_t i = 0; i < 4 * mesh->K; i++)
    if (mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY) face[faces++] = (int32_t)i;
  if (dg_walls_find(&walls, mesh, faces, face, err) == 0) {
    if (walls.count == 1) (void)!grow_on(mesh, &walls.wall[0], sheets, thickness, err);
    else (void)dg_fail(err, DG_INPUT, "the mesh has %zu outer walls and not one", walls.count);
  }
  dg_free(face);
  dg_walls_release(&walls);
  return err->code;
}

/* The group of an element's volume, or of the one that it continues; 1000 with `shell`. */
static int tag_of(const struct dg_mesh *mesh, size_t e, bool shell)
{
  const struct dg_entity *own = &mesh->entity[mesh->volume[e]];
  if (own->layer > 0 && shell) return 1000;
  if (own->layer > 0) own = &mesh->entity[dg_mesh_find_entity(mesh, 3, own->grown_from)];
  return own->groups > 0 ? mesh->group[own->group[0]].tag : 999;
}

static void write_mesh(const struct dg_mesh *mesh, bool shell)
{
  size_t triangles = 0, written = 0;
  int names = 3;
  for (size_t i = 0; i < 4 * mesh->K; i++) triangles += mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY;
  for (size_t i = 0; i < mesh->groups; i++)
    names += mesh->group[i].dim == 3 && strcmp(mesh->group[i].name, "grown") != 0;
  printf("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n2 1 \"wall\"\n3 999 \"rest\"\n3 1000 \"shell\"\n",
         names);
  for (size_t i = 0; i < mesh->groups; i++)
    if (mesh->group[i].dim == 3 && strcmp(mesh->group[i].name, "grown") != 0)
      printf("3 %d \"%s\"\n", mesh->group[i].tag, mesh->group[i].name);
  printf("$EndPhysicalNames\n$Nodes\n%zu\n", mesh->vertices);
  for (size_t v = 0; v < mesh->vertices; v++)
    printf("%zu %.17g %.17g %.17g\n", v + 1, mesh->vertex[v][0], mesh->vertex[v][1], mesh->vertex[v][2]);
  printf("$EndNodes\n$Elements\n%zu\n", mesh->K + triangles);
  for (size_t e = 0; e < mesh->K; e++) {
    const int32_t *v = mesh->element[e];
    const double *a = mesh->vertex[v[0]];
    double side[3][3], volume6 = 0;
    for (int i = 0; i < 3; i++)
      for (int d = 0; d < 3; d++) side[i][d] = mesh->vertex[v[i + 1]][d] - a[d];
    for (int d = 0; d < 3; d++)
      volume6 +=
          side[0][d] * (side[1][(d + 1) % 3] * side[2][(d + 2) % 3] - side[1][(d + 2) % 3] * side[2][(d + 1) % 3]);
    const int tag = tag_of(mesh, e, shell), c = volume6 > 0 ? 2 : 3;
    printf("%zu 4 2 %d %d %d %d %d %d\n", ++written, tag, tag, v[0] + 1, v[1] + 1, v[c] + 1, v[5 - c] + 1);
  }
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t *v = mesh->element[i / 4];
    const size_t f = i % 4;
    if (mesh->neighbour[i / 4][f] != DG_BOUNDARY) continue;
    printf("%zu 2 2 1 1 %d %d %d\n", ++written, v[f == 0] + 1, v[f <= 1 ? 2 : 1] + 1, v[f == 3 ? 2 : 3] + 1);
  }
  printf("$EndElements\n");
}

int main(int argc, char **argv)
{
  struct dg_mesh mesh = {0};
  struct dg_error err = {0};
  const bool shell = argc == 5 && strcmp(argv[4], "shell") == 0;
  if (argc != 4 + shell || atoi(argv[2]) < 0 || !(atof(argv[3]) >= 0)) {
    fprintf(stderr, "usage: %s MESH SHEETS THICKNESS [shell] > GROWN.msh\n", argv[0]);
    return 2;
  }
  const struct dg_mesh_options options = {.file = argv[1], .unit = 1};
  if (dg_mesh_load(&mesh, &options, &err) == 0 && grow(&mesh, (size_t)atoi(argv[2]), atof(argv[3]), &err) == 0)
    write_mesh(&mesh, shell);
  dg_mesh_release(&mesh);
  if (err.code != DG_OK) fprintf(stderr, "error: %s\n", err.message);
  return err.code;
}
