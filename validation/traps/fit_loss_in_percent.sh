#!/usr/bin/env bash
# mistake: a loss tangent in per cent, as a data sheet has it, in a table for curlew fit
# cost: the loss is 100 times too large: eps'' 8.8 for 0.088
# key: df (%)
# ends: error
if [ -n "$MENDED" ]; then head="f (GHz),dk,df" df=0.02; else head="f (GHz),dk,df (%)" df=2; fi
printf '%s\n' "$head" "1,4.4,$df" "3,4.4,$df" "5,4.4,$df" "10,4.4,$df" >board.csv
"$CURLEW" fit board.csv
