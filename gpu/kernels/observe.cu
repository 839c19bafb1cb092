/* Observation of the fields, on the card. All sums are in double precision and in a fixed order. */
#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/orbits.cuh"

namespace
{

constexpr int THREADS = 256;

/* The sum over the block, in thread 0. Other threads get a part of it only. */
__device__ double sum_of_block(double mine)
{
  __shared__ double part[THREADS];
  part[threadIdx.x] = mine;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  return part[threadIdx.x];
}

/* ---- products through the mass matrix
 *
 * The mass matrix keeps sectors (maxwell/backend/frame/symmetry.h). A sum over nodes sum_ij U_i M_ij V_j therefore
 * falls into four sums over orbits, of the sums over the orbits' members. A thread has a row of a sector's block
 * (kernel_tables.c) in registers. It also has a node of each of the elements that its block takes one after the other,
 * some at a time. */

template <int P> struct gpu_mass {
  using orbits = gpu_orbits<P>;
  static constexpr int NP = DG_NP(P), FIRST = MX_SECTOR_0(P), OTHERS = MX_SECTOR_1(P);
  static constexpr int ELEMENTS = THREADS / NP;              /* at a time */
  static constexpr int BLOCKS = P == 1 ? 4 : P <= 5 ? 3 : 2; /* that a multiprocessor has room for */
  /* Room for the numbers of a sector: for an even number of them, because they are read two at a time. */
  static constexpr int LONG = (FIRST + 1) / 2 * 2, SHORT = (OTHERS + 1) / 2 * 2, ROW = LONG + 3 * SHORT;

  int sector, start, place; /* where the sector's numbers and the row's own stand */
  int member[4];            /* nodes */

  __device__ explicit gpu_mass(int row)
  {
    sector = row < FIRST ? 0 : 1 + (row - FIRST) / OTHERS;
    const int i = row < FIRST ? row : (row - FIRST) % OTHERS;
    start = sector == 0 ? 0 : LONG + (sector - 1) * SHORT;
    place = start + i;
    const int orbit = sector == 0 || i < orbits::quads ? i : i + (sector - 1) * orbits::pairs;
    for (int g = 0; g < 4; g++) member[g] = orbits::node(orbit, g);
  }

  /* The row's number, made of the values at nodes. */
  __device__ double sum(const double *node) const
  {
    double x[4];
    for (int g = 0; g < 4; g++) x[g] = node[member[g]];
    const double a = sector < 2 ? x[0] + x[1] : x[0] - x[1], b = sector < 2 ? x[2] + x[3] : x[2] - x[3];
    return sector == 0 || sector == 2 ? a + b : a - b;
  }
};

/* The integral of u.v over an element is |J of (r, s, t)| sum_ab g^ab U_a.M V_b, with U_a, V_b the components' values
 * at nodes and M the mass matrix. |J of (r, s, t)| is twice that of (a, b, c), so that its product with g^ab is 2
 * sign(J) times the inverse of the six numbers g/J. This function computes that product, times the element's factor.
 * With a tensor in the six numbers the integral is of u.(tensor v). */
template <typename REAL> __device__ void weights_of_product(const REAL metric[6], double factor, double weight[6])
{
  double g[6];
  for (int i = 0; i < 6; i++) g[i] = static_cast<double>(metric[i]);
  const double adjoint[6] = {g[3] * g[5] - g[4] * g[4], g[2] * g[4] - g[1] * g[5], g[1] * g[4] - g[2] * g[3],
                             g[0] * g[5] - g[2] * g[2], g[1] * g[2] - g[0] * g[4], g[0] * g[3] - g[1] * g[1]};
  const double determinant = g[0] * adjoint[0] + g[1] * adjoint[1] + g[2] * adjoint[2];
  for (int i = 0; i < 6; i++) weight[i] = 2 * factor / fabs(determinant) * adjoint[i];
}

/* The factor of a medium that gpu_product.weight chooses. */
__device__ double of_energy(const gpu_medium &medium, int weight)
{
  return weight < 2 ? medium.weight[weight] : medium.lag[weight - 2];
}

/* The numbers that a block has of the elements that it takes at a time. */
template <int P> struct gpu_products_memory {
  using mass = gpu_mass<P>;
  double node[2][mass::ELEMENTS][3][mass::NP]; /* of v, of u */
  alignas(16) double numbers[mass::ELEMENTS][3][mass::ROW];
  alignas(16) double weight[mass::ELEMENTS][6];
};

/* A thread of the block, at one node of one of these elements. */
template <int P, typename REAL> struct gpu_products_work {
  using mass = gpu_mass<P>;
  static constexpr int NP = mass::NP, ELEMENTS = mass::ELEMENTS;

  const gpu_tables &tables;
  const gpu_product &product;
  gpu_products_memory<P> &t;
  const int thread = static_cast<int>(threadIdx.x), mine = thread / NP, n = thread % NP;
  const bool works = mine < ELEMENTS, same = product.u == product.v;
  const mass row = mass(n);
  REAL of_v[3], of_u[3]; /* at the node, of the elements that come next */
  double entry[mass::LONG];

  __device__ gpu_products_work(const gpu_tables &tables, const gpu_product &product, gpu_products_memory<P> &memory)
      : tables(tables), product(product), t(memory)
  {
#pragma unroll
    for (int j = 0; j < mass::LONG; j++) entry[j] = j < mass::FIRST ? tables.mass[j * NP + n] : 0;
    for (int i = thread; i < ELEMENTS * 3 * mass::ROW; i += THREADS) (&t.numbers[0][0][0])[i] = 0;
  }

  __device__ size_t element(unsigned at) const
  {
    return product.element != nullptr ? static_cast<size_t>(product.element[at]) : product.first + at;
  }

  __device__ void load(unsigned at)
  {
    if (!works || at >= static_cast<unsigned>(product.count)) return;
    const size_t e = element(at), row_of_u = product.element != nullptr && !product.own_rows ? e : at;
    const size_t row_of_v = product.own_rows ? at : e;
    const REAL *from_v = static_cast<const REAL *>(product.v) + gpu_at(P, row_of_v, 0, static_cast<size_t>(n));
    const REAL *from_u = static_cast<const REAL *>(product.u) + gpu_at(P, row_of_u, 0, static_cast<size_t>(n));
#pragma unroll
    for (int c = 0; c < 3; c++) {
      of_v[c] = from_v[c * NP];
      if (!same) of_u[c] = from_u[c * NP];
    }
  }

  __device__ void store_nodes() const
  {
#pragma unroll
    for (int c = 0; c < 3; c++) {
      t.node[0][mine][c][n] = static_cast<double>(of_v[c]);
      if (!same) t.node[1][mine][c][n] = static_cast<double>(of_u[c]);
    }
  }

  /* Computes the weights of element number `at`, as those of this thread's element. */
  __device__ void weigh(unsigned at) const
  {
    const size_t e = element(at);
    double factor = product.element != nullptr
                        ? product.factor[at]
                        : of_energy(tables.medium_table[gpu_look_up(tables.medium, e)], product.weight);
    if (product.number != nullptr && product.number[e] >= 0) factor = 0;
    weights_of_product(static_cast<const REAL *>(product.metric) + 6 * e, factor, t.weight[thread]);
  }

  /* Computes the thread's number of a sector from the values at nodes: of v in shared memory, of u in `number`. */
  __device__ void to_sector(double number[3]) const
  {
#pragma unroll
    for (int c = 0; c < 3; c++) {
      t.numbers[mine][c][row.place] = number[c] = row.sum(t.node[0][mine][c]);
      if (!same) number[c] = row.sum(t.node[1][mine][c]);
    }
  }

  /* The part of the integral that this number of u adds. */
  __device__ double add(const double number[3]) const
  {
    double row_of_v[3] = {}, raised[3];
#pragma unroll
    for (int j = 0; j < mass::LONG; j += 2)
      if (j < mass::SHORT || row.sector == 0)
#pragma unroll
        for (int c = 0; c < 3; c++) {
          const double2 two = *reinterpret_cast<const double2 *>(&t.numbers[mine][c][row.start + j]);
          row_of_v[c] += entry[j] * two.x + entry[j + 1] * two.y;
        }
    gpu_apply(t.weight[mine], row_of_v, raised);
    return number[0] * raised[0] + number[1] * raised[1] + number[2] * raised[2];
  }
};

template <int P, typename REAL>
__global__ void __launch_bounds__(THREADS, gpu_mass<P>::BLOCKS) products(gpu_tables tables, gpu_product product)
{
  constexpr unsigned ELEMENTS = gpu_mass<P>::ELEMENTS;
  __shared__ gpu_products_memory<P> memory;
  gpu_products_work<P, REAL> work(tables, product, memory);
  const unsigned elements = static_cast<unsigned>(product.count), step = gridDim.x * ELEMENTS;
  double sum = 0;
  gpu_follow();
  work.load(blockIdx.x * ELEMENTS + work.mine);
  for (unsigned start = blockIdx.x * ELEMENTS; start < elements; start += step) {
    const int count = static_cast<int>(min(elements - start, ELEMENTS));
    const bool there = work.mine < count;
    double number[3];
    if (there) work.store_nodes();
    __syncthreads();
    work.load(start + step + work.mine);
    if (work.thread < count) work.weigh(start + static_cast<unsigned>(work.thread)); /* an element each */
    if (there) work.to_sector(number);
    __syncthreads();
    if (there) sum += work.add(number);
  }
  sum = sum_of_block(sum);
  if (work.thread != 0) return;
  product.part[blockIdx.x] = product.more ? product.part[blockIdx.x] + sum : sum;
  for (unsigned i = blockIdx.x + gridDim.x; i < GPU_SUM_PARTS && !product.more; i += gridDim.x) product.part[i] = 0;
}

template <typename REAL, int P = DG_ORDER_MIN>
gpuError_t launch_products(const gpu_tables &tables, const gpu_product &product, gpuStream_t stream)
{
  if constexpr (P < DG_ORDER_MAX)
    if (tables.order != P) return launch_products<REAL, P + 1>(tables, product, stream);
  const int room = tables.processors * gpu_mass<P>::BLOCKS; /* with more, a few would come behind the others */
  return gpu_launch_following(tables, products<P, REAL>, room < GPU_SUM_PARTS ? room : GPU_SUM_PARTS, THREADS, 0,
                              stream, tables, product);
}

/* Computes the values at points, with a thread a value: six of a point. */
template <typename REAL> __global__ void __launch_bounds__(THREADS) sample(gpu_tables tables, gpu_points points)
{
  gpu_follow();
  size_t Np = DG_NP(static_cast<size_t>(tables.order));
  size_t k = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x, point = k / 6, c = k % 3;
  if (point >= points.count) return;
  const REAL *a = static_cast<const REAL *>(k % 6 < 3 ? points.E : points.H);
  const REAL *b = static_cast<const REAL *>(k % 6 < 3 ? points.E : points.H_other);
  size_t row = static_cast<size_t>(k % 6 < 3 ? points.element[point] : points.row[point]);
  size_t other = static_cast<size_t>(k % 6 < 3 ? points.element[point] : points.other_row[point]);
  int node = points.node[point];
  double sum = 0;
  for (size_t n = node >= 0 ? static_cast<size_t>(node) : 0; n < (node >= 0 ? static_cast<size_t>(node) + 1 : Np);
       n++) {
    double value = 0.5 * (static_cast<double>(a[gpu_at(tables.order, row, c, n)]) +
                          static_cast<double>(b[gpu_at(tables.order, other, c, n)]));
    sum += (node >= 0 ? 1 : points.weight[point * Np + n]) * value;
  }
  points.value[k] = sum;
}

template <typename REAL> __global__ void __launch_bounds__(THREADS) weighted_sums(gpu_sum sum)
{
  const REAL *u = static_cast<const REAL *>(sum.u), *v = static_cast<const REAL *>(sum.v);
  const size_t stride = gpu_stride(sum.order);
  double mine = 0;
  if (sum.takes_v != nullptr) u = v = sum.takes_v[blockIdx.x] ? v : u;
  gpu_follow();
  for (uint64_t i = sum.first[blockIdx.x] + threadIdx.x; i < sum.first[blockIdx.x + 1]; i += THREADS) {
    const gpu_place place = sum.place[i];
    size_t row = sum.row != nullptr ? static_cast<size_t>(sum.row[place.row]) : place.row - sum.first_row;
    size_t other = sum.other_row != nullptr ? static_cast<size_t>(sum.other_row[place.row]) : place.row - sum.first_row;
    mine += sum.weight[i] * 0.5 *
            (static_cast<double>(u[row * stride + place.at]) + static_cast<double>(v[other * stride + place.at]));
  }
  mine = sum_of_block(mine);
  if (threadIdx.x == 0) sum.part[blockIdx.x] = mine;
}

constexpr int ROW_THREADS = 64;

/* Copies rows of a field, with a block a row. */
template <typename REAL>
__global__ void __launch_bounds__(ROW_THREADS) keep_rows(gpu_tables tables, gpu_kept kept, const REAL *field)
{
  size_t stride = gpu_stride(tables.order), e = static_cast<size_t>(kept.element[blockIdx.x]);
  gpu_follow();
  REAL *to = static_cast<REAL *>(kept.row) + blockIdx.x * stride;
  for (size_t i = threadIdx.x; i < stride; i += ROW_THREADS) to[i] = field[e * stride + i];
}

/* The place of the element among those that are kept; their number if it is not there. */
__device__ size_t find(const gpu_kept &kept, int32_t element)
{
  size_t first = 0, end = kept.count;
  while (first < end) {
    size_t middle = (first + end) / 2;
    if (kept.element[middle] < element) first = middle + 1;
    else end = middle;
  }
  return first < kept.count && kept.element[first] == element ? first : kept.count;
}

/* Puts rows back, with a block for each row of those listed, or of those kept. */
template <typename REAL> __global__ void __launch_bounds__(ROW_THREADS) put_back(gpu_tables tables, gpu_put_back back)
{
  gpu_follow();
  const bool listed = back.element != nullptr;
  size_t which = listed ? find(back.kept, back.element[blockIdx.x]) : blockIdx.x;
  if (which == back.kept.count) return;
  size_t stride = gpu_stride(tables.order), e = static_cast<size_t>(back.kept.element[which]);
  size_t row = listed ? blockIdx.x : e - back.first;
  const REAL *kept = static_cast<const REAL *>(back.kept.row) + which * stride;
  const REAL *field = static_cast<const REAL *>(back.field) + e * stride;
  REAL weight = static_cast<REAL>(back.weight), *to = static_cast<REAL *>(back.to) + row * stride;
  for (size_t i = threadIdx.x; i < stride; i += ROW_THREADS) to[i] = weight * kept[i] + (1 - weight) * field[i];
}

template <typename REAL>
__global__ void __launch_bounds__(THREADS) mean(size_t count, const REAL *u, const REAL *v, REAL *to)
{
  size_t k = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (k < count) to[k] = static_cast<REAL>(0.5) * (u[k] + v[k]);
}

/* Finds the largest components, with a warp an element. */
template <typename REAL> __global__ void __launch_bounds__(THREADS) largest(gpu_tables tables, gpu_largest check)
{
  size_t Np = DG_NP(static_cast<size_t>(tables.order));
  size_t k = (static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x) / 32, e = check.first + k;
  if (k >= check.count) return;
  const REAL *field[2] = {static_cast<const REAL *>(check.E), static_cast<const REAL *>(check.H)};
  const double *gradient = check.gradient + 9 * k;
  double most = 0;
  for (size_t i = threadIdx.x % 32; i < 2 * Np; i += 32)
    for (size_t d = 0; d < 3; d++) {
      double value = 0;
      for (size_t c = 0; c < 3; c++)
        value += static_cast<double>(field[i / Np][gpu_at(tables.order, e, c, i % Np)]) * gradient[3 * c + d];
      value = isfinite(value) ? fabs(value) : static_cast<double>(INFINITY);
      most = value > most ? value : most;
    }
  for (int other = 16; other > 0; other /= 2) {
    double theirs = gpuShuffleXor(most, other);
    most = theirs > most ? theirs : most;
  }
  if (threadIdx.x % 32 == 0) check.largest[k] = most;
}

unsigned blocks_of(size_t items) { return static_cast<unsigned>((items + THREADS - 1) / THREADS); }

} // namespace

gpuError_t gpu_products(const gpu_tables *tables, const gpu_product *product, gpuStream_t stream)
{
  return tables->single ? launch_products<float>(*tables, *product, stream)
                        : launch_products<double>(*tables, *product, stream);
}

gpuError_t gpu_sample(const gpu_tables *tables, const gpu_points *points, gpuStream_t stream)
{
  unsigned blocks = blocks_of(6 * points->count);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? sample<float> : sample<double>, blocks, THREADS, 0, stream,
                              *tables, *points);
}

gpuError_t gpu_weighted_sums(const gpu_tables *tables, const gpu_sum *sum, gpuStream_t stream)
{
  unsigned blocks = static_cast<unsigned>(sum->count);
  if (blocks == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? weighted_sums<float> : weighted_sums<double>, blocks, THREADS,
                              0, stream, *sum);
}

gpuError_t gpu_keep_rows(const gpu_tables *tables, const gpu_kept *kept, const void *field, gpuStream_t stream)
{
  unsigned blocks = static_cast<unsigned>(kept->count);
  if (blocks == 0) return gpuSuccess;
  if (tables->single)
    return gpu_launch_following(*tables, keep_rows<float>, blocks, ROW_THREADS, 0, stream, *tables, *kept,
                                static_cast<const float *>(field));
  return gpu_launch_following(*tables, keep_rows<double>, blocks, ROW_THREADS, 0, stream, *tables, *kept,
                              static_cast<const double *>(field));
}

gpuError_t gpu_put_rows_back(const gpu_tables *tables, const gpu_put_back *back, gpuStream_t stream)
{
  unsigned blocks = static_cast<unsigned>(back->element != nullptr ? back->rows : back->kept.count);
  if (blocks == 0 || back->kept.count == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? put_back<float> : put_back<double>, blocks, ROW_THREADS, 0,
                              stream, *tables, *back);
}

gpuError_t gpu_mean(int single, size_t count, const void *u, const void *v, void *to, gpuStream_t stream)
{
  unsigned blocks = blocks_of(count);
  if (blocks == 0) return gpuSuccess;
  if (single)
    mean<<<blocks, THREADS, 0, stream>>>(count, static_cast<const float *>(u), static_cast<const float *>(v),
                                         static_cast<float *>(to));
  else
    mean<<<blocks, THREADS, 0, stream>>>(count, static_cast<const double *>(u), static_cast<const double *>(v),
                                         static_cast<double *>(to));
  return gpuGetLastError();
}

gpuError_t gpu_largest_component(const gpu_tables *tables, const gpu_largest *check, gpuStream_t stream)
{
  unsigned blocks = blocks_of(32 * check->count);
  if (blocks == 0) return gpuSuccess;
  if (tables->single) largest<float><<<blocks, THREADS, 0, stream>>>(*tables, *check);
  else largest<double><<<blocks, THREADS, 0, stream>>>(*tables, *check);
  return gpuGetLastError();
}
