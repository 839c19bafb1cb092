/* Faces as the kernels of tiles know them: the places of their far traces in shared memory, and the factors of
 * traces. */
#pragma once

#include "gpu/kernels/tensor_ptx.cuh"

/* A face seen from its element. */
template <typename REAL> struct gpu_far_face {
  unsigned at[3]; /* shared memory: the components that are the frame's first, second and third, at node 0 */
  unsigned info; /* 32 * row of `nodes`; FLIPPED << j: component j changes its sign; UNCOMMON: see there; ALONE: nothing
                    is behind the face, which has its own element as neighbour */
  static constexpr unsigned UNCOMMON = 1u << 31, ALONE = 1u << 30, FLIPPED = 1u << 16, NODES = 0xffff;

  __device__ bool uncommon() const { return (info & UNCOMMON) != 0; }
  __device__ bool alone() const { return (info & ALONE) != 0; }
  /* Component j of the trace at a node, `beyond` bytes behind where it is. */
  __device__ REAL trace(int j, int node, unsigned beyond) const
  {
    return gpu_with_sign_bit(gpu_shared_number<REAL>(at[j] + beyond + static_cast<unsigned>(sizeof(REAL)) * node),
                             info << (15 - j));
  }
};

/* The factors of the traces on a face. */
template <typename REAL> struct gpu_face_factors {
  REAL far, near;  /* of the field under the curl; the near one beyond its half */
  REAL inverse[3]; /* jumps of the field that changes: twice the penalty's weights along the two edges, 11, 12, 22 */
};

/* The terms of a face beyond far traces. */
template <typename REAL> struct gpu_uncommon_face {
  REAL near;       /* what multiplies the near trace of the field under the curl beyond its half */
  REAL inverse[3]; /* as gpu_face_factors, of a boundary that is `penalised` here */
  int slot;        /* of an open face, else negative */
  bool penalised;
};

/* The parts of a trace along the frame's two edges. */
template <typename REAL> __device__ inline void gpu_edges(REAL x, REAL y, REAL z, REAL edge[2])
{
  edge[0] = y - x;
  edge[1] = z - x;
}
