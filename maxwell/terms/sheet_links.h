/* Which face of a sheet of metal (maxwell/terms/skins.h) is whose other face, and the currents of those that another
 * rank has. For backends and the balance of energy. */
#pragma once

#include "libdg/comm/comm.h"
#include "maxwell/problem/problem.h"

struct mx_sheet_links {
  /* [skin_faces] the place in the list of the other face; MX_LINK_NONE: it has none in this part, or is no face of a
   * sheet; MX_LINK_RANK - i: another rank has it, and its currents are item i. */
  ptrdiff_t *far;
  size_t width;                 /* numbers of an item */
  size_t sent;                  /* items to other ranks, and from them */
  size_t *send;                 /* [sent] faces, places in the list */
  struct dg_exchange *exchange; /* NULL: there is one rank */
  bool quiet;                   /* nothing has come since the start: the currents are zero */
};
enum { MX_LINK_NONE = -1, MX_LINK_RANK = -2 };

/* Collective where the problem is shared: all ranks call it if the metals have a sheet (mx_any_sheet). Release in any
 * case. */
int mx_sheet_links_init(struct mx_sheet_links *links, const struct mx_problem *problem, size_t width,
                        struct dg_error *err) DG_MUST_USE;
void mx_sheet_links_release(struct mx_sheet_links *links);

/* The row of face k's other face in an array that has `own` rows and the received items behind them: far[k] where it is
 * one of this part; -1: there is none. */
static inline ptrdiff_t mx_sheet_links_row(const struct mx_sheet_links *links, size_t k, size_t own)
{
  return links->far[k] > MX_LINK_RANK ? links->far[k] : (ptrdiff_t)own + MX_LINK_RANK - links->far[k];
}

double *mx_sheet_links_to_send(const struct mx_sheet_links *links, size_t i);
/* What came for face k of the list; NULL: nothing did. */
const double *mx_sheet_links_received(const struct mx_sheet_links *links, size_t k);
/* Sends and waits. */
int mx_sheet_links_exchange(struct mx_sheet_links *links, struct dg_error *err) DG_MUST_USE;
/* At the start of a run all currents are zero. */
void mx_sheet_links_clear(struct mx_sheet_links *links);
