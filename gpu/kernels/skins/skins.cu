/* Metal walls, films and sheets behind the pass: a thread a component at a node of a face takes all its currents along,
 * and the value that the fluxes take (behind_pass.cu lifts them); that of sheets, which need the other face's currents,
 * has a kernel of its own. Currents of a pole lie component by component, so that a warp meets in the same lines; a
 * thread asks for several poles before it works out what drives them. */
#include <type_traits>

#include "gpu/kernels/covariant.cuh"
#include "gpu/kernels/curves.h"
#include "gpu/kernels/launch_ahead.cuh"
#include "gpu/kernels/skins/skins.h"

#define MX_POINT __device__ inline
#define NAME(x)  x
#define REAL     float
#include "maxwell/terms/skin_points.h"
#undef REAL
#define REAL double
/* The same functions for the other precision; C++ tells them apart by their arguments. */
#include "maxwell/terms/skin_points.h"
#undef REAL
#undef NAME
#undef MX_POINT

namespace
{

constexpr int THREADS = 128, BATCH = 8; /* poles that a thread has under way */

/* A component at a node of a face: number i of [count][2][Nf]. The memory of a card has fewer of them than 2^32. */
struct point {
  unsigned i, face;
  int part, m, Nf;

  __device__ point(const gpu_tables &tables, unsigned i)
      : i(i), face(i / static_cast<unsigned>(2 * DG_NF(tables.order))),
        part(static_cast<int>(i / static_cast<unsigned>(DG_NF(tables.order)) % 2)),
        m(static_cast<int>(i % static_cast<unsigned>(DG_NF(tables.order)))), Nf(DG_NF(tables.order))
  {
  }
};

/* H at node m of a wall, along t1 and t2: in leapfrog extrapolated to the middle of its step. */
template <bool EXTRAPOLATES, typename REAL>
__device__ void wall_trace(const gpu_tables &tables, const gpu_skin_pass &pass, int32_t where, int m, REAL H[2])
{
  const int Nf = DG_NF(tables.order);
  if constexpr (!EXTRAPOLATES) {
    gpu_trace(tables.order, static_cast<const REAL *>(pass.field[1]), static_cast<size_t>(where / 4), where % 4,
              tables.face_node[where % 4 * Nf + m], H);
    return;
  }
  const REAL *now = static_cast<const REAL *>(pass.open_now), *before = static_cast<const REAL *>(pass.open_before);
  const int slot = -2 - tables.neighbour[where]; /* problem.h: MX_GHOST - 1 - slot */
  for (int part = 0; part < 2; part++) {
    const size_t at =
        (2 * static_cast<size_t>(slot) + static_cast<size_t>(part)) * static_cast<size_t>(Nf) + static_cast<size_t>(m);
    const REAL a = now[at], b = before[at];
    H[part] = pass.changes ? b - a : a + static_cast<REAL>(0.5) * (a - b);
  }
}

/* The current h of a wall at a point. */
template <bool EXTRAPOLATES, typename REAL>
__device__ REAL wall_current(const gpu_tables &tables, const gpu_skins &skins, const gpu_skin_pass &pass,
                             const point &at)
{
  const int32_t where = skins.where[at.face];
  const int number = skins.curved != nullptr ? skins.curved[at.face] : -1, n = 2 * at.Nf;
  REAL H[2], h[2], sum = 0;
  if (number < 0) {
    wall_trace<EXTRAPOLATES>(tables, pass, where, at.m, H);
    mx_skin_turn(static_cast<const REAL *>(skins.face) + 3 * static_cast<size_t>(at.face), H, h);
    return at.part == 0 ? h[0] : h[1];
  }
  const REAL *matrix =
      static_cast<const REAL *>(skins.matrix) + static_cast<size_t>(number) * static_cast<size_t>(n * n);
  for (int l = 0; l < at.Nf; l++) {
    wall_trace<EXTRAPOLATES>(tables, pass, where, l, H);
    for (int part = 0; part < 2; part++) sum += matrix[(part * at.Nf + l) * n + at.part * at.Nf + at.m] * H[part];
  }
  return sum;
}

/* E* of a film at a point. */
template <typename REAL>
__device__ REAL film_field(const gpu_tables &tables, const gpu_skins &skins, const gpu_skin_pass &pass, const point &at)
{
  const int32_t where = skins.where[at.face], neighbour = tables.neighbour[where];
  const REAL *field = static_cast<const REAL *>(pass.field[0]);
  const REAL share = static_cast<const REAL *>(skins.face)[3 * static_cast<size_t>(at.face)];
  REAL near[2], far[2] = {0, 0};
  gpu_trace(tables.order, field, static_cast<size_t>(where / 4), where % 4, tables.face_node[where % 4 * at.Nf + at.m],
            near);
  if (neighbour >= 0)
    gpu_trace(tables.order, field, static_cast<size_t>(neighbour / 4), neighbour % 4,
              tables.face_node[neighbour % 4 * at.Nf + at.m], far);
  return at.part == 0 ? mx_film_mean(share, near[0], far[0]) : mx_film_mean(share, near[1], far[1]);
}

/* The currents of some poles of a point, from pole q on, in a pass of leapfrog. REAL is their type. */
template <typename REAL, gpu_skin_kind KIND> struct step_of {
  static constexpr int SOME = KIND == GPU_FILMS ? 1 : BATCH;
  REAL now[SOME];

  __device__ void load(const gpu_skins &skins, const gpu_skin_pass &, size_t i, size_t apart, int q, int poles)
  {
#pragma unroll
    for (int k = 0; k < SOME; k++)
      now[k] = q + k < poles ? static_cast<const REAL *>(skins.now)[i + static_cast<size_t>(q + k) * apart] : 0;
  }
  /* Adds to value. */
  __device__ void go(const gpu_skins &skins, const gpu_skin_pass &pass, size_t i, size_t apart, int q, int poles,
                     const REAL *number, REAL drive, REAL &value)
  {
#pragma unroll
    for (int k = 0; k < SOME; k++) {
      if (q + k >= poles) break;
      const REAL n[2] = {number[2 * (q + k)], number[2 * (q + k) + 1]};
      const size_t at = i + static_cast<size_t>(q + k) * apart;
      if (KIND != GPU_SHEETS && pass.keep) static_cast<REAL *>(skins.before)[at] = now[k];
      if constexpr (KIND == GPU_FILMS) {
        mx_film_step(n, drive, &now[k]);
        value = now[k];
      } else if constexpr (KIND == GPU_SHEETS) skins.mean[at] = mx_skin_step(n, drive, &now[k]);
      else value += n[0] * mx_skin_step(n, drive, &now[k]);
      static_cast<REAL *>(skins.now)[at] = now[k];
    }
  }
};

/* The same in a stage of Runge-Kutta. */
template <typename REAL, gpu_skin_kind KIND, bool SUMS> struct stage_of {
  static constexpr int SOME = KIND == GPU_FILMS ? 1 : BATCH / 2; /* each has two numbers or three */
  REAL start[SOME], current[SOME], kept[SOME]; /* of the step; of the stage; the register, or the sum */

  __device__ void load(const gpu_skins &skins, const gpu_skin_pass &pass, size_t i, size_t apart, int q, int poles)
  {
    const REAL *from = static_cast<const REAL *>(SUMS && !pass.first ? skins.stage : skins.now);
    const REAL *sums = static_cast<const REAL *>(!SUMS ? skins.registers : pass.first ? skins.now : skins.sum);
#pragma unroll
    for (int k = 0; k < SOME; k++) {
      const bool any = q + k < poles;
      const size_t at = i + static_cast<size_t>(q + k) * apart;
      current[k] = any ? from[at] : 0;
      kept[k] = any ? sums[at] : 0;
      start[k] = any && SUMS && !pass.last ? static_cast<const REAL *>(skins.now)[at] : 0;
    }
  }
  __device__ void go(const gpu_skins &skins, const gpu_skin_pass &pass, size_t i, size_t apart, int q, int poles,
                     const REAL *number, REAL drive, REAL &value)
  {
#pragma unroll
    for (int k = 0; k < SOME; k++) {
      if (q + k >= poles) break;
      const REAL n[2] = {number[2 * (q + k)], number[2 * (q + k) + 1]};
      const size_t at = i + static_cast<size_t>(q + k) * apart;
      REAL rate;
      if constexpr (KIND == GPU_FILMS) rate = mx_film_rate(n, drive, current[k]), value = current[k];
      else rate = mx_skin_rate(n, drive, current[k]), value += n[0] * current[k];
      if constexpr (!SUMS) {
        const REAL next = static_cast<REAL>(pass.a) * kept[k] + static_cast<REAL>(pass.step) * rate;
        static_cast<REAL *>(skins.registers)[at] = next;
        static_cast<REAL *>(skins.now)[at] = current[k] + static_cast<REAL>(pass.b) * next;
        continue;
      }
      const REAL sum = kept[k] + static_cast<REAL>(pass.weight) * rate;
      if (pass.last) {
        static_cast<REAL *>(skins.now)[at] = sum;
        continue;
      }
      static_cast<REAL *>(skins.sum)[at] = sum;
      static_cast<REAL *>(skins.stage)[at] = start[k] + static_cast<REAL>(pass.next) * rate;
    }
  }
};

enum scheme { STAGGERED, LOW_STORAGE, SUMS };

template <typename REAL, gpu_skin_kind KIND, scheme OF>
__global__ void __launch_bounds__(THREADS) take_along(gpu_tables tables, gpu_skins skins, gpu_skin_pass pass)
{
  using CURRENT = typename std::conditional<KIND == GPU_SHEETS, double, REAL>::type;
  gpu_follow();
  const point at(tables, blockIdx.x * THREADS + threadIdx.x);
  if (at.face >= skins.count) return;
  const size_t apart = 2 * skins.rows * static_cast<size_t>(at.Nf), i = at.i;
  const int metal = skins.metal[at.face], poles = KIND == GPU_FILMS ? 1 : skins.poles_of[metal];
  const CURRENT *number = static_cast<const CURRENT *>(skins.number) + 2 * metal * skins.poles;
  typename std::conditional<OF == STAGGERED, step_of<CURRENT, KIND>, stage_of<CURRENT, KIND, OF == SUMS>>::type some;
  CURRENT drive, value = 0;
  some.load(skins, pass, i, apart, 0, poles);
  if constexpr (KIND == GPU_FILMS) drive = film_field<REAL>(tables, skins, pass, at);
  else drive = wall_current<OF == STAGGERED, REAL>(tables, skins, pass, at);
  some.go(skins, pass, i, apart, 0, poles, number, drive, value);
  for (int q = some.SOME; q < poles; q += some.SOME) {
    some.load(skins, pass, i, apart, q, poles);
    some.go(skins, pass, i, apart, q, poles, number, drive, value);
  }
  if constexpr (KIND == GPU_SHEETS) return;
  if constexpr (KIND == GPU_FILMS) value *= static_cast<const REAL *>(skins.face)[3 * static_cast<size_t>(at.face) + 1];
  static_cast<REAL *>(skins.value)[i] = static_cast<REAL>(value);
}

/* ---- sheets */

/* The point of the other face that lies where this one does; row: of that face. Both have the same t1 and t2. */
__device__ size_t beyond(const point &at, int32_t row)
{
  return (2 * static_cast<size_t>(row) + static_cast<size_t>(at.part)) * static_cast<size_t>(at.Nf) +
         static_cast<size_t>(at.m);
}

template <typename REAL>
__global__ void __launch_bounds__(THREADS) sheet_values(gpu_tables tables, gpu_skins skins, const double *currents)
{
  gpu_follow();
  const point at(tables, blockIdx.x * THREADS + threadIdx.x);
  if (at.face >= skins.count) return;
  const size_t apart = 2 * skins.rows * static_cast<size_t>(at.Nf);
  const int metal = skins.metal[at.face], poles = skins.poles_of[metal], row = skins.far[at.face];
  const double *number = static_cast<const double *>(skins.number) + 2 * metal * skins.poles,
               *transfer = skins.transfer + 2 * metal * skins.poles, *own = currents + at.i,
               *far = currents + (row >= 0 ? beyond(at, row) : 0);
  double value = 0;
  for (int q = 0; q < poles; q++, own += apart, far += apart) {
    value += number[2 * q] * *own;
    if (row >= 0 && transfer[2 * q] != 0) value += transfer[2 * q] * *far;
  }
  static_cast<REAL *>(skins.value)[at.i] = static_cast<REAL>(value);
}

__global__ void __launch_bounds__(THREADS)
    move_items(gpu_tables tables, gpu_skins skins, const int32_t *face, size_t count, double *currents, double *item)
{
  gpu_follow();
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x,
               trace = 2 * static_cast<size_t>(DG_NF(tables.order)), width = static_cast<size_t>(skins.poles) * trace,
               k = i / width, q = i % width / trace;
  if (k >= count) return;
  const size_t row = face != nullptr ? static_cast<size_t>(face[k]) : skins.count + k;
  double &current = currents[(q * skins.rows + row) * trace + i % trace];
  if (face != nullptr) item[i] = current;
  else current = item[i];
}

/* ---- energies */

/* The row of a point in the product with the currents of its face. */
template <typename VALUE> __device__ double weigh(const gpu_skins &skins, const point &at, VALUE value)
{
  const int number = skins.curved != nullptr ? skins.curved[at.face] : -1, n = 2 * at.Nf;
  double sum[2] = {0, 0};
  if (number >= 0) {
    const double *G = skins.weigh + static_cast<size_t>(number) * static_cast<size_t>(n * n);
    for (int l = 0; l < n; l++) sum[0] += G[l * n + at.part * at.Nf + at.m] * value(l / at.Nf, l % at.Nf);
    return sum[0];
  }
  for (int l = 0; l < at.Nf; l++)
    for (int part = 0; part < 2; part++) sum[part] += skins.mass[l * at.Nf + at.m] * value(part, l);
  const double *product = skins.product + 3 * static_cast<size_t>(at.face) + at.part;
  return product[0] * sum[0] + product[1] * sum[1];
}

/* Of a point: the current of array u times the weighed ones of v on face `row`, or with `mean` of the mean of both with
 * itself. */
template <typename REAL>
__device__ double square(const gpu_skins &skins, const point &at, int q, const REAL *u, const REAL *v, bool mean,
                         size_t row)
{
  const auto value = [=](const REAL *of, size_t face, int part, int l) {
    const size_t i = 2 * (static_cast<size_t>(q) * skins.rows + face) * static_cast<size_t>(at.Nf) +
                     static_cast<size_t>(part * at.Nf + l);
    return mean ? 0.5 * (static_cast<double>(u[i]) + static_cast<double>(v[i])) : static_cast<double>(of[i]);
  };
  return value(u, at.face, at.part, at.m) * weigh(skins, at, [=](int part, int l) { return value(v, row, part, l); });
}

/* REAL is the type of the currents. */
template <typename REAL>
__global__ void __launch_bounds__(THREADS) energies(gpu_tables tables, gpu_skins skins, int staggered, double *part)
{
  __shared__ double sums[THREADS];
  gpu_follow();
  const bool sheets = skins.kind == GPU_SHEETS;
  const REAL *now = static_cast<const REAL *>(sheets && staggered ? skins.mean : skins.now),
             *before = static_cast<const REAL *>(skins.before);
  const unsigned points = static_cast<unsigned>(skins.count) * static_cast<unsigned>(2 * DG_NF(tables.order));
  double sum = 0;
  for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < points; i += gridDim.x * THREADS) {
    const point at(tables, i);
    const int metal = skins.metal[at.face];
    for (int q = 0; q < skins.poles_of[metal]; q++) {
      double one;
      if (!staggered || sheets) one = square(skins, at, q, now, now, false, at.face);
      else if (skins.kind == GPU_WALLS) one = square(skins, at, q, now, before, true, at.face);
      else
        one = square(skins, at, q, now, before, false, at.face) -
              skins.lag[metal] * (square(skins, at, q, now, now, false, at.face) -
                                  square(skins, at, q, before, before, false, at.face));
      sum += skins.storage[metal * skins.poles + q] * one;
      const double through = sheets && skins.far[at.face] >= 0 ? skins.transfer[2 * (metal * skins.poles + q) + 1] : 0;
      if (through != 0) sum += through * square(skins, at, q, now, now, false, static_cast<size_t>(skins.far[at.face]));
    }
  }
  sums[threadIdx.x] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + static_cast<unsigned>(half)];
  }
  if (threadIdx.x == 0) part[blockIdx.x] += sums[0];
}

unsigned blocks_for(size_t threads) { return static_cast<unsigned>((threads + THREADS - 1) / THREADS); }

unsigned blocks_of(const gpu_tables &tables, const gpu_skins &skins)
{
  return blocks_for(2 * skins.count * static_cast<size_t>(DG_NF(tables.order)));
}

template <typename REAL, gpu_skin_kind KIND>
gpuError_t launch(const gpu_tables &tables, const gpu_skins &skins, const gpu_skin_pass &pass, gpuStream_t stream)
{
  const auto kernel = pass.staggered ? take_along<REAL, KIND, STAGGERED>
                      : pass.sums    ? take_along<REAL, KIND, SUMS>
                                     : take_along<REAL, KIND, LOW_STORAGE>;
  return gpu_launch_following(tables, kernel, blocks_of(tables, skins), THREADS, 0, stream, tables, skins, pass);
}

template <typename REAL>
gpuError_t launch(const gpu_tables &tables, const gpu_skins &skins, const gpu_skin_pass &pass, gpuStream_t stream)
{
  return skins.kind == GPU_WALLS   ? launch<REAL, GPU_WALLS>(tables, skins, pass, stream)
         : skins.kind == GPU_FILMS ? launch<REAL, GPU_FILMS>(tables, skins, pass, stream)
                                   : launch<REAL, GPU_SHEETS>(tables, skins, pass, stream);
}

} // namespace

gpuError_t gpu_step_skins(const gpu_tables *tables, const gpu_skins *skins, const gpu_skin_pass *pass,
                          gpuStream_t stream)
{
  if (skins->count == 0) return gpuSuccess;
  return tables->single ? launch<float>(*tables, *skins, *pass, stream)
                        : launch<double>(*tables, *skins, *pass, stream);
}

gpuError_t gpu_sheet_values(const gpu_tables *tables, const gpu_skins *skins, const double *currents,
                            gpuStream_t stream)
{
  if (skins->count == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single ? sheet_values<float> : sheet_values<double>,
                              blocks_of(*tables, *skins), THREADS, 0, stream, *tables, *skins, currents);
}

gpuError_t gpu_move_sheets(const gpu_tables *tables, const gpu_skins *skins, const int32_t *face, size_t count,
                           double *currents, double *item, gpuStream_t stream)
{
  const size_t threads = count * static_cast<size_t>(2 * skins->poles * DG_NF(tables->order));
  if (count == 0) return gpuSuccess;
  return gpu_launch_following(*tables, move_items, blocks_for(threads), THREADS, 0, stream, *tables, *skins, face,
                              count, currents, item);
}

gpuError_t gpu_skin_energies(const gpu_tables *tables, const gpu_skins *skins, int staggered, double *part,
                             gpuStream_t stream)
{
  const unsigned wanted = blocks_of(*tables, *skins);
  if (wanted == 0) return gpuSuccess;
  return gpu_launch_following(*tables, tables->single && skins->kind != GPU_SHEETS ? energies<float> : energies<double>,
                              wanted < GPU_SUM_PARTS ? wanted : static_cast<unsigned>(GPU_SUM_PARTS), THREADS, 0,
                              stream, *tables, *skins, staggered, part);
}
