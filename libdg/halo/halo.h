/* Faces that a part of a mesh shares with other ranks: what to send and receive, and to whom. */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"

struct dg_halo {
  size_t faces;     /* shared */
  int32_t *send;    /* [faces] own side: 4 * element + face */
  int32_t *receive; /* [faces] far side: 4 * ghost + face, ghost >= K */
  size_t peers;
  struct dg_peer *peer; /* [peers] ascending ranks; each has a run of the faces, in the same order on both sides */
};

/* Not collective: a part knows its peers. */
int dg_halo_init(struct dg_halo *halo, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
void dg_halo_release(struct dg_halo *halo);

/* Collective, for set-up: `bytes` of every shared face go from send[faces] to the far side's receive[faces]. */
int dg_halo_swap(const struct dg_halo *halo, struct dg_comm *comm, size_t bytes, const void *send, void *receive,
                 struct dg_error *err) DG_MUST_USE;
