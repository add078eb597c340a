# shellcheck shell=bash
# The images of the tests, from Debian packages. Each is a tarball in the cache, which any engine loads in seconds.

make_tarballs() {
  local pid pids=()
  if [ "$(cat "$state/cache/recipe" 2>/dev/null)" = "$(recipe)" ]; then return; fi
  forget_tarballs
  say "making the images from Debian packages"
  for name in plain python busybox; do
    "make_$name" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "making the images failed"; done
  recipe >"$state/cache/recipe"
}

forget_tarballs() { rm -f "$state"/cache/*.tar "$state/cache/recipe"; }

# The certificates belong to it: where the way out is inspected, a container trusts what this machine trusts.
recipe() { { cat "$here/images.sh" "$certificates" 2>/dev/null || true; } | sha256sum | cut -c1-16; }

certificates=/etc/ssl/certs/ca-certificates.crt

make_plain() { make_debian plain; }

# Like the public image python:3-slim it has a `python`, and pip may install outside of a virtual environment.
# A pip newer than Debian's would bring certificates of its own.
# shellcheck disable=SC2016
make_python() {
  make_debian python --include=python3,python3-pip,python3-venv,ca-certificates \
    --customize-hook='ln -s python3 "$1/usr/bin/python" && rm "$1"/usr/lib/python3*/EXTERNALLY-MANAGED' \
    --customize-hook="[ ! -e $certificates ] || cp $certificates \"\$1$certificates\"" \
    --customize-hook="printf '[global]\ncert = $certificates\n' >\"\$1/etc/pip.conf\""
}

# Twice as fast as debootstrap. A merged /usr from the beginning needs no Perl, 50 MB, to merge it later.
make_debian() {
  local name="$1"
  shift
  mmdebstrap --quiet --variant=apt --include=usr-is-merged --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr "$@" \
    bookworm "$state/cache/$name.tar" 2>"$state/cache/$name.log" ||
    { tail -n 20 "$state/cache/$name.log" >&2 && return 1; }
}

make_busybox() {
  local root="$state/cache/busybox"
  rm -rf "$root"
  mkdir -p "$root"/{bin,etc,root,tmp}
  chmod 1777 "$root/tmp"
  cp "$(type -P busybox)" "$root/bin/busybox"
  local applet
  for applet in $(busybox --list); do [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"; done
  echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
  tar -C "$root" -cf "$state/cache/busybox.tar" .
  rm -rf "$root"
}
