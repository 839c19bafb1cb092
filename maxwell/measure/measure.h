/* What is measured while a simulation runs: fields on points, lines and planes, power through surfaces, voltages along
 * paths, currents around loops, power lost in conductors.
 *
 * Paths and surfaces are integrated exactly: the fields are polynomials in every element, so that a Gauss rule on each
 * piece of a path and the mass matrix of each face leave no error but rounding. A voltage or a current is one
 * functional of the problem (mx_functional).
 *
 * Of several ranks each measures its own part: the fields at the points in its elements, or its elements' summand of
 * the power, voltage or current. Parts are kept, several times of them, until mx_measure_collect puts them together on
 * rank 0, so that ranks wait for each other seldom.
 */
#pragma once

#include "libdg/base/log.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/backend/backend.h"
#include "maxwell/model/config.h"

enum { MX_MEASURE_KINDS = MX_LOSS + 1 };
/* Folder of a kind of measurement, and what follows `time` in its files: "probes", "Ex,Ey,..". By kind. */
extern const char *const mx_measure_folders[MX_MEASURE_KINDS];
extern const char *const mx_measure_columns[MX_MEASURE_KINDS];

struct mx_measure {
  const struct mx_measure_config *config; /* borrowed */
  size_t values;                          /* numbers at a time: 6 for every point, or 1 */
  size_t parts;                           /* of these on this rank: 6 for every point in its elements, or 1 */
  size_t batch;                           /* times that are kept, at most */
  double *part;                           /* [batch][parts] */
  /* Probes, lines, planes: their points, and the weights of those in this rank's elements. */
  size_t points, inside;
  double (*x)[3];         /* [points] m */
  size_t placed;          /* rank 0: points in the mesh; elsewhere inside */
  size_t *which;          /* [placed] the point's index; rank 0: its own first, then those of the others in turn */
  size_t *inside_of;      /* rank 0: [ranks] how many are whose; elsewhere NULL */
  struct mx_point *point; /* [inside]; of a surface: [nodes] */
  double *weight;         /* [inside][Np] */
  /* Surfaces: integral of (E x H).n over the faces. `point` has the nodes of each face's sides that are in this rank's
   * elements, and behind them those of the sides that other ranks want. */
  size_t faces, nodes, sent; /* sent: of the nodes, for others */
  struct mx_measure_face *face;
  struct dg_exchange *exchange; /* NULL: one rank */
  /* Voltages and currents. */
  size_t functional;        /* of the problem */
  double length, uncovered; /* m: of the path, and of what of it lies outside the mesh */
  /* Losses. */
  size_t elements;
  int32_t *element; /* [elements] */
};

struct mx_measure_face {
  double normal[3]; /* unit, in the direction that counts as positive */
  double jacobian;  /* half of the area, m^2 */
  int sides;        /* 1 on the outside, 2 inside */
  int32_t where;    /* 4 * element + face */
  int32_t received; /* index in the exchange of the far side, or -1 when it is this rank's too */
};

struct mx_measures {
  const struct mx_problem *problem; /* borrowed */
  size_t count;
  struct mx_measure *measure; /* [count] as config.output.measure */
  double (*sample)[6];        /* room for the nodes of the largest surface */
  double *received;           /* rank 0: room for the largest batch of another rank's points */
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
/* The same of fields at points, voltages and currents, from value[parts] as a backend's monitor gives them. */
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

/* Parts of mx_measures_init: measure_path.c and measure_surface.c. */
int mx_measure_path(struct mx_measure *measure, struct mx_problem *problem, const struct dg_mesh *mesh,
                    struct dg_log *log, struct dg_error *err) DG_MUST_USE;
int mx_measure_surface(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh,
                       struct dg_error *err) DG_MUST_USE;
int mx_measure_region(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh,
                      struct dg_log *log, struct dg_error *err) DG_MUST_USE;
/* Integral of (E x H).n over this rank's faces, from sample[nodes][6] in the problem's units. V^2. */
int mx_measure_power(const struct mx_measure *measure, const struct dg_reference *ref, const double (*sample)[6],
                     double *power, struct dg_error *err) DG_MUST_USE;
/* What the mesh spans, for points that are not in it: "which spans (0, 0, 0) to (1, 1, 1) m", or, where they are all in
 * that box, "in a hole of it: it spans ... and has no element there". Collective. */
int mx_measure_span(const struct dg_mesh *mesh, struct dg_comm *comm, size_t count, const double (*point)[3],
                    char *text, size_t size, struct dg_error *err) DG_MUST_USE;
