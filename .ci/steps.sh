# Steps of one command each, for `run`. In the directory $logs each step has a log and the exit code of its command.

# Runs a command as the step of a name.
step() {
  local name="$1" code
  shift
  "$@" >"$logs/$name.log" 2>&1
  code=$?
  echo "$code" >"$logs/$name.code"
}

# Prints what a step wrote.
show_step() {
  printf '\n%s: exit code %s\n' "$1" "$(code_of "$1")"
  cat "$logs/$1.log"
}

code_of() {
  cat "$logs/$1.code"
}
