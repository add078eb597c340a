# shellcheck shell=bash
# The images of the tests, made as those of the engines are, into the containerd of each node.

# Those of the engines serve as well: their folder is next to this one, unless it was named.
make_cluster_tarballs() {
  local theirs="${state%/*}/engines/cache" name
  if [ "$(cat "$theirs/recipe" 2>/dev/null)" = "$(here="$engines" recipe)" ]; then
    for name in python plain busybox; do
      [ -e "$state/cache/$name.tar" ] || cp --reflink=auto "$theirs/$name.tar" "$state/cache/$name.tar"
    done
    cp "$theirs/recipe" "$state/cache/recipe"
  else
    here="$engines" make_tarballs
  fi
  make_pause
  for name in python plain busybox pause; do as_image "$name"; done
}

make_pause() {
  tar -C "$programs" -cf "$state/cache/pause.tar" pause
}

# An image of one layer, as `docker save` writes it. It names itself by its content, so a newer one is another one.
as_image() {
  local name="$1" layer="$state/cache/$1.tar" image="$state/cache/$1-image" sum
  if [ "$image.tar" -nt "$layer" ]; then return; fi
  sum="$(sha256sum "$layer" | cut -d' ' -f1)"
  rm -rf "$image" && mkdir "$image"
  ln "$layer" "$image/layer.tar"
  printf '{"architecture":"%s","os":"linux","config":{"Cmd":["%s"],"Env":["PATH=%s"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$(go_architecture)" "$([ "$name" = pause ] && echo /pause || echo sh)" \
    /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$sum" >"$image/config.json"
  printf '[{"Config":"config.json","RepoTags":["docker.io/fenced-test/%s:latest"],"Layers":["layer.tar"]}]' \
    "$name" >"$image/manifest.json"
  tar -C "$image" -cf "$image.tar" manifest.json config.json layer.tar
  rm -rf "$image"
}

go_architecture() { case "$(uname -m)" in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) uname -m ;; esac; }

node_load() {
  local number="$1" name
  for name in pause busybox plain python; do
    node_ctr "$number" images list --quiet | grep -qx "docker.io/fenced-test/$name:latest" && continue
    node_ctr "$number" images import "$state/cache/$name-image.tar" >/dev/null ||
      fail "node $number did not take the image $name"
  done
}
