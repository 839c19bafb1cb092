/* Measures the machine: its name and caches, the bandwidth of copies, the peak of multiply-adds. bench.c calls it
 * before the cases and once more behind them. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "maxwell/app/bench.h"
#include "maxwell/app/bench_kernels.h"
#include "libdg/base/clock.h"

/* ---- what it is */

/* The first line of a small file such as the system shows; "" if there is none. */
static void read_line(const char *path, char *text, size_t size)
{
  FILE *file = fopen(path, "r");
  text[0] = '\0';
  if (file == NULL) return;
  if (fgets(text, (int)size, file) == NULL) text[0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  (void)fclose(file);
}

static void find_processor(char *name, size_t size)
{
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
    break;
  }
  if (file != NULL) (void)fclose(file);
}

static void find_caches(struct mx_bench_machine *machine)
{
  for (int i = 0; i < MX_BENCH_CACHES; i++) {
    char path[128], text[64];
    struct mx_bench_cache *cache = &machine->cache[machine->caches];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
    read_line(path, text, sizeof text);
    char *unit;
    double size = strtod(text, &unit);
    if (unit == text) return;
    cache->bytes = (size_t)(size * (*unit == 'K' ? 1024.0 : *unit == 'M' ? 1048576.0 : 1.0));
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
    read_line(path, text, sizeof text);
    cache->level = (int)strtol(text, NULL, 10);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
    read_line(path, cache->type, sizeof cache->type);
    machine->caches++;
  }
}

void mx_bench_describe(struct mx_bench_machine *machine)
{
  *machine = (struct mx_bench_machine){.processors = omp_get_num_procs(), .load = NAN};
  char text[64];
  struct utsname system;
  time_t now = time(NULL);
  struct tm utc;
  find_processor(machine->processor, sizeof machine->processor);
  find_caches(machine);
  if (uname(&system) == 0)
    snprintf(machine->system, sizeof machine->system, "%.30s %.60s %.30s", system.sysname, system.release,
             system.machine);
  if (gmtime_r(&now, &utc) != NULL) strftime(machine->date, sizeof machine->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
#ifdef __clang__
  snprintf(machine->compiler, sizeof machine->compiler, "%s", __VERSION__);
#else
  snprintf(machine->compiler, sizeof machine->compiler, "gcc %s", __VERSION__);
#endif
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) machine->memory = (size_t)pages * (size_t)page;
  read_line("/proc/loadavg", text, sizeof text);
  char *end;
  double load = strtod(text, &end);
  if (end != text) machine->load = load;
}

/* ---- what it can do */

/* The ceilings are the best of so many tries; parts of arrays are multiples of 64 numbers. A try of the peak is short,
 * so that on a machine that does other things as well some find all processors free. */
enum { COPY_TRIES = 3, PEAK_TRIES = 60, BLOCK = 64 };

static size_t kernel_list(const struct mx_bench_kernels *list[3])
{
  size_t count = 0;
#ifdef CURLEW_X86
  if (__builtin_cpu_supports("avx512f")) list[count++] = &mx_bench_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list[count++] = &mx_bench_avx2;
#endif
  list[count++] = &mx_bench_portable;
  return count;
}

struct arrays {
  double *from, *to;
  size_t numbers;
};

/* The part of a thread; called in a parallel region. */
static void share(size_t numbers, size_t *first, size_t *count)
{
  size_t blocks = numbers / BLOCK, threads = (size_t)omp_get_num_threads(), mine = (size_t)omp_get_thread_num();
  *first = blocks * mine / threads * BLOCK;
  *count = blocks * (mine + 1) / threads * BLOCK - *first;
}

/* Bytes read and written a second; COPY_TRIES, and more of them while there is time. */
static double copy_speed(const struct arrays *arrays, void (*copy)(double *, const double *, size_t), double seconds,
                         int threads)
{
  double best = INFINITY, begin = mx_clock();
  for (int i = 0; i < COPY_TRIES || mx_clock() - begin < seconds; i++) {
    double start = mx_clock();
#pragma omp parallel num_threads(threads)
    {
      size_t first, count;
      share(arrays->numbers, &first, &count);
      copy(arrays->to + first, arrays->from + first, count);
    }
    best = fmin(best, mx_clock() - start);
  }
  return 2.0 * (double)arrays->numbers * sizeof(double) / best;
}

/* Far larger than the last cache, as far as about 1 GiB for both arrays and a quarter of the memory go; smaller where
 * less than a second is given to each case. */
static size_t array_bytes(const struct mx_bench_machine *machine, double seconds)
{
  size_t cache = 0, least = (size_t)64 << 20;
  size_t most = seconds < 1 ? least + (size_t)(seconds * 448) * ((size_t)1 << 20) : (size_t)512 << 20;
  for (int i = 0; i < machine->caches; i++)
    if (machine->cache[i].bytes > cache) cache = machine->cache[i].bytes;
  if (machine->memory > 0 && machine->memory / 8 < most) most = machine->memory / 8;
  size_t bytes = 8 * cache > least ? 8 * cache : least;
  return (bytes < most ? bytes : most) / (BLOCK * sizeof(double)) * (BLOCK * sizeof(double));
}

static int measure_copy(struct mx_bench_ceilings *ceilings, const struct mx_bench_machine *machine,
                        const struct mx_bench_options *options, int threads, struct dg_error *err)
{
  const struct mx_bench_kernels *list[3];
  struct arrays arrays = {0};
  double seconds = 0.25 * options->seconds;
  (void)kernel_list(list); /* the widest vectors; those that write past the caches need no others */
  ceilings->array = array_bytes(machine, options->seconds);
  arrays.numbers = ceilings->array / sizeof(double);
  if (dg_alloc_untouched(&arrays.from, arrays.numbers, sizeof *arrays.from, err) != 0 ||
      dg_alloc_untouched(&arrays.to, arrays.numbers, sizeof *arrays.to, err) != 0)
    goto fail;
#pragma omp parallel num_threads(threads)
  { /* every page is touched first by the thread that will copy it */
    size_t first, count;
    share(arrays.numbers, &first, &count);
    for (size_t i = first; i < first + count; i++) arrays.from[i] = 1, arrays.to[i] = 0;
  }
  double plain = copy_speed(&arrays, list[0]->copy, seconds, threads),
         streamed = copy_speed(&arrays, list[0]->streamed, seconds, threads);
  ceilings->copy = fmax(plain, streamed);
  ceilings->copy_kind = streamed > plain ? "non-temporal" : "plain";
  ceilings->copy_one = ceilings->copy;
  if (threads > 1)
    ceilings->copy_one =
        fmax(copy_speed(&arrays, list[0]->copy, seconds, 1), copy_speed(&arrays, list[0]->streamed, seconds, 1));
  size_t small = (options->unknowns + BLOCK - 1) / BLOCK * BLOCK;
  if (small < arrays.numbers) arrays.numbers = small;
  ceilings->fields_array = arrays.numbers * sizeof(double);
  ceilings->copy_fields = fmax(copy_speed(&arrays, list[0]->copy, seconds, threads),
                               copy_speed(&arrays, list[0]->streamed, seconds, threads));
fail:
  dg_free(arrays.from);
  dg_free(arrays.to);
  return err->code;
}

/* Flops a second of all threads together, from about 2 ms a try. */
static double peak_speed(const struct mx_bench_kernels *kernels, enum mx_precision precision, int threads)
{
  double flops = precision == MX_DOUBLE ? kernels->flops_double : kernels->flops_single, best = 0, sink = 0;
  size_t rounds = (size_t)(1e8 / flops);
  for (int i = 0; i < PEAK_TRIES; i++) {
    double start = mx_clock();
#pragma omp parallel num_threads(threads) reduction(+ : sink)
    sink += precision == MX_DOUBLE ? kernels->fma_double(rounds) : (double)kernels->fma_single(rounds);
    best = fmax(best, flops * (double)rounds * threads / (mx_clock() - start));
  }
  return sink != 0 ? best : 0; /* the sums are positive; the compiler does not know */
}

/* Cycles a second of the calling thread's core, from exclusive ors that wait for each other: a cycle each. */
static double clock_speed(void)
{
  enum { CHAIN = 64, ROUNDS = 50000 };
  double best = 0;
  for (int i = 0; i < PEAK_TRIES; i++) {
    unsigned long x = (unsigned long)i, y = 5;
    const double start = mx_clock();
    for (int round = 0; round < ROUNDS; round++) {
#pragma GCC unroll 64
      for (int k = 0; k < CHAIN; k++) {
        x ^= y;
        __asm__ volatile("" : "+r"(x), "+r"(y)); /* the compiler knows neither number */
      }
    }
    best = fmax(best, (double)CHAIN * ROUNDS / (mx_clock() - start));
  }
  return best;
}

int mx_bench_measure(struct mx_bench_ceilings *ceilings, const struct mx_bench_machine *machine,
                     const struct mx_bench_options *options, int threads, struct dg_error *err)
{
  const struct mx_bench_kernels *list[3];
  *ceilings = (struct mx_bench_ceilings){.clock = clock_speed()};
  for (size_t i = 0, count = kernel_list(list); i < count; i++)
    for (int precision = 0; precision < 2; precision++) {
      double speed = peak_speed(list[i], precision, threads);
      if (speed <= ceilings->peak[precision]) continue;
      ceilings->peak[precision] = speed;
      if (precision == MX_DOUBLE) ceilings->instructions = list[i]->name;
    }
  for (int i = 0; i < MX_BENCH_BACKENDS && mx_backends[i] != NULL; i++)
    if (options->backend[i] && mx_backends[i]->card->present &&
        mx_backends[i]->card->ceilings(options->unknowns * sizeof(double), &ceilings->card, err) != 0)
      return err->code;
  return measure_copy(ceilings, machine, options, threads, err);
}
