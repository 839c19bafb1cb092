/* The functions of a backend on a part of a problem that takes shorter steps of H than the whole: a table beside that
 * of every backend (backend.h). maxwell/levels drives it and has the scheme.
 *
 * The part is a backend of its own, on the problem of the part (maxwell/levels/levels.h), with leapfrog and the step
 * and the precision of the whole. Around a pass of the whole that changes H, the part takes what the pass adds to H of
 * its elements, and gives something else back. Its own E and H serve as the two fields of the filter, E on the core
 * alone. Collective, as the passes of the backend. */
#pragma once

#include "libdg/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct mx_backend; /* opaque, each backend its own */

struct mx_fine_ops {
  /* Prepares the part, which ends before the whole. element[K of the part]: its elements in the whole; borrowed, must
   * stay. It takes two fields of the part's size beside what mx_backend_ops.memory says, and
   * three where it records (repeat). */
  int (*attach)(struct mx_backend *part, struct mx_backend *whole, const int32_t *element, struct dg_error *err);
  /* Keeps H of the whole before its pass; NULL: it is zero. */
  int (*keep)(struct mx_backend *part, struct mx_backend *whole, struct dg_error *err);
  /* After the pass: change = H of the whole - kept, H = by change, E = 0. */
  int (*take)(struct mx_backend *part, struct mx_backend *whole, double by, struct dg_error *err);
  /* H = by H. */
  int (*scale)(struct mx_backend *part, double by, struct dg_error *err);
  /* Equation 0: E += scale (the pass of E without its losses), on the core.
   * Equation 1: H += scale (the pass of H) + share change. Share is the same for both passes of a shorter step. */
  int (*pass)(struct mx_backend *part, int equation, double scale, double share, struct dg_error *err);
  /* H of the whole = kept + by H. */
  int (*give)(struct mx_backend *part, struct mx_backend *whole, double by, struct dg_error *err);
  /* The calls from take to give of the outermost part, with those of parts in it, are the same in each step. A backend
   * may record them, and repeat them at once. whole[0] is the whole, then come the parts, each around the next.
   * repeat is called before take; *done: it has done all of them. Else the caller makes the calls, and then calls
   * recorded. Both are NULL where a backend records nothing. */
  int (*repeat)(struct mx_backend *const *whole, int parts, bool *done, struct dg_error *err);
  int (*recorded)(struct mx_backend *const *whole, int parts, struct dg_error *err);
};
