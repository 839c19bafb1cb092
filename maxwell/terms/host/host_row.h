/* A kind of terms (terms.h) on the host: its row, which the backends `reference` and `cpu` walk, once for every
 * precision. This header is included before the kinds, and host_walk.h after them. The state of a backend has
 * `problem`, `options`, `threads`, `profile`, `sources`, `starting` (H goes half a step back before the first step:
 * states rest) and `own`, what each kind has made for itself.
 *
 *   before   from the last kind to the first, before a pass, from the fields of this rank
 *   lift     from the first to the last, after a pass, once the traces of other ranks are there: adds to its changes
 *   after    the same, after a step of leapfrog or after the rates of a stage: states at nodes go on */

struct NAME(state);

/* The change of a field by a pass, to which terms add. */
struct NAME(lift) {
  int stage;
  REAL *const *field; /* [2] the fields that the pass has read; in leapfrog those that it has made */
  REAL *to, *also;    /* to += lifted, also += b lifted (may be NULL) */
  double b;
};

/* A stage of Runge-Kutta: the fields (E, H) that states are driven by and add to, and how they go on. */
struct NAME(response_stage) {
  struct mx_step_rule rule;
  const REAL *field[2];  /* the fields at the stage */
  REAL *to[2], *also[2]; /* to += scale * addition to the rate, also += also_by * the same (may be NULL) */
  REAL scale, also_by;
};

/* What is NULL, a kind does not do. */
struct NAME(term) {
  int (*create)(struct NAME(state) * state, struct dg_error *err);
  void (*destroy)(struct NAME(state) * state); /* also half of what `create` makes */
  /* Sets the states at t = 0 from the fields. */
  void (*start)(struct NAME(state) * state, REAL *const field[2]);
  /* Leapfrog: the same from H half a step before t = 0. */
  void (*start_back)(struct NAME(state) * state, REAL *H);
  /* equation: that of a pass of leapfrog; else MX_FARADAY, once for both. */
  int (*before)(struct NAME(state) * state, enum mx_equation equation, int s, REAL *const field[2],
                struct dg_error *err);
  void (*lift)(struct NAME(state) * state, enum mx_equation equation, const struct NAME(lift) * lift);
  void (*after_step)(struct NAME(state) * state, enum mx_equation equation, REAL *field);
  void (*after_rates)(struct NAME(state) * state, const struct NAME(response_stage) * stage);
  /* Adds the energy of its states to that of E or H. */
  void (*energy)(const struct NAME(state) * state, double energy[2]);
  /* Copies items first..first + count - 1 of an array of this list to `to` or, if that is NULL, from `from`. */
  enum mx_state_list list;
  void (*copy)(struct NAME(state) * state, const struct mx_state_array *of, size_t first, size_t count, double *to,
               const double *from);
  int (*loaded)(struct NAME(state) * state, struct dg_error *err);
};
