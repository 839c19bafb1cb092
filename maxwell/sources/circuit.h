/* Lumped elements: R, L and C across a gap, in series or in parallel, without a source.
 *
 * Natural units: u is the voltage of the gap's mode (port.h; volts are sqrt(l/w) u), j the current that leaves the
 * domain times eta0 sqrt(l/w), time is c0 t. Then u/j is a relative impedance, r = R/(eta0 l/w), and inductance and
 * capacitance are lengths, L/(mu0 l/w) and C (l/w)/eps0; 1/2 L j^2 + 1/2 C u^2 is an energy like that of the fields.
 *
 * The medium before the gap gives one characteristic, u + Z j = F, a functional of the fields. What stands behind gives
 * the other equation. What it keeps of the past are states y0 and y1, and y0 is what the wall is told:
 *
 *   form            wall                      y0       m0 dy0/dt =                       m1 dy1/dt =
 *   MX_CURRENT_L    H given, Z+ infinite      j        u - r y0 - y1,  u = F - Z y0      y0      (L; C in series)
 *   MX_VOLTAGE_C    E given, Z+ = 0           u        j - y0/r - y1,  j = (F - y0)/Z    y0      (C; L in parallel)
 *   MX_RESISTOR_C   E given, Z+ = r           u of C   j = (F - y0)/(Z + r)
 *   MX_RESISTOR_L   H given, Z+ = r           j of L   u = (F - Z y0) r/(Z + r)
 *   MX_RESISTOR     Z+ = r                    none
 *
 * So a wall of the first two forms is closed, and the energy of fields and circuit falls by what r and the penalty
 * take. The scheme of the fields integrates the states with the fields, stage by stage. In leapfrog currents belong to
 * half steps, as H does, and voltages to whole ones; losses are taken at the mean of old and new, the jump of the
 * penalty as that of the fields is (sources.h), on open walls extrapolated by half a step. In the theorem of the step
 * (share/doc/design/time.md) the states are then fields like others: F couples them as the curl and the penalty do.
 */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/time/schedule.h"

enum mx_circuit_form { MX_CURRENT_L, MX_VOLTAGE_C, MX_RESISTOR_C, MX_RESISTOR_L, MX_RESISTOR };

struct mx_circuit {
  enum mx_circuit_form form;
  double r;         /* the wall's impedance of the last three forms, relative */
  double mass[2];   /* m; 0: there is no such state */
  double loss;      /* of y0: r or 1/r */
  double damping;   /* of y0 through the medium: Z, 1/Z, 1/(Z + r), Z r/(Z + r), averaged over the gap */
  double coupling;  /* size of either part of F in the norm of the energy, squared, 1/m */
  double state[2];  /* y0, y1 */
  double before[2]; /* leapfrog on open walls: y0 and the extrapolated part of F, one step ago */
  double registers[2], sum[2], start[2]; /* of Runge-Kutta within a step */
};

/* Makes the circuit of a gap. ratio: its length over its width. */
void mx_circuit_make(struct mx_circuit *circuit, const struct mx_port_config *config, double ratio);
/* Says whether F, and so the equation of y0, is one of current: F/Z, F/(Z + r); else it is one of voltage. */
bool mx_circuit_of_current(const struct mx_circuit *circuit);
/* The factor of (E + Z H) in F for a medium of impedance Z. */
double mx_circuit_share(const struct mx_circuit *circuit, double Z);
/* Says whether y0 is what H is on the wall; else it is E. */
bool mx_circuit_gives_H(const struct mx_circuit *circuit);
/* The relative impedance of the wall; may be 0 or infinite. */
double mx_circuit_wall(const struct mx_circuit *circuit);

/* Goes back to t = 0. */
void mx_circuit_reset(struct mx_circuit *circuit);
/* Moves the states by a pass of step n, h = c0 dt; part[2]: of F, that of E and that of H, of the fields before the
 * stage. Returns what the wall is told at the stage. */
double mx_circuit_stage(struct mx_circuit *circuit, const struct mx_pass *pass, double h, long n, const double part[2]);
/* A step, c0 dt in metres, that is stable with the circuit, where `limit` is that without its states. In leapfrog it is
 * a bound: the largest eigenvalue of the fields' operator with the states is at most that of the matrix of the norms of
 * its blocks. For Runge-Kutta the same matrix, with the end of the imaginary axis in the region of stability as the
 * norm of the fields' block, says by how much the spectrum may grow. */
double mx_circuit_limit(const struct mx_circuit *circuit, enum mx_integrator integrator, double limit);
/* Writes "50 ohm and 1e-09 H in series". */
void mx_circuit_describe(const struct mx_port_config *config, char *text, size_t size);
