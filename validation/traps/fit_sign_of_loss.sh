#!/usr/bin/env bash
# mistake: eps'' with the sign of e^{jwt}, negative for losses, in a table for curlew fit
# cost: the medium would amplify: a wave of 10 GHz grows by 47 % for each mm in place of falling by 32 %
# key: eps''
# ends: error
sign=${MENDED:+1}
awk -v s="${sign:--1}" 'BEGIN {
  print "f_GHz,eps_re,eps_im"
  for (k = 0; k <= 20; k++) { f = 10 ^ (k / 10); x = f * 0.05196; print f "," 5.2 + 73.2 / (1 + x * x) "," s * 73.2 * x / (1 + x * x) }
}' >water.csv
"$CURLEW" fit water.csv
