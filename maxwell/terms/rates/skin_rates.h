/* Walls with a state (maxwell/terms/skins.h) in the right-hand side, for the search for the largest step and the
 * balance of energy. */
#pragma once

#include "maxwell/operator/operator.h"
#include "maxwell/terms/skins.h"

/* rate of an equation += what faces give to it: value[skin_faces][3][Nf], V of walls and J of films. */
void mx_add_skins(const struct mx_problem *problem, const struct mx_matrices_double *matrices,
                  enum mx_equation equation, const double *value, double *rate);
