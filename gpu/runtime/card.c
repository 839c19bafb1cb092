/* Shares out the cards to ranks. Every rank lists the cards that it sees, all ranks hear of all lists, and each rank
 * comes to the same distribution. cuda_backend.c calls gpu_take_card once, when the backend is created. */
#include "gpu/runtime/card.h"

#include <string.h>

#include "gpu/runtime/errors.h"
#include "libdg/base/memory.h"

static bool same(const struct gpu_card_name *a, const struct gpu_card_name *b) { return memcmp(a, b, sizeof *a) == 0; }

int gpu_share_out(int ranks, const int *visible, const struct gpu_card_name *name, int *card)
{
  int most = 0;
  const struct gpu_card_name *own = name;
  for (int rank = 0; rank < ranks; own += visible[rank++]) {
    int fewest = ranks + 1;
    for (int i = 0; i < visible[rank]; i++) {
      const struct gpu_card_name *theirs = name;
      int users = 0;
      for (int other = 0; other < rank; theirs += visible[other++]) users += same(&theirs[card[other]], &own[i]);
      if (users >= fewest) continue;
      fewest = users;
      card[rank] = i;
    }
    if (fewest + 1 > most) most = fewest + 1;
  }
  return most;
}

/* Lists the names of the cards that this process sees. */
static int list_cards(struct gpu_card_name **name, int *count, struct dg_error *err)
{
  if (gpu_check(gpuGetDeviceCount(count), "looking for cards", err) != 0 || DG_NEW(*name, *count, err) != 0)
    return err->code;
  for (int i = 0; i < *count; i++) {
    _Static_assert(sizeof **name == GPU_UUID, "a card's name has another size");
    if (gpu_check(gpu_uuid_of(i, &(*name)[i]), "looking for cards", err) != 0) return err->code;
  }
  return 0;
}

int gpu_take_card(struct dg_comm *comm, bool share, struct dg_error *err)
{
  struct gpu_card_name *name = NULL, *all = NULL;
  int count = 0, *visible = NULL, *card = NULL;
  if (comm == NULL) return 0; /* one rank takes the first visible card */
  if (list_cards(&name, &count, err) != 0 || dg_comm_share(comm, sizeof count, &count, &visible, NULL, err) != 0 ||
      dg_comm_share(comm, (size_t)count * sizeof *name, name, &all, NULL, err) != 0 ||
      DG_NEW(card, dg_comm_size(comm), err) != 0)
    goto fail;
  const int most = gpu_share_out(dg_comm_size(comm), visible, all, card);
  if (most > 1 && !share) {
    (void)dg_fail(err, DG_INPUT,
                  "%d ranks would have the same GPU: start one rank for each, or let them share it with gpu = { share "
                  "= true }",
                  most);
    goto fail;
  }
  (void)!gpu_check(gpuSetDevice(card[dg_comm_rank(comm)]), "taking a card", err);
fail:
  dg_free(name);
  dg_free(all);
  dg_free(visible);
  dg_free(card);
  return err->code;
}
