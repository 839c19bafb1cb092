/* Faces that a part of a mesh shares with other ranks, or with itself across periodic sides between which fields turn:
 * what to send and receive, and to whom.
 *
 * Bloch phases. Of a mesh with two sets of elements (libdg/mesh/sets.h), the fields of the first set are real parts and
 * those of the second imaginary parts. What crosses a periodic side is multiplied by exp(j angle): the sender turns the
 * two traces of a pair of faces before they go (dg_halo_turn_double). */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"

/* Two shared faces, indices into send: one of the real and one of the imaginary set, at the same place. */
struct dg_halo_turn {
  int32_t re, im;
  double cos, sin;
};

struct dg_halo {
  size_t faces;     /* shared */
  int32_t *send;    /* [faces] own side: 4 * element + face */
  int32_t *receive; /* [faces] far side: 4 * ghost + face, ghost >= K */
  size_t peers;
  struct dg_peer *peer; /* [peers] ascending ranks; each has a run of the faces, in the same order on both sides. The
                           faces shared with itself are two runs: the lower sides, which go to the upper ones, and the
                           upper sides, which go to the lower ones */
  size_t turns;
  struct dg_halo_turn *turn; /* [turns] of pairs that are multiplied by another number than 1 */
};

/* Not collective: a part knows its peers. */
int dg_halo_init(struct dg_halo *halo, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
void dg_halo_release(struct dg_halo *halo);

/* Makes a halo of `faces` faces that a mesh shares with itself: own[faces] and far[faces], both 4 * element + face, and
 * each pair once from either side. receive[] gets the codes of far[]. */
int dg_halo_init_self(struct dg_halo *halo, size_t faces, const int32_t *own, const int32_t *far,
                      struct dg_error *err) DG_MUST_USE;

/* Finds the turns of a field that is exp(-j k.x) times a periodic one, k in rad/m, on a mesh of two sets. */
int dg_halo_set_turns(struct dg_halo *halo, const struct dg_mesh *mesh, const double k[3],
                      struct dg_error *err) DG_MUST_USE;

/* Turns traces that are about to be sent: value[faces][numbers]. */
void dg_halo_turn_double(const struct dg_halo *halo, size_t numbers, double *value);
void dg_halo_turn_single(const struct dg_halo *halo, size_t numbers, float *value);

/* Collective, for set-up: `bytes` of every shared face go from send[faces] to the far side's receive[faces]. Nothing
 * turns. */
int dg_halo_swap(const struct dg_halo *halo, struct dg_comm *comm, size_t bytes, const void *send, void *receive,
                 struct dg_error *err) DG_MUST_USE;
