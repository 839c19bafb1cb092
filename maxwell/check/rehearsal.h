/* A rehearsal: the first steps of a run with the real backend on the real mesh, timed, so that `curlew check` can say
 * how long all of it takes. Output goes to a folder that is made for it and removed again. check.c calls it. */
#pragma once

#include "maxwell/setup/setup.h"

/* What output costs: the loop itself; with what threads that write snapshots compute meanwhile, which they take from
 * the steps on a machine that has no processors to spare; and all until the files are written, the disk's time
 * included. */
enum mx_cost_kind { MX_COST_LOOP, MX_COST_SHARED, MX_COST_ALL, MX_COSTS };

/* Whatever a run does every so many steps: measures, energy, snapshots, looks at the energy. */
struct mx_recurring {
  long period;              /* steps */
  double seconds[MX_COSTS]; /* that a step takes longer for it */
};

struct mx_rehearsal {
  double create; /* s: the backend with its initial fields, and the output's files */
  double step;   /* s of a step without output; the mean */
  double first;  /* s that the output of step 0 takes longer than that of later steps */
  size_t kinds;
  struct mx_recurring *kind; /* [kinds], ascending periods */
  double convolution;        /* s that a step takes longer, in the mean of a run, for the past of its ports */
  double column;             /* s: the S-parameters of a driven port, at its end */
  double checkpoint;         /* s that one takes; 0: the run writes none */
  double finish;             /* s: spectra of records at the end of the run, files closed and on the disk */
  double far, phasors;       /* s: far fields, and spectra in regions and on planes, with their files, as estimated */
  double resident, card;     /* bytes: peak of the process, and of the card's memory, of the rank that has most */
};

/* Rehearses for a second or two, or for four steps where they take longer. The set-up's sources and records have then
 * been used: no run may follow. Its log is silent meanwhile. Signals that end the program wait until the folder is
 * removed. Collective. Errors are those of a run: no memory, no folder can be made here. Release in any case. */
int mx_rehearse(const struct mx_scene *scene, struct mx_rehearsal *rehearsal, struct dg_error *err) DG_MUST_USE;
void mx_rehearsal_release(struct mx_rehearsal *rehearsal);

/* Seconds of the time loops of all runs that S-parameters take, without and with output, should no rule end them
 * earlier. */
struct mx_forecast {
  size_t runs;
  double steps, output, end; /* s; end: what comes behind the last step */
  double checkpoints;        /* their number */
  double checkpoint;         /* s that all of them take */
};
struct mx_forecast mx_rehearsal_forecast(const struct mx_scene *scene, const struct mx_rehearsal *rehearsal);
