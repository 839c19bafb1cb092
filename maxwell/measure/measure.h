/* What is measured while a simulation runs. A kind of measure (fields at points, power through surfaces, voltages, ..)
 * is one file of this folder with its keys and its own state, behind the table of functions below, and one line in
 * kinds.h.
 *
 * Of several ranks each measures its own part: the fields at the points in its elements, or its elements' summand of
 * the power, voltage or current. Parts are kept, several times of them, until mx_measure_collect puts them together on
 * rank 0, so that ranks wait for each other seldom.
 */
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
  /* About what its files will hold, of so many times and frequencies. */
  double (*bytes)(const struct mx_measure_config *config, double times, double spectra);
};

struct mx_measure {
  const struct mx_measure_config *config; /* borrowed */
  const struct mx_measure_kind *kind;
  size_t values;                      /* numbers at a time: rows times the columns of a table */
  size_t parts;                       /* of these on this rank, or 1: its summand */
  size_t batch;                       /* times that are kept, at most */
  double *part;                       /* [batch][parts] */
  size_t rows;                        /* of a table at a time: points, or 1 */
  double (*x)[3];                     /* [rows] m: places, which a table shows where there are several; NULL: none */
  const struct mx_measure_form *form; /* NULL: a table */
  size_t scratch;                     /* doubles of room that take and collect need */
  void *own;                          /* the kind's */
};

struct mx_measures {
  const struct mx_problem *problem; /* borrowed */
  size_t count;
  struct mx_measure *measure; /* [count] as config.output.measure */
  double *scratch;            /* as much as the measure with the most needs */
};

/* Where a measure is to be found. */
struct mx_measure_scene {
  struct mx_problem *problem;
  const struct dg_mesh *mesh;
  struct dg_log *log; /* rank 0's; NULL is silent */
};

struct mx_measure_kind {
  struct mx_measure_reader reads; /* first: configurations point to it */
  const char *columns;            /* what follows `time` in its tables: "power"; a single letter is a place */
  /* Finds what is measured; values = parts = rows = 1 before, and own is NULL. Collective. */
  int (*init)(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err);
  void (*release)(struct mx_measure *measure);
  /* This rank's part in SI, of fields that are observed, to part[parts]; scratch as it was asked for. Collective where
   * init says so (surfaces between ranks). */
  int (*take)(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
              struct mx_backend *backend, double *part, double *scratch, struct dg_error *err);
  /* Collective: value[rows][values] on rank 0 from the parts of `rows` times. NULL: a sum over ranks. */
  int (*collect)(const struct mx_measure *measure, struct dg_comm *comm, size_t rows, double *value, double *scratch,
                 struct dg_error *err);
  /* What a card's monitor keeps of it, points or functionals, and its values from there in SI. NULL: it cannot. */
  struct mx_monitor (*watch)(const struct mx_measure *measure);
  void (*to_si)(const struct mx_measure *measure, double *part);
  size_t (*memory)(const struct mx_measure *measure, const struct mx_problem *problem); /* bytes of `own` and `x` */
};

/* Finds points, paths, faces and elements, and adds the functionals to the problem; the backend is created after that.
 * Collective; the log is rank 0's.
 * Errors (DG_INPUT, with file:line): a probe outside the mesh, a line, plane or path (more than half of it) that is
 * outside, a surface or region that the mesh lacks, an inner surface without direction or along it. A path that lies
 * partly outside is said in the log (NULL is silent). Release with mx_measures_release in any case, before the problem.
 */
int mx_measures_init(struct mx_measures *measures, struct mx_problem *problem, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err) DG_MUST_USE;
void mx_measures_release(struct mx_measures *measures);
/* A frequency of a Fourier transform that the samples, `every` steps (s) apart, cannot tell from another: DG_INPUT. */
int mx_measures_check_step(const struct mx_measures *measures, double step, struct dg_error *err) DG_MUST_USE;

/* Measures this rank's part at the time of the fields, which must be observed, into part[row], row < batch. Ranks whose
 * faces touch wait for each other, where a surface is cut. */
int mx_measure_take(const struct mx_measures *measures, size_t index, size_t row, const struct mx_backend_ops *ops,
                    struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The same of what a backend's monitor has kept, value[parts]. */
void mx_measure_put(const struct mx_measures *measures, size_t index, size_t row, const double *value);
/* Collective: value[rows][values] of the whole on rank 0, from part[0..rows-1], which is scratch then. SI: V/m and A/m
 * at the points (NaN outside the mesh), W, V, A, W. value is not used on other ranks. */
int mx_measure_collect(const struct mx_measures *measures, size_t index, size_t rows, double *value,
                       struct dg_error *err) DG_MUST_USE;
/* Both at once: value[values] on rank 0. */
int mx_measure_evaluate(const struct mx_measures *measures, size_t index, const struct mx_backend_ops *ops,
                        struct mx_backend *backend, double *value, struct dg_error *err) DG_MUST_USE;
/* Bytes of the tables, of what is kept and of the Fourier transforms on this rank. */
size_t mx_measures_memory(const struct mx_measures *measures);

/* For kinds: the times that are kept of a measure with so many values, few enough that they take about 1 MB on rank 0.
 */
size_t mx_measure_batch(size_t values);
/* What the mesh spans, for points that are not in it: "which spans (0, 0, 0) to (1, 1, 1) m", or, where they are all in
 * that box, "in a hole of it: it spans ... and has no element there". Collective. */
int mx_measure_span(const struct dg_mesh *mesh, struct dg_comm *comm, size_t count, const double (*point)[3],
                    char *text, size_t size, struct dg_error *err) DG_MUST_USE;
