#!/usr/bin/env bash
# Prints the path of a kubectl of the version of the tests' cluster, for `pnpm bench kubernetes --kubectl "$(bench/peers/kubectl.sh)"`.
# The first time it is built from the Go modules of that cluster, which takes Go 1.24 and some minutes.
set -euo pipefail

cluster="$(cd "$(dirname "$0")/../../packages/executor-kubernetes/test/cluster" && pwd)"
version="$(sed -n 's/^kubernetes_version=//p' "$cluster/programs.sh")"
program="${XDG_CACHE_HOME:-$HOME/.cache}/fenced/bench/kubectl-$version"

if ! [ -x "$program" ]; then
  echo "Building $program ..." >&2
  folder="$(mktemp -d)"
  trap 'rm -rf "$folder"' EXIT
  cp "$cluster"/build/go.{mod,sum} "$folder"
  mkdir -p "${program%/*}"
  label="-X k8s.io/component-base/version"
  (cd "$folder" && CGO_ENABLED=0 GOFLAGS=-mod=mod go build -trimpath -buildvcs=false -o "$program" \
    -ldflags "-s -w $label.gitVersion=$version" k8s.io/kubernetes/cmd/kubectl) >&2
fi
echo "$program"
