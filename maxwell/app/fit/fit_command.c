/* Carries out `curlew fit`. main calls it. */
#include "maxwell/app/fit/fit_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "maxwell/app/fit/fit_output.h"
#include "maxwell/app/outputs/outputs.h"

/* Gain beyond the tolerance is no error of measurement. If all points have it, the sign is the other one's. */
static int refuse_gain(const struct mx_fit_command *command, const struct mx_fit_data *data, struct dg_error *err)
{
  size_t worst = 0, with = 0;
  double most = -INFINITY;
  for (size_t i = 0; i < data->count; i++) {
    const double gain = cimag(data->eps[i]) / (command->fit.absolute ? 1 : cabs(data->eps[i]));
    with += gain > 0;
    if (gain <= most) continue;
    most = gain;
    worst = i;
  }
  if (most <= command->fit.tolerance) return 0;
  return dg_fail(err, DG_INPUT, "%s:%ld: gain: the loss (k, eps'' or tan delta) is negative, eps'' = %.4g; %s",
                 command->table, data->line[worst], -cimag(data->eps[worst]),
                 with == data->count
                     ? "losses are positive in a table: change the sign of the column"
                     : "only media that do not amplify are fitted: leave such points out by --from and --to");
}

/* Nothing that is there is lost: neither the table, nor what the other options write. */
static int check_outputs(const struct mx_fit_command *command, struct dg_error *err)
{
  const struct {
    const char *option, *path;
  } output[] = {{"--csv", command->csv}, {"--json", command->json}, {"--plot", command->plot}};
  for (size_t i = 0; i < sizeof output / sizeof *output; i++) {
    if (output[i].path == NULL) continue;
    if (mx_output_check(output[i].option, output[i].path, 1, &command->table, err) != 0) return err->code;
    for (size_t k = 0; k < i; k++)
      if (output[k].path != NULL && strcmp(output[i].path, output[k].path) == 0)
        return dg_fail(err, DG_INPUT, "%s and %s both write '%s'", output[k].option, output[i].option, output[i].path);
  }
  return 0;
}

int mx_fit_carry_out(const struct mx_fit_command *command, const char *picture, struct dg_error *err)
{
  struct mx_fit_data data;
  struct mx_fit_result result;
  struct mx_fit_told *told = NULL;
  if (mx_fit_data_read(&data, command->table, &command->form, err) != 0 || check_outputs(command, err) != 0 ||
      refuse_gain(command, &data, err) != 0)
    goto fail;
  const struct mx_fit_table table = {data.count, data.omega, data.eps};
  if (DG_NEW(told, 1, err) != 0 || mx_fit(&table, &command->fit, &result, err) != 0) goto fail;
  mx_fit_tell(told, command, &data, &result);
  if (command->csv != NULL && dg_file_write(command->csv, mx_fit_write_csv, told, err) != 0) goto fail;
  if (command->json != NULL && dg_file_write(command->json, mx_fit_write_json, told, err) != 0) goto fail;
  if (picture != NULL && dg_file_write(picture, mx_fit_write_json, told, err) != 0) goto fail;
  if (!command->quiet) mx_fit_write_lua(stdout, told);
  if (result.max_error > command->fit.tolerance)
    fprintf(
        stderr,
        "curlew: warning: the largest error is %.3g, more than the tolerance %g, with the best %d states: allow more "
        "--poles, a larger --tolerance or a narrower band (of the real part it is %.3g, of the loss %.3g)\n",
        result.max_error, command->fit.tolerance, result.states, result.real_error, result.loss_error);
fail:
  mx_fit_data_release(&data);
  dg_free(told);
  return err->code;
}
