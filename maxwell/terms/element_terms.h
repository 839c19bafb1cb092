/* What an element becomes whose medium turns the fields, for the building of a problem. */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/problem.h"

/* Adds the gyrotropic terms and the ferrites of all materials to the problem. Errors: DG_MEMORY. */
int mx_assign_turning(struct mx_problem *problem, const struct mx_assignment *assignment,
                      const struct mx_config *config, struct dg_error *err) DG_MUST_USE;
