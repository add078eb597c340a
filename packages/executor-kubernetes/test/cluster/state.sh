# shellcheck shell=bash
# Where everything lives, apart from the engines.

for_cluster=(openssl:openssl containerd:containerd runc:runc ip:iproute2 iptables:iptables pgrep:procps
  /usr/lib/cni/bridge:containernetworking-plugins mmdebstrap:mmdebstrap busybox:busybox-static curl:curl)

use_cluster_state() {
  FENCED_TEST_ENGINES="${FENCED_TEST_CLUSTER:-${XDG_CACHE_HOME:-$HOME/.cache}/fenced/cluster}"
  use_state
}

# The addresses are apart from those of engines whose folder has the same number.
cluster_network() { echo "10.$((176 + slot))"; }
control_address() { echo "$(cluster_network).0.1"; }
node_address() { echo "$(cluster_network).0.$((10 + $1))"; }
node_name() { echo "fenced-node-$1"; }
api_address() { echo "https://$(control_address):6443"; }
