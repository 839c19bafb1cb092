/* The entities of the mesh that a key of the script means: a group by name, an entity by tag, or all the others. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/model/config.h"

/* Checks a selector. DG_INPUT if the mesh lacks what the selector names, or if an entity of it has no elements, or some
 * that touch no tetrahedron: nothing of a group is left out in silence. `key` is the selector's table ("materials"). */
int mx_check_selector(const struct dg_mesh *mesh, const char *key, const struct mx_selector *selector, int dim,
                      struct dg_error *err) DG_MUST_USE;
/* Returns how well a selector fits an entity: 3 its own tag, 2 its group, 1 default, 0 not at all. */
int mx_selector_fit(const struct mx_selector *selector, const struct dg_mesh *mesh, size_t entity);
/* Chooses the best fitting of `count` selectors for each entity of that dimension: choice[entities], or -1. Two groups
 * that both hold an entity and both have a key are ambiguous: DG_INPUT. */
int mx_choose(int *choice, const struct mx_config *config, const struct dg_mesh *mesh, const char *key, int dim,
              size_t count, const struct mx_selector *(*selector)(const struct mx_config *, size_t),
              struct dg_error *err) DG_MUST_USE;
/* Warns once of all groups' entities with a defect (no elements, or triangles that no tetrahedron has) that no key of
 * the script has refused. */
void mx_warn_entities(const struct dg_mesh *mesh, struct dg_log *log);
/* Writes the name of a selector: "air", "[7]" or "default". */
void mx_selector_name(const struct mx_selector *selector, char *text, size_t size);
