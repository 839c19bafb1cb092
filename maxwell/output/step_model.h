/* A model of a step on several ranks in which only memory and messages cost time. run.c prints it beside the measured
 * step. */
#pragma once

#include "maxwell/scene/scene.h"

/* The times of the model. Each is of the slowest rank, with all ranks busy at the same time. */
struct mx_model {
  double copy;    /* bytes read and written a second */
  double latency; /* seconds of an exchange with all neighbours */
  double rate;    /* bytes sent a second in a longer exchange; 0: the halo is too small to tell */
  double fields;  /* seconds a step to stream the fields */
  double halo;    /* seconds a step for the messages alone */
  double hidden;  /* part of these that the interior elements can cover */
};

/* Measures memory and messages (some 50 ms; on cards theirs, some 200 ms) and evaluates the model. Collective; before
 * the first step. */
int mx_model_init(struct mx_model *model, const struct mx_scene *scene, struct mx_backend *backend, int threads,
                  struct dg_error *err) DG_MUST_USE;
/* Writes one line of the log: the model beside the measured seconds of a step. Of these the rank that waited most and
 * the one that waited least spent so many on the halo. The latter's wait is the price of messages; the rest is that
 * some ranks are slower than others. */
void mx_model_report(const struct mx_model *model, const struct mx_scene *scene, double step, double most,
                     double least);
