/* Kernels for work on some faces and elements only, behind the pass: sources, and the extrapolation on open faces.
 * There are no atomics: the threads of an element add all its entries in their order. */
#include "gpu/kernels/curved_faces.cuh"
#include "gpu/kernels/launch_ahead.cuh"

namespace
{

constexpr int THREADS = 256; /* at least as many as an element has nodes */
static_assert(THREADS >= DG_NP(DG_ORDER_MAX), "a block has all of an element");

/* Part `part` of `parts` of the values of entry k, at node i of N. */
template <typename REAL> __device__ REAL value(const gpu_values &values, int parts, int N, int k, int part, int i)
{
  if (values.part == nullptr) return 0;
  size_t node = static_cast<size_t>(k) * static_cast<size_t>(N) + static_cast<size_t>(i);
  size_t at =
      (static_cast<size_t>(k) * static_cast<size_t>(parts) + static_cast<size_t>(part)) * static_cast<size_t>(N) +
      static_cast<size_t>(i);
  REAL factor = static_cast<REAL>(values.number);
  if (values.node_number != nullptr) factor *= static_cast<const REAL *>(values.node_number)[node];
  return factor * static_cast<const REAL *>(values.part)[at];
}

/* The place of number i of the row of element e in a Runge-Kutta register. */
__device__ size_t register_at(const gpu_tables &tables, size_t e, size_t i)
{
  return tables.tiling.count > 0 ? gpu_register_at(tables.order, e, i) : gpu_at(tables.order, e, 0, i);
}

template <typename REAL>
__device__ void add(const gpu_addition &addition, const gpu_tables &tables, size_t e, int n, const REAL change[3])
{
  for (size_t c = 0; c < 3; c++) {
    size_t i = gpu_at(tables.order, 0, c, static_cast<size_t>(n)), at = gpu_at(tables.order, e, 0, i);
    static_cast<REAL *>(addition.to)[addition.to_register ? register_at(tables, e, i) : at] += change[c];
    if (addition.also != nullptr) static_cast<REAL *>(addition.also)[at] += static_cast<REAL>(addition.b) * change[c];
  }
}

/* The part of a block that works on an element, with a thread a node, and its position in the element's entries.
 * Elements have few faces or currents, and all of them wait for the same chain of loads. A block therefore takes as
 * many elements as it has threads for. */
struct place {
  int n, next, end; /* node; entry at hand, behind the last one */

  __device__ place(const gpu_entries &entries, int Np) : n(static_cast<int>(threadIdx.x) % Np), next(0), end(0)
  {
    int each = THREADS / Np, which = static_cast<int>(threadIdx.x) / Np;
    int group = static_cast<int>(blockIdx.x) * each + which;
    if (which >= each || group >= entries.groups) return;
    next = entries.start[group], end = entries.start[group + 1];
  }
  __device__ bool works() const { return next < end; }
};

template <typename REAL> __global__ void __launch_bounds__(THREADS) jumps(gpu_tables tables, gpu_addition addition)
{
  __shared__ REAL fluxes[3 * THREADS]; /* [3][Nf] of an element: no more than 3 for each node */
  const gpu_entries &entries = addition.entries;
  gpu_follow();
  int Np = DG_NP(tables.order), Nf = DG_NF(tables.order), equation = addition.equation;
  place at(entries, Np);
  REAL *flux = fluxes + static_cast<int>(threadIdx.x) / Np * 3 * Nf;
  while (__syncthreads_or(at.works())) { /* behind this nobody needs the last entry's flux any more */
    int k = at.works() ? entries.entry[at.next] : 0, f = entries.where[k] % 4;
    size_t e = static_cast<size_t>(entries.where[k] / 4);
    const REAL *g = static_cast<const REAL *>(tables.metric) + 6 * e;
    if (at.works() && at.n < Nf) {
      const gpu_face_weights<REAL> weights =
          gpu_weigh_face(equation, f, g, tables.flux_table[gpu_look_up(tables.flux, 4 * e + static_cast<size_t>(f))]);
      REAL other[2], own[2], lifted[3];
      for (int part = 0; part < 2; part++) {
        other[part] = value<REAL>(addition.other, 2, Nf, k, part, at.n);
        own[part] = value<REAL>(addition.own, 2, Nf, k, part, at.n);
      }
      gpu_flux(f, weights, other, own, lifted);
      for (int c = 0; c < 3; c++) flux[c * Nf + at.n] = lifted[c];
    }
    __syncthreads();
    if (!at.works()) continue;
    const REAL *lift = static_cast<const REAL *>(tables.lift) + static_cast<size_t>(f * Nf) * static_cast<size_t>(Np);
    REAL factor = static_cast<REAL>(tables.medium_table[gpu_look_up(tables.medium, e)].factor[equation]);
    REAL w[3] = {0, 0, 0}, change[3];
    for (int m = 0; m < Nf; m++)
      for (int c = 0; c < 3; c++) w[c] += lift[m * Np + at.n] * flux[c * Nf + m];
    gpu_apply(static_cast<const REAL *>(addition.applied) + 6 * e, w, change);
    for (int c = 0; c < 3; c++) change[c] *= factor;
    add(addition, tables, e, at.n, change); /* the same thread for the same node of every entry */
    at.next++;
  }
}

template <typename REAL> __global__ void __launch_bounds__(THREADS) currents(gpu_tables tables, gpu_addition addition)
{
  const gpu_entries &entries = addition.entries;
  gpu_follow();
  int Np = DG_NP(tables.order);
  for (place at(entries, Np); at.works(); at.next++) {
    int k = entries.entry[at.next];
    size_t e = static_cast<size_t>(entries.where[k]);
    REAL factor = static_cast<REAL>(-tables.medium_table[gpu_look_up(tables.medium, e)].factor[0]), change[3];
    for (int c = 0; c < 3; c++) change[c] = factor * value<REAL>(addition.own, 3, Np, k, c, at.n);
    add(addition, tables, e, at.n, change);
  }
}

/* ---- curved elements: what entries add has to pass through the points of the rule */

/* Shared memory of a block, which has one element. */
template <typename REAL> struct curved_memory {
  REAL *flux, *density, *at_points; /* [2][4 Nf], [3][Np], [3][Nq] */
  REAL *jump, *bent;                /* [2][Nf], [2][Nfq] of a face */

  __host__ __device__ static size_t numbers(int order)
  {
    return static_cast<size_t>(10 * DG_NF(order) + 3 * DG_NP(order) + 3 * gpu_points(order) +
                               2 * gpu_face_points(order));
  }
  __device__ curved_memory(int order, unsigned char *memory)
      : flux(reinterpret_cast<REAL *>(memory)), density(flux + 8 * DG_NF(order)), at_points(density + 3 * DG_NP(order)),
        jump(at_points + 3 * gpu_points(order)), bent(jump + 2 * DG_NF(order))
  {
  }
};

/* Adds the fluxes of jump k, on face f of curved element `number`. All threads call it. */
template <typename REAL>
__device__ void add_curved_jump(const gpu_tables &tables, const gpu_curves &curves, const gpu_addition &addition,
                                size_t number, int k, const curved_memory<REAL> &t)
{
  const int Nf = DG_NF(tables.order), points = gpu_face_points(tables.order), m = static_cast<int>(threadIdx.x);
  const int f = addition.entries.where[k] % 4;
  const gpu_curved_face<REAL> face = gpu_weigh_curved_face<REAL>(tables, curves, addition.equation, number,
                                                                 static_cast<size_t>(addition.entries.where[k] / 4), f);
  if (m < Nf) {
    REAL other[2], own[2];
    for (int part = 0; part < 2; part++) {
      other[part] = value<REAL>(addition.other, 2, Nf, k, part, m);
      t.jump[part * Nf + m] = own[part] = value<REAL>(addition.own, 2, Nf, k, part, m);
    }
    const REAL *inverse = face.weights.inverse;
    t.flux[f * Nf + m] += -face.weights.jump * other[1] + inverse[0] * own[0] + inverse[1] * own[1];
    t.flux[(4 + f) * Nf + m] += face.weights.jump * other[0] + inverse[1] * own[0] + inverse[2] * own[1];
  }
  if (face.bent == 0 || addition.own.part == nullptr) return; /* the same for all threads */
  __syncthreads();
  const REAL *face_at = static_cast<const REAL *>(curves.face_at);
  const REAL *face_project = static_cast<const REAL *>(curves.face_project);
  for (int q = m; q < points; q += THREADS) {
    REAL jump[2] = {0, 0}, at[2];
    for (int i = 0; i < Nf; i++)
      for (int part = 0; part < 2; part++) jump[part] += face_at[i * points + q] * t.jump[part * Nf + i];
    gpu_bend(face, points, q, jump, at);
    t.bent[q] = at[0], t.bent[points + q] = at[1];
  }
  __syncthreads();
  for (int part = 0; part < 2 && m < Nf; part++)
    for (int q = 0; q < points; q++)
      t.flux[(4 * part + f) * Nf + m] += face_project[q * Nf + m] * t.bent[part * points + q];
}

/* u at point q: lifted fluxes or densities of currents. */
template <typename REAL>
__device__ void at_point(const gpu_tables &tables, const gpu_curves &curves, bool jumps, int q,
                         const curved_memory<REAL> &t, REAL u[3])
{
  const int Np = DG_NP(tables.order), Nf = DG_NF(tables.order), rows = gpu_padded_rows(gpu_points(tables.order));
  const REAL *lift = static_cast<const REAL *>(curves.lift), *at = static_cast<const REAL *>(curves.at);
  u[0] = u[1] = u[2] = 0;
  for (int i = 0; i < 4 * Nf && jumps; i++) {
    REAL lifted[3];
    gpu_from_along(i / Nf, t.flux[i], t.flux[4 * Nf + i], lifted);
    for (int c = 0; c < 3; c++) u[c] += lift[i * rows + q] * lifted[c];
  }
  for (int n = 0; n < Np && !jumps; n++)
    for (int c = 0; c < 3; c++) u[c] += at[n * rows + q] * t.density[c * Np + n];
}

/* A block an element, in which it adds up all entries. */
template <typename REAL>
__global__ void __launch_bounds__(THREADS)
    add_in_curved(gpu_tables tables, gpu_curves curves, gpu_addition addition, bool jumps)
{
  extern __shared__ __align__(16) unsigned char memory[];
  const gpu_entries &entries = addition.entries;
  const int order = tables.order, Np = DG_NP(order), Nq = gpu_points(order), n = static_cast<int>(threadIdx.x);
  const int first = entries.start[blockIdx.x], end = entries.start[blockIdx.x + 1];
  const size_t e = static_cast<size_t>(entries.where[entries.entry[first]] / (jumps ? 4 : 1));
  const size_t number = static_cast<size_t>(curves.number[e]);
  const curved_memory<REAL> t(order, memory);
  for (int i = n; i < 8 * DG_NF(order); i += THREADS) t.flux[i] = 0;
  for (int i = n; i < 3 * Np; i += THREADS) t.density[i] = 0;
  gpu_follow();
  for (int i = first; i < end; i++) {
    const int k = entries.entry[i];
    __syncthreads(); /* nobody needs the last entry's jumps any more */
    if (jumps) add_curved_jump(tables, curves, addition, number, k, t);
    else if (n < Np)
      for (int c = 0; c < 3; c++) t.density[c * Np + n] -= value<REAL>(addition.own, 3, Np, k, c, n);
  }
  __syncthreads();
  const REAL *geometry = static_cast<const REAL *>(curves.geometry) + number * static_cast<size_t>(6 * Nq);
  for (int q = n; q < Nq; q += THREADS) {
    REAL u[3], g[6], by[3];
    at_point(tables, curves, jumps, q, t, u);
    for (int i = 0; i < 6; i++) g[i] = geometry[i * Nq + q];
    gpu_apply(g, u, by);
    for (int c = 0; c < 3; c++) t.at_points[c * Nq + q] = by[c];
  }
  __syncthreads();
  if (n >= Np) return;
  const REAL *project = static_cast<const REAL *>(curves.project) + n;
  const REAL factor = static_cast<REAL>(tables.medium_table[curves.medium[number]].factor[addition.equation]);
  REAL change[3] = {0, 0, 0};
  for (int q = 0; q < Nq; q++)
    for (int c = 0; c < 3; c++) change[c] += project[q * gpu_padded_rows(Np)] * t.at_points[c * Nq + q];
  for (int c = 0; c < 3; c++) change[c] *= factor;
  add(addition, tables, e, n, change);
}

template <typename REAL> __global__ void remember(gpu_tables tables, gpu_open open, const REAL *field)
{
  gpu_follow();
  int Nf = DG_NF(tables.order);
  size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  size_t face = i / static_cast<size_t>(Nf);
  if (face >= open.count) return;
  int m = static_cast<int>(i % static_cast<size_t>(Nf)), f = open.where[face] % 4;
  REAL now[2], *before = static_cast<REAL *>(open.before), *change = static_cast<REAL *>(open.change);
  gpu_trace(tables.order, field, static_cast<size_t>(open.where[face] / 4), f, tables.face_node[f * Nf + m], now);
  for (size_t part = 0; part < 2; part++) {
    size_t at = (2 * face + part) * static_cast<size_t>(Nf) + static_cast<size_t>(m);
    change[at] = open.start ? 0 : static_cast<REAL>(-0.5) * (now[part] - before[at]);
    before[at] = now[part];
  }
}

template <typename REAL> __global__ void sheet_jumps(gpu_tables tables, gpu_sheets sheets)
{
  gpu_follow();
  const int Nf = DG_NF(tables.order);
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x, face = i / static_cast<size_t>(Nf);
  if (face >= sheets.count) return;
  const int m = static_cast<int>(i % static_cast<size_t>(Nf)), f = sheets.where[face] % 4;
  const size_t e = static_cast<size_t>(sheets.where[face] / 4);
  const REAL factor = static_cast<REAL>(-sheets.sheet[face]), *H = static_cast<const REAL *>(sheets.field[1]);
  REAL *taken = static_cast<REAL *>(sheets.taken), *before = static_cast<REAL *>(sheets.before);
  REAL *own = static_cast<REAL *>(sheets.own), E[2], now[2];
  gpu_trace(tables.order, static_cast<const REAL *>(sheets.field[0]), e, f, tables.face_node[f * Nf + m], E);
  now[0] = E[0], now[1] = E[1];
  if (sheets.equation == 1 && before != nullptr) {
    const int32_t neighbour = tables.neighbour[4 * e + static_cast<size_t>(f)];
    REAL near[2], far[2] = {0, 0};
    gpu_trace(tables.order, H, e, f, tables.face_node[f * Nf + m], near);
    if (neighbour >= 0)
      gpu_trace(tables.order, H, static_cast<size_t>(neighbour / 4), neighbour % 4,
                tables.face_node[neighbour % 4 * Nf + m], far);
    for (int part = 0; part < 2; part++) now[part] = far[part] - near[part];
  }
  for (size_t part = 0; part < 2; part++) {
    const size_t at = (2 * face + part) * static_cast<size_t>(Nf) + static_cast<size_t>(m);
    if (taken != nullptr) taken[at] = factor * E[part];
    if (before == nullptr) continue;
    if (!sheets.start) {
      const REAL half = static_cast<REAL>(0.5) * (now[part] - before[at]);
      own[at] = sheets.equation == 0 ? factor * (now[part] + half) : half;
    }
    before[at] = now[part];
  }
}

template <typename REAL> __global__ void add_sums(gpu_tables tables, gpu_sums sums, REAL weight, REAL next)
{
  REAL *start = static_cast<REAL *>(sums.start), *sum = static_cast<REAL *>(sums.sum);
  REAL *stage = static_cast<REAL *>(sums.stage);
  const REAL *change = static_cast<const REAL *>(sums.change);
  const size_t stride = gpu_stride(tables.order);
  for (size_t k = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < sums.count;
       k += static_cast<size_t>(gridDim.x) * blockDim.x) {
    const REAL by = change[register_at(tables, k / stride, k % stride)];
    REAL now = (sums.first ? start[k] : sum[k]) + weight * by;
    stage[k] = start[k] + next * by;
    sum[k] = now;
    if (sums.last) start[k] = now;
  }
}

} // namespace

/* The number of blocks for all elements of a list. */
static unsigned blocks_of(const gpu_tables *tables, const gpu_entries &entries)
{
  const int each = THREADS / DG_NP(tables->order);
  return static_cast<unsigned>((entries.groups + each - 1) / each);
}

gpuError_t gpu_add_jumps(const gpu_tables *tables, const gpu_addition *addition, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, addition->entries);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? jumps<float> : jumps<double>, blocks, THREADS, 0, stream,
                              *tables, *addition);
}

gpuError_t gpu_add_currents(const gpu_tables *tables, const gpu_addition *addition, gpuStream_t stream)
{
  const unsigned blocks = blocks_of(tables, addition->entries);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? currents<float> : currents<double>, blocks, THREADS, 0, stream,
                              *tables, *addition);
}

gpuError_t gpu_add_in_curved(const gpu_tables *tables, const gpu_curves *curves, const gpu_addition *addition,
                             int jumps, gpuStream_t stream)
{
  const unsigned blocks = static_cast<unsigned>(addition->entries.groups);
  if (blocks == 0) return gpuSuccess;
  const size_t bytes =
      (tables->single ? sizeof(float) : sizeof(double)) * curved_memory<double>::numbers(tables->order);
  return gpu_launch_following(*tables, tables->single ? add_in_curved<float> : add_in_curved<double>, blocks, THREADS,
                              bytes, stream, *tables, *curves, *addition, jumps != 0);
}

gpuError_t gpu_remember_open(const gpu_tables *tables, const gpu_open *open, const void *field, gpuStream_t stream)
{
  size_t points = open->count * static_cast<size_t>(DG_NF(tables->order));
  unsigned blocks = static_cast<unsigned>((points + THREADS - 1) / THREADS);
  if (blocks == 0) return gpuSuccess;
  if (tables->single)
    return gpu_launch_following(*tables, remember<float>, blocks, THREADS, 0, stream, *tables, *open,
                                static_cast<const float *>(field));
  return gpu_launch_following(*tables, remember<double>, blocks, THREADS, 0, stream, *tables, *open,
                              static_cast<const double *>(field));
}

gpuError_t gpu_sheet_jumps(const gpu_tables *tables, const gpu_sheets *sheets, gpuStream_t stream)
{
  const size_t points = sheets->count * static_cast<size_t>(DG_NF(tables->order));
  const unsigned blocks = static_cast<unsigned>((points + THREADS - 1) / THREADS);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? sheet_jumps<float> : sheet_jumps<double>, blocks, THREADS, 0,
                              stream, *tables, *sheets);
}

gpuError_t gpu_add_sums(const gpu_tables *tables, const gpu_sums *sums, gpuStream_t stream)
{
  size_t wanted = (sums->count + 255) / 256;
  unsigned blocks = static_cast<unsigned>(wanted < 65536 ? wanted : 65536);
  double w = sums->weight, c = sums->next;
  if (blocks == 0) return gpuSuccess;
  if (tables->single)
    add_sums<float><<<blocks, 256, 0, stream>>>(*tables, *sums, static_cast<float>(w), static_cast<float>(c));
  else add_sums<double><<<blocks, 256, 0, stream>>>(*tables, *sums, w, c);
  return gpuGetLastError();
}
