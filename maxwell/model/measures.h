/* The keys of a kind of measure in a script, and the readers that kinds share. The kinds themselves, and their table,
 * are in maxwell/measure: the caller who reads a configuration hands the table over. */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/model/config_read.h"

/* A measure while it is read: rules put their values here, `finish` makes the measure of them. */
struct mx_measure_draft {
  struct mx_measure_config measure;
  double at[3], from[3], to[3], origin[3], u[3], v[3], centre[3], normal[3], radius;
  long samples;
};

struct mx_measure_reader {
  const char *key;   /* key of the list in the script, and folder of the files: "probes" */
  const char *title; /* what a picture calls one, before its name: "Probe" */
  bool places;       /* a row of its table is one of several places, and has x, y and z */
  const char *list;  /* required form of the list, for messages */
  const char *item;  /* required form of an entry */
  bool silo;         /* default of the key: grids of the writer of snapshots, else tables */
  size_t rules;
  const struct mx_rule *rule; /* [rules] into a struct mx_measure_draft, MX_MEASURE_RULES among them */
  int (*finish)(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft); /* or NULL */
};

#define MX_POINT_EXPECTED "three numbers (metres), as in { 0.4, 0.5, 0.3 }"
#define MX_DRAFT(field)   offsetof(struct mx_measure_draft, field)
#define MX_MEASURE(field) offsetof(struct mx_measure_draft, measure.field)
/* The rules of all measures. */
#define MX_MEASURE_RULES(example_name)                                                                                 \
  {"name", mx_measure_read_name, MX_MEASURE(name),                                                                     \
   .expected = "a name for a file (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 characters)", \
   .example = example_name},                                                                                           \
      {"every", mx_read_long, MX_MEASURE(every), .expected = "an integer >= 1", MX_FROM(1)},                           \
  {                                                                                                                    \
    "frequencies", mx_read_frequencies, MX_MEASURE(frequencies), .expected = NULL                                      \
  }

/* The rules of a grid on a plane. */
#define MX_PLANE_RULES                                                                                                 \
  {"origin", mx_read_triple, MX_DRAFT(origin), .expected = MX_POINT_EXPECTED, .example = "origin = { 0, 0, 0.5 }"},    \
      {"u", mx_read_triple, MX_DRAFT(u), .expected = "an edge of three numbers (metres), as in { 1, 0, 0 }",           \
       .example = "u = { 1, 0, 0 }"},                                                                                  \
      {"v", mx_read_triple, MX_DRAFT(v), .expected = "an edge of three numbers (metres), as in { 0, 1, 0 }",           \
       .example = "v = { 0, 1, 0 }"},                                                                                  \
  {                                                                                                                    \
    "points", mx_measure_read_samples, MX_MEASURE(samples), .expected = "two integers >= 2, as in { 40, 30 }"          \
  }

int mx_measure_read_name(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* The corners of a path, to a draft. */
int mx_measure_read_path(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* Two numbers of points, to size_t[2]. */
int mx_measure_read_samples(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* Makes the three points of a plane of the draft's origin and edges. */
int mx_measure_set_plane(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft) DG_MUST_USE;
/* A path has at least so many points, and no two neighbours are the same. */
int mx_measure_check_path(struct mx_reader *r, const struct mx_value *value, const struct mx_measure_config *measure,
                          size_t least, bool closed) DG_MUST_USE;
int mx_measure_set_points(struct mx_reader *r, struct mx_measure_config *measure, size_t count) DG_MUST_USE;
/* The point a, or a + b. */
void mx_measure_set_point(double (*point)[3], const double a[3], const double b[3]);
bool mx_measure_same_point(const double a[3], const double b[3]);
