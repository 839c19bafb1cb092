/* Copies traces between a field and the buffers that travel to and from other ranks. */
#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/tuning.h"

namespace
{

constexpr int THREADS = 128;

/* The component along the bimedian that meets face f at vertex `place`, 0 to 2. Its sign may change, seen from the
 * face's vertex. Differences of these components are the components along the edges. */
__device__ int component(int f, int place) { return ((place >= f ? place + 1 : place) ^ f) - 1; }

template <typename REAL> __device__ REAL turned(int f, int c, REAL x) { return gpu_changes_sign(c, f) ? -x : x; }

/* The vertex from which both differences are taken. With tiles, the far side's kernels take them from the vertex that
 * half turn g of its own face g makes of the first (gpu_tile::look_at_face); plain kernels take them from the first
 * (gpu_along). The far side thus sees the same numbers as if this element were its own. */
__device__ int base_of(int order, int g) { return order <= GPU_TILE_ORDERS && g >= 2 ? 2 : 0; }

/* The face, the field, the node and the numbers of the buffer that thread i has. */
struct point {
  size_t face, at;
  int q, m;

  __device__ point(const gpu_halo_faces &faces, int Nf)
  {
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    const size_t nodes = static_cast<size_t>(Nf), pair = i / nodes, fields = static_cast<size_t>(faces.fields);
    m = static_cast<int>(i % nodes);
    face = pair / fields;
    q = static_cast<int>(pair % fields);
    at = 2 * pair * nodes + i % nodes;
  }
};

template <typename REAL> __global__ void __launch_bounds__(THREADS) pack(gpu_tables tables, gpu_halo_faces faces)
{
  const int Nf = DG_NF(tables.order);
  const point mine(faces, Nf);
  if (mine.face >= faces.count) return;
  const int f = faces.own[mine.face] % 4, base = base_of(tables.order, faces.far[mine.face] % 4);
  const size_t e = static_cast<size_t>(faces.own[mine.face] / 4);
  const size_t n = static_cast<size_t>(tables.face_node[f * Nf + mine.m]);
  const REAL *field = static_cast<const REAL *>(faces.field[mine.q]);
  REAL x[3], *to = static_cast<REAL *>(faces.buffer) + mine.at;
  for (int place = 0; place < 3; place++) {
    const int c = component(f, place);
    x[place] = turned(f, c, field[gpu_at(tables.order, e, static_cast<size_t>(c), n)]);
  }
  to[0] = base == 0 ? x[1] - x[0] : x[0] - x[2];
  to[Nf] = base == 0 ? x[2] - x[0] : x[1] - x[2];
}

template <typename REAL> __global__ void __launch_bounds__(THREADS) unpack(gpu_tables tables, gpu_halo_faces faces)
{
  const int Nf = DG_NF(tables.order);
  const point mine(faces, Nf);
  if (mine.face >= faces.count) return;
  const int f = faces.far[mine.face] % 4, base = base_of(tables.order, faces.own[mine.face] % 4);
  const size_t row = static_cast<size_t>(faces.far[mine.face] / 4);
  const size_t n = static_cast<size_t>(tables.face_node[f * Nf + mine.m]);
  REAL *field = static_cast<REAL *>(faces.field[mine.q]);
  const REAL *from = static_cast<const REAL *>(faces.buffer) + mine.at;
  const REAL x[3] = {base == 0 ? 0 : from[0], base == 0 ? from[0] : from[Nf], base == 0 ? from[Nf] : 0};
  for (int place = 0; place < 3; place++) {
    const int c = component(f, place);
    field[gpu_at(tables.order, row, static_cast<size_t>(c), n)] = turned(f, c, x[place]);
  }
}

unsigned blocks_of(const gpu_tables &tables, const gpu_halo_faces &faces)
{
  const size_t points = faces.count * static_cast<size_t>(faces.fields) * static_cast<size_t>(DG_NF(tables.order));
  return static_cast<unsigned>((points + THREADS - 1) / THREADS);
}

} // namespace

gpuError_t gpu_halo_pack(const gpu_tables *tables, const gpu_halo_faces *faces, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(*tables, *faces);
  if (blocks == 0) return gpuSuccess;
  if (tables->single) pack<float><<<blocks, THREADS, 0, stream>>>(*tables, *faces);
  else pack<double><<<blocks, THREADS, 0, stream>>>(*tables, *faces);
  return gpuGetLastError();
}

gpuError_t gpu_halo_unpack(const gpu_tables *tables, const gpu_halo_faces *faces, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(*tables, *faces);
  if (blocks == 0) return gpuSuccess;
  if (tables->single) unpack<float><<<blocks, THREADS, 0, stream>>>(*tables, *faces);
  else unpack<double><<<blocks, THREADS, 0, stream>>>(*tables, *faces);
  return gpuGetLastError();
}
