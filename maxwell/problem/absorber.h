/* Absorbers: layers whose losses rise slowly with the depth, for media that a perfectly matched layer cannot continue.
 * layer.c adds them when a problem is built.
 *
 * The rate s of the loss is the same for both fields, sigma = s eps and sigma_m = s mu: eps and mu become
 * (1 + s/(jw)) eps and (1 + s/(jw)) mu, the impedance stays, and a wave at normal incidence is not reflected at any
 * frequency. At an angle theta a jump of s returns about tan(theta)^2/2 of s/w, so that s has to rise slowly: a low
 * frequency and a grazing wave need a deep absorber. Sources: A. F. Oskooi, L. Zhang, Y. Avniel, S. G. Johnson, Opt.
 * Express 16 (2008) 11376 (adiabatic absorbers).
 *
 * A medium with a response keeps it: its eps or mu changes with frequency, and is matched at one frequency.
 *
 * The pass takes losses by element. s is the mean of its profile between the least and the largest depth of an element,
 * so that the elements of a sheet that was extruded have one value. Directions add: s in an edge is the sum of two. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/problem/layer_shape.h"
#include "maxwell/problem/problem.h"

enum { MX_ABSORBER_GRADE = 3 }; /* s rises as this power of the depth */

/* The permittivity or permeability that is matched: the real part at the frequency of the shape, at least that of fast
 * fields. */
double mx_absorber_storage(const struct mx_problem *problem, const struct mx_layer_shape *shape,
                           enum mx_equation equation, size_t e);

/* Adds the losses of an element. index: the smallest of the absorber's media, for which a wave that crosses it twice
 * loses shape->reflection. */
void mx_absorb(struct mx_problem *problem, const struct mx_layer_shape *shape, double index, const struct dg_mesh *mesh,
               size_t e);
