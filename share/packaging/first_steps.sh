#!/usr/bin/env bash
# What a first user does, in the home folder: first_steps CURLEW. Each step with its seconds; fails where one does.
set -euo pipefail

curlew=$1
cd
begin=${EPOCHREALTIME/./}
step() { # step COMMAND...
  local start=${EPOCHREALTIME/./}
  "$curlew" "$@" >"$HOME/said" 2>&1 || {
    cat "$HOME/said" >&2
    printf '%s\n' "first steps: curlew $* failed" >&2
    exit 1
  }
  printf '%6.1f s  curlew %s\n' "$(((${EPOCHREALTIME/./} - start) / 100000))e-1" "$*"
}
step info
step new demo
step check demo.lua
step run demo.lua
step plot demo --report
for made in demo.lua demo.geo demo/resonances.csv demo/summary.json demo/plots/energy.png demo/plots/resonances.png demo/report.html; do
  [[ -s $made ]] || { printf '%s\n' "first steps: there is no $made" >&2 && exit 1; }
done
printf '%6.1f s  all of it; %s pictures\n' "$(((${EPOCHREALTIME/./} - begin) / 100000))e-1" "$(find demo/plots -name '*.png' | wc -l)"
