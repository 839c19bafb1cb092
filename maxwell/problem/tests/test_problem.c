/* The arrays of elements go with their elements, all of them: into the part of a problem, to rank 0, and into the bytes
 * that are foretold. Whatever stands in MX_ELEMENT_ARRAYS is looked at, so that this test need not know what that is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "libdg/comm/comm.h"
#include "maxwell/limit/local_part.h"
#include "maxwell/problem/curved.h"

enum { K = 5, GEOMETRY = 3, CURVED = 2 };
static const int32_t curved[CURVED] = {1, 4};

static size_t map_bytes(void) { return mx_curve_nodes(GEOMETRY) * 3 * sizeof(double); }

static struct dg_comm *comm;
static struct dg_reference ref;

/* Bytes `size` that are different for every element of all ranks and every array. */
static void fill(void *bytes, size_t size, const char *name, int64_t element)
{
  for (size_t i = 0; i < size; i++)
    ((unsigned char *)bytes)[i] = (unsigned char)(name[0] + 7 * name[1] + 31 * element + i);
}

static void assert_filled(const void *bytes, size_t size, const char *name, int64_t element)
{
  unsigned char wanted[4096];
  assert_true(size <= sizeof wanted);
  fill(wanted, size, name, element);
  if (memcmp(bytes, wanted, size) != 0) fail_msg("'%s' of element %d did not come along", name, (int)element);
}

/* K elements that touch nothing, from `first` on in the whole mesh; those with higher numbers are faster. */
static void make(struct mx_problem *problem, int64_t first)
{
  struct dg_error err = {0};
  assert_int_equal(mx_problem_alloc(problem, &ref, K, &err), 0);
  for (size_t e = 0; e < K; e++) {
#define FILL(type, name, numbers) fill(&problem->name[e], sizeof problem->name[e], #name, first + (int64_t)e);
    MX_ELEMENT_ARRAYS(FILL)
#undef FILL
    for (int f = 0; f < 4; f++) problem->neighbour[e][f] = MX_GHOST;
  }
  assert_int_equal(mx_problem_add_curves(problem, GEOMETRY, CURVED, &err), 0);
  for (size_t k = 0; k < CURVED; k++) {
    problem->curves.where[k] = curved[k];
    fill(problem->curves.shape[k * mx_curve_nodes(GEOMETRY)], map_bytes(), "map", first + curved[k]);
  }
}

/* The maps of the part are those of `count` elements, in this order. */
static void assert_curves(const struct mx_problem *part, size_t count, const int32_t *where, const int64_t *element)
{
  assert_int_equal(part->curves.count, count);
  assert_int_equal(part->curves.geometry, GEOMETRY);
  for (size_t k = 0; k < count; k++) {
    assert_int_equal(part->curves.where[k], where[k]);
    assert_filled(part->curves.shape[k * mx_curve_nodes(GEOMETRY)], map_bytes(), "map", element[k]);
  }
}

static void assert_element(const struct mx_problem *part, size_t e, int64_t element)
{
#define CHECK(type, name, numbers) assert_filled(&part->name[e], sizeof part->name[e], #name, element);
  MX_ELEMENT_ARRAYS(CHECK)
#undef CHECK
}

static void restricts_all(void **state)
{
  (void)state;
  static const size_t element[] = {1, 3, 4};
  struct dg_error err = {0};
  struct mx_problem whole, part;
  make(&whole, 0);
  assert_int_equal(mx_problem_restrict(&part, &whole, 3, element, &err), 0);
  for (size_t i = 0; i < 3; i++) assert_element(&part, i, (int64_t)element[i]);
  assert_curves(&part, 2, (const int32_t[]){0, 2}, (const int64_t[]){1, 4});
  mx_problem_release(&part);
  mx_problem_release(&whole);
}

static void gathers_all(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct mx_problem mine, part;
  int64_t global[K];
  double rate[K];
  const int64_t first = (int64_t)K * dg_comm_rank(comm);
  const size_t all = (size_t)K * (size_t)dg_comm_size(comm);
  make(&mine, first);
  for (size_t e = 0; e < K; e++) rate[e] = (double)(global[e] = first + (int64_t)e);
  mine.comm = comm;
  mine.global = global;
  assert_int_equal(mx_local_part(&part, &mine, all, MX_PART_REGION, rate, &err), 0);
  if (dg_comm_rank(comm) == 0) {
    assert_int_equal(part.K, all);
    for (size_t e = 0; e < all; e++) assert_element(&part, e, (int64_t)e);
    int32_t where[2 * K];
    int64_t element[2 * K];
    size_t count = 0;
    for (size_t e = 0; e < all && count < 2 * K; e++)
      if (e % K == 1 || e % K == 4) {
        element[count] = where[count] = (int32_t)e;
        count++;
      }
    assert_curves(&part, count, where, element);
  }
  mx_problem_release(&part);
  mx_problem_release(&mine);
}

static void foretells_bytes(void **state)
{
  (void)state;
  struct mx_problem problem;
  const size_t before = dg_memory_current();
  make(&problem, 0);
  assert_int_equal(mx_problem_bytes(&problem), dg_memory_current() - before);
  mx_problem_release(&problem);
  assert_int_equal(dg_memory_current(), before);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(restricts_all),
      cmocka_unit_test(gathers_all),
      cmocka_unit_test(foretells_bytes),
  };
  struct dg_error err = {0};
  if (dg_comm_start(&comm, &err) != 0) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  dg_comm_finish(comm, failed);
  return failed;
}
