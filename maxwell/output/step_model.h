/* What a step would take on several ranks if nothing but memory and messages cost time: printed beside what it took. */
#pragma once

#include "maxwell/setup/setup.h"

/* What a step on several ranks would take if nothing but memory and messages cost time; of the slowest rank
 * each, all ranks busy at the same time. */
struct mx_model {
  double copy;    /* bytes read and written a second */
  double latency; /* of an exchange with all neighbours, seconds */
  double rate;    /* bytes sent a second in a longer one; 0: the halo is too small to tell */
  double fields;  /* seconds a step to stream the fields */
  double halo;    /* seconds a step for the messages alone */
  double hidden;  /* of them, what the interior elements can cover */
};

/* Measures memory and messages (some 50 ms; on cards theirs, some 200 ms) and evaluates the model. Collective; before
 * the first step. */
int mx_model_init(struct mx_model *model, const struct mx_setup *setup, struct mx_backend *backend, int threads,
                  struct dg_error *err) DG_MUST_USE;
/* One line of the log: the model beside the measured seconds of a step, of which the rank that waited most and the one
 * that waited least spent so many on the halo. What the latter waits is the price of messages; the rest is that some
 * ranks are slower than others. */
void mx_model_report(const struct mx_model *model, const struct mx_setup *setup, double step, double most,
                     double least);
