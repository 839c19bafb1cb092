/* `curlew bench`: how fast the backends are, beside what this machine could do.
 *
 * The floor of a time step is max(bytes / copy bandwidth, flops / peak of multiply-adds), with the bytes and flops that
 * the method needs and the bandwidth and peak that the same process measures on the same threads. Per element, Np
 * nodes, Nf nodes a face, numbers of 8 or 4 bytes:
 *
 *   flops of an evaluation of the right-hand side   24 Np^2 + 32 Np Nf  (share/doc/design/cpu.md)
 *   bytes of a leapfrog step                        6 Np * 3 numbers    (read the other field, read and write its own)
 *   bytes of a stage of lsrk or rk4                 6 Np * 4 numbers    (read and write the fields and the register;
 *                                                                        rk4: 3, 5, 5 and 3 for its stages and sums)
 *
 * A backend on a card has the ceilings of that card. Geometry, neighbour tables and pointwise terms are not counted.
 *
 * `--levels` measures what local time steps gain, beside the gain that counted passes over elements allow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "libdg/comm/comm.h"
#include "libdg/base/orders.h"
#include "maxwell/backend/backend.h"
#include "maxwell/levels/work.h"
#include "maxwell/step/stepper.h"

enum { MX_BENCH_BACKENDS = 8, MX_BENCH_CACHES = 8 };

struct mx_bench_options {
  bool order[DG_ORDER_MAX + 1];
  bool integrator[MX_INTEGRATORS];
  bool precision[MX_SINGLE + 1];
  bool backend[MX_BENCH_BACKENDS]; /* as mx_backends */
  double alpha;                    /* of the flux */
  bool flux_given;                 /* else --levels takes both */
  double levels;                   /* --levels: the ratio of a graded grid; 0: not asked */
  size_t unknowns;                 /* at least so many for every order */
  double size;                     /* of the elements of Gmsh's mesh, whatever `unknowns` is; 0: not given */
  double seconds;                  /* the least seconds of the batches of a case */
  int threads;                     /* 0: those of OpenMP */
  const char *json;                /* file, or NULL */
  bool grid;                       /* cells cut into tetrahedra, which is quick to make; several ranks have no other */
  bool gmsh;                       /* was asked for */
  double curved;                   /* this part of the elements is curved */
  enum mx_transport transport;     /* between cards */
  bool share_gpus;
  bool quiet;
};

/* The words behind `bench`. DG_INPUT for what is not understood. */
int mx_bench_options_read(struct mx_bench_options *options, int argc, char **argv, struct dg_error *err) DG_MUST_USE;

/* Measures and prints; writes the JSON file last, so that it is whole or absent. Collective: the problem is shared by
 * all ranks, equal parts each; rank 0 prints and writes. */
int mx_bench(const struct mx_bench_options *options, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;

/* ---- the machine (bench_machine.c) */

struct mx_bench_cache {
  int level;
  char type[16];
  size_t bytes;
};

struct mx_bench_machine {
  char processor[128], system[128], compiler[128], date[32];
  int processors;
  size_t memory; /* bytes */
  double load;   /* average of the last minute, NaN if the system does not say */
  int caches;
  struct mx_bench_cache cache[MX_BENCH_CACHES]; /* of the first processor */
};

struct mx_bench_ceilings {
  size_t array;             /* bytes of each of the two arrays that are copied */
  double copy, copy_one;    /* bytes read and written a second, on all threads and on one */
  const char *copy_kind;    /* "plain" or "non-temporal": the faster one on all threads */
  size_t fields_array;      /* bytes: arrays that together are as large as the fields of a case with their buffers */
  double copy_fields;       /* the same for these arrays: where it is much more than `copy`, a cache holds the fields */
  double peak[2];           /* flops a second of multiply-adds, by enum mx_precision, on all threads */
  const char *instructions; /* with which the peak was reached */
  double clock;             /* cycles of a core a second */
  struct mx_ceilings card;  /* ceilings of the backend on a card; the name is empty if none was asked for */
};

void mx_bench_describe(struct mx_bench_machine *machine);
/* The ceilings of `threads` threads, and of the card if one of the backends works on it; the best of several tries. */
int mx_bench_measure(struct mx_bench_ceilings *ceilings, const struct mx_bench_machine *machine,
                     const struct mx_bench_options *options, int threads, struct dg_error *err) DG_MUST_USE;

/* ---- a case (bench_case.c) */

struct mx_bench_result {
  int order, backend; /* index into mx_backends */
  enum mx_integrator integrator;
  enum mx_precision precision;
  const char *instructions;
  int threads;
  size_t elements, unknowns;
  int batches;
  long steps;                        /* a batch */
  double seconds, shortest, longest; /* of a step: median of the batches, and extremes */
  double bytes, flops;               /* of a step and one rank, as above */
  double floor;                      /* seconds of a step */
  double cached_floor; /* the same with copy_fields, the bandwidth where a cache holds what it can of the fields */
  bool bytes_limit;    /* else flops do */
  double cycles;       /* of a core, an element and equation in one evaluation; 0 on a card */
  double ratio;        /* ratio of speeds, to `reference`; 0 where that was not measured */
  double memory;       /* bytes an unknown of all that was allocated, mesh included; on a card, of the card alone */
  double mesh_seconds, setup_seconds; /* Gmsh; everything from there to the first step */
  int ranks;                          /* times are those of the slowest */
  double halo_seconds, halo_bytes;    /* exposed seconds of a step; bytes that a rank sends in it */
  const char *transport;              /* mx_halo_use */
};

struct mx_bench_list {
  size_t count;
  struct mx_bench_result *result;
};

/* Takes steps, and gives the seconds of the slowest rank. Collective. */
int mx_bench_time_steps(struct mx_stepper *stepper, struct dg_comm *comm, long steps, double *seconds,
                        struct dg_error *err) DG_MUST_USE;
/* Noise between -1 and 1, the same everywhere. */
int mx_bench_noise(double **field, size_t count, unsigned long long seed, struct dg_error *err) DG_MUST_USE;
/* Measures every case of one order and appends it; `report` sees each as it is ready. */
int mx_bench_order(struct mx_bench_list *list, const struct mx_bench_options *options, int order,
                   const struct mx_bench_ceilings *ceilings, struct dg_comm *comm,
                   void (*report)(const struct mx_bench_result *), struct dg_error *err) DG_MUST_USE;
/* A mesh of at least so many elements, of blocks of cells, one a rank, all alike (bench_grid.c). ratio > 1: cells get
 * smaller towards the middle, until elements there allow about one ratio-th of the step that the median allows. */
int mx_bench_grid(struct dg_mesh *mesh, size_t elements, double ratio, struct dg_comm *comm,
                  struct dg_error *err) DG_MUST_USE;
/* Bends the cube near a corner, so that about this part of the elements (0 to 1) becomes curved, with maps of order 2.
 */
int mx_bench_bend(struct dg_mesh *mesh, double part, struct dg_error *err) DG_MUST_USE;

/* ---- local time steps (bench_levels.c) */

/* Gain of local time steps on a graded grid: seconds of a simulated second with one level, over those with levels. */
struct mx_bench_gain {
  int order, backend; /* index into mx_backends */
  double alpha;       /* of the flux */
  enum mx_precision precision;
  int threads, ranks;
  size_t elements, unknowns;
  double slowest; /* the step that the slowest element allows, over that of the median */
  int levels;     /* beside that of the whole */
  int m[MX_LEVELS_MAX];
  struct mx_level_work work[MX_LEVELS_MAX + 1];
  double single_step, step;         /* c0 dt of one level and with levels, metres */
  double counted;                   /* by passes over elements */
  double measured;                  /* median of the repeats; NaN without levels */
  double least, most;               /* extremes of the repeats */
  int repeats;                      /* each a batch with one level, and one with levels */
  double single_seconds, seconds;   /* of a step, medians */
  double mesh_seconds, fit_seconds; /* fit: the search for limits and levels */
};

struct mx_bench_gains {
  size_t count;
  struct mx_bench_gain *gain;
};

/* Measures every gain of one order and appends it; `report` sees each as it is ready. Collective. */
int mx_bench_levels(struct mx_bench_gains *list, const struct mx_bench_options *options, int order,
                    struct dg_comm *comm, void (*report)(const struct mx_bench_gain *),
                    struct dg_error *err) DG_MUST_USE;

/* ---- what is said (bench_report.c) */

void mx_bench_print_machine(const struct mx_bench_machine *machine, int threads);
void mx_bench_print_ceilings(const struct mx_bench_ceilings *ceilings, int threads);
void mx_bench_print_header(void);
void mx_bench_print_result(const struct mx_bench_result *result);
void mx_bench_print_gain_header(void);
void mx_bench_print_gain(const struct mx_bench_gain *gain);

struct mx_bench_report {
  const struct mx_bench_options *options;
  const struct mx_bench_machine *machine;
  const struct mx_bench_ceilings *before, *after; /* the cases; NULL with --levels */
  const struct mx_bench_list *list;
  const struct mx_bench_gains *gains; /* NULL without --levels */
  int threads;
};
int mx_bench_write_json(const struct mx_bench_report *report, struct dg_error *err) DG_MUST_USE;
