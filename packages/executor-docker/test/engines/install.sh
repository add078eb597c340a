# shellcheck shell=bash
# The Debian packages that an engine needs, when their programs are not there. Each word is PROGRAM:PACKAGE.

for_images=(docker:docker.io mmdebstrap:mmdebstrap busybox:busybox-static)
for_network=(ip:iproute2 iptables:iptables pgrep:procps)
for_docker=("${for_images[@]}" "${for_network[@]}" dockerd:docker.io docker-registry:docker-registry)
for_remote=("${for_images[@]}" "${for_network[@]}" dockerd:docker.io openssl:openssl)
for_podman=("${for_images[@]}" "${for_network[@]}" podman:podman runc:runc catatonit:catatonit
  /usr/lib/podman/netavark:netavark /usr/lib/podman/aardvark-dns:aardvark-dns)
for_ssh=(sshd:openssh-server ssh:openssh-client)

install_for() {
  local programs=() engine
  for engine in "$@"; do
    local -n wanted="for_$engine"
    programs+=("${wanted[@]}")
  done
  install_missing "${programs[@]}" || fail "installing failed"
  if contains docker "$@"; then install_gvisor; fi
}

# gVisor is not built for every architecture: without it only its own tests are skipped.
install_gvisor() {
  type -P runsc >/dev/null && return
  apt-cache show runsc >/dev/null 2>&1 && install_missing runsc:runsc && return
  say "there is no gVisor here: the engine gets no runtime 'runsc'"
}

install_missing() {
  local pair packages=()
  for pair in "$@"; do
    type -P "${pair%%:*}" >/dev/null || contains "${pair#*:}" "${packages[@]}" || packages+=("${pair#*:}")
  done
  [ ${#packages[@]} -gt 0 ] || return 0
  say "installing ${packages[*]}"
  {
    [ -n "${package_lists_are_fresh:-}" ] || apt-get update -qq
    package_lists_are_fresh=yes
    DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
      apt-get install -y -qq --no-install-recommends "${packages[@]}"
  } >"$state/install.log" 2>&1 9>&- || { tail -n 20 "$state/install.log" >&2 && return 1; }
}
