/* The state that port.c and port_build.c share: the modes of a port, their terms, functionals and pasts. Private to
 * port*.c. */
#pragma once

#include "maxwell/sources/circuit.h"
#include "maxwell/sources/port.h"
#include "maxwell/sources/tem/tem_losses.h"
#include "maxwell/time/schedule.h"

/* A mode with its past. The quantity that a_in answers to is f = a_out - v. It is kept newest first, from past + room -
 * 1 - n on, so that the convolution is a product of two arrays. In leapfrog a_out has two parts of different times:
 * that of E at t_n and that of H at t_n + dt/2. Other integrators use only the first part, which then holds both. */
struct mx_port_mode {
  enum mx_mode_family family;
  double cutoff;                /* angular, 1/s; 0: TEM */
  double kept;                  /* share of the integral of e.e that the faces' polynomials hold: 1 is all */
  size_t term;                  /* index of the problem's term and of its source */
  size_t functional;            /* index of E's part of a_out, counted from ports->first; H's part is the next one */
  double recorded[2];           /* values of the two parts at the stage at hand */
  double *past[2];              /* [room] */
  double *table[MX_PASSES_MAX]; /* [room] weights of the past at lags (j + time) dt; NULL: no such stage, or TEM */
};

/* weight[count] of the values f((n - j) dt) in the integral of rho(tau) f(t - tau), t = (n + c) dt, 0 <= c <= 1, with
 * rho = sign 2 J2(w tau)/tau. */
void mx_port_table(double w, double sign, double c, double dt, double *weight, size_t count);

struct mx_port {
  char *what;      /* "boundaries.left", for messages */
  char *name;      /* in names of files: "left", "surface_4" */
  char about[300]; /* face and mode, for the log */
  const char *where;
  enum mx_boundary_kind kind;
  int number;
  bool driven;
  double slender;          /* a lumped port around a rod: Hz up to which the rod is thin; 0: it is no rod */
  double area, normal[3];  /* as in mx_port_line */
  double amplitude, delay; /* V of the port's own voltage; s */
  double impedance;        /* of the medium, or of the whole lumped port: ohm */
  double speed;            /* of light in the medium, m/s; 0: a lumped port */
  double scale;            /* the port's own voltage is scale times that of the mode */
  double own_share;    /* part of the incident voltage in what leaves, beside the functionals; 0 but for TEM lines */
  double source_share; /* lumped ports: share of the source's voltage in the port's, Z/(Z + Zs); else 1 */
  struct mx_line_losses losses; /* of a TEM line */
  double mixed;                 /* of a TEM line: as in tem_mode.h */
  size_t bodies, *body;         /* of a TEM line: [bodies] its conductors in the whole mesh (tem_bodies.h) */
  size_t ground;                /* the one of them at 0 V */
  double other;                 /* cut-off of the first mode that the port does not have, Hz; 0: not known */
  char other_name[40];          /* "TE20"; "": it has no name */
  double dispersion;            /* of a TEM line: as in tem_mode.h */
  struct mx_circuit circuit;    /* of a lumped element */
  size_t modes;
  struct mx_port_mode *mode; /* the first is the port's own */
  double *incident;          /* [room] v(t_n), in volts of the mode */
  double *incoming;          /* [room] a_in(t_n) */
  double half_before;        /* leapfrog: H's part of a_out at -dt/2 */
};

/* Writes the name of a mode: "TE10", "TM1,12", "TEM". A mode that a script describes (m = n = 0) has only its family.
 */
void mx_port_name_mode(const struct mx_mode *mode, char text[40]);
/* Finds the lowest mode of a rectangle that a waveguide port does not have: port->other. */
void mx_port_find_other(struct mx_port *port, const struct mx_port_config *config, const double side[2]);
