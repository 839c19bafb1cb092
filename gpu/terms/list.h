/* The terms on the card: all that acts on the fields before or after a pass. Each kind of term is a row, and a file of
 * this folder that fills it; all other rooms walk over the rows, once per pass and kind, and know no kind by name.
 *
 * Kinds act in the order of the list after a pass. Whatever prepares or observes them goes through the list from its
 * end, so that the kinds are nested about the pass. A new kind is a line of GPU_TERM_KIND_LIST, its row, and a place in
 * CMakeLists.txt. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"
#include "maxwell/backend/cost.h"

#define GPU_TERM_KIND_LIST(X)                                                                                          \
  X(OPEN_FACES, open_faces) X(SHEETS, sheets) X(SKINS, skins) X(SOURCES, sources) X(RESPONSES, responses)

enum gpu_term_number {
#define X(NUMBER, name) GPU_##NUMBER##_TERM,
  GPU_TERM_KIND_LIST(X)
#undef X
      GPU_TERM_KINDS
};

/* The end of a stage of Runge-Kutta, whose rates are those of `field` and stand in the registers `to`. A term adds to
 * these, and pass->b times as much to `also`, which may be NULL; by equation. */
struct gpu_stage_end {
  int s;
  const struct mx_pass *pass;
  void *field[2], *to[2], *also[2];
};

/* A kind of term. A function that is NULL has nothing to do. `name` is that of its phase in a profile; `size` is that
 * of the kind's own state on the host, backend->own[number], which is zero at first. */
struct gpu_term_kind {
  const char *name;
  size_t size;
  int (*create)(struct mx_backend *backend, struct dg_error *err); /* collective */
  void (*release)(struct mx_backend *backend);                     /* of what the state owns on the host */
  /* The bytes of the card that it takes. */
  size_t (*bytes)(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real);

  /* For profiles. Do before, after and stage launch kernels? Not of a kind that names phases of its own. */
  bool (*launches)(const struct mx_backend *backend);
  /* The cost of both, before and after half a step of an equation, or of the equation's part of a stage; NULL: it is
   * not counted. */
  struct mx_cost (*cost)(const struct mx_backend *backend, int equation);

  /* The start, in this order. Sets the states at t = 0, from the fields of both at this time. */
  int (*start)(struct mx_backend *backend, struct dg_error *err);
  /* Leapfrog: adds to half a step by -1, which takes H back from t = 0, with the media of the start. */
  int (*start_back)(struct mx_backend *backend, void *to, struct dg_error *err);
  /* Leapfrog: H is half a step before t = 0, and may be changed. */
  int (*start_apart)(struct mx_backend *backend, struct dg_error *err);

  /* Half a step of leapfrog. Before it; with `start` once for each equation, ghosts are there, and nothing follows. */
  int (*before)(struct mx_backend *backend, int equation, bool start, struct dg_error *err);
  /* Gives the kernels of the pass what they take of the kind. */
  void (*into_pass)(struct mx_backend *backend, struct gpu_half *half);
  /* Adds to the field, which is not yet backend->field[equation]. */
  int (*after)(struct mx_backend *backend, int equation, void *to, struct dg_error *err);
  /* A stage of Runge-Kutta. */
  int (*stage)(struct mx_backend *backend, const struct gpu_stage_end *end, struct dg_error *err);
  /* The values of the sources of a stage have come; they are needed after the pass. */
  int (*values)(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources, struct dg_error *err);
  /* After all that a pass does, of either scheme. */
  int (*done)(struct mx_backend *backend, int stage, struct dg_error *err);

  /* Adds twice the energies that belong to a field, 0: E, 1: H, to the parts of a sum, on the card. */
  int (*energy)(struct mx_backend *backend, int of, double *part, struct dg_error *err);
  /* Adds the losses in these elements to *loss. */
  int (*loss)(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err);
  /* Observation needs H of half a step before as it was, so that leapfrog may not work in place. */
  bool (*needs_old_H)(const struct mx_problem *problem);
  /* Tells the elements whose H the kind changes after half a step in place, some perhaps more than once. */
  void (*H_elements)(const struct mx_problem *problem, void (*tell)(void *context, size_t e), void *context);

  /* Copies items first..first+count-1 of a state array to `to`, or, if that is NULL, from `from`; nothing of items that
   * are not its own. */
  int (*copy)(struct mx_backend *backend, const struct mx_state_array *array, size_t first, size_t count, double *to,
              const double *from, struct dg_error *err);
  int (*loaded)(struct mx_backend *backend, struct dg_error *err); /* collective, once all arrays are loaded */
};

#define X(NUMBER, name) extern const struct gpu_term_kind gpu_##name##_kind;
GPU_TERM_KIND_LIST(X)
#undef X

/* ---- walks over all kinds, each the function of the same name of every row */

int gpu_terms_create(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_terms_release(struct mx_backend *backend);
size_t gpu_terms_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real);
int gpu_terms_start(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
int gpu_terms_start_back(struct mx_backend *backend, void *to, struct dg_error *err) DG_MUST_USE;
int gpu_terms_start_apart(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
int gpu_terms_before(struct mx_backend *backend, int equation, bool start, struct dg_error *err) DG_MUST_USE;
void gpu_terms_into_pass(struct mx_backend *backend, struct gpu_half *half);
int gpu_terms_after(struct mx_backend *backend, int equation, void *to, struct dg_error *err) DG_MUST_USE;
int gpu_terms_stage(struct mx_backend *backend, const struct gpu_stage_end *end, struct dg_error *err) DG_MUST_USE;
int gpu_terms_values(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                     struct dg_error *err) DG_MUST_USE;
int gpu_terms_done(struct mx_backend *backend, int stage, struct dg_error *err) DG_MUST_USE;
int gpu_terms_energy(struct mx_backend *backend, int of, double *part, struct dg_error *err) DG_MUST_USE;
int gpu_terms_loss(struct mx_backend *backend, size_t count, const int32_t *element, double *loss,
                   struct dg_error *err) DG_MUST_USE;
bool gpu_terms_need_old_H(const struct mx_problem *problem);
void gpu_terms_H_elements(const struct mx_problem *problem, void (*tell)(void *context, size_t e), void *context);
int gpu_terms_copy(struct mx_backend *backend, const struct mx_state_array *array, size_t first, size_t count,
                   double *to, const double *from, struct dg_error *err) DG_MUST_USE;
int gpu_terms_loaded(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
