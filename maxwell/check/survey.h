/* What the mesh is made of: every volume and surface with its size, its neighbours and what the script gave it. check.c
 * logs it; a picture is drawn of it. */
#pragma once

#include <stdio.h>

#include "maxwell/scene/scene.h"

enum { MX_GIVEN = 240 };

/* A volume or a surface of the mesh. Sizes are those of all ranks. */
struct mx_entity_survey {
  int64_t count;          /* elements, or faces; a face between two volumes counts once */
  double size;            /* m^3 or m^2, of curved elements as of their maps */
  double low[3], high[3]; /* m: the box around its vertices */
  int64_t first, second;  /* of a surface: the entities of the volumes on its sides, the same twice where it lies
                             within one; -1: the outside */
  char given[MX_GIVEN];   /* "material 'air'; losses 'heat'": all keys of the script that mean it; "": none does */
};

struct mx_survey {
  const struct mx_scene *scene; /* borrowed */
  size_t entities;              /* of the mesh */
  struct mx_entity_survey *of;  /* [entities] as the mesh's, and one more for boundary faces that no surface holds */
  int64_t *touches;             /* [entities][entities + 1] faces between two volumes, the last: with the outside */
};

/* Surveys the mesh. Collective. Release in any case. */
int mx_survey_init(struct mx_survey *survey, const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
void mx_survey_release(struct mx_survey *survey);
/* Fills of[].given, once all else is known. Every rank finds the same. mx_survey_init calls it. */
void mx_survey_find_given(struct mx_survey *survey);
/* Logs the groups that hold several volumes or surfaces, then every volume and every surface. */
void mx_survey_report(const struct mx_survey *survey);
/* Writes the surfaces with their triangles as JSON, for share/plot/plot_model.py. `survey` is a struct mx_survey (for
 * dg_file_write) of a mesh that is whole. */
void mx_survey_write(FILE *file, const void *survey);
