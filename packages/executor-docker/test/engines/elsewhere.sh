# shellcheck shell=bash
# Any other machine: its own engine (DOCKER_HOST, or the Docker client's context), with images from public ones.

elsewhere_start() {
  local engine
  type -P docker >/dev/null || fail "the Docker client is needed, and not there"
  say "private engines need root on Debian: this uses your own engine, $(own_address), with public images"
  for engine in "$@"; do
    [ "$engine" = docker ] || fail "the engine '$engine' can be started by root on Debian only"
  done
  docker version >/dev/null || fail "no engine answers there; start it, or set DOCKER_HOST"
  local name
  for name in python plain busybox; do
    docker image inspect "fenced-test/$name" >/dev/null 2>&1 || build_image "$name"
  done
  print_export DOCKER_HOST "$(own_address)"
}

elsewhere_stop() { say "nothing to stop: your own engine is used here"; }

elsewhere_images() {
  local name
  say "building from public images with your own engine, $(own_address)"
  for name in python plain busybox; do build_image "$name"; done
}

elsewhere_load() { fail "images can be loaded into another engine by root on Debian only"; }

own_address() { echo "${DOCKER_HOST:-$(docker context inspect --format '{{.Endpoints.docker.Host}}')}"; }

build_image() {
  local name="$1" base
  case "$name" in python) base=python:3-slim ;; plain) base=debian:stable-slim ;; busybox) base=busybox ;; esac
  say "building fenced-test/$name from $base"
  echo "FROM $base" | docker build --quiet --tag "fenced-test/$name" - >/dev/null
}
