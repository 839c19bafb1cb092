/* What a computation of heat writes:
 *
 *   heat/temperature.csv       a row a step: time, length of the step, lowest and highest temperature of all nodes, the
 *                              highest in each material, and the temperature at each probe
 *   heat/balance.csv           a row a step: the heat that is stored since t = 0, J, what brought it, and what is
 *                              missing. Of a steady state: powers, W
 *   heat/heat_000001.silo, ..  the temperature T, in the formats of snapshots */
#pragma once

#include "maxwell/heat/heat_step.h"
#include "maxwell/record/writers.h"
#include "maxwell/shell/csv.h"
#include "maxwell/shell/folder.h"

struct mx_heat_probe_place {
  int64_t element; /* negative: another rank has it */
  double weight[DG_NP_MAX];
};

struct mx_heat_record {
  const struct mx_heat_problem *problem;
  bool first;               /* this rank is the one that writes tables */
  struct dg_comm *comm;     /* of the ranks that have elements, which write snapshots */
  struct mx_folder *folder; /* NULL: nothing is written */
  struct mx_csv temperature, balance;
  struct mx_heat_probe_place *probe; /* [probes] */
  bool *there;                       /* [materials] which materials the body has */
  double *value;                     /* [K][Np] */
  double *row;                       /* room for what a row says */
  double highest;                    /* temperature of all nodes, in the last row */
  struct mx_writers writers;
  void *series[DG_FORMATS];
  size_t snapshots;
  struct dg_snapshot_entry *entry; /* [snapshots] of the list */
  char (*name)[64];
  size_t room;
};

/* Finds the probes. Collective, as all of these are. DG_INPUT: one lies outside of the body. Release in any case. */
int mx_heat_record_init(struct mx_heat_record *record, const struct mx_heat_problem *problem,
                        struct dg_error *err) DG_MUST_USE;
/* Opens the files in a folder that is the run's; resume: those that are there, which mx_heat_record_archive cuts. */
int mx_heat_record_open(struct mx_heat_record *record, struct mx_folder *folder, bool resume,
                        struct dg_error *err) DG_MUST_USE;
/* Archives the lengths of the tables, and the snapshots so far. */
int mx_heat_record_archive(struct mx_heat_record *record, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Writes a row; dt is the length of the step that led here. */
int mx_heat_record_row(struct mx_heat_record *record, const struct mx_heat_march *march, double dt,
                       struct dg_error *err) DG_MUST_USE;
int mx_heat_record_snapshot(struct mx_heat_record *record, const struct mx_heat_march *march,
                            struct dg_error *err) DG_MUST_USE;
int mx_heat_record_close(struct mx_heat_record *record, struct dg_error *err) DG_MUST_USE;
void mx_heat_record_release(struct mx_heat_record *record);
