# shellcheck shell=bash
# The images of the tests, into an engine.

image_names=(fenced-test/python fenced-test/plain fenced-test/busybox)

# Loads what the engine at an address has not got.
load_images() {
  local address="$1" name
  for name in "${image_names[@]}"; do
    if [ "$(recipe_of_image "$address" "$name")" = "$(recipe)" ]; then continue; fi
    say "loading $name into $address"
    load_image "$address" "$name" || fail "the engine at $address did not take the image $name"
    # The one before has lost its name.
    docker --host "$address" image prune --force --filter label=fenced-test.recipe >/dev/null || true
  done
}

load_image() {
  local address="$1" name="$2" command='["sh"]'
  [ "$name" = fenced-test/python ] && command='["python3"]'
  docker --host "$address" import --change "CMD $command" --change "LABEL fenced-test.recipe=$(recipe)" \
    "$state/cache/${name#*/}.tar" "$name:latest" 9>&- >/dev/null
}

recipe_of_image() {
  docker --host "$1" image inspect --format '{{index .Config.Labels "fenced-test.recipe"}}' "$2" 2>/dev/null || true
}
