# shellcheck shell=bash
# Podman's service, with storage, network and settings of its own: the machine's own Podman does not notice it.

podman_address() { echo "unix://$state/podman/podman.sock"; }

podman_start() {
  local folder="$state/podman"
  is_alive "$folder" && return
  say "starting Podman"
  make_namespace podman 251
  # What it knows about running containers is true until it ends; other places for it are empty after a restart.
  sweep "$folder"
  rm -rf "$folder/run" "$folder/tmp"
  mkdir -p "$folder"/{networks,volumes}
  podman_settings "$folder" >"$folder/containers.conf"
  podman_storage "$folder" >"$folder/storage.conf"
  # shellcheck disable=SC2046
  start_daemon "$folder" $(in_namespace podman) $(podman_command "$folder") \
    system service --time=0 "$(podman_address)"
  wait_until_up "$folder" docker --host "$(podman_address)" version
}

podman_load() { load_images "$(podman_address)"; }
podman_exports() { print_export FENCED_TEST_PODMAN "$(podman_address)"; }

podman_stop() {
  local folder="$state/podman"
  if is_alive "$folder"; then remove_containers "$(podman_address)"; fi
  stop_daemon "$folder"
  delete_namespace podman
  # They stay when the machine's own Podman uses them.
  rmdir /sys/fs/cgroup/{*/,}libpod_parent{/conmon,} 2>/dev/null || true
}

podman_command() {
  local folder="$1"
  echo env "CONTAINERS_CONF=$folder/containers.conf" "CONTAINERS_STORAGE_CONF=$folder/storage.conf" podman
}

podman_settings() {
  local folder="$1"
  cat <<TOML
[containers]
# Podman raises the limit of open files beyond what root may where CAP_SYS_RESOURCE is missing.
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
init_path = "$(type -P catatonit)"

[engine]
# Without systemd. runc and not crun: Debian's crun refuses the hybrid mode of control groups.
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
tmp_dir = "$folder/tmp"
volume_path = "$folder/volumes"

[network]
network_backend = "netavark"
network_config_dir = "$folder/networks"
TOML
}

podman_storage() {
  local folder="$1"
  cat <<TOML
[storage]
driver = "overlay"
graphroot = "$folder/data"
runroot = "$folder/run"
TOML
}
