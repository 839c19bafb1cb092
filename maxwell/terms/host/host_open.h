/* The kept traces of open faces and resistive sheets (mx_kept_faces) on the host, once for every precision. The file
 * that includes it defines NAME(kept)(state, equation), [mx_kept_faces][3][Nf]. */

static void NAME(copy_open)(struct NAME(state) * state, const struct mx_state_array *of, size_t first, size_t count,
                            double *to, const double *from)
{
  const size_t width = mx_state_width(of);
  REAL *kept = NAME(kept)(state, of->field) + first * width;
  for (size_t i = 0; i < count * width; i++)
    if (to != NULL) to[i] = (double)kept[i];
    else kept[i] = (REAL)from[i];
}
