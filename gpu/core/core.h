/* The state of the `cuda` backend, on the card and on the host. All rooms of the backend share it; the types of its
 * parts are theirs. */
#pragma once

#include "gpu/kernels/curves.h"
#include "gpu/kernels/kernels.h"
#include "gpu/kernels/layout.h"
#include "gpu/runtime/errors.h"
#include "gpu/runtime/memory.h"
#include "maxwell/backend/backend.h"

enum {
  GPU_BEHIND = 4, /* stages that the card may be behind the host */
  /* Below this a card of several has less than 0.8 of its speed: four H200, leapfrog at order 3, centred flux, have
   * 0.42, 0.65, 0.81 with 4.2, 8.8 and 17.6 million each (profiling/scale_gpus.py --study smallest). */
  GPU_UNKNOWNS_A_CARD = 17000000
};

/* The parts, each in the header of its file. */
struct gpu_halo;
struct gpu_leaving;
struct gpu_monitored;
struct gpu_phases;
struct gpu_recall;
struct gpu_recorded;
struct gpu_running;

/* Of a part that takes shorter steps (gpu/host/fine.c). */
struct gpu_fine_part {
  bool within;                   /* in the stream of the whole, which it borrows */
  void *kept, *change, *next;    /* rows as those of a field; next: H of the pass under way, while steps are recorded */
  int32_t *element;              /* [K] its elements in the whole, on the card */
  struct mx_backend *outermost;  /* of the parts around it, or itself */
  struct gpu_recorded *recorded; /* the shorter steps of a step, of the outermost part */
  gpuStream_t beside;            /* takes what a recorded step may do beside the pass of E */
  gpuEvent_t begun, done;        /* of what lies there */
};

struct mx_backend {
  const struct mx_problem *problem; /* borrowed */
  struct mx_backend_options options;
  const struct gpu_order *kernels;
  struct gpu_tables tables;
  struct gpu_applied applied; /* what the equations apply */
  struct gpu_curves curves;
  double (*node_metric)[9]; /* [curved elements][Np] d(r, s, t)_a/dx_b of the problem's nodes */
  int device;               /* the card */
  size_t real;              /* bytes of a number */
  size_t padded;            /* elements, rounded up to a multiple of eight */
  size_t field_bytes;       /* of a field of so many elements; those whose traces travel have ghosts behind it */
  size_t ghost_bytes;       /* of the ghosts of a field */
  struct gpu_halo *halo;
  int32_t *tile_begin;   /* [tables.tiling.count] elements with which tiles begin, on the host; NULL: no tiles */
  int32_t *node, *place; /* [Np] the problem's node at a place on the card, and the other way round */
  int32_t face_order[DG_NF_MAX];  /* the order in which kernels take the nodes of face 0 */
  struct gpu_memory card, pinned; /* owns all that follows */
  void *field[2];                 /* E, H */
  bool within;                    /* a step with sums is under way: the fields as they are lie in spare */
  void *spare[2];                 /* takes their next values; leapfrog that works in place has none */
  void *registers[2], *sum[2];    /* Runge-Kutta: dt times the rates, or the second register; rk4 */
  bool in_place, observed;
  const struct gpu_medium *start_media;   /* of the half step that takes leapfrog's H back from t = 0 */
  void **own;                             /* by kind of term: its state (gpu/terms/list.h) */
  long stages;                            /* ended so far, as far as the host can tell */
  const struct mx_stage_sources *sources; /* of the stage in progress */
  gpuStream_t work, copies;
  struct gpu_fine_part fine;
  gpuEvent_t ended[GPU_BEHIND]; /* stages */
  /* functionals: each has a list of elements, and is cut into pieces whose sums the host adds up */
  size_t *functional_piece, *functional_row; /* [functionals + 1] */
  uint64_t *piece_first;
  uint8_t *piece_magnetic; /* of H's functionals */
  struct gpu_place *functional_place;
  int32_t *functional_element;
  double *functional_weight;
  double *functional_part; /* pinned: sums of pieces for gpu_functionals_end; allocated when first wanted */
  gpuEvent_t functional_there;
  /* buffers for observation, grown when first wanted */
  unsigned char *staging[2], *card_staging[2];
  size_t staging_bytes;
  gpuEvent_t staged[2];
  struct gpu_recall *recall;
  struct gpu_leaving *leaving;
  struct gpu_monitored *monitored;
  size_t runnings;
  struct gpu_running *running; /* [GPU_SUMS] */
  struct gpu_phases *phases;   /* NULL: phases are not timed */
};

/* The row of a field that an element has; element K + i is ghost i. */
static inline size_t gpu_row(const struct mx_problem *problem, size_t padded, size_t element)
{
  return element < problem->K ? element : padded + element - problem->K;
}
/* array[i] = value in the backend's precision. */
static inline void gpu_put(const struct mx_backend *backend, void *array, size_t i, double value)
{
  if (backend->options.precision == MX_SINGLE) ((float *)array)[i] = (float)value;
  else ((double *)array)[i] = value;
}

static inline double gpu_get(const struct mx_backend *backend, const void *array, size_t i)
{
  return backend->options.precision == MX_SINGLE ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* H one half step ago, or H itself where both fields live at the same time: the mean of this and H is observed. Not
 * where leapfrog works in place. */
const void *gpu_other_H(const struct mx_backend *backend);
bool gpu_is_curved(const struct mx_backend *backend, size_t e);
/* d(r, s, t)_a/dx_b at node n of the problem, of element e. */
const double *gpu_metric_at(const struct mx_backend *backend, size_t e, size_t n);
/* The first of the elements that are kept, which ascend, that is not below e. */
size_t gpu_first_kept(const struct gpu_kept *kept, size_t e);
