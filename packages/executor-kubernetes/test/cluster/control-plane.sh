# shellcheck shell=bash
# etcd, the API server, the controller manager and the scheduler. For tests only: a token in a file is cluster-admin.

control_plane_start() {
  local part folder
  if is_alive "$state/apiserver"; then return; fi
  say "starting the control plane"
  for part in etcd apiserver manager scheduler; do
    folder="$state/$part"
    rm -rf "$folder"
    mkdir -p "$folder"
  done
  make_credentials
  etcd_start
  apiserver_start
  manager_start
  scheduler_start
}

control_plane_stop() {
  local part
  for part in scheduler manager apiserver etcd; do
    # What it would write at a quiet end is removed, and an API server waits half a minute for those who watch.
    if is_alive "$state/$part"; then kill -KILL "$(<"$state/$part/pid")"; fi
    if [ -d "$state/$part" ]; then stop_daemon "$state/$part"; fi
    rm -rf "${state:?}/$part"
  done
}

make_credentials() {
  local token node
  token="$(openssl rand -hex 16)"
  node="$(openssl rand -hex 16)"
  openssl genrsa -out "$state/apiserver/accounts.key" 2048 2>/dev/null
  cat >"$state/apiserver/tokens.csv" <<CSV
$token,admin,admin,system:masters
$node,system:node:$(node_name 1),node-1,system:nodes
$node-2,system:node:$(node_name 2),node-2,system:nodes
CSV
  kubeconfig admin "$token" >"$state/kubeconfig"
  kubeconfig "node-1" "$node" >"$state/kubeconfig-1"
  kubeconfig "node-2" "$node-2" >"$state/kubeconfig-2"
  chmod 600 "$state"/kubeconfig*
}

kubeconfig() {
  cat <<YAML
apiVersion: v1
kind: Config
clusters: [{ name: fenced-test, cluster: { server: '$(api_address)', certificate-authority: '$state/apiserver/apiserver.crt' } }]
users: [{ name: '$1', user: { token: '$2' } }]
contexts: [{ name: fenced-test, context: { cluster: fenced-test, user: '$1', namespace: default } }]
current-context: fenced-test
YAML
}

start_part() {
  local part="$1"
  shift
  start_daemon "$state/$part" "$programs/control-plane" "$part" "$@"
}

etcd_start() {
  start_part etcd "$state/etcd/data" "http://127.0.0.1:$(port_of 0)" "http://127.0.0.1:$(port_of 1)"
}

port_of() { echo $((17000 + slot * 4 + $1)); }

apiserver_start() {
  local folder="$state/apiserver"
  start_part apiserver \
    --etcd-servers "http://127.0.0.1:$(port_of 0)" \
    --secure-port 6443 --bind-address "$(control_address)" --advertise-address "$(control_address)" \
    --cert-dir "$folder" --token-auth-file "$folder/tokens.csv" --authorization-mode Node,RBAC \
    --service-account-issuer https://fenced-test --service-account-key-file "$folder/accounts.key" \
    --service-account-signing-key-file "$folder/accounts.key" --service-cluster-ip-range "$(cluster_network).200.0/24" \
    --kubelet-preferred-address-types InternalIP --endpoint-reconciler-type none
  wait_until_up "$folder" is_ready
}

is_ready() {
  curl -sf --noproxy '*' --max-time 5 --cacert "$state/apiserver/apiserver.crt" "$(api_address)/readyz"
}

manager_start() {
  start_part manager --kubeconfig "$state/kubeconfig" --secure-port 0 --leader-elect=false \
    --cert-dir "$state/manager/certificates" --service-account-private-key-file "$state/apiserver/accounts.key" \
    --root-ca-file "$state/apiserver/apiserver.crt"
}

scheduler_start() {
  start_part scheduler --kubeconfig "$state/kubeconfig" --secure-port 0 --leader-elect=false --cert-dir "$state/scheduler/certificates"
}

# As `kubectl`, which is not everywhere. Arguments: method, path, body, its type.
api() {
  local token
  token="$(cut -d, -f1 "$state/apiserver/tokens.csv" | head -n 1)"
  curl -sS --noproxy '*' --max-time 60 --cacert "$state/apiserver/apiserver.crt" --header "Authorization: Bearer $token" \
    --header "Content-Type: ${4:-application/json}" --request "$1" ${3:+--data-binary "$3"} "$(api_address)$2"
}

# What a node does not end keeps its folder from being removed.
remove_pods() {
  local end=$((SECONDS + 30)) path
  is_ready >/dev/null 2>&1 || return 0
  for path in $(pod_paths); do api DELETE "$path?gracePeriodSeconds=1" >/dev/null 2>&1 || true; done
  until [ -z "$(pod_paths)" ] || [ $SECONDS -ge $end ]; do sleep 0.2; done
}

pod_paths() {
  api GET /api/v1/pods 2>/dev/null |
    node -e 'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>{for(const {metadata:m} of JSON.parse(t).items??[])console.log(`/api/v1/namespaces/${m.namespace}/pods/${m.name}`)})' 2>/dev/null || true
}
