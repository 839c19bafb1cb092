#!/usr/bin/env bash
# mistake: --unit GHz for a table whose first column is an angular frequency in rad/s
# cost: the relaxation frequency would be 6.3e9 times too high, and a run would have no loss
# key: --unit
# ends: error
unit=${MENDED:+rad/s}
awk 'BEGIN {
  print "omega (rad/s),eps_re,eps_im"
  for (k = 0; k <= 20; k++) { w = 6e9 * 10 ^ (k / 10); x = w * 8.27e-12; print w "," 5.2 + 73.2 / (1 + x * x) "," 73.2 * x / (1 + x * x) }
}' >water.csv
"$CURLEW" fit water.csv --unit "${unit:-GHz}"
