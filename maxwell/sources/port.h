/* Ports: faces through which a guide's mode comes in and modes leave.
 *
 * A port is an open face (the medium's impedance Z) whose ghost state is made of modes. For a mode with transverse
 * electric field e, integral of e.e over the face 1, let V be the integral of e.E and I that of (n x e).H, n the
 * outward normal (I is positive for power that leaves: the power is V I). The characteristics a_out = (V + Z I)/2,
 * which the inside determines, and a_in = (V - Z I)/2, which the ghost state does, are tied by the mode's impedance
 * Zm(s) in a guide that goes on for ever: a_in = rho a_out, rho = (Zm - Z)/(Zm + Z). With Zm/Z = s/sqrt(s^2 + wc^2) for
 * TE and its inverse for TM, wc the cut-off,
 *
 *   rho(t) = -+ 2 J2(wc t)/t   (- TE, + TM; 0 for TEM),
 *
 * the inverse Laplace transform of -+ (sqrt(s^2 + wc^2) - s)^2/wc^2 (M. Abramowitz, I. Stegun, Handbook of Mathematical
 * Functions, 29.3.58). It vanishes at t = 0, so that only the past counts, and what does not belong to a mode of the
 * port meets an absorbing wall. With an incident voltage v(t) of the mode, a_in = v + rho * (a_out - v).
 *
 * A lumped port is a resistive wall, Z+ = R w/l, with the field of its source, -V_s/l along `direction`, as ghost
 * state. The voltage of what the wall settles on is a sum over its faces like V, with weights for each medium.
 */
#pragma once

#include <complex.h>

#include "libdg/mesh/mesh.h"
#include "maxwell/shell/archive.h"
#include "maxwell/sources/source_list.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/time/schedule.h"

struct dg_log;
struct mx_line_losses;

struct mx_port_values { /* at one time, in the port's own voltage (share/doc/manual.md, Ports): V, V, V, A */
  double incident, reflected, voltage, current; /* voltage = incident + reflected; current flows into the domain */
};

struct mx_port; /* port_state.h */
struct mx_ports {
  size_t count;              /* ports */
  size_t elements;           /* lumped elements */
  struct mx_port *port;      /* [count + elements] ports in the order of their numbers, then elements */
  size_t first, functionals; /* functionals of the problem that mx_ports_record takes */
  int active;                /* index of the only port whose waveform counts; -1: all */
  enum mx_integrator integrator;
  struct mx_schedule schedule;
  double step;       /* s */
  size_t room;       /* steps + 1 */
  size_t steps_seen; /* t_0 .. t_(steps_seen - 1) are in the history */
  bool here;         /* ports have faces on this rank, or it is rank 0, which writes: elsewhere there is no history */
  struct dg_comm *comm; /* of the ranks with `here`; NULL: none or one */
};

/* Adds the ports of config to the list (terms) and the problem (functionals). Collective. Errors (DG_INPUT), with
 * file:line: a face that is no plane, no rectangle or no ring, more than one medium or a lossy one along it, a profile
 * that vanishes or is not tangential, a mode of which the faces' polynomials hold less than 0.9, walls beside it that
 * do not conduct, a lumped port whose direction is not along its face. Release with mx_ports_release in any case.
 */
int mx_ports_init(struct mx_ports *ports, struct mx_source_list *list, const struct mx_assignment *assignment,
                  const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
/* Logs what each port is: its face, its mode, its number. */
void mx_ports_describe(const struct mx_ports *ports, struct dg_log *log);
/* Warns of waveforms that lie wholly or partly below the cut-off of their mode, and of modes that the mesh holds badly.
 * Call it before mx_sources_prepare. */
void mx_ports_warn(const struct mx_ports *ports, const struct mx_source_list *list, struct dg_log *log);
/* Warns of lumped ports and elements around rods that are not thin at the frequencies that are asked for, or that the
 * sources have. */
void mx_ports_warn_of_rods(const struct mx_ports *ports, const struct mx_config *config, struct dg_log *log);
/* The faces of lumped element 0..elements-1 on this rank, 4 * element + face; none of a resistor, which has no state.
 */
size_t mx_ports_element_faces(const struct mx_ports *ports, const struct mx_problem *problem, size_t element,
                              const int32_t **where);
/* A step (c0 dt, metres) that is stable with the states of lumped elements, where `limit` is without them. An element
 * that makes the step much smaller gets a warning. */
double mx_ports_limit(const struct mx_ports *ports, double limit, struct dg_log *log);
/* Tells the sources what the walls of lumped elements were told last, for a run that goes on. */
void mx_ports_resume(const struct mx_ports *ports, struct mx_source_list *list);
/* Makes room for the history and the tables of the kernels, once the step is known (s). DG_INPUT if a mode's cut-off is
 * too high for the step. */
int mx_ports_prepare(struct mx_ports *ports, double step, long steps, struct dg_error *err) DG_MUST_USE;
/* Goes back to t = 0; then only port `active` is driven (-1: all). */
void mx_ports_reset(struct mx_ports *ports, int active);
/* Passes the history of steps 0..n-1 to the archive; no others may have been recorded. Collective among the ranks with
 * `here`. */
int mx_ports_archive(struct mx_ports *ports, long n, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Adds value[functionals] of this rank's faces up over the ranks. Collective among the ranks with `here`; other ranks
 * do nothing. */
int mx_ports_sum(const struct mx_ports *ports, double *value, struct dg_error *err) DG_MUST_USE;
/* Records the values of the ports' functionals before stage s of step n, of the fields as they are. */
void mx_ports_record(struct mx_ports *ports, long n, int s, const double *functional);
/* Puts the value of every port's terms at stage s of step n, time t (s), into list->source[].now. A rank without `here`
 * does nothing, and does not know the values that the functions below return. */
void mx_ports_evaluate(struct mx_ports *ports, struct mx_source_list *list, long n, int s, double t);
/* The values of a port at t_n. The stage behind which step n is observed must have been recorded. */
void mx_ports_values(const struct mx_ports *ports, size_t port, long n, struct mx_port_values *values);
/* Incident and reflected voltage of the steps so far at a frequency (Hz), V s: sum of v(t_n) exp(-2 pi i f t_n) dt. */
void mx_ports_spectrum(const struct mx_ports *ports, size_t port, double hertz, double complex *incident,
                       double complex *reflected);
/* The part of the reflected voltage's spectrum that comes from the steps from `first` on, V s. */
double complex mx_ports_leaving(const struct mx_ports *ports, size_t port, double hertz, size_t first);
/* Integrals of the incident voltage v so far. *size is the integral of |v|, which no value of the spectrum exceeds (V
 * s). *energy is the integral of v^2 over the impedance far above cut-off (J). */
void mx_ports_incident(const struct mx_ports *ports, size_t port, double *size, double *energy);
/* The impedance that the port's voltage and current refer to at a frequency, ohm: that of the mode, or the lumped
 * resistance. */
double complex mx_ports_impedance(const struct mx_ports *ports, size_t port, double hertz);
/* What a port's mode is, for those who go on with S-parameters. */
struct mx_port_line {
  const char *kind, *family; /* "waveguide_port"; "TE", "TM" or "TEM" */
  double impedance;          /* that of mx_ports_impedance far above the cut-off, ohm */
  double cutoff;             /* Hz; 0: TEM */
  double speed;              /* of light in the medium, m/s; 0: the port is a gap and belongs to no line */
  double area;               /* of the face, m^2 */
  double normal[3];          /* of the face; zero where it is no plane */
};
struct mx_port_line mx_ports_line(const struct mx_ports *ports, size_t port);
/* What the line of a TEM port loses at a frequency (tem_losses.h); of another port nothing is known. */
struct mx_port_loss {
  double reference; /* impedance of the line without losses, which S refers to, ohm */
  double media;     /* dB/m, as small losses have it: the same at all frequencies */
  double walls;     /* dB/m, as small losses have it; 0 where hertz is 0, as all below */
  double all;       /* dB/m, by gamma */
  double reflected; /* of a wave that meets the reference behind the line */
};
struct mx_port_loss mx_ports_loss(const struct mx_ports *ports, size_t port, double hertz);
/* The losses of a TEM port's line, which are the ports'; NULL: the port is another. */
const struct mx_line_losses *mx_ports_losses(const struct mx_ports *ports, size_t port);
/* Logs what the lines of TEM ports lose at the frequencies of the script, and warns where losses are large and where
 * the potentials of a port are no mode. */
void mx_ports_report_losses(const struct mx_ports *ports, const struct mx_config *config, struct dg_log *log);
const char *mx_ports_place(const struct mx_ports *ports, size_t port); /* in the script, as in mx_selector */
/* Warns of ports whose guide carries another mode at a frequency of the S-parameters, or whose line has another mode
 * there than at low frequencies. */
void mx_ports_report_limits(const struct mx_ports *ports, const struct mx_config *config, struct dg_log *log);
const char *mx_ports_name(const struct mx_ports *ports, size_t port);
int mx_ports_number(const struct mx_ports *ports, size_t port);
bool mx_ports_driven(const struct mx_ports *ports, size_t port);
void mx_ports_release(struct mx_ports *ports);
