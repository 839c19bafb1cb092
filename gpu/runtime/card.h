/* Which rank has which card. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/comm/comm.h"

/* A card's own number, by which ranks know that they see the same one. */
struct gpu_card_name {
  unsigned char byte[16];
};

/* Of the cards that the ranks see, visible[rank] each, their names in `name` one rank behind the other: card[rank] is
 * the place, among its own, of the one that each takes: the first that no lower rank has, else one that the fewest
 * have. Returns the most ranks that have the same one. */
int gpu_share_out(int ranks, const int *visible, const struct gpu_card_name *name, int *card);

/* mx_card_ops.take */
int gpu_take_card(struct dg_comm *comm, bool share, struct dg_error *err);
