/* What is observed of fields on the card. All sums are in double precision and in a fixed order. */
#include "gpu/covariant.cuh"
#include "gpu/follow.cuh"

namespace
{

constexpr int THREADS = 256;

/* The sum over the block, in thread 0; others have what they read last of their own. */
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

/* The integral of u.v over an element is, with U_a, V_b the components' values at nodes and M the mass matrix,
 * |J of (r, s, t)| sum_ab g^ab U_a.M V_b, and |J of (r, s, t)| is twice that of (a, b, c): 2 sign(J) times the inverse
 * of the six numbers g/J. A thread does a row of M. */
template <typename REAL> __global__ void __launch_bounds__(THREADS) products(gpu_tables tables, gpu_product product)
{
  size_t Np = DG_NP(static_cast<size_t>(tables.order));
  const REAL *u = static_cast<const REAL *>(product.u), *v = static_cast<const REAL *>(product.v);
  double sum = 0;
  for (size_t k = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; k < product.count * Np;
       k += static_cast<size_t>(gridDim.x) * THREADS) {
    size_t at = k / Np, n = k % Np;
    size_t e = product.element != nullptr ? static_cast<size_t>(product.element[at]) : product.first + at;
    size_t place = product.element != nullptr ? e : at; /* of u */
    double factor = product.element != nullptr
                        ? product.factor[at]
                        : tables.medium_table[gpu_look_up(tables.medium, e)].weight[product.weight];
    double row[3] = {0, 0, 0}, mine[3];
    for (size_t j = 0; j < Np; j++)
      for (size_t c = 0; c < 3; c++)
        row[c] += tables.mass[j * Np + n] * static_cast<double>(v[gpu_at(tables.order, e, c, j)]);
    for (size_t c = 0; c < 3; c++) mine[c] = static_cast<double>(u[gpu_at(tables.order, place, c, n)]);
    const REAL *metric = static_cast<const REAL *>(tables.metric) + 6 * e;
    double g[6];
    for (int i = 0; i < 6; i++) g[i] = static_cast<double>(metric[i]);
    double adjoint[6] = {g[3] * g[5] - g[4] * g[4], g[2] * g[4] - g[1] * g[5], g[1] * g[4] - g[2] * g[3],
                         g[0] * g[5] - g[2] * g[2], g[1] * g[2] - g[0] * g[4], g[0] * g[3] - g[1] * g[1]};
    double determinant = g[0] * adjoint[0] + g[1] * adjoint[1] + g[2] * adjoint[2], raised[3];
    gpu_apply(adjoint, row, raised);
    sum += 2 * factor / fabs(determinant) * (mine[0] * raised[0] + mine[1] * raised[1] + mine[2] * raised[2]);
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) product.part[blockIdx.x] = product.more ? product.part[blockIdx.x] + sum : sum;
}

/* A thread a value: six of a point. */
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

/* A block a row. */
template <typename REAL>
__global__ void __launch_bounds__(ROW_THREADS) keep_rows(gpu_tables tables, gpu_kept kept, const REAL *field)
{
  size_t stride = gpu_stride(tables.order), e = static_cast<size_t>(kept.element[blockIdx.x]);
  gpu_follow();
  REAL *to = static_cast<REAL *>(kept.row) + blockIdx.x * stride;
  for (size_t i = threadIdx.x; i < stride; i += ROW_THREADS) to[i] = field[e * stride + i];
}

/* Where the element is among those that are kept; their number: nowhere. */
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

/* A block a row of those listed, or of those kept. */
template <typename REAL> __global__ void __launch_bounds__(ROW_THREADS) put_back(gpu_tables tables, gpu_put_back back)
{
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

/* A warp an element. */
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
  if (tables->single) products<float><<<GPU_SUM_PARTS, THREADS, 0, stream>>>(*tables, *product);
  else products<double><<<GPU_SUM_PARTS, THREADS, 0, stream>>>(*tables, *product);
  return gpuGetLastError();
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
  if (tables->single) put_back<float><<<blocks, ROW_THREADS, 0, stream>>>(*tables, *back);
  else put_back<double><<<blocks, ROW_THREADS, 0, stream>>>(*tables, *back);
  return gpuGetLastError();
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
