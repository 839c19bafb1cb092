/* Tables of permittivity: every form gives the same points; what is wrong is said with its line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "maxwell/fit/table.h"

static const double TWO_PI = 6.283185307179586;
static char path[] = "/tmp/curlew-table-XXXXXX";

static int make_path(void **state)
{
  (void)state;
  const int file = mkstemp(path);
  if (file >= 0) close(file);
  return file < 0;
}

static int remove_path(void **state)
{
  (void)state;
  return unlink(path);
}

static int read_text(struct mx_fit_data *data, const char *text, struct mx_fit_form form, struct dg_error *err)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  *err = (struct dg_error){0};
  return mx_fit_data_read(data, path, &form, err);
}

static struct mx_fit_form form(const char *unit, const char *columns, double from, double to)
{
  return (struct mx_fit_form){unit, columns, from, to};
}

/* n = 2, k = 1 at 100, 150 and 300 THz, then n = 3, k = 0.5: eps = (n - jk)^2. */
static void expect_points(const char *text, struct mx_fit_form how)
{
  static const double complex eps[3] = {(2 - I) * (2 - I), (3 - 0.5 * I) * (3 - 0.5 * I),
                                        (1.5 - 2 * I) * (1.5 - 2 * I)};
  static const double hertz[3] = {1e14, 1.5e14, 3e14};
  struct mx_fit_data data;
  struct dg_error err;
  if (read_text(&data, text, how, &err) != 0) fail_msg("%s: %s", text, err.message);
  assert_int_equal(data.count, 3);
  for (int i = 0; i < 3; i++) {
    if (fabs(data.omega[i] / (TWO_PI * hertz[i]) - 1) > 1e-6) fail_msg("%s: %g Hz", text, data.omega[i] / TWO_PI);
    if (cabs(data.eps[i] / eps[i] - 1) > 1e-6) fail_msg("%s: %g %g", text, creal(data.eps[i]), cimag(data.eps[i]));
  }
  mx_fit_data_release(&data);
}

static void test_forms(void **unused)
{
  (void)unused;
  const struct mx_fit_form plain = form(NULL, NULL, NAN, NAN);
  expect_points("frequency,n,k\n1e14,2,1\n1.5e14,3,0.5\n3e14,1.5,2\n", plain);
  expect_points("\xef\xbb\xbf# a remark\r\n\r\nFreq (THz);N;K\r\n100;2;1\r\n150;3;0.5\r\n300;1.5;2\r\n", plain);
  expect_points("f_PHz\tn\tk\n0.3\t1.5\t2\n0.15\t3\t0.5\n0.1\t2\t1", plain);
  expect_points("remark,wavelength_um,k,n\nx,2.99792458,1,2\ny,1.99861639,.5,3\nz,0.99930819,2,1.5\n", plain);
  expect_points("\"\xce\xbb (\xc2\xb5m)\",n,k\n0.99930819,1.5,2\n1.99861639,3,.5\n2.99792458,2,1\n", plain);
  expect_points("wl,n\n0.99930819,1.5\n1.99861639,3\n2.99792458,2\n\nwl,k\n0.99930819,2\n1.99861639,.5\n2.99792458,1\n",
                form("um", NULL, NAN, NAN));
  expect_points("  0.41356677 2 1\n 0.62035015  3 0.5\n 1.24070031 1.5 2\n", form("eV", "nk", NAN, NAN));
  expect_points("energy,eps',eps''\n0.41356677,3,4\n0.62035015,8.75,3\n1.24070031,-1.75,6\n", plain);
  expect_points("freq_thz, eps_re, eps_im\n100, 3, 4\n150, 8.75, 3\n300, -1.75, 6\n", plain);
  expect_points("freq_thz,Dk,tan_delta\n100,3,1.33333333333\n150,8.75,0.34285714\n300,-1.75,-3.428571429\n", plain);
  expect_points("freq_thz,a,b\n100,3,4\n150,8.75,3\n300,-1.75,6\n", form(NULL, "eps", NAN, NAN));
  expect_points("f_thz,n,k,\n100,2,1,\n150,3,0.5\n300,1.5,2,,\n", plain);
  expect_points("f_thz,n,k\n50,9,9\n100,2,1\n150,3,0.5\n300,1.5,2\n301,9,9\n", form(NULL, NULL, 100, 300));
}

/* The same points with the frequency in other units. */
static void test_units(void **unused)
{
  static const struct {
    const char *name, *unit;
    double hertz; /* of one */
  } axis[] = {{"energy_meV", NULL, 1e-3 / 4.135667696e-15},
              {"energy (meV)", NULL, 1e-3 / 4.135667696e-15},
              {"photon energy (eV)", NULL, 1 / 4.135667696e-15},
              {"energy", NULL, 1 / 4.135667696e-15},
              {"frequency (eV)", NULL, 1 / 4.135667696e-15},
              {"omega (rad/s)", NULL, 1 / 6.283185307179586},
              {"omega", NULL, 1 / 6.283185307179586},
              {"frequency_rad/s", NULL, 1 / 6.283185307179586},
              {"wavenumber (1/cm)", NULL, 29979245800},
              {"wavenumber_cm^-1", NULL, 29979245800},
              {"frequency (cm-1)", NULL, 29979245800},
              {"f", "meV", 1e-3 / 4.135667696e-15},
              {"nu", "1/cm", 29979245800},
              {"Frequency [THz]", NULL, 1e12}};
  (void)unused;
  for (size_t i = 0; i < sizeof axis / sizeof *axis; i++) {
    char text[300];
    snprintf(text, sizeof text, "%s,n,k\n%.17g,2,1\n%.17g,3,0.5\n%.17g,1.5,2\n", axis[i].name, 1e14 / axis[i].hertz,
             1.5e14 / axis[i].hertz, 3e14 / axis[i].hertz);
    expect_points(text, form(axis[i].unit, NULL, NAN, NAN));
  }
  expect_points("wavelength (angstrom),n,k\n9993.0819,1.5,2\n19986.1639,3,.5\n29979.2458,2,1\n",
                form(NULL, NULL, NAN, NAN));
}

static void expect_error(const char *text, struct mx_fit_form how, const char *message)
{
  struct mx_fit_data data;
  struct dg_error err;
  if (read_text(&data, text, how, &err) == 0) fail_msg("accepted: %s", text);
  assert_int_equal(err.code, DG_INPUT);
  if (strstr(err.message, message) == NULL) fail_msg("'%s' is not in '%s'", message, err.message);
  assert_null(strchr(err.message, '\n'));
  mx_fit_data_release(&data);
}

static void test_errors(void **unused)
{
  (void)unused;
  const struct mx_fit_form plain = form(NULL, NULL, NAN, NAN);
  expect_error("", plain, "has no line with numbers");
  expect_error("# only\n", plain, "has no line with numbers");
  expect_error("1,2,3\n", plain, ":1: no line of names");
  expect_error("a,b,c\n1,2,3\n", plain, ":1: no column is a frequency");
  expect_error("f,b,c\n1,2,3\n", plain, ":1: no columns n and k");
  expect_error("wavelength,n,k\n1,2,3\n", plain, ":1: the wavelength has no unit");
  expect_error("f,n,k\n1,2,3\n2,2\n", plain, ":3: 2 columns, and column 3 is needed");
  expect_error("f,n,k\n1,2,3\n2,2,x\n", plain, ":3: 'x' is no number");
  expect_error("f,n,k\n1,2,3\n2,2,nan\n", plain, ":3: 'nan' is no number");
  expect_error("f,n,k\n0,2,3\n", plain, ":2: 0 must be > 0");
  expect_error("f,n,k\n1,2,3\n2,2,3\n2,2,3\n", plain, ":4: 2 is given twice");
  expect_error("f,n,k\n1,2,3\n2,2,3\n1.5,2,3\n", plain, ":4: 1.5 follows 2: the table is not sorted");
  expect_error("f,n,k\n3,2,3\n2,2,3\n2.5,2,3\n", plain, ":4: 2.5 follows 2: the table is not sorted");
  expect_error("f,n,k\n1,2,3\nf,n,k\n", plain, ":3: a second line of names");
  expect_error("f,n\n1,2\n2,2\n3,2\nf,n\n", plain, ":5: the second block of a table has k");
  expect_error("f,n\n1,2\n2,2\n3,2\nf,k\n1,2\n2.5,2\n", plain, ":7: 2.5 is not where the first block");
  expect_error("f,n\n1,2\n2,2\n3,2\nf,k\n1,2\n", plain, "shorter than the first");
  expect_error("f,n,k\n1,2,3\n2,2,3\n", plain, "has 2 points from 0 to inf Hz; a fit takes 3 at least");
  expect_error("f,n,k\n1,2,3\n2,2,3\n3,2,3\n", form(NULL, NULL, 4, 5), "has 0 points from 4 to 5 Hz");
  expect_error("f,n,k\n1,0,0\n2,2,3\n3,2,3\n", plain, ":2: a permittivity of 0");
  expect_error("f,n,k\n1,1e200,0\n2,2,3\n3,2,3\n", plain, ":2: a permittivity of 0 or beyond all numbers");
  expect_error("energy (furlong),n,k\n1,2,3\n", plain, ":1: the unit of 'energy (furlong)' is not known");
  expect_error("f_rpm,n,k\n1,2,3\n", plain, ":1: the unit of 'f_rpm' is not known");
  expect_error("wavelength_GHz,n,k\n1,2,3\n", plain, ":1: GHz is no unit of the wavelength");
  expect_error("frequency_um,n,k\n1,2,3\n", plain, ":1: um is no unit of the frequency");
  expect_error("omega (THz),n,k\n1,2,3\n", plain, ":1: THz is no unit of the angular frequency");
  expect_error("f (GHz),n,k\n1,2,3\n", form("THz", NULL, NAN, NAN),
               ":1: the line of names says GHz, and --unit says THz");
  expect_error("f,n,k\n1,2,3\n", form(NULL, "eps", NAN, NAN),
               ":1: the line of names has 'n' in column 2, and --columns eps");
  expect_error("f,dk,df (%)\n1,2,3\n", plain, ":1: the column 'df (%)' is scaled");
  expect_error("f,dk,df (x1e-4)\n1,2,3\n", plain, "is scaled");
  expect_error("f,n,k\n1,000,000,2,3\n", plain, ":2: 5 cells where the first line has 3: '2' belongs to no column");
  expect_error("f;n;k\n1;2;3;4\n", plain, ":2: 4 cells where the first line has 3");
  expect_error("f n k\n1 000 2 3\n", plain, ":2: 4 cells where the first line has 3");
  expect_error("1,2,3\n2,2,3\n3,2,3,9\n", form("THz", "nk", NAN, NAN), ":3: 4 cells");
  struct mx_fit_data data;
  struct dg_error err = {0};
  const struct mx_fit_form how = plain;
  assert_int_equal(mx_fit_data_read(&data, "/nowhere/at/all.csv", &how, &err), DG_INPUT);
  mx_fit_data_release(&data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, make_path, remove_path);
}
