/* Measures of a running simulation. A kind of measure (fields at points, power through surfaces, voltages, ..) is one
 * file of this folder with its keys and its own state. The rest of the program sees the kind's table of functions
 * (struct mx_measure_kind), which has one line in kinds.h.
 *
 * Of several ranks each measures its own part: the fields at the points in its elements, or its elements' summand of
 * the power, voltage or current. A rank keeps the parts of several times; mx_measure_collect then puts them together on
 * rank 0. Ranks therefore seldom wait for each other. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/backend/backend.h"
#include "maxwell/model/measures.h"

struct mx_measure_kind;
struct mx_records;

/* How a measure is written, where that is not a table (measure_record.c). */
struct mx_measure_form {
  int (*open)(struct mx_records *records, size_t index, struct dg_error *err);
  int (*write)(struct mx_records *records, size_t index, size_t row, struct dg_error *err);
  int (*write_spectrum)(struct mx_records *records, size_t index, struct dg_error *err);
  /* The approximate size of the measure's files for so many times and frequencies, bytes. */
  double (*bytes)(const struct mx_measure_config *config, double times, double spectra);
};

struct mx_measure {
  const struct mx_measure_config *config; /* borrowed */
  const struct mx_measure_kind *kind;
  size_t values;                      /* numbers at a time: rows times the columns of a table */
  size_t parts;                       /* how many of these values are on this rank; 1 for a summand */
  size_t batch;                       /* the most times that are kept */
  double *part;                       /* [batch][parts] */
  size_t rows;                        /* rows of a table at a time: points, or 1 */
  size_t sets;                        /* of a row's values: 1, or the real and then the imaginary ones (Bloch phases) */
  const char *columns;                /* the kind's columns, or of two sets those with _re and _im */
  double (*x)[3];                     /* [rows] m: places, shown in a table of several rows; NULL: none */
  const struct mx_measure_form *form; /* NULL: a table */
  size_t scratch;                     /* doubles that take and collect need as room */
  void *own;                          /* the kind's state */
  struct mx_backend_options options;  /* of the run, once mx_measures_set_options has said so */
};

struct mx_measures {
  const struct mx_problem *problem; /* borrowed */
  size_t count;
  struct mx_measure *measure; /* [count] as config.output.measure */
  double *scratch;            /* room for the measure that needs most */
};

/* The place of measures: problem and mesh, and the log for what is found. */
struct mx_measure_scene {
  struct mx_problem *problem;
  const struct dg_mesh *mesh;
  struct dg_log *log; /* rank 0's; NULL is silent */
};

struct mx_measure_kind {
  struct mx_measure_reader reads; /* first: configurations point to it */
  const char *columns;            /* the columns behind `time`: "power"; a single letter is a place */
  /* Finds what is measured. On entry values = parts = rows = 1, and own is NULL. Collective. */
  int (*init)(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err);
  void (*release)(struct mx_measure *measure);
  /* Refuses options of the run that the measure does not know, the same on all ranks. NULL: it knows all. */
  int (*check)(const struct mx_measure *measure, struct dg_error *err);
  /* Writes this rank's part, in SI, of observed fields to part[parts]. scratch has the room that `init` asked for. The
   * call is collective where the documentation of `init` says so (surfaces between ranks). */
  int (*take)(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
              struct mx_backend *backend, double *part, double *scratch, struct dg_error *err);
  /* Makes value[rows][values] on rank 0 from the parts of `rows` times. NULL: the value is a sum over ranks.
   * Collective. */
  int (*collect)(const struct mx_measure *measure, struct dg_comm *comm, size_t rows, double *value, double *scratch,
                 struct dg_error *err);
  /* The points or functionals that a card's monitor keeps of the measure. to_si turns the monitor's values into SI.
   * NULL: a card cannot keep the measure. */
  struct mx_monitor (*watch)(const struct mx_measure *measure);
  void (*to_si)(const struct mx_measure *measure, double *part);
  size_t (*memory)(const struct mx_measure *measure, const struct mx_problem *problem); /* bytes of `own` and `x` */
};

/* Finds points, paths, faces and elements, and adds the functionals to the problem. The backend must be created after
 * this call. Collective; the log is rank 0's.
 * Errors (DG_INPUT, with file:line): a probe outside the mesh; a line or plane outside it, or a path with more than
 * half of it outside; a surface or region that the mesh lacks; an inner surface without a direction, or with a
 * direction along the surface. The log gets a line about a path that lies partly outside (NULL is silent). Release with
 * mx_measures_release in any case, before the problem. */
int mx_measures_init(struct mx_measures *measures, struct mx_problem *problem, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err) DG_MUST_USE;
void mx_measures_release(struct mx_measures *measures);
/* Checks the frequencies of all Fourier transforms. DG_INPUT: the samples, `every` steps (s) apart, cannot tell a
 * frequency from another one. */
int mx_measures_check_step(const struct mx_measures *measures, double step, struct dg_error *err) DG_MUST_USE;

/* Says how the run steps, before anything is measured. DG_INPUT: a measure does not know that. */
int mx_measures_set_options(struct mx_measures *measures, const struct mx_backend_options *options,
                            struct dg_error *err) DG_MUST_USE;

/* Measures this rank's part at the time of the fields, which must be observed, into part[row], row < batch. Where a
 * surface is cut, the ranks whose faces touch wait for each other. */
int mx_measure_take(const struct mx_measures *measures, size_t index, size_t row, const struct mx_backend_ops *ops,
                    struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Puts value[parts], which a backend's monitor has kept, into part[row]. */
void mx_measure_put(const struct mx_measures *measures, size_t index, size_t row, const double *value);
/* Puts value[rows][values] of the whole measure together on rank 0, from part[0..rows-1]; part is scratch afterwards.
 * SI: V/m and A/m at the points (NaN outside the mesh), W, V, A, W. Other ranks do not use value. Collective. */
int mx_measure_collect(const struct mx_measures *measures, size_t index, size_t rows, double *value,
                       struct dg_error *err) DG_MUST_USE;
/* Takes and collects in one call: value[values] on rank 0. */
int mx_measure_evaluate(const struct mx_measures *measures, size_t index, const struct mx_backend_ops *ops,
                        struct mx_backend *backend, double *value, struct dg_error *err) DG_MUST_USE;
/* Bytes on this rank: tables, kept values and Fourier transforms. */
size_t mx_measures_memory(const struct mx_measures *measures);

/* For kinds: how many times a measure with so many values keeps. They are few enough to take about 1 MB on rank 0. */
size_t mx_measure_batch(size_t values);
/* Writes what the mesh spans, for messages about points outside the mesh: "which spans (0, 0, 0) to (1, 1, 1) m". If
 * all points are inside that box, the text is "in a hole of it: it spans ... and has no element there". Collective. */
int mx_measure_span(const struct dg_mesh *mesh, struct dg_comm *comm, size_t count, const double (*point)[3],
                    char *text, size_t size, struct dg_error *err) DG_MUST_USE;
