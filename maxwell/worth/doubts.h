/* What written numbers are worth: the list of doubts of a run. Who writes a number asks maxwell/worth whether the mesh,
 * the samples and the length of the record carry it; an answer that is no becomes a doubt. A doubt is a warning in the
 * log, and stands in summary.json (`doubts`) beside the numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libdg/base/log.h"

/* X(kind, its word in summary.json): what a number lacks. */
#define MX_DOUBT_LIST(X)                                                                                               \
  X(MX_DOUBT_MESH, "mesh")         /* the elements do not hold a wave of that frequency, or a field that is given */   \
  X(MX_DOUBT_SAMPLES, "samples")   /* samples are too rare: other frequencies are taken for those asked for */         \
  X(MX_DOUBT_SOURCES, "sources")   /* the sources have next to nothing there */                                        \
  X(MX_DOUBT_RECORD, "record")     /* the run ended before the fields had died away */                                 \
  X(MX_DOUBT_MATERIAL, "material") /* the model of a material does not hold there */                                   \
  X(MX_DOUBT_PLACE, "place")       /* where the number is taken the fields are not known so well */

#define MX_DOUBT_NAME(kind, word) kind,
enum mx_doubt_kind { MX_DOUBT_LIST(MX_DOUBT_NAME) MX_DOUBT_KINDS };
#undef MX_DOUBT_NAME

struct mx_doubt {
  enum mx_doubt_kind kind;
  char key[64];   /* "output.far_field" */
  char name[128]; /* of what has the numbers, as in the script; "": the key says it */
  char text[600]; /* the line of the log */
};

enum { MX_DOUBTS = 64 };

struct mx_doubts {
  size_t count, more; /* more: those for which there is no room */
  struct mx_doubt doubt[MX_DOUBTS];
};

/* Warns, and notes the doubt beside kind, key and name; a later one takes the place of an earlier one with the same
 * three. doubts may be NULL, log too (on other ranks than rank 0). Not collective. */
void mx_doubt(struct mx_doubts *doubts, struct dg_log *log, enum mx_doubt_kind kind, const char *key, const char *name,
              const char *format, ...) DG_PRINTF(6, 7);
/* Finds the doubt about a key and name; NULL: there is none of that kind. */
const struct mx_doubt *mx_doubt_find(const struct mx_doubts *doubts, enum mx_doubt_kind kind, const char *key,
                                     const char *name);
/* Writes the list for summary.json: [{"kind": .., "key": .., "name": .., "text": ..}, ..]. */
void mx_doubts_write_json(const struct mx_doubts *doubts, FILE *file);
/* Writes the doubts about a key as comments, each a line that begins with `mark`. name may be NULL: all names. */
void mx_doubts_write_comments(const struct mx_doubts *doubts, const char *key, const char *name, const char *mark,
                              FILE *file);
