/* Metal walls, films and sheets (maxwell/terms/skins.h) on the card: their currents have components along t1 and t2.
 * Those of sheets are double in both precisions: what passes is left where they cancel. */
#pragma once

#include "gpu/kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gpu_skin_kind { GPU_WALLS, GPU_FILMS, GPU_SHEETS, GPU_SKIN_KINDS };

/* The faces of a kind. A point is a component at a node of a face: of [rows][2][Nf]. */
struct gpu_skins {
  size_t count;
  size_t rows; /* of arrays of currents: `count`, and behind them the faces of sheets that other ranks have */
  enum gpu_skin_kind kind;
  int poles;                    /* of a metal, at most */
  const int32_t *where;         /* [count] 4 * element + face */
  const int32_t *metal;         /* [count] which one it is of those below */
  const int32_t *poles_of;      /* [metals] */
  const void *number;           /* [metals][poles][2] of maxwell/terms/skin_points.h; of sheets double */
  const double *transfer;       /* [metals][poles][2] sheets: Q_k, and twice the weight of the energy of I_k.I'_k */
  const int32_t *far;           /* [count] sheets: the row of the other face; -1: there is none */
  const void *face;             /* [count][3] `turn`; films: the far side's share, the factor of J */
  const int32_t *curved;        /* [count] the number of a curved element's face, or -1; NULL: all are straight */
  const void *matrix;           /* [curved faces][2 Nf][2 Nf] but of films: H to h, columns behind each other */
  void *now, *before;           /* [poles][points] currents; leapfrog: those before a step that is observed */
  double *mean;                 /* the same, of sheets in leapfrog in the place of `before`: of old and new */
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
/* Takes the currents along, and gives the values of walls and films. */
gpuError_t gpu_step_skins(const struct gpu_tables *tables, const struct gpu_skins *skins,
                          const struct gpu_skin_pass *pass, gpuStream_t stream);
/* Gives the values of sheets by these currents of both faces: `mean`, or those at the start of a stage. */
gpuError_t gpu_sheet_values(const struct gpu_tables *tables, const struct gpu_skins *skins, const double *currents,
                            gpuStream_t stream);
/* Copies these currents of faces face[count] to item[count][poles][2][Nf] for other ranks; face NULL: copies what came
 * from them to the rows behind the own ones. */
gpuError_t gpu_move_sheets(const struct gpu_tables *tables, const struct gpu_skins *skins, const int32_t *face,
                           size_t count, double *currents, double *item, gpuStream_t stream);
/* Adds twice the energy to part[GPU_SUM_PARTS]: leapfrog behind a pass that has kept the old currents. */
gpuError_t gpu_skin_energies(const struct gpu_tables *tables, const struct gpu_skins *skins, int staggered,
                             double *part, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
