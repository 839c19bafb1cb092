/* Tensors and gyrotropic terms of materials: what scripts give, in which axes, and the messages of those that are
 * wrong. */
#include "maxwell/model/tests/config_fixture.h"

#include <math.h>

#define MEDIUM(keys)                                                                                                   \
  "simulation { mesh = { file = 'a.geo' }, order = 3, time = { steps = 1 },\nmaterials = { rock = { " keys " } } }\n"

static const struct bad_table bad[] = {
    {MEDIUM("epsilon_r = { 1, 2 }"),
     "cavity.lua:2: materials.rock.epsilon_r must be a tensor: { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three "
     "lists of three, not 2 values"},
    {MEDIUM("mu_r = { 1, 2, 3, 4 }"),
     "cavity.lua:2: materials.rock.mu_r must be a tensor: { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three lists of "
     "three, not 4 values"},
    {MEDIUM("epsilon_r = { 1, 2, 'x' }"),
     "cavity.lua:2: materials.rock.epsilon_r.3 must be a number, not the string \"x\""},
    {MEDIUM("epsilon_r = { { 1, 0, 0 }, { 0, 1 }, { 0, 0, 1 } }"),
     "cavity.lua:2: materials.rock.epsilon_r.2 must be three numbers, a row of a tensor, not 2 values"},
    {MEDIUM("epsilon_r = { { 2, 0.1, 0 }, { 0.2, 2, 0 }, { 0, 0, 1 } }"),
     "cavity.lua:2: materials.rock.epsilon_r is not symmetric: entry (1, 2) is 0.1, and entry (2, 1) is 0.2 (the "
     "antisymmetric part of a gyrotropic medium is not given as a tensor)"},
    {MEDIUM("epsilon_r = { 2, 2, -1 }"),
     "cavity.lua:2: materials.rock.epsilon_r is not positive definite: the least of its principal values is -1"},
    {MEDIUM("mu_r = { 1, 1, 1, 2, 0, 0 }"),
     "cavity.lua:2: materials.rock.mu_r is not positive definite: the least of its principal values is -1"},
    {MEDIUM("epsilon_r = { 2, 2, 0 }"),
     "cavity.lua:2: materials.rock.epsilon_r is not positive definite: the least of its principal values is 0"},
    {MEDIUM("axes = { about = { 0, 0, 1 }, angle = 3 }"),
     "cavity.lua:2: materials.rock.axes turn a tensor, and neither epsilon_r nor mu_r is one"},
    {MEDIUM("epsilon_r = { 1, 2, 3 }, axes = { { 1, 0, 0 }, { 0, 1, 0 } }"),
     "cavity.lua:2: materials.rock.axes must be three directions at right angles, or { about = {..}, angle = degrees "
     "}, "
     "not 2 values"},
    {MEDIUM("epsilon_r = { 1, 2, 3 }, axes = { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, 1 } }"),
     "cavity.lua:2: materials.rock.axes: direction 2 is zero"},
    {MEDIUM("epsilon_r = { 1, 2, 3 }, axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 1, 1 } }"),
     "cavity.lua:2: materials.rock.axes: directions 2 and 3 are not at right angles (their cosine is 0.707)"},
    {MEDIUM("epsilon_r = { 1, 2, 3 }, axes = { about = { 0, 0, 1 } }"),
     "cavity.lua:2: 'angle' is missing in materials.rock.axes (for example: angle = 30)"},
    {MEDIUM("epsilon_r = { 1, 2, 3 }, sigma = 1"), "cavity.lua:2: materials.rock.sigma: a medium whose epsilon_r or "
                                                   "mu_r is a tensor has no sigma yet; a loss_tangent, "
                                                   "with which the losses have the axes of epsilon_r, is there"},
    {MEDIUM("mu_r = { 1, 2, 3 }, debye = { { delta = 1, tau = 1e-9 } }"),
     "cavity.lua:2: materials.rock.debye: a medium whose epsilon_r or mu_r is a tensor has no debye yet; a "
     "loss_tangent, "
     "with which the losses have the axes of epsilon_r, is there"},
    {MEDIUM("gyrotropic = 3"), "cavity.lua:2: materials.rock.gyrotropic must be a table, as in { omega_p = 1e11, "
                               "omega_c = { 0, 0, 5e10 } }, not "
                               "3"},
    {MEDIUM("gyrotropic = { omega_p = 1e11 }"),
     "cavity.lua:2: 'omega_c' is missing in materials.rock.gyrotropic (for example: omega_c = { 0, 0, 5e10 })"},
    {MEDIUM("gyrotropic = { omega_p = 0, omega_c = { 0, 0, 1e9 } }"),
     "cavity.lua:2: materials.rock.gyrotropic.omega_p must be a number > 0 (rad/s), not 0"},
    {MEDIUM("gyrotropic = { omega_p = 1e9, gamma = -1e7, omega_c = { 0, 0, 1e9 } }"),
     "cavity.lua:2: materials.rock.gyrotropic.gamma must be a number >= 0 (rad/s), not -1e+07"},
    {MEDIUM("gyrotropic = { omega_p = 1e9, omega_c = { 0, 1e9 } }"),
     "cavity.lua:2: materials.rock.gyrotropic.omega_c must be three numbers (rad/s), q B/m, not 2 values"},
    {MEDIUM("gyrotropic = { omega_p = 1e9, omega_c = { 0, 0, 1e9 } }, drude = { { omega_p = 1e9, gamma = 0 } }"),
     "cavity.lua:2: materials.rock.drude beside a gyrotropic term is not there yet: a medium has one or the other"},
    {MEDIUM("epsilon_r = { 1, 1, 2 }, gyrotropic = { omega_p = 1e9, omega_c = { 0, 0, 1e9 } }"),
     "cavity.lua:2: materials.rock.gyrotropic needs an epsilon_r and a mu_r that are numbers or functions, not "
     "tensors"},
    {MEDIUM("ferrite = { saturation = 1e5 }"),
     "cavity.lua:2: 'bias' is missing in materials.rock.ferrite (for example: bias = { 0, 0, 1e5 })"},
    {MEDIUM("ferrite = { saturation = -1, bias = { 0, 0, 1 } }"),
     "cavity.lua:2: materials.rock.ferrite.saturation must be a number > 0 (A/m), not -1"},
    {MEDIUM("ferrite = { saturation = 1e5, bias = { 0, 0, 0 } }"),
     "cavity.lua:2: materials.rock.ferrite.bias is zero: a ferrite needs a static field that saturates it"},
    {MEDIUM("ferrite = { saturation = 1e5, bias = { 0, 0, 1 }, linewidth = 3 }"),
     "cavity.lua:2: materials.rock.ferrite.linewidth belongs to a frequency: add at = ..., in Hz"},
    {MEDIUM("ferrite = { saturation = 1e5, bias = { 0, 0, 1 }, at = 1e9 }"),
     "cavity.lua:2: materials.rock.ferrite.at is the frequency of a linewidth, and there is none"},
    {MEDIUM("ferrite = { saturation = 1e5, bias = { 0, 0, 1 }, linewidth = 3, at = 1e9, damping = 0.1 }"),
     "cavity.lua:2: materials.rock.ferrite.linewidth and damping are two ways to say one thing: leave one of them out"},
    {MEDIUM("mu_r = { 1, 1, 2 }, ferrite = { saturation = 1e5, bias = { 0, 0, 1 } }"),
     "cavity.lua:2: materials.rock.ferrite needs an epsilon_r and a mu_r that are numbers or functions, not tensors"},
    {MEDIUM("magnetic = { debye = { { delta = 1, tau = 1e-9 } } }, ferrite = { saturation = 1e5, bias = { 0, 0, 1 } }"),
     "cavity.lua:2: materials.rock.magnetic beside a ferrite is not there yet: a medium has one or the other"},
};

static void wrong_tensors_have_messages(void **state)
{
  (void)state;
  refuse_tables(sizeof bad / sizeof *bad, bad);
}

struct right {
  const char *text;
  double number[6]; /* xx, xy, xz, yy, yz, zz, of epsilon_r */
};

static void tensors_are_those_of_the_mesh_axes(void **state)
{
  static const struct right right[] = {
      {MEDIUM("epsilon_r = { 1, 2, 3 }"), {1, 0, 0, 2, 0, 3}},
      {MEDIUM("epsilon_r = { 4, 5, 6, 0.1, 0.2, 0.3 }"), {4, 0.1, 0.2, 5, 0.3, 6}},
      {MEDIUM("epsilon_r = { { 4, 0.1, 0.2 }, { 0.1, 5, 0.3 }, { 0.2, 0.3, 6 } }"), {4, 0.1, 0.2, 5, 0.3, 6}},
      /* x turns to y, y to -x */
      {MEDIUM("epsilon_r = { 4, 5, 6, 0.1, 0.2, 0.3 }, axes = { about = { 0, 0, 2 }, angle = 90 }"),
       {5, -0.1, -0.3, 4, 0.2, 6}},
      {MEDIUM("epsilon_r = { 4, 5, 6, 0.1, 0.2, 0.3 }, axes = { { 0, 3, 0 }, { -1, 0, 0 }, { 0, 0, 1 } }"),
       {5, -0.1, -0.3, 4, 0.2, 6}},
      /* a third of a turn about the diagonal: x to y to z to x */
      {MEDIUM("epsilon_r = { 4, 5, 6, 0.1, 0.2, 0.3 }, axes = { about = { 1, 1, 1 }, angle = 120 }"),
       {6, 0.2, 0.3, 4, 0.1, 5}},
      {MEDIUM("epsilon_r = { 1, 3, 5 }, axes = { about = { 1, 0, 0 }, angle = 45 }, loss_tangent = 0.1, at = 1e9"),
       {1, 0, 0, 4, -1, 4}},
  };
  (void)state;
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    struct mx_config config;
    struct mx_script *script = read_right(right[i].text, 0, NULL, &config);
    const struct mx_material_config *material = &config.material[0];
    assert_true(material->tensor[0].given && !material->tensor[1].given && material->mu_r.value == 1);
    for (int k = 0; k < 6; k++) assert_true(fabs(material->tensor[0].number[k] - right[i].number[k]) < 1e-14);
    if (i == 0) assert_true(fabs(material->epsilon_r.value - 3 / (1 + 1. / 2 + 1. / 3)) < 1e-15);
    mx_config_release(&config);
    mx_script_free(script);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_tensors_have_messages),
                                     cmocka_unit_test(tensors_are_those_of_the_mesh_axes)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
