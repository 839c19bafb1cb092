/* Named phases of a run: wall clock, calls, and bytes and flops counted from the sizes. Without a profile a phase costs
 * only a comparison with NULL.
 *
 *   struct mx_mark mark = mx_phase_begin(profile);
 *   ...
 *   mx_phase_end(profile, mark, "open faces", cost);
 *
 * Phases nest. The time of a phase is its own, without the phases inside it, so that all of them add up to the
 * outermost. One thread, the one that runs the time loop, begins and ends them.
 *
 * A card works on its own, and what the host waits for says nothing of it. A backend with a card therefore times phases
 * by the card's clock besides (gpu/core/phases.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { MX_PHASES_MAX = 40 };

struct mx_cost {
  double bytes, flops; /* of a call; 0: not counted */
};

struct mx_phase {
  const char *name; /* a constant */
  long calls;
  double seconds;
  struct mx_cost cost; /* of all calls */
  bool beside;         /* of a card: in a stream beside that of the passes */
};

/* Phases of a card. Those in the stream of the passes and the idle time add up to the time loop; others overlap. */
struct mx_card_phases { /* {0}: there is no card */
  size_t count;
  struct mx_phase phase[MX_PHASES_MAX];
  double idle;       /* seconds in which the stream of the passes had no phase */
  double copy, peak; /* bytes and flops a second that the card can do, measured; 0: not measured */
  bool is_lost;      /* phases could not be timed, and the numbers are not those of the whole loop */
};

struct mx_profile { /* {0} is empty */
  size_t count;
  struct mx_phase phase[MX_PHASES_MAX];
  double inner; /* seconds of the phases that ended inside the open one */
  struct mx_card_phases card;
};

struct mx_mark {
  double start, inner;
};

/* The phase of this name among phase[*count]; a new one if there is none. */
struct mx_phase *mx_phase_named(struct mx_phase phase[MX_PHASES_MAX], size_t *count, const char *name);

struct mx_mark mx_profile_begin(struct mx_profile *profile);
void mx_profile_end(struct mx_profile *profile, struct mx_mark mark, const char *name, struct mx_cost cost);

static inline struct mx_mark mx_phase_begin(struct mx_profile *profile)
{
  return profile == NULL ? (struct mx_mark){0, 0} : mx_profile_begin(profile);
}

static inline void mx_phase_end(struct mx_profile *profile, struct mx_mark mark, const char *name, struct mx_cost cost)
{
  if (profile != NULL) mx_profile_end(profile, mark, name, cost);
}
