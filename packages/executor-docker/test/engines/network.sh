# shellcheck shell=bash
# Addresses of our own, with a way to the internet through this machine.
# No engine writes firewall rules here: a daemon empties the chains of the Docker that may run already. So Docker's
# internal networks are not cut off from the internet; those of the engines in a namespace are, by rules in there.

network_of() { echo "10.$((208 + slot))"; }

bridge_name() { echo "fenced-$slot"; }
namespace_name() { echo "fenced-$slot-$1"; }

# The bridge of the engine that runs in this machine's own network, where tests reach published ports on 127.0.0.1.
make_bridge() {
  local bridge
  bridge="$(bridge_name)"
  if ! ip link show "$bridge" >/dev/null 2>&1; then
    ip link add "$bridge" type bridge
    ip address add "$(network_of).0.1/24" dev "$bridge"
  fi
  ip link set "$bridge" up
  share_internet
}

# A network namespace for a daemon: as far away as another machine. Its address ends in `.NUMBER.2`.
make_namespace() {
  local name number="$2" here_end there_end
  name="$(namespace_name "$1")"
  here_end="f$slot-$1" there_end="g$slot-$1"
  if ! ip netns exec "$name" true 2>/dev/null; then
    ip netns delete "$name" 2>/dev/null || true
    ip netns add "$name"
    ip link add "$here_end" mtu "$(internet_mtu)" type veth peer name "$there_end" mtu "$(internet_mtu)" netns "$name"
    ip address add "$(network_of).$number.1/24" dev "$here_end"
    ip link set "$here_end" up
    ip -n "$name" address add "$(namespace_address "$number")/24" dev "$there_end"
    ip -n "$name" link set lo up
    ip -n "$name" link set "$there_end" up
    ip -n "$name" route add default via "$(network_of).$number.1"
  fi
  share_internet
}

namespace_address() { echo "$(network_of).$1.2"; }

# Words in front of a command that runs there. `ip netns exec` would mount /sys anew and lose the control groups in it.
in_namespace() { echo nsenter "--net=/run/netns/$(namespace_name "$1")"; }

delete_namespace() { ip netns delete "$(namespace_name "$1")" 2>/dev/null || true; }

# Packets larger than the way out takes would be lost without a word.
internet_mtu() {
  local device
  device="$(ip -4 route show default | awk '{ for (i = 1; i < NF; i++) if ($i == "dev") { print $(i + 1); exit } }')"
  cat "/sys/class/net/${device:-none}/mtu" 2>/dev/null || echo 1500
}

share_internet() {
  echo 1 >/proc/sys/net/ipv4/ip_forward
  each_rule add_rule
}

network_stop() {
  each_rule delete_rule
  ip link delete "$(bridge_name)" 2>/dev/null || true
}

each_rule() {
  local ours
  ours="$(network_of).0.0/16"
  "$1" nat POSTROUTING -s "$ours" ! -d "$ours" -j MASQUERADE
  "$1" filter FORWARD -s "$ours" -j ACCEPT
  "$1" filter FORWARD -d "$ours" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
}

# In front of what is there: the last rule of another firewall may refuse the rest.
add_rule() {
  local table="$1" chain="$2"
  shift 2
  iptables -w -t "$table" -C "$chain" "$@" 2>/dev/null || iptables -w -t "$table" -I "$chain" "$@"
}

delete_rule() {
  local table="$1" chain="$2"
  shift 2
  iptables -w -t "$table" -D "$chain" "$@" 2>/dev/null || true
}
