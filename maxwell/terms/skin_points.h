/* Metal walls and films at a node of a face, a component along an edge, for compilers of C and CUDA: the file that
 * includes it, once for every precision, defines REAL, NAME(x), and MX_POINT, how an inline function begins. The
 * formulas are those of maxwell/terms/skins.h.
 *
 * A pole has two numbers, n: of a wall R_k and how much of h - I_k a pass takes, of a film how much of E* and how much
 * of J. mx_skin_numbers (skins.h) works them out. */

/* h of the components of H along the edges of a flat face, of which turn has the matrix (t0 t1 / t2 -t0). */
MX_POINT void NAME(mx_skin_turn)(const REAL *turn, const REAL *H, REAL *h)
{
  h[0] = turn[0] * H[0] + turn[1] * H[1];
  h[1] = turn[2] * H[0] - turn[0] * H[1];
}

/* E* of both sides, whose far one has this share. */
MX_POINT REAL NAME(mx_film_mean)(REAL share, REAL near, REAL far) { return near + share * (far - near); }

/* Leapfrog: takes the current a step further, and returns its mean of old and new. */
MX_POINT REAL NAME(mx_skin_step)(const REAL *n, REAL h, REAL *current)
{
  const REAL change = n[1] * (h - *current), mean = *current + change;
  *current += 2 * change;
  return mean;
}

/* The same of a film, which has no use for the mean. */
MX_POINT void NAME(mx_film_step)(const REAL *n, REAL E, REAL *J) { *J = n[1] * *J + n[0] * E; }

/* Runge-Kutta: the rate of a current. */
MX_POINT REAL NAME(mx_skin_rate)(const REAL *n, REAL h, REAL current) { return n[1] * (h - current); }
MX_POINT REAL NAME(mx_film_rate)(const REAL *n, REAL E, REAL J) { return n[0] * E - n[1] * J; }
