/* The terms that act around a pass, on the host: the list that the backends `reference` and `cpu` walk, once for every
 * precision. host_row.h has what a kind can do. This header is included before the kinds, and host_walk.h after them.
 * The state of a backend has `problem`, `options`, `threads`, `profile`, `sources`, `starting` (H goes half a step back
 * before the first step: states rest) and `own`, what each kind has made for itself.
 *
 *   before   from the last kind to the first, before a pass, from the fields of this rank
 *   lift     from the first to the last, after a pass, once the traces of other ranks are there: adds to its changes
 *   after    the same, after a step of leapfrog or after the rates of a stage: states at nodes go on */
#pragma once

/* The kinds in the order in which they add. */
#define MX_HOST_TERMS(X) X(open) X(skins) X(sources) X(responses)

#define MX_HOST_NUMBER(kind) MX_HOST_##kind,
enum { MX_HOST_TERMS(MX_HOST_NUMBER) MX_HOST_KINDS };
#undef MX_HOST_NUMBER
