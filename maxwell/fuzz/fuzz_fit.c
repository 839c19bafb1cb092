/* Fuzzes the tables of `curlew fit`. The fuzzing library calls the functions below. */
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/fuzz/fuzz.h"
#include "maxwell/fit/table.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  fuzz_enter();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct mx_fit_form forms[] = {{NULL, NULL, NAN, NAN}, {"um", "nk", 0.1, 3}};
  const size_t before = dg_memory_current();
  fuzz_write("table.csv", data, size);
  for (size_t i = 0; i < 2; i++) {
    struct mx_fit_data table;
    struct dg_error err = {0};
    if (mx_fit_data_read(&table, "table.csv", &forms[i], &err) == 0) FUZZ_EXPECT(table.count >= 3 && table.eps[0] != 0);
    FUZZ_EXPECT(err.code == DG_OK || err.code == DG_INPUT);
    FUZZ_EXPECT((err.code == DG_OK) == (err.message[0] == '\0') && strpbrk(err.message, "\n\r") == NULL);
    mx_fit_data_release(&table);
  }
  FUZZ_EXPECT(dg_memory_current() == before);
  return 0;
}
