/* The list of sources: each says how a term of the problem (mx_term) changes in time. Sources and ports add to it. */
#pragma once

#include "maxwell/model/waveform.h"
#include "maxwell/problem/problem.h"

/* How one term changes in time. */
struct mx_source {
  const char *what;                   /* "sources[1].current", for messages; owned by mx_sources */
  struct mx_waveform waveform;        /* of terms with numbers */
  double delay;                       /* s */
  double *lag;                        /* [points] s, of terms with a number a node: the waveform is taken at t - lag */
  const struct mx_function *function; /* function of (x, y, z, t) of a general source, else NULL */
  bool port;                          /* the term has one number, which mx_ports_evaluate gives */
  bool driven;                        /* the source is a port's that has a waveform */
  double factor;                      /* from the function's unit to the solver's */
  double (*x)[3];                     /* general: [points] places, metres */
  double *sheet; /* surface currents in general form: [points][3] own normal, the jump is -K x n; else NULL */
  size_t points;
  double *now, *before;             /* values of the last evaluation and of the one before it */
  double *next;                     /* general: values of the next evaluation */
  double *called;                   /* general: [points][3] values of the function */
  double *table_time, *table_value; /* samples of a tabulated waveform */
};

struct mx_source_list {
  struct mx_problem *problem; /* borrowed */
  size_t count;
  struct mx_source *source; /* [count] = the problem's terms */
};

/* A request for a new term of the problem and its source. Both are zeroed but for what the request says. */
struct mx_new_term {
  enum mx_term_kind kind;
  enum mx_term_values values;
  size_t count;
  const char *what;
};
int mx_source_add(struct mx_source_list *list, const struct mx_new_term *wanted, struct mx_term **term,
                  struct mx_source **source, struct dg_error *err) DG_MUST_USE;
/* Counts the nodes of an element or face of the term, and the numbers of its source that change. */
size_t mx_source_nodes(const struct mx_source_list *list, const struct mx_term *term);
size_t mx_source_numbers(const struct mx_term *term, size_t points);
void mx_source_list_release(struct mx_source_list *list);
