#!/usr/bin/env bash
# Looks into a .deb of cpack without installing it: check_contents.sh curlew_VERSION_amd64.deb. It depends on what its
# programs load, has all its files, holds no path of the machine that it was made on, and runs from where it was unpacked.
# Takes seconds, and no root; check.sh installs it on a bare system. Exit codes: 0, 1 something is wrong, 2 wrong arguments.
set -euo pipefail

if (($# != 1)) || [[ ! -r $1 ]]; then
  printf '%s\n' "usage: check_contents.sh PACKAGE.deb" >&2
  exit 2
fi
package=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
wrong() {
  printf '%s\n' "check contents: $*" >&2
  bad=1
}

depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libgmsh libgomp1 libhdf5 libmetis libopenblas0 libopenmpi libsiloh5 liblua5.4; do
  [[ $depends == *"$library"* ]] || wrong "it does not depend on $library: $depends"
done
[[ $(dpkg-deb -f "$package" Recommends) == *python3-matplotlib* ]] || wrong "it does not recommend python3-matplotlib"

dpkg-deb -x "$package" "$work/unpacked"
usr=$work/unpacked/usr
for name in bin/curlew bin/curlew-scaling libexec/curlew/curlew-mesh include/curlew.h \
  share/curlew/lua/prelude.lua share/curlew/lua/waveform.lua share/curlew/plot/plot_run.py share/curlew/templates/cavity.geo \
  share/curlew/examples/01_cavity/cavity.lua share/curlew/python/curlew/__init__.py lib/python3/dist-packages/curlew/__init__.py \
  share/doc/curlew/manual.md share/doc/curlew/copyright share/man/man1/curlew.1.gz \
  share/bash-completion/completions/curlew share/zsh/vendor-completions/_curlew share/fish/vendor_completions.d/curlew.fish; do
  [[ -s $usr/$name ]] || wrong "there is no $name"
done
compgen -G "$usr/lib/*/libcurlew.so.*" >/dev/null || wrong "there is no libcurlew.so"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
while read -r name; do
  wrong "$name holds the path $here"
done < <(grep -rlF "$here" "$work/unpacked")

cd "$work"
export CURLEW_SHARE=$usr/share/curlew
for words in info "new demo" "check demo.lua" "run -q demo.lua --set time.stop=nil --set time.steps=5 --set output.resonances=nil"; do
  read -r -a list <<<"$words"
  "$usr/bin/curlew" "${list[@]}" >said 2>&1 || wrong "curlew $words: $(tail -n 3 said)"
done
((bad)) || printf '%s\n' "$(basename "$package"): $(stat -c %s "$package") bytes, $(find "$work/unpacked" -type f | wc -l) files, complete"
exit "$bad"
