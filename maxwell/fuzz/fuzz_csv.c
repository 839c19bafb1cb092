/* Fuzzes the tables of waveform.csv. The fuzzing library calls the function below; fuzz_script.h has the check. */
#include "maxwell/fuzz/fuzz_script.h"

static const char script[] =
    "simulation { mesh = { file = 'a.geo' }, order = 3, time = { stop = 1 }, materials = { default = {} },\n"
    "sources = { { region = 'rod', profile = { 0, 0, 1 }, waveform = waveform.csv { file = 'pulse.csv' } } } }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_write("case.lua", script, sizeof script - 1);
  fuzz_write("pulse.csv", data, size);
  fuzz_load("case.lua", 0, NULL);
  return 0;
}
