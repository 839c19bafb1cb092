/* The plan of a layer or an absorber at an open wall: how deep, how many elements, and what it is expected to return.
 * open_layer.c calls it. */
#pragma once

#include "libdg/mesh/grow/wall_shape.h"
#include "maxwell/setup/setup.h"

struct mx_open_plan {
  const struct mx_open_config *open;
  const char *where; /* as in mx_selector */
  char what[160];    /* "boundaries.outer" */
  char layer[140];   /* name of the layer's group: "outer layer" */
  struct dg_wall_shape shape;
  int *stage;        /* [faces of the wall] as dg_wall_shape_find gives it */
  int sheets;        /* elements in the thickness */
  double thickness;  /* m */
  double *depth;     /* [sheets] m: where each ends */
  double size;       /* mean edge of the wall's triangles, m */
  double frequency;  /* the highest one of the sources, Hz; 0: none is known */
  double target;     /* dB: what the losses of the layer leave */
  double reflection; /* dB: what is expected to come back */
};

/* Chooses thickness and sheets, and fills the rest of the plan. */
int mx_open_size(struct mx_open_plan *plan, const struct mx_config *config, const struct dg_mesh *mesh,
                 const struct dg_wall *wall, struct dg_error *err) DG_MUST_USE;

/* One line on a layer. */
void mx_open_report(const struct mx_open_plan *plan, struct dg_log *log);
