#!/bin/sh
# Runs a command as ranks of Open MPI that meet over a network of their own: each in a network namespace, with its own address and
# host name, behind a link of a given rate. For root, on Linux with iproute2.
#
#   netns.sh RANKS RATE COMMAND...        RATE as tc has it, such as 1gbit
#
# It prints how many bytes the link of each rank carried, what MPI adds included. Where the kernel has netem, DELAY=100us is
# added one way.
set -eu
[ $# -ge 3 ] || { echo "usage: netns.sh RANKS RATE COMMAND..." >&2; exit 2; }
ranks=$1 rate=$2
shift 2
name=gcg$$
agent=$(mktemp)
clean() {
  for r in $(seq "$ranks"); do ip netns del "$name-$r" 2> /dev/null || true; done
  ip link del "$name" 2> /dev/null || true
  rm -f "$agent"
}
trap clean EXIT INT TERM
ip link add "$name" type bridge
ip link set "$name" up
hosts=""
for r in $(seq "$ranks"); do
  ip netns add "$name-$r"
  ip link add "$name.$r" type veth peer name eth0 netns "$name-$r"
  ip link set "$name.$r" master "$name" up
  ip -n "$name-$r" link set lo up
  ip -n "$name-$r" link set eth0 up
  ip -n "$name-$r" address add "10.77.0.$r/24" dev eth0
  if [ -n "${DELAY:-}" ]; then
    tc -n "$name-$r" qdisc add dev eth0 root netem rate "$rate" delay "$DELAY"
  else
    tc -n "$name-$r" qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 100ms
  fi
  hosts="$hosts${hosts:+,}10.77.0.$r:1"
done
# What mpirun starts on another host in place of ssh: it gets the address and a command line.
cat > "$agent" << END
#!/bin/sh
host=\$1
shift
exec ip netns exec $name-\${host##*.} unshare --uts sh -c "hostname rank\${host##*.}; \$*"
END
chmod +x "$agent"
status=0
ip netns exec "$name-1" unshare --uts sh -c 'hostname rank1; exec "$@"' sh \
  mpirun --allow-run-as-root --host "$hosts" --bind-to none --mca plm_rsh_agent "$agent" --mca plm_rsh_no_tree_spawn 1 \
  --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 -n "$ranks" "$@" || status=$?
for r in $(seq "$ranks"); do
  echo "rank $((r - 1)) sent $(ip netns exec "$name-$r" cat /sys/class/net/eth0/statistics/tx_bytes) bytes" >&2
done
exit $status
