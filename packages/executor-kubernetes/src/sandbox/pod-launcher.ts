import type { LaunchContext, LaunchedSandbox } from '@fenced/sandbox'
import type { Cluster } from '../api/cluster.ts'
import { type ClaimedPod, claimPod, claimsPath, extendClaim, removeClaim } from '../pod/claim.ts'
import { type HostPod, hostPod } from '../pod/host-pod.ts'
import { removeLeftClaims, removeLeftovers } from '../pod/leftovers.ts'
import { limitsOfPod } from '../pod/limits-of-pod.ts'
import { requireClosedPolicy } from '../pod/network-policy.ts'
import { requireNoEgress } from '../pod/network-test.ts'
import { RunningPod } from '../pod/pod.ts'
import { podRequest } from '../pod/pod-request.ts'
import { codeContainerOf, type Pod } from '../pod/pod-types.ts'
import { startPod } from '../pod/start-pod.ts'
import { findDetached, findDetachedClaim, hashOf, lifeOf } from './detached-pod.ts'
import {
  isClosed,
  type KubernetesSandboxSettings,
  podOf,
  processLimitOf,
  type WarmPoolClaim,
} from './sandbox-options.ts'

/** Makes the pods of a sandbox, one after the other, from the same options. */
export class PodLauncher {
  readonly #settings: KubernetesSandboxSettings
  #cluster: Cluster | undefined
  #hostPod: HostPod | undefined

  constructor(settings: KubernetesSandboxSettings) {
    this.#settings = settings
  }

  async launch(context: LaunchContext): Promise<LaunchedSandbox> {
    const isFirst = this.#cluster === undefined
    const cluster = await this.#findCluster()
    const { claim, initCommand } = this.#settings
    const connected = { cluster, namespace: this.#settings.namespace ?? cluster.namespace }
    if (isFirst)
      await (claim === undefined ? removeLeftovers : removeLeftClaims)(cluster, connected.namespace, context)
    if (context.resume !== undefined) return this.#resume(connected, context.resume, context)
    const backend =
      claim === undefined
        ? await this.#make(connected, context)
        : await this.#claim(connected, claim, context)
    return { ...launched(backend), ...(initCommand && { initCommand }) }
  }

  /** Its module loads what speaks to a cluster: websockets, TLS, YAML. */
  async #findCluster(): Promise<Cluster> {
    const { Cluster } = await import('../api/cluster.ts')
    this.#cluster ??= await Cluster.find(this.#settings.cluster)
    return this.#cluster
  }

  async #make(connected: Connected, { signal, detached }: LaunchContext): Promise<RunningPod> {
    const { startTimeoutMs } = this.#settings
    const { cluster, namespace } = connected
    const hash = detached === undefined ? undefined : hashOf(this.#settings, detached)
    const request = podRequest(podOf(this.#settings), lifeOf(this.#settings, detached), {
      hash,
      host: await this.#host(connected),
    })
    const { labels } = request.metadata
    const mustBeClosed = isClosed(this.#settings)
    // Before there is a pod: nothing is made where it cannot be promised.
    if (mustBeClosed) await requireClosedPolicy(cluster, { namespace, labels }, signal)
    const backend = this.#running(
      connected,
      await startPod({ ...connected, startTimeoutMs }, request, signal),
    )
    return orRemoved(backend, async () => {
      if (mustBeClosed) await requireNoEgress(backend, targetsOf(cluster), signal)
    })
  }

  /** It stays the same as long as this process. */
  async #host({ cluster, namespace }: Connected): Promise<HostPod | undefined> {
    this.#hostPod ??= await hostPod(cluster, namespace)
    return this.#hostPod
  }

  /** Which labels a pod of a pool has is known when it is there. */
  async #claim(
    connected: Connected,
    { warmPool }: WarmPoolClaim,
    { signal, detached }: LaunchContext,
  ): Promise<RunningPod> {
    const { startTimeoutMs, maxLifetimeMs } = this.#settings
    const hash = detached === undefined ? undefined : hashOf(this.#settings, detached)
    // A pod that outlives its process ends after this idle time.
    const lifetimeMs = detached?.expiresInMs ?? maxLifetimeMs
    const claimed = await claimPod(
      { ...connected, startTimeoutMs },
      { warmPool, lifetimeMs, hash, host: await this.#host(connected) },
      signal,
    )
    const backend = this.#runningClaim(connected, claimed, detached)
    return orRemoved(backend, () => this.#requireClosed(backend, connected, { pod: claimed.pod, signal }))
  }

  /** What was true of its network when it was made is looked at again. */
  async #resume(
    connected: Connected,
    id: string,
    { signal, detached }: LaunchContext,
  ): Promise<LaunchedSandbox> {
    const find = { ...connected, signal }
    const hash = hashOf(this.#settings, detached)
    if (this.#settings.claim === undefined) {
      const pod = await findDetached(id, hash, find)
      return this.#resumed(this.#running(connected, pod), connected, { pod, signal })
    }
    const claimed = await findDetachedClaim(id, hash, find)
    return this.#resumed(this.#runningClaim(connected, claimed, detached), connected, { ...claimed, signal })
  }

  async #resumed(backend: RunningPod, connected: Connected, found: FoundPod): Promise<LaunchedSandbox> {
    await this.#requireClosed(backend, connected, found)
    return launched(backend)
  }

  /** @throws FencedError where the network of a pod that is there is open, and has to be closed. */
  async #requireClosed(
    backend: RunningPod,
    { cluster, namespace }: Connected,
    { pod: { metadata }, signal }: FoundPod,
  ): Promise<void> {
    if (!isClosed(this.#settings)) return
    await requireClosedPolicy(cluster, { namespace, labels: metadata.labels ?? {} }, signal)
    await requireNoEgress(backend, targetsOf(cluster), signal)
  }

  #running({ cluster, namespace }: Connected, pod: Pod): RunningPod {
    const { name, uid } = pod.metadata
    const { env } = this.#settings
    const processLimit = processLimitOf(this.#settings)
    const limits = limitsOfPod(pod, processLimit)
    const user = pod.spec?.securityContext?.runAsUser
    return new RunningPod({ cluster, namespace, name, uid, env, processLimit, limits, user })
  }

  #runningClaim(
    { cluster, namespace }: Connected,
    { claim, pod }: ClaimedPod,
    detached: LaunchContext['detached'],
  ): RunningPod {
    const { metadata } = pod
    const { name, uid } = claim.metadata
    const path = `${claimsPath(namespace)}/${encodeURIComponent(name)}`
    const extend = (ms: number) => void extendClaim(cluster, path, ms).catch(() => {})
    return new RunningPod({
      ...{ cluster, namespace, name: metadata.name, uid: metadata.uid, env: this.#settings.env },
      ...{ processLimit: undefined, limits: limitsOfPod(pod, undefined), user: undefined },
      container: codeContainerOf(pod)?.name,
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

function launched(backend: RunningPod): LaunchedSandbox {
  return { id: backend.id, backend, isExclusive: true, hasControlGroup: true, limits: backend.limits }
}

async function orRemoved(backend: RunningPod, check: () => Promise<void>): Promise<RunningPod> {
  try {
    await check()
    return backend
  } catch (error) {
    await backend.remove().catch(() => {})
    throw error
  }
}

function atMostEvery(ms: number, act: () => void): () => void {
  let last = -Infinity
  return () => {
    if (performance.now() - last < ms) return
    last = performance.now()
    act()
  }
}

interface FoundPod {
  readonly pod: Pod
  readonly signal: AbortSignal
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
