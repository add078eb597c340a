# shellcheck shell=bash
# A node: a containerd and a kubelet in a network namespace, which also share the mounts that nobody else sees.

node_start() {
  local number="$1" kind="$2" folder="$state/node-$1"
  if is_alive "$folder/kubelet"; then return; fi
  say "starting node $number"
  mkdir -p "$folder"/{containerd,kubelet,network}
  make_node_network "$number"
  node_network "$number" "$kind" >"$folder/network/10-pods.conflist"
  containerd_settings "$number" >"$folder/containerd/config.toml"
  kubelet_settings "$number" >"$folder/kubelet/config.yaml"
  make_control_groups "fenced-$slot-node-$number"
  # shellcheck disable=SC2016
  start_daemon "$folder/containerd" nsenter "--net=/run/netns/$(node_namespace "$number")" sh -c '
    for directory in /var/lib/cni /var/log/containers; do
      mkdir -p "$directory" && mount -t tmpfs none "$directory"
    done
    exec containerd --config "$0"' "$folder/containerd/config.toml"
  wait_until_up "$folder/containerd" node_ctr "$number" version
  kubelet_start "$number" "$kind"
}

kubelet_start() {
  local number="$1" kind="$2" folder="$state/node-$1" containerd
  containerd="$(<"$folder/containerd/pid")"
  start_daemon "$folder/kubelet" nsenter "--mount=/proc/$containerd/ns/mnt" "--net=/run/netns/$(node_namespace "$number")" \
    "$programs/node" --config "$folder/kubelet/config.yaml" --root-dir "$folder/kubelet/data" \
    --cert-dir "$folder/kubelet/certificates" --kubeconfig "$state/kubeconfig-$number" \
    --hostname-override "$(node_name "$number")" --node-ip "$(node_address "$number")" \
    --node-labels "fenced.test/network=$kind"
}

node_ctr() {
  local number="$1"
  shift
  ctr --address "$state/node-$number/containerd/containerd.sock" --namespace k8s.io "$@"
}

node_stop() {
  local number="$1" folder="$state/node-$1"
  [ -d "$folder" ] || return 0
  stop_daemon "$folder/kubelet"
  end_shims "$number"
  stop_daemon "$folder/containerd"
  remove_node_network "$number"
  remove_groups "fenced-$slot-node-$number"
  # Images are loaded in seconds, and a folder that was used by another containerd helps nobody.
  rm -rf --one-file-system "$folder"
}

# Pods that the API server could not be asked to end.
end_shims() {
  local pid
  for pid in $(pgrep --full "containerd-shim.*-address $state/node-$1/containerd/" || true); do
    # shellcheck disable=SC2046
    kill -KILL $(pgrep --parent "$pid") "$pid" 2>/dev/null || true
  done
}

containerd_settings() {
  local number="$1" folder="$state/node-$1"
  cat <<TOML
version = 2
root = "$folder/containerd/data"
state = "$folder/containerd/run"
[grpc]
  address = "$folder/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "fenced-test/pause:latest"
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$folder/network"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
TOML
}

kubelet_settings() {
  local number="$1" folder="$state/node-$1"
  cat <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$folder/containerd/containerd.sock
address: $(node_address "$number")
healthzPort: 0
readOnlyPort: 0
authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }
authorization: { mode: AlwaysAllow }
cgroupDriver: cgroupfs
cgroupRoot: /fenced-$slot-node-$number
failCgroupV1: false
failSwapOn: false
enforceNodeAllocatable: []
makeIPTablesUtilChains: false
oomScoreAdj: 0
podLogsDir: $folder/kubelet/logs
podPidsLimit: 1024
maxPods: 200
imageGCHighThresholdPercent: 100
evictionHard: { memory.available: 50Mi, nodefs.available: 1%, imagefs.available: 1% }
# What a pod does is seen sooner than on a node with hundreds of them.
syncFrequency: 2s
nodeStatusUpdateFrequency: 2s
volumeStatsAggPeriod: 2s
YAML
}

# A hierarchy without processors takes no process.
make_control_groups() {
  local directory
  for directory in /sys/fs/cgroup/*/; do
    [ -e "${directory}cgroup.procs" ] && [[ "$directory" != */unified/ ]] || continue
    mkdir -p "$directory$1"
    if [ -e "${directory}cpuset.cpus" ]; then
      cat "${directory}cpuset.cpus" >"$directory$1/cpuset.cpus"
      cat "${directory}cpuset.mems" >"$directory$1/cpuset.mems"
    fi
  done
  if [ -e /sys/fs/cgroup/cgroup.procs ]; then mkdir -p "/sys/fs/cgroup/$1"; fi
  give_weight "$1"
}

# Else all pods of a node share what one process outside of it gets, and wait for most of a minute on a busy machine.
give_weight() {
  local file
  for file in /sys/fs/cgroup/cpu*/"$1"/cpu.shares; do [ ! -e "$file" ] || echo 4096 >"$file"; done
  file="/sys/fs/cgroup/$1/cpu.weight"
  [ ! -e "$file" ] || echo 400 >"$file"
}

remove_groups() {
  find /sys/fs/cgroup -depth -type d -path "*/$1*" -exec rmdir {} \; 2>/dev/null || true
}

wait_for_nodes() {
  local end=$((SECONDS + 90))
  until [ "$(ready_nodes)" = 2 ] && has_account; do
    [ $SECONDS -lt $end ] || { tail -n 20 "$state"/node-*/kubelet/log >&2 && fail "the nodes did not become ready"; }
    sleep 0.3
  done
}

ready_nodes() { api GET /api/v1/nodes | grep -c '"reason": "KubeletReady"' || true; }

# Pods are refused until it is there.
has_account() { api GET /api/v1/namespaces/default/serviceaccounts/default | grep -q '"uid"'; }
