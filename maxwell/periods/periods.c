/* Finds the sides of periodic boundaries and joins them; periods.h says when. */
#include "maxwell/periods/periods.h"

#include <stdio.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/period.h"
#include "maxwell/model/selectors.h"

/* The pairs of a mesh. */
struct pairs {
  size_t count;
  const struct mx_boundary_config *first[DG_PERIODS];
  struct dg_mesh_sides sides[DG_PERIODS];
  bool *chosen[DG_PERIODS][2]; /* [entities] */
};

bool mx_periods_wanted(const struct mx_config *config)
{
  for (size_t i = 0; i < config->boundaries; i++)
    if (config->boundary[i].kind == MX_PERIODIC) return true;
  return false;
}

static const struct mx_selector *boundary_selector(const struct mx_config *config, size_t i)
{
  return &config->boundary[i].where;
}

static void pairs_release(struct pairs *pairs)
{
  for (size_t i = 0; i < pairs->count; i++)
    for (int j = 0; j < 2; j++) dg_free(pairs->chosen[i][j]);
}

static int add_pair(struct pairs *pairs, const struct mx_config *config, size_t index, size_t entities,
                    const int *choice, struct dg_error *err)
{
  const struct mx_boundary_config *one = &config->boundary[index], *other = mx_opposite(config, one);
  const size_t opposite = (size_t)(other - config->boundary), i = pairs->count;
  if (opposite < index) return 0; /* from the other side */
  pairs->first[pairs->count++] = one;
  if (DG_NEW(pairs->chosen[i][0], entities, err) != 0 || DG_NEW(pairs->chosen[i][1], entities, err) != 0)
    return err->code;
  for (size_t k = 0; k < entities; k++) {
    pairs->chosen[i][0][k] = choice[k] == (int)index;
    pairs->chosen[i][1][k] = choice[k] == (int)opposite;
  }
  pairs->sides[i] = (struct dg_mesh_sides){.from = pairs->chosen[i][0], .to = pairs->chosen[i][1]};
  for (int j = 0; j < 2; j++) {
    char name[64];
    mx_selector_name(j == 0 ? &one->where : &other->where, name, sizeof name);
    snprintf(pairs->sides[i].name[j], sizeof pairs->sides[i].name[j], "boundaries.%s", name);
  }
  return 0;
}

static int pairs_init(struct pairs *pairs, const struct mx_config *config, const struct dg_mesh *mesh,
                      struct dg_error *err)
{
  int *choice = NULL;
  *pairs = (struct pairs){0};
  if (DG_NEW(choice, mesh->entities, err) == 0 &&
      mx_choose(choice, config, mesh, "boundaries", 2, config->boundaries, boundary_selector, err) == 0)
    for (size_t i = 0; i < config->boundaries; i++)
      if (config->boundary[i].kind == MX_PERIODIC && add_pair(pairs, config, i, mesh->entities, choice, err) != 0)
        break;
  dg_free(choice);
  return err->code;
}

/* Puts the place in the script in front of the error of libdg, which knows no script. */
static int explain(const struct pairs *pairs, const struct dg_error *why, struct dg_error *err)
{
  const struct mx_boundary_config *first = pairs->first[0];
  if (why->code != DG_INPUT || first == NULL) *err = *why;
  else (void)dg_fail(err, DG_INPUT, MX_PLACE "%s", MX_AT(first->where.where), why->message);
  return err->code;
}

int mx_periods_order(const struct mx_config *config, struct dg_mesh *mesh, struct dg_error *err)
{
  struct pairs pairs;
  struct dg_error why = {0};
  double period[DG_PERIODS][3];
  if (!mx_periods_wanted(config)) return 0;
  if (pairs_init(&pairs, config, mesh, err) == 0 &&
      dg_mesh_order_sides(mesh, pairs.count, pairs.sides, period, &why) != 0)
    (void)!explain(&pairs, &why, err);
  pairs_release(&pairs);
  return err->code;
}

int mx_periods_join(const struct mx_config *config, struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err)
{
  struct pairs pairs;
  struct dg_error why = {0};
  if (!mx_periods_wanted(config)) return 0;
  if (pairs_init(&pairs, config, mesh, err) == 0 && dg_mesh_join_sides(mesh, pairs.count, pairs.sides, &why) != 0)
    (void)!explain(&pairs, &why, err);
  for (size_t i = 0; i < pairs.count && err->code == DG_OK; i++) {
    size_t faces = 0;
    for (size_t k = 0; k < mesh->entities; k++) faces += pairs.chosen[i][0][k] ? mesh->entity[k].joined : 0;
    dg_log_line(log, "periodic  %s and %s: %zu faces each, (%.6g, %.6g, %.6g) m apart", pairs.sides[i].name[0],
                pairs.sides[i].name[1], faces, mesh->period[i][0], mesh->period[i][1], mesh->period[i][2]);
  }
  pairs_release(&pairs);
  return err->code;
}
