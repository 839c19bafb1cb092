/* A machine without a card, or one that is hidden (CUDA_VISIBLE_DEVICES= in the test's environment): the program runs,
 * and says what is missing. */
#include "maxwell/tests/script_fixture.h"

#include "maxwell/backend/backend.h"

static void test_available(void **state)
{
  (void)state;
  const char begin[] = "backend = cuda needs an NVIDIA GPU: ";
  struct dg_error err = {0};
  assert_int_equal(mx_backend_cuda.available(&err), DG_ENVIRONMENT);
  print_message("%s\n", err.message);
  assert_memory_equal(err.message, begin, sizeof begin - 1);
  assert_true(strlen(err.message) > sizeof begin);
}

static void test_create(void **state)
{
  (void)state;
  struct mx_backend *backend;
  const struct mx_problem problem = {0};
  const struct mx_backend_options options = {0};
  struct dg_error err = {0};
  assert_int_equal(mx_backend_cuda.create(&backend, &problem, &options, &err), DG_ENVIRONMENT);
  assert_null(backend);
  mx_backend_cuda.destroy(backend);
}

/* The first backend of the list, which "auto" would take, steps aside. */
static void test_list(void **state)
{
  (void)state;
  struct dg_error err = {0};
  assert_ptr_equal(mx_backends[0], &mx_backend_cuda);
  assert_int_equal(mx_backends[1]->available(&err), 0);
  assert_null(mx_backends_missing[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_available),
      cmocka_unit_test(test_create),
      cmocka_unit_test(test_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
