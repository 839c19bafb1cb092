#!/usr/bin/env bash
# Installs a package of Curlew on a bare Debian 12 and does what a first user does: new, run, plot.
#   share/packaging/check.sh curlew_VERSION_amd64.deb      a .deb of cpack
#   share/packaging/check.sh curlew-VERSION-...whl         a wheel of share/python/make_wheel.py, in an empty venv
# Needs root, debootstrap and the network. The bare system is made once and kept in CURLEW_BARE (/var/tmp/curlew-bare);
# every check works on a copy. Exit codes: 0, 1 something does not work, 2 wrong arguments, 3 the machine.
set -euo pipefail

bare=${CURLEW_BARE:-/var/tmp/curlew-bare}
work="" copy="" # a folder for this check, and in it the copy of the bare system

fail() { # fail EXIT_CODE MESSAGE
  printf '%s\n' "check: $2" >&2
  exit "$1"
}

# The root of the copy is left only without what was mounted in it.
tidy() {
  [[ -n $work ]] || return 0
  mountpoint -q "$copy/proc" && umount "$copy/proc"
  mountpoint -q "$copy/proc" || rm -rf --one-file-system "$work"
}

make_bare() {
  [[ -e $bare/done ]] && return
  printf '%s\n' "making a bare Debian 12 in $bare"
  rm -rf --one-file-system "$bare"
  debootstrap --variant=minbase bookworm "$bare/root" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    fail 3 "debootstrap did not make a bare system"
  }
  touch "$bare/done"
}

copy_bare() {
  cp -a "$bare/root" "$copy"
  cp /etc/resolv.conf "$copy/etc/resolv.conf"
  # Certificates of this machine: a bare system has none, and pip needs them.
  cp -L /etc/ssl/certs/ca-certificates.crt "$copy/etc/machine.crt" || fail 3 "ca-certificates is missing"
  cp "$package" "$copy/tmp/"
  cp "$here/first_steps.sh" "$copy/usr/local/bin/first_steps"
  mount -t proc proc "$copy/proc" || fail 3 "cannot mount /proc in $copy"
}

within() { # within COMMAND...: as root in the copy, with little of this environment
  local variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
    DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/machine.crt PIP_DISABLE_PIP_VERSION_CHECK=1)
  [[ -n ${http_proxy:-} ]] && variables+=("http_proxy=$http_proxy")
  [[ -n ${https_proxy:-} ]] && variables+=("https_proxy=$https_proxy")
  chroot "$copy" env -i "${variables[@]}" "$@"
}

megabytes() { du -sm --one-file-system --exclude="$copy/proc" "$copy" | cut -f 1; }

logged() { # logged WHAT COMMAND...
  "${@:2}" >"$work/log" 2>&1 </dev/null && return
  tail -n 20 "$work/log" >&2
  fail 1 "$1 failed"
}

as_user() { # as_user COMMAND...: what an ordinary user does in an empty folder
  within su -s /bin/bash user -c "$1"
}

check_deb() {
  local name begin before
  name=$(basename "$package")
  before=$(megabytes)
  begin=$SECONDS
  logged "apt-get update" within apt-get -q update
  logged "apt install ./$name" within apt-get -q install -y "/tmp/$name"
  printf '%s\n' "apt: $((SECONDS - begin)) s, $(grep -o 'Need to get .* of archives' "$work/log"), $(($(megabytes) - before)) MB more on the disk (with downloads)"
  within useradd -m user
  as_user "/usr/local/bin/first_steps curlew" || fail 1 "the first steps failed"
  # What else the package brings: the Python module, the library in a process, several processes.
  as_user 'cd && python3 -c "import curlew; r = curlew.run(\"demo.lua\", out=\"again\", set={\"time.stop\": None, \"time.steps\": 10, \"output.resonances\": None}); print(\"python:\", len(r.probes), \"probes\")"' ||
    fail 1 "the Python module does not work"
  as_user 'cd && python3 -c "import curlew; s = curlew.Simulation(\"demo.lua\"); s.advance(5); print(\"libcurlew:\", s.steps_done, \"steps\")"' ||
    fail 1 "libcurlew.so does not work"
  as_user 'cd && mpirun --oversubscribe -n 2 curlew run -q demo.lua -o two --set time.stop=nil --set time.steps=10 --set output.resonances=nil' ||
    fail 1 "two processes do not work"
  printf '%s\n' "mpirun: 2 processes"
  logged "apt-get remove curlew" within apt-get -q remove -y curlew
  [[ -z $(find "$copy/usr" -name '*curlew*' ! -path '*/dist-packages/curlew*' ! -name 'first_steps') ]] ||
    fail 1 "curlew was removed and something is left: $(find "$copy/usr" -name '*curlew*' | head -n 3)"
}

check_wheel() {
  local name begin before
  name=$(basename "$package")
  logged "apt-get update" within apt-get -q update
  logged "apt-get install python3-venv" within apt-get -q install -y --no-install-recommends python3-venv
  within useradd -m user
  before=$(megabytes)
  begin=$SECONDS
  logged "pip install $name" as_user "python3 -m venv ~/venv && ~/venv/bin/pip install /tmp/$name"
  printf '%s\n' "pip: $((SECONDS - begin)) s, $(du -sm "$copy/home/user/venv" | cut -f 1) MB in the venv, $(($(megabytes) - before)) MB on the disk (with downloads)"
  as_user "/usr/local/bin/first_steps ~/venv/bin/curlew" || fail 1 "the first steps failed"
  as_user 'cd && venv/bin/python -c "import curlew; s = curlew.Simulation(\"demo.lua\"); s.advance(5); print(\"libcurlew:\", s.steps_done, \"steps\")"' ||
    fail 1 "libcurlew.so does not work"
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# == 1)) || fail 2 "usage: check.sh PACKAGE.deb|WHEEL.whl"
package=$1
[[ -r $package ]] || fail 2 "'$package' cannot be read"
((EUID == 0)) || fail 3 "chroot needs root"
command -v debootstrap >/dev/null || fail 3 "debootstrap is missing (Debian: apt-get install debootstrap)"
work=$(mktemp -d /var/tmp/curlew-check.XXXXXX)
copy=$work/copy
trap tidy EXIT
mkdir -p "$bare"
make_bare
copy_bare
case $package in
  *.deb) check_deb ;;
  *.whl) check_wheel ;;
  *) fail 2 "'$package' is neither a .deb nor a .whl" ;;
esac
printf '%s\n' "$(basename "$package"): works"
