/* Fuzzes --set KEY=VALUE, one a line, over a script that has every kind of key. The fuzzing library calls the function
 * below; fuzz_script.h has the check. */
#include "maxwell/fuzz/fuzz_script.h"

static const char script[] =
    "simulation { name = 'case', mesh = { file = 'a.geo', parameters = { L = 1 } }, order = 3, flux = 0.5,\n"
    "time = { stop = 1, cfl = 0.5 }, materials = { default = { epsilon_r = 2 }, [3] = { sigma = 1 } },\n"
    "boundaries = { walls = { kind = 'pec' }, port = { kind = 'waveguide_port', mode = 'TE10' } },\n"
    "sources = { { region = 'rod', profile = { 0, 0, 1 }, waveform = waveform.ricker { f_peak = 1e9 } } },\n"
    "initial = { E = function(x, y, z) return x, y, z end },\n"
    "output = { probes = { { name = 'p', at = { 0, 0, 0 }, frequencies = { 1e9, 2e9 } } }, energy = { every = 2 },\n"
    "currents = { { name = 'c', circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = 1 } } } } }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { MOST = 8 };
  struct mx_definition set[MOST];
  char text[1024];
  size_t sets = 0, used = 0;
  while (used < size && data[used] != '\0' && used < sizeof text - 1) text[used] = (char)data[used], used++;
  text[used] = '\0';
  for (char *line = text, *end = text; sets < MOST && end != NULL; line = end + 1) {
    end = strchr(line, '\n');
    if (end != NULL) *end = '\0';
    char *equals = strchr(line, '=');
    if (equals != NULL) *equals++ = '\0';
    set[sets++] = (struct mx_definition){.name = line, .value = equals};
    if (end == NULL) break;
  }
  fuzz_write("case.lua", script, sizeof script - 1);
  fuzz_load("case.lua", sets, set);
  return 0;
}
