/* All that an integrator is, a constant table: the limit of the step, media and the set-up read it, and schedules are
 * made from it. schedule.h names the sources of the schemes. */
#include "maxwell/time/schedule.h"

#include <math.h>

#define BOTH                                                                                                           \
  {                                                                                                                    \
    true, true                                                                                                         \
  }

#define LOW_STORAGE    .changes = BOTH, .keeps = MX_LOW_STORAGE
#define SUMS(FROM, TO) .changes = BOTH, .keeps = MX_SUMS, .from = (FROM), .to = (TO)

const struct mx_scheme mx_schemes[] = {
    [MX_LEAPFROG] = {.stages = 2,
                     .observe_stage = 1,
                     .evaluations = 1,
                     .staggered = true,
                     .relaxation = 2,
                     .pass = {{.changes = {false, true}, .time = 0}, {.changes = {true, false}, .time = 0.5}}},
    [MX_RK4] = {.stages = 4,
                .evaluations = 4,
                .registers = true,
                .sums = true,
                .relaxation = 0.7 * 2.785293563405282,
                .pass = {{SUMS(MX_FIELDS, MX_STAGE), .time = 0, .weight = 1.0 / 6, .next = 0.5},
                         {SUMS(MX_STAGE, MX_STAGE), .time = 0.5, .weight = 1.0 / 3, .next = 0.5},
                         {SUMS(MX_STAGE, MX_STAGE), .time = 0.5, .weight = 1.0 / 3, .next = 1},
                         {SUMS(MX_STAGE, MX_FIELDS), .time = 1, .weight = 1.0 / 6, .next = 0}}},
    [MX_LSRK] = {.stages = 5,
                 .evaluations = 5,
                 .registers = true,
                 .relaxation = 0.7 * 4.656757066281987,
                 .pass = {{LOW_STORAGE, .time = 0, .a = 0, .b = 1432997174477.0 / 9575080441755.0},
                          {LOW_STORAGE, .time = 1432997174477.0 / 9575080441755.0,
                           .a = -567301805773.0 / 1357537059087.0, .b = 5161836677717.0 / 13612068292357.0},
                          {LOW_STORAGE, .time = 2526269341429.0 / 6820363962896.0,
                           .a = -2404267990393.0 / 2016746695238.0, .b = 1720146321549.0 / 2090206949498.0},
                          {LOW_STORAGE, .time = 2006345519317.0 / 3224310063776.0,
                           .a = -3550918686646.0 / 2091501179385.0, .b = 3134564353537.0 / 4481467310338.0},
                          {LOW_STORAGE, .time = 2802321613138.0 / 2924317926251.0,
                           .a = -1275806237668.0 / 842570457699.0, .b = 2277821191437.0 / 14882151754819.0}}},
    /* Tests need explicit Euler as it is, whatever the losses are. */
    [MX_EULER] = {.stages = 1,
                  .evaluations = 1,
                  .unstable = "explicit Euler",
                  .relaxation = INFINITY,
                  .pass = {{LOW_STORAGE, .time = 0, .a = 0, .b = 1}}},
};
_Static_assert(sizeof mx_schemes / sizeof *mx_schemes == MX_INTEGRATORS, "each integrator of choices.h has a row");

struct mx_schedule mx_schedule_of(enum mx_integrator integrator, const struct mx_problem *problem)
{
  const struct mx_scheme *scheme = &mx_schemes[integrator];
  struct mx_schedule schedule = {.passes = scheme->stages, .observe_stage = scheme->observe_stage};
  (void)problem;
  for (int s = 0; s < scheme->stages; s++) schedule.pass[s] = scheme->pass[s];
  return schedule;
}
