/* The section `heat` of a script, checked: where heat flows, what brings it, and how time goes on. config_heat.c reads
 * it; maxwell/heat has the equations.
 *
 * Temperatures are in K or in degrees Celsius, as the script likes: only differences count. */
#pragma once

#include "maxwell/model/config.h"

/* A number, or a function of position and time (x, y, z, t). */
struct mx_heat_value {
  double value;
  const struct mx_function *function; /* NULL: use value */
};

enum mx_heat_wall_kind {
  MX_HEAT_HELD,      /* T = value */
  MX_HEAT_FLUX,      /* k dT/dn = value, W/m^2 into the body */
  MX_HEAT_CONVECTION /* k dT/dn = coefficient (value - T) */
};

struct mx_heat_wall {
  struct mx_selector where;
  enum mx_heat_wall_kind kind;
  struct mx_heat_value value;
  double coefficient; /* W/(m^2 K), > 0; only of MX_HEAT_CONVECTION */
};

/* A source: power by volume, or the losses of phasors. */
struct mx_heat_source {
  const char *where;  /* as in mx_selector */
  const char *losses; /* the name in output.spectra; NULL: a density */
  double frequency;   /* Hz, one of that spectrum; 0: it has only one */
  double amplitude;   /* of the fields, default 1; losses grow as its square */
  double power;       /* W that all losses of the spectrum add up to; 0: not given */
  bool by_region;     /* only in `on` */
  struct mx_selector on;
  struct mx_heat_value density; /* W/m^3 */
};

struct mx_heat_probe {
  const char *name, *where;
  double at[3]; /* m */
};

struct mx_heat_config {
  const char *where; /* as in mx_selector */
  int order;         /* of the elements, default 2 */
  size_t regions;    /* 0: the whole mesh */
  struct mx_selector *region;
  struct mx_heat_value start; /* temperature at t = 0 */
  double blood;               /* temperature of the blood */
  size_t walls, sources, probes;
  struct mx_heat_wall *wall; /* other walls let no heat through */
  struct mx_heat_source *source;
  struct mx_heat_probe *probe;
  bool steady;      /* the temperature at which nothing changes; then the numbers below say nothing */
  double stop;      /* s */
  double step;      /* s; 0: chosen by the error */
  double tolerance; /* K, the error of a step that is chosen; default 1e-3 */
  double theta;     /* 1/2, the default: Crank-Nicolson; 1: backward Euler */
  double walltime;  /* s of wall-clock time, of heat alone; 0: not given */
  double solve;     /* relative residual of a solution, default 1e-12 */
  int solver;       /* an mx_solver */
  double interval;  /* s between snapshots; 0: none but the last one if `snapshots` */
  bool snapshots;
  bool coupled; /* materials change with the temperature: the fields run again, by these numbers */
  struct {
    double tolerance; /* relative change of a coefficient at which the fields run again, default 0.02 */
    double settled;   /* K: iterations end when temperatures change by less, default 0.1 */
    int iterations;   /* that many at the most, default 10 */
  } coupling;
};
