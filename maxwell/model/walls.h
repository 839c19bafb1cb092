/* Kinds of walls, which a boundary of the outer surface may be: one line each. From the line follow the enum, the names
 * in scripts, the flux (problem_build.c), whether a face is open, the walls that ports accept beside them
 * (port_walls.c) and those that the rim of a total-field surface may be (sources_check.c). A new wall is a line here;
 * the terms that it drives, and keys of its own, are in sources_build.c and config_sources.c.
 *
 * The columns: the kind, its word in a script, the impedance behind the face, the waves that come in through it. */
#pragma once

#include <stdbool.h>

/* The impedance behind a face. The flux is that between two media (flux.h). */
enum mx_behind {
  MX_BEHIND_METAL,  /* 0: tangential E vanishes, or is the field that comes in */
  MX_BEHIND_MAGNET, /* infinite: tangential H vanishes, or is the field that comes in */
  MX_BEHIND_MEDIUM, /* the medium's: the face absorbs */
  MX_BEHIND_GIVEN,  /* the boundary's `impedance`, ohm */
  MX_BEHIND_SKIN,   /* the skin of a metal: resistors beside inductors, which have a state (terms/skins.h) */
  /* Something across the face, which who measures the gap knows (sources/port_build.c); until then it is
   * MX_BEHIND_MEDIUM. */
  MX_BEHIND_GAP
};
enum mx_entering { MX_NOTHING, MX_WAVE, MX_GIVEN_E, MX_GIVEN_H, MX_SHEET_CURRENT, MX_MODES, MX_CIRCUIT };

#define MX_WALLS(X)                                                                                                    \
  X(MX_PEC, "pec", MX_BEHIND_METAL, MX_NOTHING)                                                                        \
  X(MX_PMC, "pmc", MX_BEHIND_MAGNET, MX_NOTHING)                                                                       \
  X(MX_IMPEDANCE, "impedance", MX_BEHIND_GIVEN, MX_NOTHING)                                                            \
  X(MX_METAL_WALL, "metal", MX_BEHIND_SKIN, MX_NOTHING)                                                                \
  X(MX_ABSORBING, "absorbing", MX_BEHIND_MEDIUM, MX_NOTHING)                                                           \
  X(MX_OPEN_WALL, "open", MX_BEHIND_MEDIUM, MX_NOTHING)   /* a layer grows from it; this stands behind the layer */    \
  X(MX_PERIODIC, "periodic", MX_BEHIND_METAL, MX_NOTHING) /* its faces become neighbours of those opposite */          \
  X(MX_PLANE_WAVE, "plane_wave", MX_BEHIND_MEDIUM, MX_WAVE)                                                            \
  X(MX_ELECTRIC_FIELD, "electric_field", MX_BEHIND_METAL, MX_GIVEN_E)                                                  \
  X(MX_MAGNETIC_FIELD, "magnetic_field", MX_BEHIND_MAGNET, MX_GIVEN_H)                                                 \
  X(MX_WALL_CURRENT, "surface_current", MX_BEHIND_MAGNET, MX_SHEET_CURRENT)                                            \
  X(MX_WAVEGUIDE_PORT, "waveguide_port", MX_BEHIND_MEDIUM, MX_MODES) /* TE_mn, TM_mn of a rectangular face */          \
  X(MX_COAXIAL_PORT, "coaxial_port", MX_BEHIND_MEDIUM, MX_MODES)     /* TEM of a circular ring */                      \
  X(MX_MODAL_PORT, "modal_port", MX_BEHIND_MEDIUM, MX_MODES)         /* profile and cut-off from the script */         \
  X(MX_TEM_PORT, "tem_port", MX_BEHIND_MEDIUM, MX_MODES)             /* the potential on a face of any shape */        \
  X(MX_LUMPED_PORT, "lumped_port", MX_BEHIND_GAP, MX_MODES)          /* a resistor with a source in series */          \
  X(MX_LUMPED_ELEMENT, "lumped_element", MX_BEHIND_GAP, MX_CIRCUIT)  /* R, L, C in series or in parallel */

#define MX_WALL_KIND(kind, name, behind, entering) kind,
enum mx_boundary_kind { MX_WALLS(MX_WALL_KIND) MX_BOUNDARY_KINDS };
#undef MX_WALL_KIND

struct mx_wall {
  enum mx_behind behind;
  enum mx_entering entering;
};
extern const struct mx_wall mx_walls[MX_BOUNDARY_KINDS];
extern const char *const mx_boundary_kind_names[]; /* NULL-terminated, by enum */

static inline bool mx_is_port(enum mx_boundary_kind kind) { return mx_walls[kind].entering == MX_MODES; }
/* Says whether energy leaves through the wall by design (struct mx_problem, open faces). Of a lumped element its
 * circuit decides (mx_boundary_is_open). */
static inline bool mx_is_open(enum mx_boundary_kind kind)
{
  return mx_walls[kind].behind != MX_BEHIND_METAL && mx_walls[kind].behind != MX_BEHIND_MAGNET;
}
/* Returns the impedance behind a face, in the unit of `medium`, that of the medium before it; `given` is the
 * boundary's. */
double mx_wall_impedance(enum mx_boundary_kind kind, double given, double medium);
