# shellcheck shell=bash
# The programs of a cluster, built from Go modules with pinned sums: no package of Debian and no image has them.

kubernetes_version=v1.34.4

build_programs() {
  programs="$state/programs-$(programs_recipe)"
  [ -x "$programs/node" ] && return
  install_go || cannot "building a cluster needs Go 1.24 or newer, which is not there (https://go.dev/dl)"
  rm -rf "$state"/programs-*
  say "fetching Go modules for Kubernetes $kubernetes_version"
  (cd "$here/build" && GOFLAGS=-mod=readonly go mod download) >"$state/build.log" 2>&1 ||
    { tail -n 5 "$state/build.log" >&2 && cannot "the Go modules could not be downloaded, so there is no cluster: check GOPROXY ($(go env GOPROXY))"; }
  say "building Kubernetes $kubernetes_version: five minutes of two cores, up to 25 on a busy machine"
  mkdir -p "$programs.new"
  local label="-X k8s.io/component-base/version"
  (cd "$here/build" && CGO_ENABLED=0 GOFLAGS=-mod=readonly nice go build -trimpath -buildvcs=false -o "$programs.new/" \
    -ldflags "-s -w $label.gitVersion=$kubernetes_version $label.gitMajor=1 $label.gitMinor=34" ./...) \
    >>"$state/build.log" 2>&1 || { tail -n 20 "$state/build.log" >&2 && fail "building Kubernetes failed"; }
  mv "$programs.new" "$programs"
  say "built Kubernetes $kubernetes_version"
}

# Debian 12 has one that is too old.
install_go() {
  type -P go >/dev/null && return
  local offered
  offered="$(apt-cache policy golang-go 2>/dev/null | sed -nE 's/^ *Candidate: ([0-9]+:)?([0-9]+\.[0-9]+).*/\2/p')"
  [ -n "$offered" ] && printf '1.24\n%s\n' "$offered" | sort --version-sort --check=quiet && install_missing go:golang-go
}

programs_recipe() {
  { cat "$here"/build/go.* "$here"/build/*/main.go "$here/programs.sh" && uname -m; } | sha256sum | cut -c1-16
}
