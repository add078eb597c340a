# The tests of Kubernetes, on a cluster that is there while they run, for `run`. Programs of the cluster that are not cached are
# built beside other parts, with what those leave of the processors.
#
# The rule: where the machine lacks what a cluster is built of (root on Debian, Go 1.24, its modules), these tests are skipped
# and the end of the run says why. A cluster that can be built and does not start is a failure, and so is a test of it.

kubernetes=packages/executor-kubernetes
kubernetes_tests=$kubernetes/test
cluster="$kubernetes_tests/cluster/cluster"

# For a run of tests without a cluster: files whose tests all need a cluster, separated by commas.
of_cluster_alone() {
  grep -lE '^(describe|it)\.skipIf\((kubernetes|ownCluster|agentSandbox|disposableCluster)\.missing' "$kubernetes_tests"/*.test.ts |
    xargs grep -LE '^(describe|it)\(' | paste -sd ,
}

# The exit code of `cluster` where the machine lacks something.
cannot_be_had=3

build_cluster() {
  nice -n 19 "$cluster" build >"$bare/cluster.log" 2>&1
}

# Argument: the exit code of build_cluster. Leaves the one of the tests in cluster_tests; empty when there were none.
run_kubernetes() {
  local built="$1" exports
  cluster_tests="$built"
  if [ "$built" = $cannot_be_had ]; then cluster_tests=''; fi
  [ "$built" = 0 ] || return
  if exports="$("$cluster" start 2>>"$bare/cluster.log")"; then
    # In a separate shell, which keeps its environment private.
    (eval "$exports" && test_kubernetes)
    cluster_tests=$?
  else
    cluster_tests=1
  fi
  "$cluster" stop >>"$bare/cluster.log" 2>&1
}

test_kubernetes() {
  export FENCED_REQUIRE="$required,kubernetes,own-kubernetes"
  npx -y pnpm "test:$level" --outputFile.json=.vitest/kubernetes.json "$kubernetes_tests/" && lose_api_server
}

# After all other users of the cluster. The tests of a lost node take two minutes each, most of it waiting, and are left out.
lose_api_server() {
  FENCED_TEST_DISPOSABLE_CLUSTER=1 npx -y pnpm "test:$level" "$kubernetes_tests/lost-node.test.ts" -t 'its API server'
}

# What became of the cluster, when it was not as always.
show_cluster() {
  case "$cluster_tests" in
    0) grep 'building' "$bare/cluster.log" ;;
    '') printf '\nSKIPPED: the tests of Kubernetes, because there is no cluster: %s\n' "$(tail -n 1 "$bare/cluster.log")" ;;
    *) printf '\nThe cluster:\n' && cat "$bare/cluster.log" ;;
  esac
}
