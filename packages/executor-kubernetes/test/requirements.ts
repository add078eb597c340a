import { existsSync } from 'node:fs'
import { requirement } from '@fenced/testing'

const kubeconfig = process.env.FENCED_TEST_KUBECONFIG ?? ''

/** The cluster of the tests, as `cluster/cluster start` has exported it, or one of yours in which they make namespaces. */
export const testCluster = { kubeconfig: kubeconfig || '/not/named' }

/** What the tests need of this machine. */
export const kubernetes = requirement('kubernetes', problem())

/** Only a cluster of `cluster/cluster` has a node whose pods have no way out, its processes on this machine, and its images. */
const isOwn = existsSync(kubeconfig.replace(/kubeconfig$/, 'node-2/network'))
export const ownCluster = requirement(
  'own-kubernetes',
  problem() ?? (isOwn ? undefined : 'the cluster is not one of cluster/cluster'),
)

/** Has the controller of kubernetes-sigs/agent-sandbox. */
export const agentSandbox = requirement(
  'agent-sandbox',
  problem() ??
    (existsSync(kubeconfig.replace(/kubeconfig$/, 'agent-sandbox/kubeconfig'))
      ? undefined
      : 'the cluster has no controller of agent-sandbox'),
)

/** Whose nodes and API server a test may kill, because no other test uses it meanwhile. */
export const disposableCluster = requirement(
  'disposable-kubernetes',
  process.env.FENCED_TEST_DISPOSABLE_CLUSTER
    ? (problem() ?? (isOwn ? undefined : 'the cluster is not one of cluster/cluster'))
    : 'FENCED_TEST_DISPOSABLE_CLUSTER does not say that nobody else uses the cluster',
)

/** On which nodes pods are, of a cluster of `cluster/cluster`. */
export const nodes = isOwn
  ? { open: { 'fenced.test/network': 'open' }, closed: { 'fenced.test/network': 'closed' } }
  : { open: {}, closed: {} }

/** Has Python, as `python:3-slim` has. */
export const image = isOwn ? 'fenced-test/python' : 'python:3-slim'

function problem(): string | undefined {
  if (kubeconfig === '') return 'FENCED_TEST_KUBECONFIG names no cluster'
  return existsSync(kubeconfig) ? undefined : `there is no file ${kubeconfig}`
}
