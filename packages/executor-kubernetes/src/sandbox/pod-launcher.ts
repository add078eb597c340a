import type { LaunchContext, LaunchedSandbox } from '@fenced/sandbox'
import { Cluster } from '../api/cluster.ts'
import { type ClaimedPod, claimPod, claimsPath, extendClaim, removeClaim } from '../pod/claim.ts'
import { removeLeftClaims, removeLeftovers } from '../pod/leftovers.ts'
import { requireClosedPolicy } from '../pod/network-policy.ts'
import { requireNoWayOut } from '../pod/network-test.ts'
import { RunningPod } from '../pod/pod.ts'
import { podRequest } from '../pod/pod-request.ts'
import type { Pod } from '../pod/pod-types.ts'
import { startPod } from '../pod/start-pod.ts'
import { findDetached, findDetachedClaim, hashOf, lifeOf } from './detached-pod.ts'
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
    const { claim, initCommand } = this.#settings
    const connected = { cluster, namespace: this.#settings.namespace ?? cluster.namespace }
    if (isFirst)
      await (claim === undefined ? removeLeftovers : removeLeftClaims)(cluster, connected.namespace, context)
    if (context.resume !== undefined) return this.#resume(connected, context.resume, context)
    const start = claim === undefined ? this.#make : this.#claim
    const backend = await start.call(this, connected, context)
    return { id: backend.id, backend, isExclusive: true, ...(initCommand && { initCommand }) }
  }

  async #make(connected: Connected, { signal, detached }: LaunchContext): Promise<RunningPod> {
    const { startTimeoutMs } = this.#settings
    const hash = detached === undefined ? undefined : hashOf(this.#settings, detached)
    const request = podRequest(podOf(this.#settings), lifeOf(this.#settings, detached), hash)
    // Before there is a pod: nothing is made where it cannot be promised.
    await this.#requirePolicy(connected, request.metadata.labels, signal)
    const made = await startPod({ ...connected, startTimeoutMs }, request, signal)
    return this.#closed(this.#running(connected, made), connected, signal)
  }

  /** Which labels a pod of a pool has is known when it is there. */
  async #claim(connected: Connected, { signal, detached }: LaunchContext): Promise<RunningPod> {
    const { startTimeoutMs, claim } = this.#settings
    const hash = detached === undefined ? undefined : hashOf(this.#settings, detached)
    const lifetimeMs = claimLifetimeMs(this.#settings, detached)
    const request = { warmPool: claim?.warmPool ?? '', lifetimeMs, hash }
    const claimed = await claimPod({ ...connected, startTimeoutMs }, request, signal)
    const backend = this.#runningClaim(connected, claimed, detached)
    try {
      await this.#requirePolicy(connected, claimed.pod.metadata.labels, signal)
    } catch (error) {
      await backend.remove().catch(() => {})
      throw error
    }
    return this.#closed(backend, connected, signal)
  }

  /** What was true of its network when it was made is looked at again. */
  async #resume(
    connected: Connected,
    id: string,
    { signal, detached }: LaunchContext,
  ): Promise<LaunchedSandbox> {
    const hash = hashOf(this.#settings, detached)
    const found = { ...connected, signal }
    let backend: RunningPod
    let pod: Pod
    if (this.#settings.claim === undefined) {
      pod = await findDetached(id, hash, found)
      backend = this.#running(connected, pod)
    } else {
      const claimed = await findDetachedClaim(id, hash, found)
      pod = claimed.pod
      backend = this.#runningClaim(connected, claimed, detached)
    }
    await this.#requirePolicy(connected, pod.metadata.labels, signal)
    if (isClosed(this.#settings)) await requireNoWayOut(backend, targetsOf(connected.cluster), signal)
    return { id, backend, isExclusive: true }
  }

  async #requirePolicy(
    { cluster, namespace }: Connected,
    labels: Pod['metadata']['labels'] = {},
    signal: AbortSignal,
  ): Promise<void> {
    if (isClosed(this.#settings)) await requireClosedPolicy(cluster, { namespace, labels }, signal)
  }

  /** Removes it where its network is not what it has to be. */
  async #closed(backend: RunningPod, { cluster }: Connected, signal: AbortSignal): Promise<RunningPod> {
    try {
      if (isClosed(this.#settings)) await requireNoWayOut(backend, targetsOf(cluster), signal)
      return backend
    } catch (error) {
      await backend.remove().catch(() => {})
      throw error
    }
  }

  #running({ cluster, namespace }: Connected, { metadata: { name, uid }, spec }: Pod): RunningPod {
    const { env, pids, pod } = this.#settings
    const processLimit = processLimitOf({ pids, pod })
    const user = spec?.securityContext?.runAsUser
    return new RunningPod({ cluster, namespace, name, uid, env, processLimit, user })
  }

  #runningClaim(
    { cluster, namespace }: Connected,
    { claim, pod: { metadata, spec } }: ClaimedPod,
    detached: LaunchContext['detached'],
  ): RunningPod {
    const { name, uid } = claim.metadata
    const path = `${claimsPath(namespace)}/${encodeURIComponent(name)}`
    const extend = (ms: number) => void extendClaim(cluster, path, ms).catch(() => {})
    return new RunningPod({
      ...{ cluster, namespace, name: metadata.name, uid: metadata.uid, env: this.#settings.env },
      ...{ processLimit: undefined, user: undefined, container: spec?.containers?.[0]?.name },
      claim: {
        id: `${namespace}/${name}/${uid}`,
        used:
          detached === undefined
            ? () => {}
            : atMostEvery(detached.expiresInMs / 8, () => extend(detached.expiresInMs)),
        end: (signal) => removeClaim(cluster, path, signal, uid),
      },
    })
  }
}

/** One that outlives its process ends when it was not used for so long. */
function claimLifetimeMs(
  { maxLifetimeMs }: KubernetesSandboxSettings,
  detached: LaunchContext['detached'],
): number {
  return detached === undefined ? maxLifetimeMs : detached.expiresInMs
}

function atMostEvery(ms: number, act: () => void): () => void {
  let last = -Infinity
  return () => {
    if (performance.now() - last < ms) return
    last = performance.now()
    act()
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
