import type { StartContext } from '@fenced/core/driver'
import type { LaunchedPlace } from '@fenced/sandbox'
import { Cluster } from '../api/cluster.ts'
import { removeLeftovers } from '../pod/leftovers.ts'
import { requireClosedPolicy } from '../pod/network-policy.ts'
import { requireNoWayOut } from '../pod/network-test.ts'
import { RunningPod } from '../pod/pod.ts'
import { podRequest } from '../pod/pod-request.ts'
import { startPod } from '../pod/start-pod.ts'
import { type KubernetesSandboxSettings, podOf, processLimitOf } from './sandbox-options.ts'

/** Makes the pods of a sandbox, one after the other, from the same options. */
export class PodLauncher {
  readonly #settings: KubernetesSandboxSettings
  #cluster: Cluster | undefined

  constructor(settings: KubernetesSandboxSettings) {
    this.#settings = settings
  }

  async launch(context: StartContext): Promise<LaunchedPlace> {
    const isFirst = this.#cluster === undefined
    this.#cluster ??= await Cluster.find(this.#settings.cluster)
    const cluster = this.#cluster
    const namespace = this.#settings.namespace ?? cluster.namespace
    if (isFirst) await removeLeftovers(cluster, namespace, context)
    const backend = await this.#start(cluster, namespace, context.signal)
    const { initCommand } = this.#settings
    return { id: backend.id, backend, isExclusive: true, ...(initCommand && { initCommand }) }
  }

  async #start(cluster: Cluster, namespace: string, signal: AbortSignal): Promise<RunningPod> {
    const { pod, network, env, startTimeoutMs, maxLifetimeMs, idleTimeoutMs, pids } = this.#settings
    const request = podRequest(podOf(this.#settings), { maxLifetimeMs, idleTimeoutMs })
    const { name, labels } = request.metadata
    if (!network) await requireClosedPolicy(cluster, { namespace, labels }, signal)
    const made = await startPod({ cluster, namespace, startTimeoutMs }, request, signal)
    const { uid } = made.metadata
    const processLimit = processLimitOf({ pids, pod })
    const user = request.spec.securityContext.runAsUser
    const backend = new RunningPod({ cluster, namespace, name, uid, env, processLimit, user })
    if (network) return backend
    try {
      await requireNoWayOut(backend, targetsOf(cluster), signal)
      return backend
    } catch (error) {
      await backend.remove().catch(() => {})
      throw error
    }
  }
}

/** The API server by the address that this machine has for it, which often is the one of the nodes, too. */
function targetsOf({ server }: Cluster): string[] {
  const { hostname, port, protocol } = new URL(server)
  return [`${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`]
}
