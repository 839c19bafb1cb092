/* Scenes for fused_fixture.h: together every kind of boundary, interface and source. */
#pragma once

#include <stdbool.h>

enum { SCENES = 8, FIELDS = 0, WAVES = 1, CURRENTS = 3, CAVITY = 5 };

/* Boundaries are those of box.h: 1 x = 0, 2 x = max, 3 and 4 in y, 5 and 6 in z, 7 between the volumes 1 and 2. */
static const struct {
  const char *name, *text;
  bool ring;
} scenes[SCENES] = {
    {"fields",
     "boundaries = {\n"
     "[1] = { kind = 'electric_field', field = function(x, y, z, t) return 0, sin(3e9*t - y), z*cos(2e9*t) end },\n"
     "[2] = { kind = 'magnetic_field',\n"
     "        field = function(x, y, z, t) return 0, 1e-3*cos(z - 4e9*t), 1e-3*y end },\n"
     "[3] = { kind = 'magnetic_field', profile = { 1e-3, 0, 2e-3 }, waveform = wave },\n"
     "[4] = { kind = 'surface_current', profile = function(x, y, z) return 1e-3*x, 0, 2e-3 end,\n"
     "        waveform = function(t) return sin(2e9*t) end },\n"
     "[5] = { kind = 'surface_current',\n"
     "        current = function(x, y, z, t) return 1e-3*cos(1e9*t), 1e-3*x*cos(3e9*t), 0 end },\n"
     "[6] = { kind = 'pmc' } },\n"
     "interfaces = { [7] = { kind = 'surface_current',\n"
     "  current = function(x, y, z, t) return 0, 1e-3*sin(2e9*t), 1e-3*y*cos(1e9*t) end } }",
     false},
    {"waves",
     "boundaries = {\n"
     "[1] = { kind = 'plane_wave', direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 }, waveform = wave },\n"
     "[2] = { kind = 'impedance', impedance = 200 },\n"
     "[3] = { kind = 'pmc' },\n"
     "[4] = { kind = 'pmc' },\n"
     "[5] = { kind = 'electric_field', profile = { 0.3, 0.2, 0 }, waveform = wave, delay = 1e-11 } },\n"
     "interfaces = { [7] = { kind = 'total_field', region = 2, amplitude = 0.5, waveform = wave,\n"
     "  direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 } } },\n"
     "sources = { { region = 2, profile = { 1e-3, -2e-3, 1e-3 }, waveform = wave } }",
     false},
    {"line",
     "boundaries = {\n"
     "[1] = { kind = 'lumped_port', resistance = 50, direction = { 0, 0, 1 }, waveform = wave },\n"
     "[2] = { kind = 'lumped_port', resistance = 300, direction = { 0, 0, 1 } },\n"
     "[3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
     false},
    {"currents",
     "boundaries = { [2] = { kind = 'absorbing' }, [3] = { kind = 'pmc' } },\n"
     "interfaces = { [7] = { kind = 'surface_current', profile = { 0, 1e-3, 1e-3 }, waveform = wave } },\n"
     "sources = {\n"
     "{ at = { 0.31, 0.24, 0.17 }, moment = { 1e-3, -2e-3, 3e-3 }, waveform = wave },\n"
     "{ from = { 0.1, 0.05, 0.1 }, to = { 0.9, 0.4, 0.31 }, amperes = 1e-3, waveform = wave },\n"
     "{ region = 1, profile = function(x, y, z) return 1e-3*cos(x), 1e-3*y, 0 end, waveform = wave },\n"
     "{ region = 2, current = function(x, y, z, t) return 0, 1e-3*sin(3e9*t - x), 1e-3*z*cos(2e9*t) end } }",
     false},
    {"guide",
     "boundaries = {\n"
     "[1] = { kind = 'waveguide_port', absorb = { 'TM11', 'TE20' }, waveform = wave },\n"
     "[2] = { kind = 'modal_port', family = 'TE', cutoff = 1.8e8,\n"
     "        profile = function(x, y, z) return 0, 0, sin(pi*y/0.6) end } }",
     false},
    {"cavity", /* with the centred flux no face has a penalty */
     "boundaries = { [3] = { kind = 'pmc' }, default = { kind = 'pec' } },\n"
     "interfaces = { [7] = { kind = 'pec' } },\n"
     "sources = { { at = { 0.31, 0.24, 0.17 }, moment = { 1e-3, -2e-3, 3e-3 }, waveform = wave } }",
     false},
    {"coaxial line",
     "boundaries = { [1] = { kind = 'coaxial_port', waveform = wave, amplitude = 0.1 },\n"
     "               [2] = { kind = 'coaxial_port' } }",
     true},
    {"elements",
     "boundaries = {\n"
     "[1] = { kind = 'lumped_element', resistance = 200, inductance = 1e-7, circuit = 'parallel', direction = { 0, 0, "
     "1 } },\n"
     "[2] = { kind = 'lumped_element', inductance = 2e-7, capacitance = 5e-12, circuit = 'series',\n"
     "        direction = { 0, 0, 1 } },\n"
     "[3] = { kind = 'lumped_element', resistance = 300, inductance = 2e-7, capacitance = 5e-12, circuit = "
     "'parallel',\n"
     "        direction = { 0, 0, -1 } },\n"
     "[4] = { kind = 'lumped_element', resistance = 100, capacitance = 1e-11, circuit = 'series',\n"
     "        direction = { 1, 0, 0 } },\n"
     "[5] = { kind = 'lumped_element', resistance = 100, direction = { 0, 1, 0 } } },\n"
     "sources = { { at = { 0.31, 0.24, 0.17 }, moment = { 1e-3, -2e-3, 3e-3 }, waveform = wave } }",
     false},
};
