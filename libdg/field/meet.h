/* Who else has it: ranks find the others that have the same vertices, edges and faces. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/comm/comm.h"

/* An entity that other ranks may have too. */
struct dg_shared_entity {
  int64_t key[3]; /* vertices in the whole mesh, ascending; -1 behind the last */
  int32_t node;   /* its first node */
  int32_t nodes;
};

/* Entity `index` of this rank is another rank's too. */
struct dg_meeting {
  int64_t peer, index;
};

/* *meeting is new, [*meetings] ordered by (peer, index); free it with dg_free. Collective. */
int dg_meet(struct dg_comm *comm, size_t count, const struct dg_shared_entity *entity, struct dg_meeting **meeting,
            size_t *meetings, struct dg_error *err) DG_MUST_USE;
