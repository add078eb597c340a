# shellcheck shell=bash
# Docker, in this machine's own network.

docker_address() { echo "unix://$state/docker/docker.sock"; }

docker_start() {
  local folder="$state/docker"
  is_alive "$folder" && return
  say "starting Docker"
  mkdir -p "$folder"
  make_bridge
  make_gvisor_runtime
  start_dockerd "$folder" "$(docker_settings)"
}

docker_load() { load_images "$(docker_address)"; }
docker_exports() { print_export DOCKER_HOST "$(docker_address)"; }
docker_stop() { stop_dockerd "$state/docker"; }

docker_settings() {
  cat <<JSON
  "hosts": ["$(docker_address)"],
  "bridge": "$(bridge_name)",
  "iptables": false,
  "default-address-pools": [{ "base": "$(network_of).128.0/17", "size": 24 }],
  "runtimes": { $(gvisor) },
JSON
}

gvisor() {
  if [ -x "$state/docker/runsc" ]; then echo "\"runsc\": { \"path\": \"$state/docker/runsc\" }"; fi
}

# Debian's gVisor is old: it can neither use KVM nor control groups here, so it has no limits, and it runs without a
# network only. It makes `nobody` the owner of its standard input, which is the /dev/null of this machine.
make_gvisor_runtime() {
  local program
  program="$(type -P runsc)" || return 0
  cat >"$state/docker/runsc" <<SH
#!/bin/sh
$program --platform=ptrace --ignore-cgroups --network=none "\$@"
status=\$?
chown root:root /dev/null
exit \$status
SH
  chmod +x "$state/docker/runsc"
}

# Arguments: folder, settings beyond those that keep a daemon to its folder, and words in front of the command.
start_dockerd() {
  local folder="$1" settings="$2"
  shift 2
  mkdir -p "$folder"
  # A stale one stops the daemon when its number is in use again.
  rm -f "$folder/dockerd.pid"
  cat >"$folder/daemon.json" <<JSON
{
$settings
  "data-root": "$folder/data",
  "exec-root": "$folder/exec",
  "pidfile": "$folder/dockerd.pid",
  "cgroup-parent": "/fenced-$slot-$(basename "$folder")",
  "exec-opts": ["native.cgroupdriver=cgroupfs"],
  "mtu": $(internet_mtu),
  "shutdown-timeout": 5
}
JSON
  start_daemon "$folder" "$@" dockerd --config-file "$folder/daemon.json"
  wait_until_up "$folder" docker --host "unix://$folder/docker.sock" version
}

stop_dockerd() {
  local folder="$1"
  if is_alive "$folder"; then remove_containers "unix://$folder/docker.sock"; fi
  stop_daemon "$folder"
  remove_control_groups "fenced-$slot-$(basename "$folder")"
}

remove_containers() {
  local containers
  mapfile -t containers < <(timeout 10 docker --host "$1" ps --all --quiet 2>/dev/null)
  [ ${#containers[@]} -eq 0 ] || timeout 60 docker --host "$1" rm --force --volumes "${containers[@]}" >/dev/null || true
}

remove_control_groups() {
  find /sys/fs/cgroup -depth -type d -path "*/$1*" -exec rmdir {} \; 2>/dev/null || true
}
