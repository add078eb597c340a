# shellcheck shell=bash
# An ssh server on the loopback address, with the Docker engine's socket behind it.

ssh_start() {
  local folder="$state/ssh"
  is_alive "$folder" && return
  say "starting the ssh server"
  mkdir -p "$folder/bin" /run/sshd
  [ -s "$folder/host_key" ] || ssh-keygen -q -t ed25519 -N '' -C 'fenced test host' -f "$folder/host_key"
  [ -s "$folder/identity" ] || ssh-keygen -q -t ed25519 -N '' -C 'fenced test client' -f "$folder/identity"
  [ -s "$folder/port" ] || free_port >"$folder/port"
  cp "$folder/identity.pub" "$folder/authorized_keys"
  echo "[127.0.0.1]:$(<"$folder/port") $(<"$folder/host_key.pub")" >"$folder/known_hosts"
  ssh_server_settings "$folder" >"$folder/sshd_config"
  ssh_client_settings "$folder" >"$folder/config"
  # For the front of PATH: the Docker client, for one, calls `ssh` and has no option for its settings.
  printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(type -P ssh)" "$folder/config" >"$folder/bin/ssh"
  chmod +x "$folder/bin/ssh"
  start_daemon "$folder" "$(type -P sshd)" -D -e -f "$folder/sshd_config"
  wait_until_up "$folder" "$folder/bin/ssh" -p "$(<"$folder/port")" 127.0.0.1 true
}

ssh_load() { :; }

ssh_exports() {
  local folder="$state/ssh"
  print_export FENCED_TEST_SSH "ssh://$(id -un)@127.0.0.1:$(<"$folder/port")$state/docker/docker.sock"
  print_export FENCED_TEST_SSH_CONFIG "$folder/config"
  print_export FENCED_TEST_SSH_PATH "$folder/bin"
}

ssh_stop() { stop_daemon "$state/ssh"; }

ssh_server_settings() {
  local folder="$1"
  cat <<CONFIG
ListenAddress 127.0.0.1
Port $(<"$folder/port")
HostKey $folder/host_key
AuthorizedKeysFile $folder/authorized_keys
AuthenticationMethods publickey
PermitRootLogin prohibit-password
# The folders above these files may be open to others, /tmp for one.
StrictModes no
UsePAM no
PidFile none
CONFIG
}

ssh_client_settings() {
  local folder="$1"
  cat <<CONFIG
Host 127.0.0.1
  Port $(<"$folder/port")
  User $(id -un)
  IdentityFile $folder/identity
  IdentitiesOnly yes
  UserKnownHostsFile $folder/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  BatchMode yes
CONFIG
}

# Below the range from which the system gives ports to clients.
free_port() {
  local port
  for port in $(shuf --input-range=20000-32000 --head-count=50); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port" && return; }
  done
  fail "there is no free port"
}
