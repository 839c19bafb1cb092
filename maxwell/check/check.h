/* `curlew check`; main.c calls it. */
#pragma once

#include "maxwell/scene/scene.h"

/* Reports what a run would take and how well it would resolve a wave. It rehearses the first steps of the run
 * (maxwell/check/rehearsal.h), so that none may follow, and leaves nothing behind. Collective. model: a file
 * to which the surfaces are written (survey.h), or NULL; DG_INPUT with several ranks, of which none has them all. */
int mx_check(const struct mx_scene *scene, const char *model, struct dg_error *err) DG_MUST_USE;
