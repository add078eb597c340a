import { setTimeout as delay } from 'node:timers/promises'
import { FencedError, type LimitsInForce } from '@fenced/core'
import { MarkedEnd, ProcessArchives } from '@fenced/core/internal'
import type { Archives, BackendProcess, ExecOptions, SandboxBackend } from '@fenced/core/sandbox'
import { errorMessage, reasonIn } from '@fenced/errors'
import { onAbort } from '@fenced/shared'
import type { Cluster } from '../api/cluster.ts'
import { bootInput, removeScript, serveScript, withArguments } from './exec-script.ts'
import type { ExecSocket } from './exec-socket.ts'
import { KeptExec, type KeptProcess } from './kept-exec.ts'
import { beginScript } from './open-exec.ts'
import { PodProcess } from './pod-process.ts'
import { isRunning, podPath, removePod } from './pod-requests.ts'
import { containerName, type Pod, podSchema } from './pod-types.ts'
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
  /** The limits that hold for what runs in it. */
  readonly limits: LimitsInForce
  /** Default: the one of our own pods. */
  readonly container?: string | undefined
  /** The number of its user and group, where it is known. */
  readonly user: number | undefined
  /** What it belongs to, where it was claimed. */
  readonly claim?: PodClaim | undefined
}

/** What a pod was claimed with, which ends it. */
interface PodClaim {
  readonly id: string
  /** Called when a process is started in the pod. */
  used(): void
  end(signal: AbortSignal): Promise<unknown>
}

interface CallOptions {
  readonly signal: AbortSignal
}

/** How long the cluster may take to end a pod, in milliseconds. */
const removalLimitMs = 60_000

/** A pod as the backend of a sandbox. */
export class RunningPod implements SandboxBackend {
  readonly where: string
  /** The values in `where`, by name. */
  readonly #values: Readonly<Record<string, string>>
  readonly maxRestMs = 60_000
  readonly losesUnreadOutput = true
  /** Names this pod, and no later one of its name. */
  readonly id: string
  readonly limits: LimitsInForce
  readonly #parts: RunningPodParts
  readonly #path: string
  readonly #execs: WaitingExecs
  readonly #kept: KeptExec
  readonly #archives: Archives

  constructor(parts: RunningPodParts) {
    const { cluster, namespace, name, uid, claim, container = containerName } = parts
    this.#parts = parts
    this.limits = parts.limits
    this.id = claim?.id ?? `${namespace}/${name}/${uid}`
    this.where = `the pod ${name} of ${namespace} at ${cluster.server}`
    this.#values = { pod: name, namespace, cluster: cluster.server }
    this.#path = podPath(namespace, name)
    this.#execs = new WaitingExecs({ cluster, podPath: this.#path, container })
    const serve = ['/bin/sh', '-c', serveScript] as const
    this.#kept = new KeptExec({
      open: (signal) => this.#open(serve, { cwd: '/', env: {}, stdin: true, signal }),
      begin: (socket, input, signal) => beginScript(socket, { cluster, input, signal }),
    })
    this.#archives = new ProcessArchives({
      start: ([script, ...words], { signal, input }) =>
        this.#runKept(withArguments(script, words), signal, input),
      failed: (doing, words = 'it was cut off', cause) => this.#failed(doing, words, cause),
    })
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess> {
    const { user } = options
    const own = this.#parts.user
    const isOther = own !== undefined && user !== undefined && ![`${own}`, `${own}:${own}`].includes(user)
    if (isOther) throw this.#oneUser(user)
    return this.#start(command, options)
  }

  put(...given: Parameters<Archives['put']>): Promise<void> {
    return this.#archives.put(...given)
  }

  get(...given: Parameters<Archives['get']>): ReturnType<Archives['get']> {
    return this.#archives.get(...given)
  }

  async removeFiles(directory: string, names: readonly string[], { signal }: CallOptions): Promise<void> {
    const end = new MarkedEnd()
    const script = withArguments(removeScript, [end.mark, directory, ...names])
    const process = await this.#runKept(script, signal)
    using _ = onAbort(signal, () => process.destroy())
    const exitCode = await end.read(process, () => {})
    signal.throwIfAborted()
    if (exitCode === undefined) throw await this.#failed(`removing files in ${directory}`, 'it was cut off')
    process.done()
  }

  async state(): Promise<'running' | 'ended' | 'unknown'> {
    try {
      const pod = await this.#inspect(AbortSignal.timeout(5_000))
      return pod !== undefined && isRunning(pod, this.#parts.container) ? 'running' : 'ended'
    } catch {
      return 'unknown'
    }
  }

  async remove({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#execs.close()
    this.#kept.close()
    const limit = AbortSignal.timeout(removalLimitMs)
    const both = signal === undefined ? limit : AbortSignal.any([limit, signal])
    try {
      const { cluster, uid, claim } = this.#parts
      if (claim === undefined) await removePod(cluster, this.#path, uid, both)
      else await claim.end(both)
    } catch (error) {
      if (!limit.aborted) throw error
      throw new FencedError({
        code: 'CLUSTER_FAILED',
        message: `${this.where} did not end within ${removalLimitMs / 1_000} seconds: its node may not be responding. It is marked for removal, and ends when the node is back.`,
        data: { ...this.#values, limitMs: String(removalLimitMs) },
        cause: error,
      })
    }
  }

  async #inspect(signal: AbortSignal): Promise<Pod | undefined> {
    const { cluster, uid } = this.#parts
    const pod = await cluster.find({
      method: 'GET',
      path: this.#path,
      doing: 'looking for a pod',
      signal,
      answer: podSchema,
    })
    return pod?.metadata.uid === uid ? pod : undefined
  }

  async #start(
    command: readonly [string, ...string[]],
    options: Omit<ExecOptions, 'user'>,
  ): Promise<PodProcess> {
    return this.#unlessGone(options.signal, async () => {
      const socket = await this.#open(command, options)
      this.#execs.prepare()
      return new PodProcess(socket, options.stdin)
    })
  }

  async #open(
    command: readonly [string, ...string[]],
    options: Omit<ExecOptions, 'user'>,
  ): Promise<ExecSocket> {
    const { env, processLimit, claim } = this.#parts
    claim?.used()
    const input = bootInput(command, { ...options, env: { ...env, ...options.env }, processLimit })
    return this.#execs.begin(input, options.signal)
  }

  async #runKept(script: string, signal: AbortSignal, stdin?: Buffer): Promise<KeptProcess> {
    return this.#unlessGone(signal, () => this.#kept.run(script, signal, stdin))
  }

  async #unlessGone<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result> {
    try {
      signal.throwIfAborted()
      return await act()
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
    const words = cause === undefined ? '' : `: ${reasonIn(errorMessage(cause))}`
    return new FencedError({
      code: 'SANDBOX_GONE',
      message: `The pod has ended or was removed${words}. Start again to get a new pod.`,
      ...(cause === undefined ? {} : { data: { reason: errorMessage(cause) } }),
      cause,
    })
  }

  #oneUser(user: string): FencedError {
    const message = `A pod has only one user: ${this.where} cannot start a command as ${user}. Use \`pod.user\`.`
    return new FencedError({
      code: 'INVALID_OPTIONS',
      message,
      data: { ...this.#values, user, option: 'pod.user' },
    })
  }

  async #failed(doing: string, words: string, cause?: unknown): Promise<FencedError> {
    if ((await this.state()) === 'ended') return this.#gone(cause)
    return new FencedError({
      code: 'CLUSTER_FAILED',
      message: `${this.where} failed while ${doing}: ${words}.`,
      data: { ...this.#values, reason: words },
      cause,
    })
  }
}
