# shellcheck shell=bash
# Where everything lives, and the few words that all parts use.

# Private daemons need root; their images and packages come from Debian.
can_run_own_engines() {
  [ "$(id -u)" = 0 ] && type -P apt-get >/dev/null && grep -qs '^ID=debian' /etc/os-release
}

use_state() {
  state="${FENCED_TEST_ENGINES:-${XDG_CACHE_HOME:-$HOME/.cache}/fenced/engines}"
  # It ends up in addresses, configuration files and /proc/mounts, each with other rules for quoting.
  [[ "$state" =~ ^/[A-Za-z0-9._/+-]+$ ]] ||
    fail "FENCED_TEST_ENGINES must be an absolute path of letters, digits and ._/+- only, not '$state'"
  local longest="$state/remote/exec/containerd/containerd-debug.sock.ttrpc"
  [ ${#longest} -lt 108 ] ||
    fail "the path $state is too long by $((${#longest} - 107)) characters: a unix socket's path ends at 107; set FENCED_TEST_ENGINES to a shorter one"
  mkdir -p "$state/cache"
  state="$(cd "$state" && pwd -P)"
  # Names and addresses on this machine follow the folder, so that two of them do not meet.
  slot=$(($(cksum <<<"$state" | cut -d' ' -f1) % 32))
  # What the user's own client is set to (an engine, a context, a proxy) is not meant for these engines.
  unset DOCKER_HOST DOCKER_CONTEXT DOCKER_TLS_VERIFY DOCKER_CERT_PATH CONTAINER_HOST
  export DOCKER_CONFIG="$state/client"
  exec 9>"$state/lock"
  flock --nonblock 9 || { say "waiting for another run of this script" && flock 9; }
}

say() { printf 'engines: %3d s  %s\n' "$SECONDS" "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

contains() {
  local wanted="$1" entry
  shift
  for entry in "$@"; do [ "$entry" = "$wanted" ] && return; done
  return 1
}

print_export() { printf "export %s='%s'\n" "$1" "$2"; }

background=()

in_background() {
  "$@" &
  background+=($!)
}

wait_for_background() {
  local pid
  for pid in "${background[@]}"; do wait "$pid" || exit 1; done
  background=()
}
