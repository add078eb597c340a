# Steps of one command each, for `run`: a busy machine may fail one, so what failed is tried once more at the end, alone.
# In the directory $logs each step has the log of its last try, and the exit codes of all of them, one a line.

# Runs a command as the step of a name.
step() {
  local name="$1" code
  shift
  "$@" >"$logs/$name.log" 2>&1
  code=$?
  echo "$code" >>"$logs/$name.codes"
}

# Prints what a step wrote in its last try.
show_step() {
  printf '\n%s: exit code %s\n' "$1" "$(last_code "$1")"
  cat "$logs/$1.log"
}

# Runs a step that failed once more, and prints what it writes then.
again_if_failed() {
  local name="$1"
  [ "$(last_code "$name")" = 0 ] && return
  printf '\n%s failed, and is tried once more.\n' "$name"
  step "$@"
  show_step "$name"
}

last_code() {
  tail -n 1 "$logs/$1.codes"
}
