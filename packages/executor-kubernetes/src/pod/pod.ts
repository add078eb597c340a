import { basename, dirname } from 'node:path/posix'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { BackendProcess, ExecOptions, SandboxBackend } from '@fenced/core/sandbox'
import type { Cluster } from '../api/cluster.ts'
import { archiveOf, packScript, unpackScript } from './archives.ts'
import { bootInput } from './exec-script.ts'
import { MarkedEnd } from './marked-end.ts'
import { PodProcess } from './pod-process.ts'
import type { Pod } from './pod-types.ts'
import { WaitingExecs } from './waiting-execs.ts'

/** A pod that runs, and what its processes get. */
export interface RunningPodParts {
  readonly cluster: Cluster
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Variables for every process: they are not in the pod, where others could read them. */
  readonly env: Readonly<Record<string, string>>
  readonly processLimit: number | undefined
  /** The number of its user and group, where it is known. */
  readonly user: number | undefined
}

interface CallOptions {
  readonly signal: AbortSignal
}

/** How long the cluster may take to end a pod, in milliseconds. */
const removalLimitMs = 60_000

/** A pod as the backend of a sandbox. */
export class RunningPod implements SandboxBackend {
  readonly where: string
  readonly maxRestMs = 60_000
  readonly losesUnreadOutput = true
  /** Names this pod, and no later one of its name. */
  readonly id: string
  readonly #parts: RunningPodParts
  readonly #path: string
  readonly #execs: WaitingExecs

  constructor(parts: RunningPodParts) {
    const { cluster, namespace, name, uid } = parts
    this.#parts = parts
    this.id = `${namespace}/${name}/${uid}`
    this.where = `the pod ${name} of ${namespace} at ${cluster.server}`
    this.#path = podPath(namespace, name)
    this.#execs = new WaitingExecs({ cluster, podPath: this.#path })
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess> {
    const { user } = options
    const own = this.#parts.user
    const isOther = own !== undefined && user !== undefined && ![`${own}`, `${own}:${own}`].includes(user)
    if (isOther) throw this.#oneUser(user)
    return this.#start(command, options)
  }

  async put(directory: string, archive: Readable, { signal }: CallOptions): Promise<void> {
    const end = new MarkedEnd()
    const command = ['/bin/sh', '-c', unpackScript, 'sh', directory, end.mark] as const
    const process = await this.#start(command, { cwd: '/', env: {}, stdin: true, signal })
    const onAbort = () => process.destroy()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      // One that has ended takes no more, and what it said is why.
      const ended = new AbortController()
      const reading = end.read(process, () => {}).finally(() => ended.abort())
      const either = AbortSignal.any([signal, ended.signal])
      const writing = pipeline(archive, process.stdin as NodeJS.WritableStream, { signal: either })
      const [written] = await Promise.allSettled([writing])
      const cause = written.status === 'rejected' ? written.reason : undefined
      // What was not taken, because all that is needed was there, is no fault.
      const isBroken = cause !== undefined && !ended.signal.aborted
      if (isBroken) process.destroy()
      const exitCode = await reading
      signal.throwIfAborted()
      if (!isBroken && exitCode === 0) return
      throw await this.#failed(`unpacking into ${directory}`, end.words || wordsOf(cause), cause)
    } finally {
      signal.removeEventListener('abort', onAbort)
      process.destroy()
    }
  }

  async get(path: string, { signal }: CallOptions): Promise<Readable | undefined> {
    const end = new MarkedEnd()
    const words = [dirname(path), basename(path), end.mark]
    const command = ['/bin/sh', '-c', packScript, 'sh', ...words] as const
    const process = await this.#start(command, { cwd: '/', env: {}, stdin: true, signal })
    const fault = (words: string) => this.#failed(`reading ${path}`, words)
    return archiveOf(process, { end, signal, fault })
  }

  async state(): Promise<'running' | 'ended' | 'unknown'> {
    try {
      const pod = await this.#look(AbortSignal.timeout(5_000))
      return pod !== undefined && isRunning(pod) ? 'running' : 'ended'
    } catch {
      return 'unknown'
    }
  }

  async remove({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#execs.close()
    const limit = AbortSignal.timeout(removalLimitMs)
    const both = signal === undefined ? limit : AbortSignal.any([limit, signal])
    try {
      await removePod(this.#parts.cluster, this.#path, this.#parts.uid, both)
    } catch (error) {
      if (!limit.aborted) throw error
      throw new FencedError({
        code: 'CLUSTER_FAILED',
        message: `${this.where} was not ended within ${removalLimitMs / 1_000} seconds: its node may not answer. It is marked for removal, and ends when the node is back.`,
        cause: error,
      })
    }
  }

  /** What the cluster says about its end, if it has ended. */
  async whyItEnded(signal: AbortSignal): Promise<string | undefined> {
    const { status } = (await this.#look(signal)) ?? {}
    return status?.reason === undefined ? undefined : `${status.reason}: ${status.message ?? ''}`
  }

  async #look(signal: AbortSignal): Promise<Pod | undefined> {
    const { cluster, uid } = this.#parts
    const pod = await cluster.find<Pod>({
      method: 'GET',
      path: this.#path,
      doing: 'looking for a pod',
      signal,
    })
    return pod?.metadata.uid === uid ? pod : undefined
  }

  async #start(
    command: readonly [string, ...string[]],
    options: Omit<ExecOptions, 'user'>,
  ): Promise<PodProcess> {
    const { env, processLimit } = this.#parts
    const { signal } = options
    const input = bootInput(command, { ...options, env: { ...env, ...options.env }, processLimit })
    try {
      signal.throwIfAborted()
      const socket = await this.#execs.begin(input, signal)
      this.#execs.prepare()
      return new PodProcess(socket, options.stdin)
    } catch (error) {
      signal.throwIfAborted()
      throw (await this.#hasEnded()) ? this.#gone(error) : error
    }
  }

  /** The end of a pod is reported a moment later than that of what ran in it. */
  async #hasEnded(): Promise<boolean> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const state = await this.state()
      if (state !== 'running') return state === 'ended'
      await delay(100)
    }
    return false
  }

  #gone(cause: unknown): FencedError {
    const words = cause instanceof Error ? `: ${cause.message}` : ''
    return new FencedError({
      code: 'SANDBOX_GONE',
      message: `The pod has ended, or somebody removed it${words} Start again, and there is a new one.`,
      cause,
    })
  }

  #oneUser(user: string): FencedError {
    const message = `A pod runs everything as one user: ${this.where} cannot start a command as ${user}. Use \`pod.user\`.`
    return new FencedError({ code: 'INVALID_OPTIONS', message })
  }

  async #failed(doing: string, words: string, cause?: unknown): Promise<FencedError> {
    if ((await this.state()) === 'ended') return this.#gone(cause)
    return new FencedError({
      code: 'CLUSTER_FAILED',
      message: `${this.where} failed while ${doing}: ${words}.`,
      cause,
    })
  }
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error && cause.name !== 'AbortError' ? cause.message : 'it was cut off'
}

export function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
}

export function isRunning({ metadata, status }: Pod): boolean {
  return status?.phase === 'Running' && metadata.deletionTimestamp === undefined
}

/** Ends a pod and waits until its node says that it has: one that is forced off goes on running for a while. */
export async function removePod(
  cluster: Cluster,
  path: string,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const doing = 'removing a pod'
  const body = {
    gracePeriodSeconds: 1,
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  }
  // Another one of its name is a conflict.
  const isOther = (error: unknown) =>
    FencedError.isInstance(error) && (error.cause as { status?: number } | undefined)?.status === 409
  try {
    await cluster.find({ method: 'DELETE', path, body, doing, signal })
  } catch (error) {
    if (isOther(error)) return
    throw error
  }
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const pod = await cluster.find<Pod>({ method: 'GET', path, doing, signal })
    if (pod === undefined || (uid !== undefined && pod.metadata.uid !== uid)) return
    await delay(pauseMs, undefined, { signal })
  }
}
