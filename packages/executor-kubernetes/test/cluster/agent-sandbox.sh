# shellcheck shell=bash
# The controller of kubernetes-sigs/agent-sandbox, with its warm pools, built from its Go module. The cluster is whole without it.

build_agent_sandbox() {
  local log="$state/build-agent-sandbox.log"
  agent_sandbox="$state/agent-sandbox-$(agent_sandbox_recipe)"
  [ -x "$agent_sandbox/agent-sandbox-controller" ] && return
  rm -rf "$state"/agent-sandbox-*
  say "building agent-sandbox's controller: three minutes of two cores, more on a busy machine"
  mkdir -p "$agent_sandbox.new"
  (cd "$here/agent-sandbox" && export GOFLAGS=-mod=readonly && nice go mod download && cp -r "$(module_folder)/k8s/crds" "$agent_sandbox.new/" &&
    CGO_ENABLED=0 nice go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$agent_sandbox.new/" \
      sigs.k8s.io/agent-sandbox/cmd/agent-sandbox-controller) >"$log" 2>&1 ||
    { say "there are no warm pools: agent-sandbox cannot be built here (see $log)" && tail -n 3 "$log" >&2 && return; }
  chmod -R u+w "$agent_sandbox.new"
  mv "$agent_sandbox.new" "$agent_sandbox"
  say "built agent-sandbox's controller"
}

module_folder() { go list -m -f '{{.Dir}}' sigs.k8s.io/agent-sandbox; }

agent_sandbox_recipe() {
  { cat "$here"/agent-sandbox/go.* && uname -m; } | sha256sum | cut -c1-16
}

agent_sandbox_start() {
  local folder="$state/agent-sandbox" crd
  [ -x "$agent_sandbox/agent-sandbox-controller" ] || return 0
  if is_alive "$folder"; then return; fi
  say "starting agent-sandbox's controller"
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$state/kubeconfig" "$folder/kubeconfig"
  for crd in "$agent_sandbox"/crds/*.yaml; do without_conversion "$crd" >"$folder/crd.yaml" && apply_new_yaml "$folder/crd.yaml"; done
  until serves_claims; do sleep 0.2; done
  start_daemon "$folder" "$agent_sandbox/agent-sandbox-controller" --kubeconfig "$folder/kubeconfig" --extensions \
    --enable-webhook=false --leader-elect=false --metrics-bind-address 0 --health-probe-bind-address 0
  wait_until_up "$folder" grep -q 'Starting workers' "$folder/log"
}

agent_sandbox_stop() {
  local folder="$state/agent-sandbox"
  if [ -d "$folder" ]; then stop_daemon "$folder"; fi
  rm -rf "$folder"
}

# An older version of the API is converted by a webhook, which has no certificate here.
without_conversion() { awk '/^  [a-z]/ { skips = /^  conversion:/ } !skips' "$1"; }

# A definition is in effect a moment after it was made.
serves_claims() {
  api GET /apis/agents.x-k8s.io/v1beta1 | grep -q sandboxes && [ "$(api GET /apis/extensions.agents.x-k8s.io/v1beta1 |
    grep -oE '"kind": ?"Sandbox(Claim|Template|WarmPool)"' | sort -u | wc -l)" = 3 ]
}

apply_new_yaml() {
  api POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions "@$1" application/yaml >/dev/null
}
