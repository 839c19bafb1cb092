/* Metal walls and films (maxwell/problem/skins.h) on the card: their currents have components along t1 and t2. */
#pragma once

#include "gpu/kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The faces on metal walls, or those on films: `film`. A point is a component at a node of a face: of
 * [count][2][Nf]. */
struct gpu_skins {
  size_t count;
  int film;
  int poles;                    /* of a metal, at most */
  const int32_t *where;         /* [count] 4 * element + face */
  const int32_t *metal;         /* [count] which one it is of those below */
  const int32_t *poles_of;      /* [metals] */
  const void *number;           /* [metals][poles][2] of maxwell/backend/frame/skin_points.h */
  const void *face;             /* [count][3] walls: `turn`; films: the far side's share, the factor of J */
  const int32_t *curved;        /* [count] the number of a curved element's face, or -1; NULL: all are straight */
  const void *matrix;           /* [curved faces][2 Nf][2 Nf] of walls: H to h, columns behind each other */
  void *now, *before;           /* [poles][points] currents; leapfrog: those before a step that is observed */
  void *registers;              /* the same, of low-storage schemes */
  void *stage, *sum;            /* the same, of schemes with sums */
  void *value;                  /* [count][2][Nf] V; of films what is added to the jump of E */
  const double *storage, *lag;  /* [metals][poles] twice the weight of the energy; [metals] films: skins.c */
  const double *mass, *product; /* [Nf][Nf] of a face; [count][3] of straight ones: mx_skin_face */
  const double *weigh;          /* [curved faces][2 Nf][2 Nf] mx_skin_weigh */
};

/* What a pass does with them. */
struct gpu_skin_pass {
  int staggered, keep; /* leapfrog; keeps the old currents */
  /* Leapfrog: walls take H from the traces on open faces, as [open faces][2][Nf], from both of now and before; or, with
   * `changes`, the latter is that of now, and the former what the extrapolation adds. */
  const void *open_now, *open_before;
  int changes;
  const void *field[2]; /* E, H: films in leapfrog take E, all in a stage of Runge-Kutta */
  double step, a, b;    /* low storage */
  double weight, next;  /* sums, both times the step */
  int sums, first, last;
};
/* Takes the currents along, and gives the values. */
gpuError_t gpu_step_skins(const struct gpu_tables *tables, const struct gpu_skins *skins,
                          const struct gpu_skin_pass *pass, gpuStream_t stream);
/* Adds twice the energy to part[GPU_SUM_PARTS]: leapfrog behind a pass that has kept the old currents. */
gpuError_t gpu_skin_energies(const struct gpu_tables *tables, const struct gpu_skins *skins, int staggered,
                             double *part, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
