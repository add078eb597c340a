import type { LaunchContext, LaunchedSandbox } from '@fenced/sandbox'
import { Cluster } from '../api/cluster.ts'
import { removeLeftovers } from '../pod/leftovers.ts'
import { requireClosedPolicy } from '../pod/network-policy.ts'
import { requireNoWayOut } from '../pod/network-test.ts'
import { RunningPod } from '../pod/pod.ts'
import { podRequest } from '../pod/pod-request.ts'
import type { Pod } from '../pod/pod-types.ts'
import { startPod } from '../pod/start-pod.ts'
import { findDetached, hashOf, lifeOf } from './detached-pod.ts'
import { isClosed, type KubernetesSandboxSettings, podOf, processLimitOf } from './sandbox-options.ts'

/** Makes the pods of a sandbox, one after the other, from the same options. */
export class PodLauncher {
  readonly #settings: KubernetesSandboxSettings
  #cluster: Cluster | undefined

  constructor(settings: KubernetesSandboxSettings) {
    this.#settings = settings
  }

  async launch(context: LaunchContext): Promise<LaunchedSandbox> {
    const isFirst = this.#cluster === undefined
    this.#cluster ??= await Cluster.find(this.#settings.cluster)
    const cluster = this.#cluster
    const namespace = this.#settings.namespace ?? cluster.namespace
    if (isFirst) await removeLeftovers(cluster, namespace, context)
    const parts = { cluster, namespace }
    if (context.resume !== undefined) return this.#resume(parts, context.resume, context)
    const backend = await this.#start(parts, context)
    const { initCommand } = this.#settings
    return { id: backend.id, backend, isExclusive: true, ...(initCommand && { initCommand }) }
  }

  async #start({ cluster, namespace }: Connected, { signal, detached }: LaunchContext): Promise<RunningPod> {
    const { startTimeoutMs } = this.#settings
    const mustBeClosed = isClosed(this.#settings)
    const hash = detached === undefined ? undefined : hashOf(this.#settings, detached)
    const request = podRequest(podOf(this.#settings), lifeOf(this.#settings, detached), hash)
    const { labels } = request.metadata
    if (mustBeClosed) await requireClosedPolicy(cluster, { namespace, labels }, signal)
    const made = await startPod({ cluster, namespace, startTimeoutMs }, request, signal)
    const backend = this.#running({ cluster, namespace }, made)
    try {
      if (mustBeClosed) await requireNoWayOut(backend, targetsOf(cluster), signal)
      return backend
    } catch (error) {
      await backend.remove().catch(() => {})
      throw error
    }
  }

  /** What was true of its network when it was made is looked at again. */
  async #resume(
    connected: Connected,
    id: string,
    { signal, detached }: LaunchContext,
  ): Promise<LaunchedSandbox> {
    const { cluster, namespace } = connected
    const pod = await findDetached(id, hashOf(this.#settings, detached), { ...connected, signal })
    const backend = this.#running(connected, pod)
    if (isClosed(this.#settings)) {
      await requireClosedPolicy(cluster, { namespace, labels: pod.metadata.labels ?? {} }, signal)
      await requireNoWayOut(backend, targetsOf(cluster), signal)
    }
    return { id, backend, isExclusive: true }
  }

  #running({ cluster, namespace }: Connected, { metadata: { name, uid }, spec }: Pod): RunningPod {
    const { env, pids, pod } = this.#settings
    const processLimit = processLimitOf({ pids, pod })
    const user = spec?.securityContext?.runAsUser
    return new RunningPod({ cluster, namespace, name, uid, env, processLimit, user })
  }
}

interface Connected {
  readonly cluster: Cluster
  readonly namespace: string
}

/** The API server by the address that this machine has for it, which often is the one of the nodes, too. */
function targetsOf({ server }: Cluster): string[] {
  const { hostname, port, protocol } = new URL(server)
  return [`${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`]
}
