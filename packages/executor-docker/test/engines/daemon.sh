# shellcheck shell=bash
# A daemon has a folder with its files, `pid` and `log` among them, and names that folder in its command line.

start_daemon() {
  local folder="$1"
  shift
  sweep "$folder"
  # In a session of its own and with none of our pipes: it must outlive this script, and nobody may wait for it.
  # Its mounts come and go with its containers; seen from outside, they get in the way of every other sandbox. And what its
  # helpers drop where they stand (conmon the file "oom") is its own.
  setsid unshare --mount --propagation slave --wd="$folder" -- "$@" >"$folder/log" 2>&1 </dev/null 9>&- &
  echo $! >"$folder/pid"
}

# Waits until a command succeeds, as a sign that the daemon is up; shows the log when that does not happen.
wait_until_up() {
  local folder="$1" end=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    if has_ended "$(<"$folder/pid")" || [ $SECONDS -ge $end ]; then
      say "$folder did not come up; its log ends with:"
      tail -n 20 "$folder/log" >&2
      exit 1
    fi
    sleep 0.1
  done
}

is_alive() {
  local folder="$1" pid
  [ -s "$folder/pid" ] && pid="$(<"$folder/pid")" && names_folder "$pid" "$folder"
}

stop_daemon() {
  local folder="$1" pid
  if is_alive "$folder"; then
    pid="$(<"$folder/pid")"
    say "stopping $folder"
    kill "$pid"
    wait_for_end "$pid" || kill -KILL "$pid"
  fi
  rm -f "$folder/pid"
  sweep "$folder"
}

# What a daemon leaves behind when it was killed: helpers, with the containers that are their children, and mounts.
sweep() {
  local folder="$1" pid mount
  for pid in $(helpers_of "$folder"); do
    # shellcheck disable=SC2046
    kill -KILL $(pgrep --parent "$pid") "$pid" 2>/dev/null || true
  done
  for mount in $(awk -v folder="$folder/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | tac); do
    umount --lazy "$mount" 2>/dev/null || true
  done
}

helpers_of() {
  local folder="$1" process program words
  for process in /proc/[0-9]*; do
    mapfile -d '' words 2>/dev/null <"$process/cmdline" || continue
    program="${words[0]:-}"
    case "${program##*/}" in
      containerd | containerd-shim* | docker-proxy | conmon | runsc-* | aardvark-dns)
        [[ "${words[*]}" != *"$folder/"* ]] || echo "${process#/proc/}"
        ;;
    esac
  done
}

# A process id alone says nothing after a restart of the machine: somebody else may have it.
names_folder() {
  local pid="$1" folder="$2"
  { tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qF -- "$folder/"; } 2>/dev/null
}

wait_for_end() {
  local pid="$1" end=$((SECONDS + 20))
  until has_ended "$pid"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.1
  done
}

# A zombie, when nobody has waited for it, is still listed.
has_ended() { ! grep -qs '^State:\s*[^ZX[:space:]]' "/proc/$1/status"; }
