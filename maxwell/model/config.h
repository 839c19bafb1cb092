/* The user's input, checked key by key, as one plain struct. Nothing is ignored in silence: an unknown key, a wrong
 * type or a value out of range is a DG_INPUT error with file:line, the key and the nearest known name.
 *
 * Names of groups and tags of entities are only checked against the mesh later (problem.h), because it does not exist
 * yet. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/function.h"
#include "maxwell/shell/origin.h"
#include "maxwell/shell/rules/resolved.h"
#include "maxwell/model/choices.h"
#include "maxwell/model/walls.h"
#include "maxwell/model/waveform.h"

enum mx_interface_kind {
  MX_SURFACE_CURRENT,
  MX_TOTAL_FIELD,
  MX_CONDUCTING_SHEET, /* a perfect conductor without thickness */
  MX_RESISTIVE_SHEET,  /* a resistor without thickness: E_t = resistance * (jump of n x H) */
  MX_GRAPHENE,         /* a resistor and an inductor in series, by the intraband term of Kubo's formula */
  MX_METAL_SHEET       /* a metal of any thickness (media/metal_sheet.h) */
};
/* Is it a wall on both sides? */
static inline bool mx_interface_is_wall(enum mx_interface_kind kind)
{
  return kind == MX_CONDUCTING_SHEET || kind == MX_METAL_SHEET;
}
enum mx_quantity { MX_QUANTITY_E = 1, MX_QUANTITY_H = 2, MX_QUANTITY_MATERIAL = 4 };

extern const char *const mx_interface_kind_names[]; /* "surface_current", "total_field", "pec" */

/* The place where a material or boundary applies: a physical group by name, an entity by tag, or everything else. */
struct mx_selector {
  const char *group; /* NULL when it is a tag or `default` */
  int tag;
  bool is_default;
  int line;          /* of the script, for messages */
  const char *where; /* "cavity.lua:12" or "--set materials.air.sigma=1", the head of a message */
};

/* The head of a message: dg_fail(err, DG_INPUT, MX_PLACE "...", MX_AT(selector->where), ...). */
#define MX_PLACE     "%s%s"
#define MX_AT(where) (where) != NULL ? (where) : "", (where) != NULL ? ": " : ""

/* A number, or a function of the element's barycentre (metres). */
struct mx_scalar {
  double value;
  const struct mx_function *function; /* NULL: use value */
  int line;
  const char *where; /* as in mx_selector */
};

/* A term of the permittivity or the permeability, s = jw in rad/s; maxwell/response/pole_forms.h has the same forms. */
enum mx_pole_config_form {
  MX_POLE_IS_REAL,  /* number[0]/(s - number[1]) */
  MX_POLE_IS_DRUDE, /* number[0]/(s (s + number[1])) */
  MX_POLE_IS_PAIR   /* (number[0] s + number[1])/(s^2 + number[2] s + number[3]) */
};
struct mx_pole_config {
  enum mx_pole_config_form form;
  double number[4]; /* in powers of rad/s */
};
/* The states that the poles of a field in a material may take together: a pair takes two, others take one. */
enum { MX_POLES_MOST = 16 };
static inline int mx_pole_config_states(const struct mx_pole_config *pole)
{
  return pole->form == MX_POLE_IS_PAIR ? 2 : 1;
}

/* The poles of one field: of drude, lorentz, debye, critical_points and poles. */
struct mx_poles_config {
  size_t count;
  struct mx_pole_config pole[MX_POLES_MOST];
};

/* A symmetric tensor, in the axes of the mesh: xx, xy, xz, yy, yz, zz (tensor.h). */
struct mx_tensor_config {
  bool given;
  double number[6];
};

/* Charges that turn about a magnetic field (maxwell/response/gyrotropic.h), rad/s. */
struct mx_gyrotropic_config {
  bool given;
  double omega_p, omega_0, gamma; /* > 0, >= 0, >= 0 */
  double omega_c[3];              /* q B/m */
};

/* A ferrite magnetised by a static field (maxwell/response/ferrite.h). */
struct mx_ferrite_config {
  bool given;
  double omega_0, omega_m; /* rad/s, > 0 */
  double damping;          /* Gilbert's, >= 0 */
  double direction[3];     /* of the static field, of length 1 */
};

/* What a material is to heat; mass_density belongs to it. */
struct mx_thermal_config {
  double conductivity; /* W/(m K), > 0; 0: not given */
  double capacity;     /* J/(kg K), > 0; 0: not given */
  double perfusion;    /* W/(m^3 K) of the blood, default 0; >= 0 */
};

/* What of a material changes with its temperature (maxwell/model/media/warm.h). */
enum mx_warm_key { MX_WARM_EPSILON, MX_WARM_SIGMA, MX_WARM_KEYS };
struct mx_warm_config {
  const char *where; /* as in mx_selector; NULL: nothing changes */
  double reference;  /* the temperature at which the material's numbers hold, where there is a slope */
  struct {
    bool given;
    double slope;                       /* 1/K: value = number (1 + slope (T - reference)); without a function */
    const struct mx_function *function; /* T -> value, S/m of sigma; or NULL */
  } key[MX_WARM_KEYS];
};

struct mx_material_config {
  struct mx_selector where;
  const char *source;                /* where the numbers are from, or NULL */
  double valid[2];                   /* Hz, the range in which they hold; {0, 0}: not said */
  struct mx_scalar epsilon_r, mu_r;  /* default 1; > 0; of a tensor: its scalar (tensor.h) */
  struct mx_tensor_config tensor[2]; /* epsilon_r and mu_r where they are tensors */
  double axes[3][3];                 /* in which the script gave them; only for the reader */
  struct mx_scalar sigma;            /* S/m, default 0; >= 0 */
  struct mx_scalar sigma_m;          /* ohm/m, default 0; >= 0 */
  double loss_tangent, loss_at;      /* sigma is 2 pi loss_at epsilon loss_tangent; loss_at 0: it is `sigma`. Hz */
  struct mx_poles_config poles[2];   /* those of epsilon_r, and those of mu_r */
  double mass_density;               /* kg/m^3, default 0: nothing that takes heat */
  struct mx_thermal_config thermal;
  struct mx_scalar density; /* factor of all their terms, default 1; >= 0 */
  struct mx_gyrotropic_config gyrotropic;
  struct mx_ferrite_config ferrite;
  struct mx_warm_config warm;
};

static inline bool mx_has_tensor(const struct mx_material_config *material)
{
  return material->tensor[0].given || material->tensor[1].given;
}

/* Does a material change with its temperature? */
static inline bool mx_is_warm(const struct mx_material_config *material) { return material->warm.where != NULL; }

/* The variation of a source: either general(x, y, z, t) -> 3 numbers, or profile(x, y, z) -> 3 numbers times the
 * waveform. */
struct mx_drive {
  const struct mx_function *general; /* or NULL */
  const struct mx_function *profile; /* NULL when `general` is given or `constant` is used */
  double constant[3];                /* the profile as three numbers, used when profile is NULL */
  struct mx_waveform waveform;       /* or kind MX_FUNCTION_WAVEFORM with `function` */
  double delay;                      /* s, default 0: the waveform is taken at t - delay */
};

/* E(x, t) = amplitude polarisation w(t - direction.(x - origin)/v - delay), H = direction x E / Z, v and Z those of the
 * medium that the wave comes through. */
struct mx_plane_wave {
  double direction[3];    /* normalised by the reader */
  double polarisation[3]; /* normalised by the reader; orthogonal to the direction (error if not) */
  bool has_origin;        /* else the wave starts at t = delay at the first point of the surface that it meets */
  double origin[3];       /* m: where the wave has the phase of its waveform */
  double amplitude;       /* V/m, default 1 */
  struct mx_waveform waveform;
  double delay; /* s, default 0 */
};

/* A mode of a guide. m, n count half waves along the first and the second axis of a rectangle. */
enum mx_mode_family { MX_TE, MX_TM, MX_TEM };
struct mx_mode {
  enum mx_mode_family family;
  int m, n;
};

/* A port: a face through which one mode comes in and modes leave. Incident voltage = amplitude w(t - delay). */
enum mx_circuit_kind { MX_SERIES, MX_PARALLEL };

/* A conductor of a MX_TEM_PORT and its potential against the ground, in any scale. */
struct mx_port_voltage {
  const char *name, *where;
  double value;
};

enum { MX_TEM_EVEN = -1, MX_TEM_ODD = -2 };

struct mx_port_config {
  int number;          /* 1.. in S-parameters; 0: not given, ports count in the order of their names */
  struct mx_mode mode; /* MX_WAVEGUIDE_PORT: key `mode`, "TE10" if absent; MX_MODAL_PORT: the family (key `family`) */
  size_t absorbed;     /* MX_WAVEGUIDE_PORT: further modes that are absorbed exactly, key `absorb` */
  struct mx_mode *absorb;
  bool has_axis;  /* MX_WAVEGUIDE_PORT: the direction of the mode's first index; else the longer side */
  double axis[3]; /* normalised by the reader */
  const struct mx_function *profile; /* MX_MODAL_PORT: of (x, y, z) -> transverse E, any scale */
  double cutoff;                     /* MX_MODAL_PORT: Hz, >= 0; 0 only for TEM */
  double resistance;                 /* MX_LUMPED_PORT: ohm, > 0; MX_LUMPED_ELEMENT: 0: there is none */
  double inductance, capacitance;    /* MX_LUMPED_ELEMENT: H, F; 0: there is none */
  enum mx_circuit_kind circuit;      /* MX_LUMPED_ELEMENT */
  double direction[3]; /* MX_LUMPED_PORT: from the negative to the positive end of the source; normalised */
  int tem;             /* MX_TEM_PORT: key `mode`, from 1, MX_TEM_EVEN or MX_TEM_ODD; 0: not given */
  size_t voltages;     /* MX_TEM_PORT: key `voltages`; 0: not given */
  struct mx_port_voltage *voltage;
  const char *ground; /* MX_TEM_PORT: a conductor's name; NULL: not given */
  bool driven;        /* has a waveform */
  struct mx_waveform waveform;
  double amplitude; /* V, default 1: incident voltage of the mode; MX_LUMPED_PORT: of the source without load */
  double delay;     /* s */
};

/* A wall of kind MX_OPEN_WALL, from which a layer grows (maxwell/setup/open_layer.h). */
struct mx_open_config {
  double reflection; /* dB, < 0: what may come back; 0: MX_LAYER_REFLECTION or MX_ABSORBER_REFLECTION */
  double thickness;  /* m; 0: chosen */
  int sheets;        /* elements in the thickness, key `elements`; 0: chosen */
  bool absorber;     /* losses that rise slowly instead of a perfectly matched layer */
};

#define MX_LAYER_REFLECTION    (-80.0) /* dB: the target of a perfectly matched layer for which the script names none */
#define MX_ABSORBER_REFLECTION (-40.0) /* and that of an absorber */
static inline double mx_layer_target(double reflection, bool absorber)
{
  if (reflection < 0) return reflection;
  return absorber ? MX_ABSORBER_REFLECTION : MX_LAYER_REFLECTION;
}

/* A drawn shell that is a perfectly matched layer or an absorber. */
enum mx_shell_kind { MX_SHELL_BOX, MX_SHELL_SPHERE, MX_SHELL_CYLINDER };
struct mx_layer_config {
  struct mx_selector where; /* a volume group or tag; never the default */
  enum mx_shell_kind kind;
  bool has_centre; /* sphere, cylinder; else that of the inner wall */
  double centre[3];
  double axis[3];    /* cylinder; normalised by the reader */
  double reflection; /* dB, as in mx_open_config */
  bool absorber;     /* as in mx_open_config */
};
extern const char *const mx_shell_kind_names[]; /* "box", "sphere", "cylinder" */

/* The metal of a wall whose skin is thinner than everything else (media/metal.h), or of a sheet. */
struct mx_metal_config {
  int name;         /* key `metal`, of mx_metal_names; only for the reader */
  double sigma;     /* S/m, > 0: key `conductivity`, or that of the name */
  double mu_r;      /* > 0, default 1 */
  double band[2];   /* Hz, ascending; {0, 0}: that of the sources */
  double roughness; /* of a wall: m rms, default 0 */
  double thickness; /* of a sheet: m, > 0 */
};

struct mx_boundary_config {
  struct mx_selector where;
  enum mx_boundary_kind kind;
  double impedance;             /* ohm, > 0; only for MX_IMPEDANCE, where it is required */
  struct mx_metal_config metal; /* MX_METAL_WALL */
  struct mx_open_config open;   /* MX_OPEN_WALL */
  struct mx_selector with;      /* MX_PERIODIC: that of the boundary on the opposite side */
  struct mx_plane_wave wave;    /* MX_PLANE_WAVE */
  /* MX_ELECTRIC_FIELD (V/m; key `field` or profile + waveform), MX_MAGNETIC_FIELD (A/m), MX_WALL_CURRENT (A/m; key
   * `current` or profile + waveform) */
  struct mx_drive drive;
  struct mx_port_config port; /* mx_is_port(kind) */
};

/* Says whether energy leaves through the boundary's faces by design. A lumped element with an inductor in series or a
 * capacitor in parallel to all else, and one that loses nothing, prescribes the field on its wall: the wall is closed.
 */
bool mx_boundary_is_open(const struct mx_boundary_config *boundary);

struct mx_config;
/* The highest frequency of the sources, Hz, as far as they say one; 0: none does. */
double mx_highest_frequency(const struct mx_config *config);
/* The boundary on the opposite side of a periodic one: the one that its `with` names. NULL: there is none; the reader
 * has refused that. */
const struct mx_boundary_config *mx_opposite(const struct mx_config *config, const struct mx_boundary_config *boundary);

struct mx_graphene_config {
  double potential;   /* the chemical potential, eV, >= 0 */
  double relaxation;  /* time, s, > 0 */
  double temperature; /* K, > 0 */
};

struct mx_interface_config {
  struct mx_selector where; /* surfaces inside the domain; never the default */
  enum mx_interface_kind kind;
  struct mx_drive drive;     /* MX_SURFACE_CURRENT: A/m; key `current` or profile + waveform */
  struct mx_selector inside; /* MX_TOTAL_FIELD: key `region`, the volume group or tag that carries the total field */
  struct mx_plane_wave wave; /* MX_TOTAL_FIELD */
  double resistance;         /* MX_RESISTIVE_SHEET: ohm (per square), > 0 */
  struct mx_graphene_config graphene;
  struct mx_metal_config metal; /* MX_METAL_SHEET */
};

/* An impressed current: a density in a region (A/m^2), a point dipole, or a thin straight wire. */
enum mx_source_shape { MX_REGION, MX_DIPOLE, MX_WIRE };
struct mx_source_config {
  enum mx_source_shape shape;
  struct mx_selector where; /* MX_REGION: key `region`, the name of a volume group or tag of a volume */
  struct mx_drive drive;    /* MX_REGION: key `current`, or profile + waveform; the others: waveform and delay only */
  double at[3];             /* MX_DIPOLE: position, m; MX_WIRE: key `from`, m */
  double to[3];             /* MX_WIRE: key `to`, m */
  double moment[3];         /* MX_DIPOLE: current times length, A m */
  double current;           /* MX_WIRE: A, along the wire from `from` to `to` */
  const char *place;        /* "cavity.lua:12", as in mx_selector */
};

/* Frequencies of a Fourier transform: a list, or { from =, to =, points = }. */
struct mx_frequencies {
  size_t count;  /* 0: none */
  double *hertz; /* [count] >= 0 */
};

/* A measurement while the simulation runs; its kind gives the keys (measures.h). */
struct mx_measure_reader;
struct mx_rule_listener;
struct mx_measure_config {
  const struct mx_measure_reader *kind;
  const char *name; /* file-name safe, unique in its kind */
  long every;       /* steps; default 1 */
  int line;
  const char *where;     /* as in mx_selector */
  size_t points;         /* in point: 1 of a probe, 2 of a line, 3 of a plane (corner, ends of its two edges), or the
                            corners of a path */
  double (*point)[3];    /* [points] m */
  size_t samples[2];     /* points of a line, or along the two edges of a plane */
  bool silo;             /* planes: a grid a time by the writer of snapshots instead of a table */
  struct mx_selector on; /* fluxes: key `surface`; losses: key `region` */
  bool has_direction;    /* fluxes through inner surfaces: which way is positive; outer ones: outwards */
  double direction[3];
  const void *own;                   /* other keys of the kind, in the reader's arena */
  struct mx_frequencies frequencies; /* of a running Fourier transform */
};

/* A plane in which the surface of a far field and what is inside it are mirrored: x, y or z = at. */
struct mx_image_config {
  int axis;      /* 0, 1, 2 */
  double at;     /* m, default 0 */
  bool magnetic; /* the wall in the plane: a perfect magnetic conductor, else an electric one */
  bool ground;   /* the wall is there and nothing radiates beyond it; else the plane is a symmetry of the device */
};

/* A far field: the transform of a closed surface at some frequencies, towards theta x phi. */
struct mx_far_config {
  const char *name;  /* file-name safe, unique */
  const char *where; /* as in mx_selector */
  bool by_region;    /* `on` is a region, whose boundary is the surface; else a surface */
  struct mx_selector on;
  struct mx_frequencies frequencies;
  size_t thetas, phis;
  double *theta, *phi; /* degrees */
  long every;          /* steps between samples; 0: as the spectrum of the sources allows */
  size_t images;
  struct mx_image_config image[3]; /* of different axes */
};

/* What phasors are divided by: nothing, the transform of the source's waveform, or the wave that brings 1 W to ports.
 */
enum mx_norm { MX_NORM_NONE, MX_NORM_SOURCE, MX_NORM_POWER };

/* Phasors of the fields in a region, on a plane or everywhere, by a running transform (maxwell/phasor). */
struct mx_phasor_config {
  const char *name;               /* file-name safe, unique */
  const char *where;              /* as in mx_selector */
  bool by_region;                 /* only in `on`; else on the plane, or everywhere if there is none */
  struct mx_selector on;          /* a volume */
  struct mx_measure_config plane; /* points == 0: there is none; silo: a grid a frequency, else a table */
  struct mx_frequencies frequencies;
  int quantities; /* bits of mx_quantity: E, H or both */
  int norm;       /* enum mx_norm */
  long every;     /* steps between samples; 0: as the spectrum of the sources allows */
  bool losses;    /* their density and total as well; not on a plane */
  bool sar;       /* the losses over the mass as well */
  double grid;    /* m, of the cubes over which SAR is averaged; 0: it is not */
};

struct mx_names {
  size_t count;
  const char **name; /* [count] */
};

/* Resonances in the records of measures, found at the end of the run (maxwell/resonance/resonances.h). */
struct mx_resonance_config {
  const char *name;          /* unique */
  struct mx_names probe;     /* at least one: a probe, voltage or current, as "centre" or "probes/centre" */
  struct mx_names component; /* columns of the records; none: all */
  double from, to;           /* Hz */
  double after;              /* s: where the records begin; negative: when the sources have ended */
  double error;              /* relative; a mode that is less sure is doubtful; default 1e-3 */
  const char *where;         /* as in mx_selector */
};

struct mx_config {
  const char *script_path;
  const char *directory; /* folder of the script, where relative mesh files are looked for; "." if none */
  const char *name;      /* default: the script's file name without .lua */
  struct {
    const char *file; /* required; made relative to the script's directory */
    double size;      /* drawing units; 0: not given */
    double unit;      /* m per drawing unit, default 1 */
    double seconds;   /* the longest time for meshing, default 3600 */
    double memory;    /* GB that meshing may have; 0: not given, all of the machine's */
    int threads; /* threads of Gmsh, default 1; 0: all cores. Several threads may make another mesh of the same geometry
                  */
    int geometry; /* order of the elements' maps, 1 to 4; 0: "auto", the default */
    bool keep;    /* default: the mesh is kept in the output folder, and taken from there */
    size_t parameters;
    const char **parameter_name;
    double *parameter_value;
    int line;
    const char *where; /* of `file`, as in mx_selector */
  } mesh;
  int order;    /* 1..8; required */
  double alpha; /* flux: upwind = 1 (default), centered = 0 */
  struct {
    enum mx_integrator integrator;    /* default leapfrog */
    double stop;                      /* s; 0: not given. Exactly one of stop and steps is required */
    long steps;                       /* 0: not given */
    double step;                      /* s; 0: automatic */
    double cfl;                       /* fraction of the stability limit, (0, 1], default 0.95 */
    int levels;                       /* local time steps: 1 (default) for none, the most of them, 0: automatic */
    double decay;                     /* dB: stop when the energy is so far below its maximum; 0: not given */
    const struct mx_function *finish; /* answers (t, n, energy): stop; NULL: not given */
    double walltime;                  /* s of wall-clock time that the whole run may take; 0: not given */
    int line;
    const char *where; /* of the table, as in mx_selector */
    const char *step_where, *stop_where;
  } time;
  const char *backend;       /* "auto" (default) or a backend's name; checked when a run starts */
  const char *backend_where; /* as in mx_selector; NULL when it is the default */
  const char *materials_where;
  enum mx_precision precision;
  struct {
    enum mx_transport transport; /* default: as MPI can */
    bool share;                  /* ranks may have the same card; default false */
  } gpu;
  size_t materials, layers, boundaries, interfaces, sources;
  struct mx_material_config *material; /* at least one */
  struct mx_layer_config *layer;
  struct mx_boundary_config *boundary;
  struct mx_interface_config *interface;
  struct mx_source_config *source;
  struct {
    bool given;        /* fields are exp(-j k.x) times periodic ones: Bloch phases */
    double k[3];       /* rad/m */
    const char *where; /* as in mx_selector */
  } bloch;
  struct {
    const struct mx_function *E, *H; /* of (x, y, z) -> three numbers (V/m, A/m), or NULL */
    struct mx_statics_config {
      size_t conductors; /* 0: the fields do not begin with a static field */
      struct mx_conductor_config {
        struct mx_selector where;
        bool charged; /* `value` is a charge, C; else it is a potential, V */
        double value;
      } * conductor; /* [conductors] */
      size_t clouds; /* regions with charges in space */
      struct mx_cloud_config {
        struct mx_selector where;
        double value;                       /* C/m^3 */
        const struct mx_function *function; /* of (x, y, z) -> C/m^3; NULL: use value */
      } * cloud;                            /* [clouds] */
      bool capacitance, conductance;        /* the matrix is asked for */
      int solver;                           /* an mx_solver */
      const char *where;                    /* as in mx_selector */
    } statics;
  } initial;
  struct {
    struct {
      long every;     /* steps; 0: no snapshots */
      int quantities; /* bits of mx_quantity; default E and H */
      int formats;    /* bit i: the i-th of libdg/io/formats.h; default the first */
      bool average;   /* default false */
      int files;      /* files that several ranks have open at a time; 0: as dg_silo_write chooses */
      int ahead;      /* snapshots that the loop may be ahead of the disk, default 2; 0: it waits for each */
      int precision;  /* an mx_precision for the values in files; default that of the run */
      int mesh_each;  /* the mesh is in every snapshot; default 0, in a file that they share */
    } fields;
    long energy_every; /* 0: none */
    struct {
      long every;       /* steps between rows of balance.csv; 0: no balance is kept */
      double tolerance; /* share of the largest energy; default 0.01 */
    } balance;
    const struct mx_measure_reader *const *kinds; /* NULL-terminated; borrowed */
    size_t measures;
    struct mx_measure_config *measure; /* by kind, each kind in the script's order */
    size_t far_fields;
    struct mx_far_config *far_field;
    size_t spectra;
    struct mx_phasor_config *spectrum;
    size_t resonances;
    struct mx_resonance_config *resonance;
    long ports_every;                   /* steps between lines of ports/NAME.csv; default 1 */
    struct mx_frequencies s_parameters; /* frequencies for all ports, at the end of the run */
    const char *s_parameters_where;     /* as in mx_selector */
    double progress_every; /* wall-clock seconds between progress lines; 0: none; -1, the default: as the log likes */
  } output;
  const struct mx_heat_config *heat; /* maxwell/model/heat/heat_config.h; NULL: no heat is computed */
  struct {
    const struct mx_function *output; /* looks at results while the run goes on; NULL: not given */
    const struct mx_function *done;   /* looks at results at the end; NULL: not given */
    long every;                       /* steps between calls of `output`; 0: not given */
    double interval;                  /* s between them; 0: not given */
    const char *where;                /* as in mx_selector */
  } on;
  struct {
    long every;     /* steps between checkpoints; 0: none of them */
    double minutes; /* wall-clock minutes between checkpoints; 0: none of them */
  } checkpoint;
  struct {
    double growth; /* stop when the energy exceeds this many times the initial one (no sources); default 1e3 */
    long every;    /* steps between looks; default 0: automatic */
  } watchdog;
  struct mx_resolved resolved; /* what the table lacks, for mx_resolved_write; none if a program in C made this */
  void *storage;               /* private: what mx_config_release frees */
};

/* The first material that changes with its temperature; NULL: none does. */
static inline const struct mx_material_config *mx_first_warm(const struct mx_config *config)
{
  for (size_t m = 0; m < config->materials; m++)
    if (mx_is_warm(&config->material[m])) return &config->material[m];
  return NULL;
}

/* The real or the imaginary part of exp(-j k.x), with k the wave vector of `bloch`; x in metres. */
static inline double mx_bloch_factor(const struct mx_config *config, bool imaginary, const double x[3])
{
  const double *k = config->bloch.k, angle = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
  return imaginary ? -sin(angle) : cos(angle);
}

/* Does the script ask for fields? Else for heat alone, without `time`. */
static inline bool mx_has_fields(const struct mx_config *config)
{
  return config->heat == NULL || config->time.stop != 0 || config->time.steps != 0;
}

/* Says whether there are fields at t = 0. */
static inline bool mx_has_initial_fields(const struct mx_config *config)
{
  return config->initial.E != NULL || config->initial.H != NULL || config->initial.statics.conductors > 0;
}

/* Returns the values of keys that are not given. Required keys have none. A program in C begins with it. */
struct mx_config mx_config_defaults(void);
/* Fills config from the table of its origin, which must outlive it: config points there. The kinds of measures that a
 * script may ask for are the caller's (maxwell/measure/kinds.h), NULL-terminated. */
int mx_config_read(struct mx_config *config, const struct mx_measure_reader *const *kinds,
                   const struct mx_origin *origin, struct dg_error *err) DG_MUST_USE;
/* Returns the steps between two calls of on.output, for a time step in s; 0: there is no such hook. */
long mx_config_hook_every(const struct mx_config *config, double step);
/* Tells all rules by which mx_config_read reads a table (maxwell/shell/rules/rules.h), with the defaults of keys. */
int mx_config_tell(const struct mx_measure_reader *const *kinds, struct mx_rule_listener *listener,
                   struct dg_error *err) DG_MUST_USE;
/* Prints all keys to standard output as a list of JSON objects: `path` as in "boundaries.*.impedance", `kind` (of the
 * table that has the key; null: all), `type`, `expected`, `least`, `most`, `open` (least itself is outside), `names` of
 * a choice, `required`, `example`, `default`. What there is not is null. */
int mx_config_print_keys(const struct mx_measure_reader *const *kinds, struct dg_error *err) DG_MUST_USE;
void mx_config_release(struct mx_config *config);
