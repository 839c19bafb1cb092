/* A wall with a state as numbers: the skin of a metal, resistors beside inductors (metal.h, metal_sheet.h), or a film.
 * maxwell/terms/skins.h has the formulas. */
#pragma once

#include <stddef.h>

/* The kinds, and their rows in maxwell/terms/skin_kinds.c. */
#define MX_SKIN_KINDS(X) X(MX_SKIN_WALL, wall) X(MX_SKIN_SHEET, sheet) X(MX_SKIN_FILM, film)

#define MX_SKIN_KIND(kind, row) kind,
enum mx_skin_kind { MX_SKIN_KINDS(MX_SKIN_KIND) };
#undef MX_SKIN_KIND

enum { MX_SKIN_POLES = 36 };

struct mx_skin {
  enum mx_skin_kind kind;
  size_t poles;
  double resistance[MX_SKIN_POLES]; /* R_k > 0: ohm, in a problem over eta0 */
  double rate[MX_SKIN_POLES];       /* a_k > 0: rad/s, in a problem over c0 */
  /* Or one face of a sheet of metal, whose other face is coupled to it (metal_sheet.h). */
  double direct;                  /* ohm as above: of both faces together at all frequencies; 0: it is a wall */
  double transfer[MX_SKIN_POLES]; /* Q_k, |Q_k| <= R_k; their sum is -direct */
  /* Or a film between two media, with one current: dJ/dt = drude E - damping J (terms/skins.h). */
  double drude, damping; /* > 0: 1/(ohm s), 1/s; in a problem times eta0/c0, over c0 */
};

/* The error that a fit aims at: relative, the largest over the band. */
#define MX_SKIN_ERROR 2e-3
