/* The state of the `cuda` backend, on the card and on the host. The files that set it up (kernel_tables.c, sources.c),
 * step (step.c) and observe (observe.c, past_h.c) share it. */
#pragma once

#include "gpu/kernels/curves.h"
#include "gpu/kernels/face_sums.h"
#include "gpu/kernels/kernels.h"
#include "gpu/kernels/layout.h"
#include "gpu/runtime/errors.h"
#include "gpu/runtime/memory.h"
#include "gpu/kernels/responses.h"
#include "gpu/kernels/skins/skins.h"
#include "maxwell/backend/backend.h"
#include "maxwell/backend/sheet_links.h"

enum {
  GPU_SLOTS = 2,   /* buffers of source values: one is filled while the card reads the other */
  GPU_BEHIND = 4,  /* stages that the card may be behind the host */
  GPU_TIMINGS = 4, /* exchanges with other ranks whose times are not yet read */
  /* Below this a card of several has less than 0.8 of its speed: four H200, leapfrog at order 3, centred flux, have
   * 0.42, 0.65, 0.81 with 4.2, 8.8 and 17.6 million each (profiling/scale_gpus.py --study smallest). */
  GPU_UNKNOWNS_A_CARD = 17000000,
  GPU_STAGING = 4 << 20,  /* bytes of each of the two pinned buffers through which fields come and go */
  GPU_LEAVING = 16 << 20, /* the same for snapshots, which nobody waits for */
  GPU_BUFFERS = 2,        /* snapshots that may be on the card */
  GPU_MONITORS = 16,      /* what is measured at the same steps is one */
  GPU_SUMS = 32,          /* far fields and spectra */
  GPU_RECALLED = 16 << 20 /* bytes of H of half a step ago, at most, that are worked out at a time */
};

/* A source term. The part that changes in time is a number, given to the kernel with its launch; or it is `staged`:
 * numbers that are converted into pinned memory when the stage begins, and copied from there. */
struct gpu_term {
  const struct mx_term *term;
  struct gpu_entries entries, curved; /* in straight elements, and in curved ones */
  void *part[2];    /* what the number multiplies, E and H: along t1 and t2, of currents covariant; NULL: nothing */
  size_t N, parts;  /* of an entry */
  size_t staged;    /* numbers of one array */
  size_t at[2];     /* where `curl` and `penalty` begin in a slot, bytes */
  bool has_penalty; /* some face of it has one */
};

struct gpu_slot {
  unsigned char *host, *card;
  gpuEvent_t copied, used; /* the copy has arrived; the kernels that read it are done */
};

/* The events of one exchange with their times: `inner` on the stream of the kernels, the others on the halo's. */
struct gpu_timing {
  gpuEvent_t packed, inner, there; /* behind packing; behind the inner elements; ghosts unpacked */
};

/* The exchange of the traces that are shared with other ranks (halo.c). */
struct gpu_halo {
  struct dg_exchange *exchange;      /* NULL: one rank */
  bool direct;                       /* MPI takes the card's memory; else all goes through the host's */
  size_t faces, bytes;               /* bytes of a face: the numbers that travel */
  int fields;                        /* that travel at a time */
  int32_t *own, *far;                /* on the card; kernels.h */
  unsigned char *out, *in;           /* on the card */
  unsigned char *host_out, *host_in; /* pinned; NULL if direct */
  gpuStream_t stream;                /* packing, copies, unpacking and the outer elements, before other work */
  gpuEvent_t ready, copied, done;    /* ready: for packing; done: with the outer elements */
  struct gpu_timing timing[GPU_TIMINGS];
  long begun, timed; /* begun so far; of which the times have been read */
  double seconds;    /* in which the kernels' stream waited */
};

/* H half a step ago, where leapfrog works in place and it is not there any more (past_h.c). */
struct gpu_recall {
  size_t rows;          /* that are worked out at a time, at most; a test may have less before anything is observed */
  struct gpu_kept kept; /* of which the rows are copied; like `row` allocated when something is observed first */
  int32_t *element;     /* [kept.count] the same as kept.element, on the host */
  void *row;            /* [rows] of the card, what was worked out last */
  int32_t *tile;        /* [tiling.count] where tiles begin */
};

/* A response (responses.c). */
struct gpu_own_response {
  struct gpu_response at;
  double *start;         /* of the card: [states][count][2], factors of the field */
  double *energy, *loss; /* of the card: [squares][count][2 + states], [losses][count][2 + states]: squares */
  double *energy_weight; /* of the card: [squares][count], twice their signs */
  int squares;           /* of an energy */
  int losses;            /* the most squares of a loss */
  double *sign;          /* of the host: [losses][count] of these squares */
  void *vector;          /* of the card: rows [count], what is observed */
};

/* Faces on resistive sheets, in the order of mx_problem.sheet_face; all of the card (sheets.c). */
struct gpu_own_sheets {
  size_t count;
  struct gpu_entries straight, curved;
  double *factor;                /* [count] of E */
  void *taken, *before[2], *own; /* gpu_sheets has them; the last two for leapfrog only */
};

/* The faces on metal walls, on films, or on sheets (skins.c). */
struct gpu_own_skins {
  struct gpu_skins at;
  struct gpu_entries straight, curved;
  size_t *of; /* of the host: [at.count] numbers in mx_problem.skin_face, ascending */
};

/* The currents of sheets that ranks share, through the host's memory (skins.c). */
struct gpu_sheet_links {
  struct mx_sheet_links at;
  int32_t *send; /* of the card: [at.sent] places in the list of sheets */
  double *item;  /* of the card: [at.sent][at.width] */
};

/* Two pinned buffers through which rows come to the host. The host converts one while the other is filled. */
struct gpu_way {
  gpuStream_t stream;
  size_t bytes; /* of each */
  unsigned char *pinned[2];
  unsigned char *card[2]; /* for means; NULL: there are none */
  gpuEvent_t arrived[2];
};

/* Snapshots on their way to the host (snapshot.c). The loop's thread fills a buffer; the other thread does all else. */
struct gpu_leaving {
  bool wanted[2]; /* E, H */
  size_t buffers;
  struct gpu_buffer {
    void *field[2];   /* of the card; NULL: not wanted */
    gpuEvent_t ready; /* filled */
  } buffer[GPU_BUFFERS];
  struct gpu_way way;
};

/* The points and functionals that are measured at the same steps, again and again (monitor.c). */
struct gpu_monitor {
  struct gpu_points at; /* without the fields */
  size_t functionals, *functional;
  size_t first;  /* row of monitored.kept: those of the points, then those of the functionals of H, in their order */
  size_t width;  /* numbers a time: six a point, pieces of the functionals */
  double *value; /* [rows][width] of the card */
  double (*metric)[9]; /* [at.count] of the points */
};

struct gpu_monitored {
  size_t count;
  struct gpu_monitor monitor[GPU_MONITORS];
  struct gpu_kept kept; /* H of half a step before, where leapfrog works in place, of all monitors' elements as often as
                           they have them; rows are allocated when something is observed first */
  int32_t *element;     /* [kept.count] the same as kept.element, on the host */
};

/* Running transforms on faces (face_sums.c) or at points (point_sums.c). */
struct gpu_running {
  struct gpu_face_states faces;   /* without fields and values */
  struct gpu_point_states points; /* the same; count 0: the sums are of faces */
  struct gpu_turns turns;         /* without arrays */
  size_t rows;                    /* samples that there is room for */
  double *row, *turn, *sum;       /* of the card: [rows][width], [rows][sums], [sums][width] */
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
  struct gpu_halo halo;
  int32_t *node, *place;          /* [Np] the problem's node at a place on the card, and the other way round */
  int32_t face_order[DG_NF_MAX];  /* the order in which kernels take the nodes of face 0 */
  struct gpu_memory card, pinned; /* owns all that follows */
  void *field[2];                 /* E, H */
  bool within;                    /* a step with sums is under way: the fields as they are lie in spare */
  void *spare[2];                 /* takes their next values; leapfrog that works in place has none */
  void *registers[2], *sum[2];    /* Runge-Kutta: dt times the rates, or the second register; rk4 */
  bool in_place, observed;
  const struct gpu_medium *start_media; /* of the half step that takes leapfrog's H back from t = 0 */
  struct gpu_entries open, open_curved; /* leapfrog: the open faces of straight and of curved elements */
  size_t open_faces;
  /* [open faces][2][Nf] traces of one step ago; those of now, or, where the kernels of the half step do not know open
   * faces, what the extrapolation adds */
  void *open_before[2], *open_now;
  struct gpu_own_sheets sheets;
  struct gpu_own_skins skins[GPU_SKIN_KINDS];
  struct gpu_sheet_links links;
  size_t terms;
  struct gpu_term *term;
  size_t slot_bytes;
  struct gpu_slot slot[GPU_SLOTS];
  long stages;                            /* ended so far, as far as the host can tell */
  const struct mx_stage_sources *sources; /* of the stage in progress */
  gpuStream_t work, copies;
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
  struct gpu_own_response *response; /* [responses] of the problem */
  struct gpu_recall recall;
  struct gpu_leaving leaving;
  struct gpu_monitored monitored;
  size_t runnings;
  struct gpu_running running[GPU_SUMS];
};

/* ---- kernel_tables.c */

int gpu_pack_tables(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Has an equation media that are tensors? It then has six numbers an element of its own. */
bool gpu_applies_tensors(const struct mx_problem *problem, int equation);
/* Splits a number into a sum of two numbers of eleven bits, which is what tensor cores take of a float. */
void gpu_split_number(double x, float two[2]);
/* Lists the pieces of faces for the nodes face_node[4][Nf] of a component: piece[4][count] and packed[4][Nf] as
 * gpu_tables has them. Returns the count, which is that of the face with the most; the other faces name their last
 * piece again. Both arrays may be NULL. */
size_t gpu_list_pieces(int order, const int32_t *face_node, uint8_t *piece, int32_t *packed);
/* Packs the tiles for the kernels of tile.cuh, where card and order have them (tiles.c). */
int gpu_pack_tiles(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The tiles on the host; gpu_tiling explains the arrays. No tile has elements on both sides of `inner`, which is a
 * multiple of eight or all. The inner tiles are for `processors` - `apart` multiprocessors, the others for `apart`, if
 * there are any. Release in any case. */
struct gpu_tiles {
  size_t count, inner, traces; /* traces: with the gaps that make every list start at a multiple of four */
  int4 *tile, *dealt;          /* dealt: NULL before they are shared out */
  uint32_t *trace;
  uint16_t (*neighbour)[4];
};
int gpu_cut_tiles(struct gpu_tiles *tiles, const struct mx_problem *problem, size_t inner, struct gpu_tile_shape shape,
                  int processors, int apart, struct dg_error *err) DG_MUST_USE;
/* Finds the order of the tiles in which `blocks` blocks have equally much to do, since tiles with boundaries and the
 * like take longer. The inner tiles are shared out to `blocks_inner` blocks of their own. */
int gpu_share_out_tiles(struct gpu_tiles *tiles, const struct mx_problem *problem, bool penalty_inside, size_t blocks,
                        size_t blocks_inner, struct dg_error *err) DG_MUST_USE;
void gpu_release_tiles(struct gpu_tiles *tiles);
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
/* May a half step of leapfrog overwrite its field? It may not with a penalty between elements, and not where H has
 * losses: H of half a step ago cannot then be worked out from the new one without a growth of rounding errors by
 * exp(loss dt/mu). */
bool gpu_works_in_place(const struct mx_problem *problem, const struct mx_backend_options *options);

/* ---- curved_tables.c */

int gpu_pack_curves(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Keeps the media of curved elements, out of medium[K], where the dead medium takes their place. */
int gpu_take_out_curves(struct mx_backend *backend, int32_t *medium, int32_t dead, struct dg_error *err) DG_MUST_USE;
/* The bytes of the card that curved elements take beyond what all elements do. */
size_t gpu_curve_bytes(const struct mx_problem *problem, size_t real);

/* ---- curves.c */

/* Are all elements curved? Then the pass over all elements has nothing to do. */
bool gpu_only_curved(const struct mx_backend *backend);
/* May the kernel of curved elements run beside the pass over all elements of half a step? Either leaves the results of
 * the other alone. But where the half step works in place, the pass must not keep traces of a field that changes beside
 * it (takes_open). */
bool gpu_curved_beside(const struct mx_backend *backend, enum gpu_part part, bool takes_open);
/* The curved elements of a pass, behind the others. They do nothing where there are none. */
int gpu_curved_half(struct mx_backend *backend, const struct gpu_half *half, struct dg_error *err) DG_MUST_USE;
int gpu_curved_stage(struct mx_backend *backend, const struct gpu_stage *stage, struct dg_error *err) DG_MUST_USE;
/* A product over all of its elements, straight and curved. */
int gpu_all_products(struct mx_backend *backend, struct gpu_product product, struct dg_error *err) DG_MUST_USE;
bool gpu_is_curved(const struct mx_backend *backend, size_t e);
/* d(r, s, t)_a/dx_b at node n of the problem, of element e. */
const double *gpu_metric_at(const struct mx_backend *backend, size_t e, size_t n);
/* gpu_check_fields of the curved elements. */
int gpu_check_curved(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err) DG_MUST_USE;

/* ---- sheets.c; all do nothing where there are none */

int gpu_new_sheets(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The bytes of the card that they take. */
size_t gpu_sheet_bytes(const struct mx_problem *problem, bool staggered, size_t real);
/* Before half a step of leapfrog: works out what the sheets add, and keeps what the next one extrapolates. `start`:
 * only keeps. */
int gpu_sheets_before(struct mx_backend *backend, int equation, bool start, struct dg_error *err) DG_MUST_USE;
/* Behind the half step: adds it. */
int gpu_add_sheets(struct mx_backend *backend, int equation, void *to, struct dg_error *err) DG_MUST_USE;
/* Adds to half a step by -1, which takes H back from t = 0, with the media of the start. */
int gpu_start_sheets(struct mx_backend *backend, void *to, struct dg_error *err) DG_MUST_USE;
/* Adds to a stage, whose rates are those of E: to the registers, and b times to `also`, which may be NULL. */
int gpu_stage_sheets(struct mx_backend *backend, const void *E, void *const also[2], double b,
                     struct dg_error *err) DG_MUST_USE;

/* ---- skins.c; all do nothing where there are no metal walls, films and sheets. Where ranks share sheets, the
 * functions that are called collective are so, and wait for the card. */

/* Collective. */
int gpu_new_skins(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_skins(struct mx_backend *backend);
/* The bytes of the card that they take. */
size_t gpu_skin_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real);
/* At t = 0 no current flows. */
int gpu_start_skins(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Behind half a step of leapfrog, while the traces on open faces are those that it had: adds to the field. Behind that
 * of H the currents go on. Collective. */
int gpu_end_half_skins(struct mx_backend *backend, int equation, void *to, struct dg_error *err) DG_MUST_USE;
/* Adds to stage s, whose rates are those of `field`: to the registers, and b times to `also`, which may be NULL.
 * Collective. */
int gpu_stage_skins(struct mx_backend *backend, int s, void *const field[2], void *const also[2],
                    struct dg_error *err) DG_MUST_USE;
/* Adds twice the stored energies to the parts of a sum, on the card. */
int gpu_add_skin_energies(struct mx_backend *backend, double *part, struct dg_error *err) DG_MUST_USE;
/* Copies the currents of faces first..first+count-1 of the problem's to value `to`, or, if that is NULL, from `from`:
 * [count][poles][3][Nf], of which only the components along the face mean anything. */
int gpu_copy_skins(struct mx_backend *backend, size_t first, size_t count, double *to, const double *from,
                   struct dg_error *err) DG_MUST_USE;

/* Behind the loading of currents. Collective. */
int gpu_loaded_skins(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;

/* ---- sources.c */

/* Sorts entries by element and puts them on the card, those in curved elements apart. */
int gpu_pack_entries(struct mx_backend *backend, struct gpu_entries *straight, struct gpu_entries *curved, bool faces,
                     size_t count, const int32_t *where, struct dg_error *err) DG_MUST_USE;
int gpu_pack_terms(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Takes the values of a stage. Behind this, all that has to be copied is on its way. */
int gpu_send_sources(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                     struct dg_error *err) DG_MUST_USE;
/* to += what the sources of the stage add to an equation, also += b times it (may be NULL). */
int gpu_add_sources(struct mx_backend *backend, int equation, const struct mx_stage_sources *sources, void *to,
                    void *also, double b, struct dg_error *err) DG_MUST_USE;
/* Marks the end of the source kernels of a stage, behind the last one. */
int gpu_end_sources(struct mx_backend *backend, const struct mx_stage_sources *sources,
                    struct dg_error *err) DG_MUST_USE;

/* ---- responses.c */

int gpu_pack_responses(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_responses(struct mx_backend *backend);
/* The bytes of the card that the responses take. */
size_t gpu_response_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real);
/* Sets the states at t = 0, from E. */
int gpu_start_responses(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Sets those that act on the vector of leapfrog's H, which is half a step before t = 0. */
int gpu_start_vector_responses(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Lets the responses take their step: behind all else that a step of leapfrog does to field `of`, 0: E, 1: H, or behind
 * the rates and sources of a stage of Runge-Kutta. */
int gpu_step_responses(struct mx_backend *backend, int of, void *field, struct dg_error *err) DG_MUST_USE;
int gpu_stage_responses(struct mx_backend *backend, const struct gpu_response_stage *stage,
                        struct dg_error *err) DG_MUST_USE;
/* Adds twice the stored energies of the responses of a field, 0: E, 1: H, to the parts of a sum, on the card. */
int gpu_add_response_energies(struct mx_backend *backend, int of, double *part, struct dg_error *err) DG_MUST_USE;
/* Adds the responses' losses in the elements to *loss. */
int gpu_response_losses(struct mx_backend *backend, size_t count, const int32_t *element, double *loss,
                        struct dg_error *err) DG_MUST_USE;

/* ---- layer_pieces.c */

struct dg_quadrature;
/* Are there kernels for layers on tensor cores? */
bool gpu_layer_has_pieces(const struct mx_backend *backend);
/* Lays the operators of a rule out as gpu/kernels/layers/pieces.h has them; node[Np] is the reference element's node at
 * a place on the card. */
void gpu_layer_put_pieces(const struct dg_quadrature *rule, int order, bool single, const int32_t *node, void *pieces);
/* Sends them to the card: to->at.pieces. Does nothing without such kernels. */
int gpu_layer_pack_pieces(struct mx_backend *backend, struct gpu_own_response *to, const struct dg_quadrature *rule,
                          struct dg_error *err) DG_MUST_USE;
/* The bytes of the card that these and the used coefficients take, whether or not there are such kernels. */
size_t gpu_layer_piece_bytes(int order, enum mx_response_kind kind, size_t count, size_t real);
/* Sends the used ones of coefficient[count][coefficients], numbers of the backend's precision: to->at.used. Does
 * nothing without such kernels, or for a kind that uses all. */
int gpu_layer_pack_used(struct mx_backend *backend, struct gpu_own_response *to, const void *coefficient,
                        struct dg_error *err) DG_MUST_USE;

/* ---- halo.c */

/* Makes stream, buffers and messages for the faces that are shared; nothing on one rank. */
int gpu_new_halo(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_halo(struct mx_backend *backend);
/* An exchange of the traces of field[halo.fields], in three parts, each of which does nothing on one rank. `begin` only
 * launches the packing; work that is launched behind it may not change the fields on shared faces. `send` waits until
 * the card has packed, and starts the messages; the inner elements should have been launched by then. `receive` waits
 * for the messages. Work that is launched behind it on the halo's stream sees the ghosts, and all that was launched
 * before `begin`. */
int gpu_halo_begin(struct mx_backend *backend, void *const *field, struct dg_error *err) DG_MUST_USE;
int gpu_halo_send(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
int gpu_halo_receive(struct mx_backend *backend, void *const *field, struct dg_error *err) DG_MUST_USE;
/* From here on, work on the kernels' stream waits for the work that the halo's stream has now. */
int gpu_halo_join(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The stream for a part of the elements. */
gpuStream_t gpu_stream_of(const struct mx_backend *backend, enum gpu_part part);
/* All three parts of an exchange with nothing in between. */
int gpu_halo_exchange(struct mx_backend *backend, void *const *field, struct dg_error *err) DG_MUST_USE;
/* Adds up the times of the exchanges but for the last `but`; the card must have finished them. */
int gpu_halo_times(struct mx_backend *backend, long but, struct dg_error *err) DG_MUST_USE;
/* Sets the counted times to zero. */
void gpu_halo_forget(struct mx_backend *backend);
struct mx_halo_use gpu_halo_use(const struct mx_backend *backend);
int gpu_time_exchange(struct mx_backend *backend, bool one_face, double *seconds, struct dg_error *err);

/* ---- step.c */

int gpu_upload(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err);
int gpu_stage_begin(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                    struct dg_error *err);
int gpu_stage_sources(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                      struct dg_error *err);
int gpu_stage_end(struct mx_backend *backend, int stage, struct dg_error *err);
int gpu_wait(struct mx_backend *backend, struct dg_error *err);

/* ---- observe.c */

int gpu_pack_functionals(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Pinned and card buffers of at least so many bytes each; the content is lost. */
int gpu_grow_staging(struct mx_backend *backend, size_t bytes, struct dg_error *err) DG_MUST_USE;
int gpu_energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err);
int gpu_sample_points(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                      struct dg_error *err);
int gpu_functionals(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                    struct dg_error *err);
int gpu_functionals_begin(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err);
int gpu_functionals_end(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err);
int gpu_loss(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err);
int gpu_download(struct mx_backend *backend, double *E, double *H, struct dg_error *err);
int gpu_check_fields(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err);

/* weight[count][Np] in the card's order, element[count] and node[count] of points. */
void gpu_list_points(const struct mx_backend *backend, size_t count, const struct mx_point *point, double *weight,
                     int32_t *element, int32_t *node);
/* d(r, s, t)_a/dx_b at a point. */
const double *gpu_metric_of_point(const struct mx_backend *backend, const struct mx_point *point);
/* Turns the values of one point, from[6] in covariant components, into Cartesian value[6]. */
void gpu_point_to_cartesian(const double metric[9], const unsigned char *from, double *value);
/* The sum that is functional f of the field as it is. */
struct gpu_sum gpu_sum_of_functional(const struct mx_backend *backend, size_t f, double *part);
double gpu_sum_of_parts(const unsigned char *from, size_t parts);

/* H one half step ago, or H itself where both fields live at the same time: the mean of this and H is observed. Not
 * where leapfrog works in place. */
const void *gpu_other_H(const struct mx_backend *backend);
/* Brings (u + v)/2 in Cartesian components to to[K][3][Np], for elements first..first+count-1, of which u and v are the
 * rows. */
int gpu_bring_rows(const struct mx_backend *backend, const struct gpu_way *way, const void *u, const void *v,
                   size_t first, size_t count, double *to, struct dg_error *err) DG_MUST_USE;
/* The number of elements of a functional, which are its rows. Fills their list if `element` is not NULL. An element is
 * in the list twice if the functional comes back to it behind others. */
size_t gpu_rows_of_functional(const struct mx_problem *problem, size_t functional, int32_t *element);

/* ---- past_h.c: where leapfrog works in place */

int gpu_new_recall(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_recall(struct mx_backend *backend);
/* The first of the elements that are kept, which ascend, that is not below e. */
size_t gpu_first_kept(const struct gpu_kept *kept, size_t e);
/* The bytes of the card that will be taken when something is observed first. */
size_t gpu_recall_bytes(const struct mx_problem *problem, size_t real);
/* Keeps the rows that cannot be worked out later. Call it before the half step of H. It does nothing where the step is
 * not observed. */
int gpu_keep_H(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* to = weight * (H half a step ago) + (1 - weight) H, for the rows of these elements. The padding of `to` may be
 * written to as well. Valid until E changes. */
int gpu_recall_H(struct mx_backend *backend, const struct gpu_some *some, double weight, void *to,
                 struct dg_error *err) DG_MUST_USE;
int gpu_recall_all(struct mx_backend *backend, double weight, void *to, struct dg_error *err) DG_MUST_USE;
/* Goes from {0} through all elements, as many at a time as recall.row takes; false behind the last. */
bool gpu_next_rows(const struct mx_backend *backend, struct gpu_some *some);

/* ---- snapshot.c */

int gpu_snapshot_buffers(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err);
int gpu_snapshot_begin(struct mx_backend *backend, size_t buffer, struct dg_error *err);
int gpu_snapshot_fetch(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err);
/* Waits for the snapshots on their way and releases their buffers' events. Call it before the memory is released. */
void gpu_release_leaving(struct mx_backend *backend);

/* ---- monitor.c */

int gpu_monitor_new(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *number,
                    struct dg_error *err);
/* Keeps H for the monitors. Call it before the half step of H. It does nothing where the step is not observed. */
int gpu_monitor_keep(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
int gpu_monitor_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err);
int gpu_monitor_fetch(struct mx_backend *backend, size_t number, size_t rows, double *value, struct dg_error *err);
void gpu_release_monitors(struct mx_backend *backend);

/* Keeps H of half a step before of these elements at every observed step from now on, as rows *first and following of
 * monitored.kept. Before the first step. */
int gpu_keep_elements(struct mx_backend *backend, size_t count, const int32_t *element, size_t *first,
                      struct dg_error *err) DG_MUST_USE;

/* ---- point_sums.c */

int gpu_point_sums_new(struct mx_backend *backend, const struct mx_point_sums *what, size_t *number,
                       struct dg_error *err);

/* ---- face_sums.c */

/* Makes room for samples and sums of zero, once `turns` and `rows` are known. */
int gpu_new_sums(struct mx_backend *backend, struct gpu_running *sums, const char *what,
                 struct dg_error *err) DG_MUST_USE;

int gpu_face_sums_new(struct mx_backend *backend, const struct mx_face_sums *what, size_t *number,
                      struct dg_error *err);
int gpu_sums_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err);
int gpu_sums_add(struct mx_backend *backend, size_t number, size_t rows, const double *turn, struct dg_error *err);
int gpu_sums_fetch(struct mx_backend *backend, size_t number, double *sum, struct dg_error *err);
int gpu_sums_set(struct mx_backend *backend, size_t number, const double *sum, struct dg_error *err);

/* ---- checkpoint.c */

int gpu_save(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err);
int gpu_load(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
             struct dg_error *err);
int gpu_loaded(struct mx_backend *backend, struct dg_error *err);

/* ---- bench.c */

int gpu_ceilings(size_t field_bytes, struct mx_ceilings *ceilings, struct dg_error *err);
