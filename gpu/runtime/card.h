/* The distribution of the cards to ranks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/comm/comm.h"

/* A card's own number, by which ranks know that they see the same one. */
struct gpu_card_name {
  unsigned char byte[16];
};

/* Shares out the cards that the ranks see: rank r sees visible[r] cards, and `name` has the names of all ranks one
 * behind the other. card[rank] is the card that the rank takes, as its place among the cards that it sees: the first
 * card that no lower rank has, else one that the fewest ranks have. Returns the largest number of ranks that have the
 * same card. */
int gpu_share_out(int ranks, const int *visible, const struct gpu_card_name *name, int *card);

/* mx_card_ops.take */
int gpu_take_card(struct dg_comm *comm, bool share, struct dg_error *err);
