/* Finds the other faces of sheets of metal, and exchanges their currents with other ranks: sheet_links.h. `reference`
 * and `cpu` call it. */
#include "maxwell/terms/sheet_links.h"

#include "libdg/base/memory.h"

/* Lists the faces of sheets that are shared with a peer, which lists them in the same order. */
static void link_peer(struct mx_sheet_links *links, const struct mx_problem *problem, const struct dg_peer *from,
                      struct dg_peer *to)
{
  *to = (struct dg_peer){.rank = from->rank, .send_first = links->sent, .receive_first = links->sent};
  for (size_t i = 0; i < from->send_count; i++) {
    const int32_t face = problem->halo->send[from->send_first + i];
    const int32_t beyond = problem->far[face / 4][face % 4] - 1;
    if (beyond < 0 || (size_t)beyond / 4 < problem->K) continue;
    const size_t k = (size_t)mx_skin_slot(problem, (size_t)face / 4, face % 4);
    links->far[k] = MX_LINK_RANK - (ptrdiff_t)links->sent;
    links->send[links->sent++] = k;
  }
  to->send_count = to->receive_count = links->sent - to->send_first;
}

static int link_ranks(struct mx_sheet_links *links, const struct mx_problem *problem, struct dg_error *err)
{
  const struct dg_halo *halo = problem->halo;
  struct dg_peer *peer = NULL;
  if (halo == NULL || problem->comm == NULL || !mx_any_sheet(problem)) return 0;
  if (DG_NEW(peer, halo->peers, err) != 0 || DG_NEW(links->send, halo->faces, err) != 0) goto fail;
  for (size_t i = 0; i < halo->peers; i++) link_peer(links, problem, &halo->peer[i], &peer[i]);
  (void)!dg_exchange_new(&links->exchange, problem->comm, halo->peers, peer, links->width * sizeof(double), err);
fail:
  dg_free(peer);
  return err->code;
}

int mx_sheet_links_init(struct mx_sheet_links *links, const struct mx_problem *problem, size_t width,
                        struct dg_error *err)
{
  *links = (struct mx_sheet_links){.width = width, .quiet = true};
  if (DG_NEW(links->far, problem->skin_faces, err) != 0) return err->code;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const int32_t face = problem->skin_face[k], beyond = problem->far[face / 4][face % 4] - 1;
    links->far[k] = MX_LINK_NONE;
    if (beyond >= 0 && (size_t)beyond / 4 < problem->K)
      links->far[k] = mx_skin_slot(problem, (size_t)beyond / 4, beyond % 4);
  }
  return link_ranks(links, problem, err);
}

void mx_sheet_links_release(struct mx_sheet_links *links)
{
  dg_free(links->far);
  dg_free(links->send);
  dg_exchange_free(links->exchange);
  *links = (struct mx_sheet_links){0};
}

double *mx_sheet_links_to_send(const struct mx_sheet_links *links, size_t i)
{
  return (double *)dg_exchange_send_buffer(links->exchange) + i * links->width;
}

const double *mx_sheet_links_received(const struct mx_sheet_links *links, size_t k)
{
  if (links->far[k] > MX_LINK_RANK || links->quiet) return NULL;
  return (const double *)dg_exchange_receive_buffer(links->exchange) +
         (size_t)(MX_LINK_RANK - links->far[k]) * links->width;
}

int mx_sheet_links_exchange(struct mx_sheet_links *links, struct dg_error *err)
{
  if (links->exchange == NULL) return 0;
  links->quiet = false;
  if (dg_exchange_start(links->exchange, err) != 0) return err->code;
  return dg_exchange_finish(links->exchange, err);
}

void mx_sheet_links_clear(struct mx_sheet_links *links) { links->quiet = true; }
