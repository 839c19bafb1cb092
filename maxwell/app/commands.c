/* What the commands in share/lua/commands have of the program: the fit, pictures, a look at what is in the place of an
 * output. main calls it. */
#include "maxwell/app/commands.h"

#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "maxwell/app/outputs/outputs.h"
#include "maxwell/app/plot.h"
#include "maxwell/fit/fit.h"
#include "maxwell/shell/script/command/script_command.h"

/* The picture of a fit. */
struct picture {
  char model[MX_PLOT_MODEL]; /* file that it is drawn from; "": there is none */
  char *name;                /* NULL: it is not to be drawn yet */
};

static int check_output(void *self, struct mx_command_call *call, struct dg_error *err)
{
  (void)self;
  return mx_output_check(call->text[0], call->text[1], 1, &call->text[2], err);
}

static int prepare_picture(void *self, struct mx_command_call *call, struct dg_error *err)
{
  struct picture *picture = self;
  call->answer = picture->model;
  return mx_plot_prepare(picture->model, err);
}

static int draw(void *self, struct mx_command_call *call, struct dg_error *err)
{
  struct picture *picture = self;
  return dg_copy_string(&picture->name, call->text[0], err);
}

/* Answers states, the errors of struct mx_fit_result from max_error on, epsilon_r, sigma, the number of poles, Re c,
 * Im c, Re a, Im a of each, and real and imaginary part of the fit at each point. */
static int answer(const struct mx_fit_result *r, const struct mx_fit_table *table, struct mx_command_call *call,
                  struct dg_error *err)
{
  const struct mx_fit_model *model = &r->model;
  const double head[] = {r->states,   r->max_error, r->rms_error,     r->real_error, r->loss_error,       r->free_max,
                         r->free_rms, r->worst,     model->epsilon_r, model->sigma,  (double)model->poles};
  if (DG_NEW(call->answered, sizeof head / sizeof *head + 4 * model->poles + 2 * table->count, err) != 0)
    return err->code;
  memcpy(call->answered, head, sizeof head);
  double *next = call->answered + sizeof head / sizeof *head;
  for (size_t p = 0; p < model->poles; p++) {
    const double complex number[] = {model->pole[p].c, model->pole[p].a};
    memcpy(next, number, sizeof number);
    next += 4;
  }
  for (size_t i = 0; i < table->count; i++, next += 2) {
    const double complex fit = mx_fit_evaluate(model, table->omega[i]);
    memcpy(next, &fit, sizeof fit);
  }
  call->answers = (size_t)(next - call->answered);
  return 0;
}

/* The numbers are poles, tolerance, absolute, no sigma; then w, Re eps and Im eps of all points. */
static int fit(void *self, struct mx_command_call *call, struct dg_error *err)
{
  enum { OPTIONS = 4 };
  const double *const number = call->number;
  const size_t count = (call->numbers - OPTIONS) / 3;
  const struct mx_fit_options options = {.poles = (int)number[0],
                                         .tolerance = number[1],
                                         .absolute = number[2] != 0,
                                         .no_sigma = number[3] != 0,
                                         .least_epsilon = 1};
  struct mx_fit_result result;
  double complex *eps;
  (void)self;
  if (DG_NEW(eps, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    const double part[2] = {number[OPTIONS + count + i], number[OPTIONS + 2 * count + i]};
    memcpy(&eps[i], part, sizeof part); /* of any sign of zero */
  }
  const struct mx_fit_table table = {count, number + OPTIONS, eps};
  if (mx_fit(&table, &options, &result, err) == 0) (void)!answer(&result, &table, call, err);
  dg_free(eps);
  return err->code;
}

int mx_fit_command(int words, char *const *word, struct dg_error *err)
{
  static const struct mx_command_function functions[] = {
      {"fit", fit}, {"check_output", check_output}, {"picture", prepare_picture}, {"draw", draw}, {NULL, NULL}};
  struct picture picture = {0};
  if (mx_command_run("fit", "lua/commands/fit.lua was", words, word, functions, &picture, err) == 0 &&
      picture.name != NULL)
    (void)!mx_plot_fit(picture.model, picture.name, err);
  if (picture.model[0] != '\0') (void)unlink(picture.model);
  dg_free(picture.name);
  return err->code;
}

int mx_new(int words, char *const *word, struct dg_error *err)
{
  static const struct mx_command_function none[] = {{NULL, NULL}};
  return mx_command_run("new", "templates were", words, word, none, NULL, err);
}
