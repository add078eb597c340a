# shellcheck shell=bash
# A bridge between this machine and the nodes, each of which has a network namespace. The pods of a node are behind a bridge
# of its own: those of an `open` node reach what the node reaches, those of a `closed` one nothing.

cluster_bridge() { echo "fenced-$slot-k"; }

make_cluster_network() {
  local bridge
  bridge="$(cluster_bridge)"
  ip link show "$bridge" >/dev/null 2>&1 || ip link add "$bridge" type bridge
  ip address replace "$(control_address)/24" dev "$bridge"
  ip link set "$bridge" up
}

remove_cluster_network() { ip link delete "$(cluster_bridge)" 2>/dev/null || true; }

node_namespace() { echo "fenced-$slot-node-$1"; }

make_node_network() {
  local number="$1" name here_end there_end
  name="$(node_namespace "$number")" here_end="fk$slot-$number" there_end="fl$slot-$number"
  ip netns exec "$name" true 2>/dev/null && return
  ip netns delete "$name" 2>/dev/null || true
  ip netns add "$name"
  ip link add "$here_end" type veth peer name "$there_end" netns "$name"
  ip link set "$here_end" master "$(cluster_bridge)" up
  ip -n "$name" address add "$(node_address "$number")/24" dev "$there_end"
  ip -n "$name" link set lo up
  ip -n "$name" link set "$there_end" up
  ip -n "$name" route add default via "$(control_address)"
  nsenter --net="/run/netns/$name" sysctl -qw net.ipv4.ip_forward=1
}

remove_node_network() { ip netns delete "$(node_namespace "$1")" 2>/dev/null || true; }

node_network() {
  local number="$1" kind="$2" way_out='"isGateway": true, "ipMasq": true,' routes='"routes": [{ "dst": "0.0.0.0/0" }],'
  [ "$kind" = open ] || way_out='' routes=''
  cat <<JSON
{
  "cniVersion": "0.4.0", "name": "pods", "plugins": [{
    "type": "bridge", "bridge": "pods", $way_out
    "ipam": {
      "type": "host-local", "dataDir": "/var/lib/cni/addresses", $routes
      "ranges": [[{ "subnet": "$(cluster_network).$((100 + number)).0/24" }]]
    }
  }]
}
JSON
}
