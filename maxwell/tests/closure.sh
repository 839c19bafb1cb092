#!/bin/sh
# closure.sh NM SCRIPT LIBRARY...: fails if one of the libraries needs a symbol of Lua's or Gmsh's. SCRIPT is the library
# that does need Lua's: if none is seen there, this test would see none anywhere.
set -eu
nm=$1 script=$2
shift 2
needs() { "$nm" -u "$1" | grep -E '^ *U _?(lua_|luaL_|luaopen_|gmsh)'; }
needs "$script" >/dev/null || { echo "no symbol of Lua's is seen in $script"; exit 1; }
[ $# -ge 10 ] || { echo "$# libraries are fewer than the solver has"; exit 1; }
status=0
for library; do
  if found=$(needs "$library"); then
    printf '%s needs\n%s\n' "$library" "$found"
    status=1
  fi
done
exit $status
