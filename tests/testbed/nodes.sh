# The testbed's nodes, for the scripts beside this file, which source it: network namespaces of this machine. Each is joined
# to a switch by a link that carries a known rate in and out (tc tbf), or to a relay that takes a known time (relay.c).
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${FINEGRAIN_BIN:-$here/../../build/release/bin}
nodes=4

skip() { echo "skipped: $*" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
for tool in ip tc unshare chrt; do
  command -v "$tool" >/dev/null || skip "$tool is missing (Debian: iproute2, util-linux)"
done
[ -x "$bin/finegrain" ] || { echo "$0: no $bin/finegrain. Build first, or give FINEGRAIN_BIN" >&2; exit 1; }

# A real UPC++ reaches these nodes over UDP alone.
kernels_of=$("$bin/finegrain" --version | sed -n 's/^UPC++ kernels: //p')
case $kernels_of in
  "subset over MPI" | *"(udp)"*) ;;
  *) skip "the UPC++ kernels are of $kernels_of, which reaches no other node here. Build them with UPCXX_NETWORK=udp" ;;
esac

export FINEGRAIN_TESTBED=finegrain-$$
work=$(mktemp -d)
take_down() {
  for name in switch $(seq $nodes); do
    ip netns pids "$FINEGRAIN_TESTBED-$name" 2>/dev/null | xargs -r kill 2>/dev/null || true
    ip netns delete "$FINEGRAIN_TESTBED-$name" 2>/dev/null || true
  done
}
trap 'take_down; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# What waits for a link is not dropped. After a pause two packets may pass at once, the least with which no time is lost
# between packets.
limit() { ip netns exec "$1" tc qdisc replace dev "$2" root tbf rate "$3" burst 3kb limit 100mb; }

# limit_links RATE[,RATE...]: of all links, or of node 1's, 2's, 3's and 4's
limit_links() {
  local rates
  IFS=, read -ra rates <<<"$1"
  for node in $(seq $nodes); do
    local rate=${rates[node - 1]:-${rates[-1]}}
    limit "$FINEGRAIN_TESTBED-$node" link0 "$rate" || return 1
    limit "$FINEGRAIN_TESTBED-switch" "port$node" "$rate" || return 1
  done
}

set_up() {
  local switch=$FINEGRAIN_TESTBED-switch
  ip netns add "$switch" || return 1
  ip -n "$switch" link add bridge type bridge || return 1
  ip -n "$switch" link set bridge up
  for node in $(seq $nodes); do
    local name=$FINEGRAIN_TESTBED-$node
    ip netns add "$name"
    ip link add link0 netns "$name" type veth peer name "port$node" netns "$switch" || return 1
    ip -n "$name" address add "10.77.0.$node/24" dev link0
    # A packet is what a network card would send, not 64 KB.
    ip -n "$name" link set link0 gso_max_segs 1 up
    ip -n "$switch" link set "port$node" gso_max_segs 1 master bridge up
    ip -n "$name" link set lo up
    set_tcp_of "$name" || return 1
  done
  limit_links "$1" && use_nodes $nodes 1
}

set_tcp_of() {
  # A link never waits for TCP: windows hold whole messages, and Reno keeps them full; other algorithms estimate what a
  # link carries, and take time to find that it is free again.
  ip netns exec "$1" sysctl -q net.ipv4.tcp_congestion_control=reno net.ipv4.tcp_slow_start_after_idle=0 \
    net.ipv4.tcp_no_metrics_save=1 "net.ipv4.tcp_rmem=4096 8388608 16777216" "net.ipv4.tcp_wmem=4096 8388608 16777216" ||
    return 1
  # A connection keeps no more than four packets in its link's queue. So connections share a link in equal parts; else each
  # would put some milliseconds of packets there at once (TCP small queues).
  ip netns exec "$1" sysctl -q net.ipv4.tcp_limit_output_bytes=6000
}

# Whether network namespaces and TUN devices are allowed here. What fails behind this is a fault.
may_relay() {
  local name=$FINEGRAIN_TESTBED-probe status=0
  [ -c /dev/net/tun ] && ip netns add "$name" 2>/dev/null || return 1
  ip -n "$name" tuntap add dev probe0 mode tun 2>/dev/null || status=1
  ip netns delete "$name"
  return $status
}

# set_up_relayed: nodes that are joined by relay.c instead, where each packet takes as long as `delay` says.
# Not to be called where its exit code is asked for: then the shell goes on behind a command that fails.
set_up_relayed() {
  local name names=()
  cc -O2 -o "$work/relay" "$here/relay.c"
  for node in $(seq $nodes); do
    names+=("$FINEGRAIN_TESTBED-$node")
    ip netns add "${names[-1]}"
  done
  coproc relay { exec "${before_ranks[@]}" "$work/relay" "${names[@]}"; }
  read -r name <&"${relay[0]:-none}"
  for node in $(seq $nodes); do
    name=$FINEGRAIN_TESTBED-$node
    ip -n "$name" address add "10.77.0.$node/24" dev link0
    ip -n "$name" link set link0 mtu 9000 up
    ip -n "$name" link set lo up
    set_tcp_of "$name"
  done
  use_nodes $nodes 1
}

# delay MICROSECONDS: of each packet from now on
delay() { echo "$1" >&"${relay[1]}"; }

# use_nodes NODES RANKS: what is started from now on has so many ranks on each of the first nodes.
use_nodes() {
  for node in $(seq "$1"); do echo "10.77.0.$node slots=$2"; done >"$work/hosts"
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=$here/enter OMPI_MCA_plm_rsh_no_tree_spawn=1
export OMPI_MCA_orte_default_hostfile=$work/hosts OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.77.0.0/24
# Long messages are sent (1), not put, which is the default: two that exchange long ones took two to three times as long.
export OMPI_MCA_btl_tcp_flags=1

# A real UPC++ is started through the same shell, and talks over the same links.
export GASNET_SSH_CMD=$here/enter GASNET_SSH_SERVERS=10.77.0.1,10.77.0.2,10.77.0.3,10.77.0.4
export GASNET_MASTERIP=10.77.0.1 GASNET_WORKERIP=10.77.0.0

on_node_1() { "$here/enter" 10.77.0.1 exec "$(printf '%q ' "$@")"; }
finegrain() { on_node_1 "$bin/finegrain" "$@"; }

# However busy this machine is: ranks have real-time priority where they may, and sleep while they wait (patient.c).
cc -shared -fPIC -O2 -o "$work/patient.so" "$here/patient.c"
first=(chrt --rr 50) before_ranks=(chrt --rr 60)
"${first[@]}" true 2>/dev/null || first=() before_ranks=()
undisturbed() { on_node_1 env "LD_PRELOAD=$work/patient.so" "${first[@]}" "$@"; }
