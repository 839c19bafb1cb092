/* Does anything but the ports take power? Where nothing does, all that comes in at ports leaves through ports, and what
 * is missing from the sum of |S|^2 is an error: of the mesh, of the run's length, or because modes that the ports do
 * not have end on their faces. */
#pragma once

#include "maxwell/scene/scene.h"

/* *taker: what takes power, a word for a message, the first of a list; NULL: nothing does. Media with poles and lumped
 * elements with a resistance count. Collective; all ranks get the same. */
int mx_find_taker(const struct mx_scene *scene, const char **taker, struct dg_error *err) DG_MUST_USE;
