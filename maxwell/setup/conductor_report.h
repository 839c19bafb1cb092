/* The reports of conductors that relax faster than a step, and of sheets of metal and graphene. setup_build.c calls
 * them. */
#pragma once

#include "maxwell/scene/scene.h"

/* Logs the conductors that relax faster than a step, and the consequences. Collective. */
int mx_report_conductors(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;

/* Says of each sheet of graphene what it is in series, and of each sheet of metal what its fit is worth; warns of what
 * is most likely not meant. */
void mx_report_interfaces(const struct mx_scene *scene);
