/* Points of the mesh, for probes, lines and planes: functions for the table of their kinds. The state `own` of such a
 * measure is a struct mx_measured_points. */
#pragma once

#include "maxwell/measure/measure.h"

#define MX_FIELD_COLUMNS "Ex,Ey,Ez,Hx,Hy,Hz"
#define MX_COMPLEX_COLUMNS                                                                                             \
  "Ex_re,Ey_re,Ez_re,Hx_re,Hy_re,Hz_re,Ex_im,Ey_im,Ez_im,Hx_im,Hy_im,Hz_im" /* with Bloch phases */

/* The first of a measure's points, in this rank's elements; -1: it is elsewhere. Only of kinds that have points. */
ptrdiff_t mx_points_element(const struct mx_measure *measure);

struct mx_measured_points {
  bool somewhere;         /* at least one of the points is in the mesh */
  size_t sets;            /* fields at a point: 1, or the real and the imaginary one */
  size_t inside;          /* how many points are in this rank's elements */
  size_t placed;          /* rank 0: points in the mesh; other ranks: inside */
  size_t *which;          /* [placed] the point's index; rank 0: first its own, then the others' in order of rank */
  size_t *inside_of;      /* rank 0: [ranks] how many points each rank has; other ranks: NULL */
  struct mx_point *point; /* [inside][sets] */
  double *weight;         /* [inside][Np] */
  size_t curved;          /* points in curved elements */
  double (*metric)[9];    /* [curved] their frames */
};

/* Ends the reading of a measure at one place, the key `at`. */
int mx_points_finish(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft) DG_MUST_USE;
/* Places config.samples[0] x samples[1] points along the edges that config.point spans, and finds them in the mesh. A
 * set of points that are all outside the mesh is no error here, so that a kind can report it in its own words.
 * mx_points_outside is the report of lines and planes. */
int mx_points_init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err) DG_MUST_USE;
int mx_points_outside(const struct mx_measure *measure, const struct mx_measure_scene *scene, const char *what,
                      struct dg_error *err) DG_MUST_USE;
void mx_points_release(struct mx_measure *measure);
int mx_points_take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                   struct mx_backend *backend, double *part, double *scratch, struct dg_error *err) DG_MUST_USE;
int mx_points_collect(const struct mx_measure *measure, struct dg_comm *comm, size_t rows, double *value,
                      double *scratch, struct dg_error *err) DG_MUST_USE;
struct mx_monitor mx_points_watch(const struct mx_measure *measure);
void mx_points_to_si(const struct mx_measure *measure, double *part);
size_t mx_points_memory(const struct mx_measure *measure, const struct mx_problem *problem);

#define MX_ON_POINTS                                                                                                   \
  .release = mx_points_release, .take = mx_points_take, .collect = mx_points_collect, .watch = mx_points_watch,        \
  .to_si = mx_points_to_si, .memory = mx_points_memory
