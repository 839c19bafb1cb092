/* A model: the mesher's result for a file, before it is a mesh: points, elements, entities, groups, and what there is
 * to say about them. The process `curlew-mesh` fills a model (gmsh_reader.c), and hands it over as a parcel; the
 * program takes it out and makes the mesh. Nothing in a model that was taken out of a parcel is trusted: dg_model_take
 * checks sizes and texts, dg_model_build (and dg_mesh_build in it) the rest.
 */
#pragma once

#include <stdbool.h>

#include "libdg/mesh/mesh.h"
#include "libdg/mesh/mesh_groups.h"
#include "libdg/mesh/load/parcel.h"
#include "libdg/mesh/load/provenance.h"

struct dg_model_note {
  bool warning;
  int32_t surface; /* as in struct dg_mesh_report */
  char *text;      /* one line */
};

/* A model; {0} is empty. A model that was taken out of a parcel points into it, and the parcel must live as long; only
 * the lists of texts and groups are the model's own then. */
struct dg_model {
  size_t points, K, triangles;
  double (*point)[3];     /* [points] metres */
  int32_t (*tet)[4];      /* [K] points, positively oriented */
  int32_t *volume_tag;    /* [K] */
  uint64_t *tag;          /* [K] Gmsh's */
  int32_t *partition;     /* [K] 0 and up; NULL when partitions is 0 */
  int32_t (*triangle)[3]; /* [triangles] points */
  int32_t *surface_tag;   /* [triangles] */
  int geometry;           /* order of the curved maps; 0 or 1: none is */
  size_t curved;          /* of the K elements */
  int32_t *curve;         /* [curved] which, ascending */
  double (*shape)[3];     /* [curved][nodes of a map] as in dg_mesh_input */
  int64_t *number;        /* [points] Gmsh's tags, ascending, of a part of a mesh; else NULL */
  int partitions;
  size_t entities;      /* of the whole model, of which a part has only some; 0 for whole meshes */
  int32_t (*entity)[2]; /* [entities] dim, tag */
  size_t groups;
  struct dg_group_input *group; /* [groups] dim 2 and 3 */
  size_t notes;
  struct dg_model_note *note; /* [notes] for the log of the run, in this order */
  size_t sources;
  struct dg_source *source; /* [sources] what the model was made of */
  char uncertain[128];      /* why it may depend on something else, too; "": it does not */
  char gmsh[32];            /* its version, "4.8.4"; "": unknown */
  /* What curlew-mesh knows beside, which no parcel holds: edges on curves of the geometry, by the points, and the
   * points that are the geometry's own. */
  size_t segments, corners;
  int32_t (*segment)[2], *curve_tag; /* [segments] */
  int32_t *corner;                   /* [corners] */
  bool borrowed;                     /* arrays and texts are a parcel's */
  int life;                          /* descriptor to which the mesher writes what it is at; 0: none */
};

void dg_model_release(struct dg_model *model);
/* Takes away the last group of a model; not of one that points into a parcel. */
void dg_model_drop_group(struct dg_model *model);

/* Adds a line for the log of the run that asked for the mesh: a warning, or only good to know. */
int dg_model_note(struct dg_model *model, bool warning, struct dg_error *err, const char *format, ...)
    DG_PRINTF(4, 5) DG_MUST_USE;
/* The mesher's phases, which it tells for messages about its end: one of DG_MODEL_PHASES. */
#define DG_MODEL_PHASES(X) X('s', "start for") X('r', "read") X('m', "mesh") X('h', "hand over the mesh of")
void dg_model_phase(const struct dg_model *model, char phase);

int dg_model_put(const struct dg_model *model, struct dg_parcel *parcel, struct dg_error *err) DG_MUST_USE;
/* Takes a model out of a parcel. Errors are DG_ENVIRONMENT: the parcel is damaged, or no memory. Release also then. */
int dg_model_take(struct dg_model *model, struct dg_parcel *parcel, struct dg_error *err) DG_MUST_USE;

/* Builds the mesh of a model, with its groups. Errors are those of dg_mesh_build; the mesh is released then. */
int dg_model_build(struct dg_mesh *mesh, const struct dg_model *model, struct dg_error *err) DG_MUST_USE;
