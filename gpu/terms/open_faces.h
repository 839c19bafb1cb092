/* The traces that leapfrog keeps on open faces. */
#pragma once

#include "maxwell/backend/backend.h"

/* Traces of H on open faces after its pass, as [open faces][2][Nf]: those that it had now and before; or, with
 * `changes`, the latter is that of now, and the former what the extrapolation adds. */
struct gpu_open_traces {
  const void *now, *before;
  bool changes;
};
struct gpu_open_traces gpu_open_traces_of_H(const struct mx_backend *backend);
