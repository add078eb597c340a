import type { Duplex } from 'node:stream'
import {
  FencedError,
  type LimitsInForce,
  type Notice,
  type SandboxNetwork,
  type SandboxUsage,
} from '@fenced/core'
import { HostWorkDirectory, parseOptions, type StartContext } from '@fenced/core/driver'
import {
  checkSpawn,
  checkStartSandbox,
  DirectoryLease,
  knownOptions,
  noticeOf,
  notPausable,
  PauseSwitch,
  ProcessList,
  SharedStart,
  traced,
} from '@fenced/core/internal'
import type {
  Sandbox,
  SandboxCapabilities,
  SandboxProcess,
  SpawnOptions,
  StartSandboxOptions,
} from '@fenced/core/sandbox'
import { errorMessage, reasonIn } from '@fenced/errors'
import { notResumable, sandboxNotStarted } from '@fenced/shared'
import { isGone, mayRest, whereIs } from '../exec/exec-target.ts'
import { ProcessFiles } from '../files/process-files.ts'
import { ListedNetwork } from '../network/listed-network.ts'
import { networkAllowlistSchema } from '../network/network-options.ts'
import { connectInside } from '../ports/connect-inside.ts'
import { spawnInTerminal } from '../terminal/spawn-in-terminal.ts'
import type { AroundBlocks } from './around-blocks.ts'
import { clearSetIdsOf } from './clear-set-ids.ts'
import { copyFilesIn, copyFilesOut } from './files-of-blocks.ts'
import { isKept, isSilent, keepInUse, keptNotice, notBegunNotice, unseenEndNotice } from './kept-sandbox.ts'
import { findPrograms } from './probe.ts'
import {
  closeExecs,
  execsOpened,
  isUnmounted,
  makeReady,
  prepareExecs,
  type ReadySandbox,
} from './ready-sandbox.ts'
import type { SupervisedNetwork } from './start-helper.ts'
import { startHelper } from './start-helper.ts'
import { type ProcessRequest, startProcess } from './start-process.ts'
import { replaced, type SuperviseOptions, superviseOptionNames } from './supervise-options.ts'
import type { SupervisedProcess } from './supervised-process.ts'

/** What a start makes, and its end removes. */
interface Incarnation {
  readonly target: ReadySandbox
  readonly processes: Set<SupervisedProcess>
  /** Keeps a detached one from expiring. */
  readonly use: NodeJS.Timeout | undefined
}

/**
 * A complete sandbox, built from a backend that can only start commands and move archives. It adds process signals and typed
 * process outcomes, complete cleanup, files and ports. A working directory that is not mounted is copied. The sandbox needs
 * `/bin/sh` and a Linux-style `/proc`.
 *
 * @example
 * ```ts
 * const sandbox = new SupervisedSandbox({
 *   name: 'mine',
 *   capabilities: { isolation: 'vm', network: 'none', limits: { memory: true, processes: true } },
 *   launch: async ({ signal }) => ({ id: 'vm-1', backend: await startMyMachine(signal) }),
 * })
 * const executor = new CommandLineCodeExecutor({ sandbox })
 * ```
 */
export class SupervisedSandbox implements Sandbox, AroundBlocks {
  readonly name: string
  readonly capabilities: SandboxCapabilities
  readonly workDirectory: HostWorkDirectory
  readonly files: ProcessFiles
  readonly processes = new ProcessList()
  readonly network?: SandboxNetwork
  readonly #network: SupervisedNetwork | undefined
  readonly #options: SuperviseOptions
  /** Of a directory that this sandbox opened. */
  readonly #lease: DirectoryLease | undefined
  readonly #life: SharedStart<Incarnation>
  readonly #pause: PauseSwitch
  /** Removes a detached sandbox that stays paused. */
  #expiry: NodeJS.Timeout | undefined
  #limits: LimitsInForce | undefined
  /** There while it is started, and not known to be lost. */
  #incarnation: Incarnation | undefined
  /** What the next block reports, where its sandbox is not the one of the block before. */
  #news: Notice | undefined
  #wasStarted = false
  #isStopping = false
  /** Also for the sandbox that is made when one was lost. */
  #detached: StartSandboxOptions['detached']

  /** @throws FencedError `INVALID_OPTIONS` for a name that is not an option. */
  constructor(given: SuperviseOptions) {
    const options = knownOptions(given, superviseOptionNames, 'SupervisedSandbox')
    const {
      name,
      capabilities,
      workDirectory,
      resumable = false,
      preparable = false,
      pausable = false,
    } = options
    this.name = name
    this.capabilities = {
      ...capabilities,
      files: 'whole',
      ports: true,
      resumable,
      preparable,
      pause: pausable,
    }
    this.#pause = new PauseSwitch(name)
    this.workDirectory = workDirectory ?? new HostWorkDirectory({ mountedAt: '/workspace' })
    const { ownsWorkDirectory = true } = options
    if (ownsWorkDirectory) this.#lease = new DirectoryLease({ isolation: capabilities.isolation })
    this.#network = supervisedNetwork(options)
    if (this.#network !== undefined) this.network = this.#network.listed.gate
    this.#options = options
    this.files = new ProcessFiles({
      spawn: (command, spawnOptions) => this.#open(command, spawnOptions),
      directory: this.directory,
    })
    this.#life = new SharedStart({
      start: (startOptions) =>
        traced('fenced:start', { kind: 'sandbox', name }, () => this.#start(startOptions)),
      stop: (incarnation) => this.#end(incarnation),
      discard: async () => this.#lease?.release(),
      isAlive: (incarnation) => incarnation === this.#incarnation,
      stoppedError: sandboxNotStarted,
    })
  }

  get directory(): string {
    return this.workDirectory.path
  }

  get shared(): HostWorkDirectory | undefined {
    const files = this.#incarnation?.target.files
    return files !== undefined && 'mounted' in files ? this.workDirectory : undefined
  }

  get limitsInForce(): LimitsInForce | undefined {
    return this.#limits
  }

  get id(): string | undefined {
    return this.#incarnation?.target.launched.id
  }

  get mayRest(): boolean {
    const backend = this.#incarnation?.target.launched.backend
    return backend === undefined || mayRest(backend)
  }

  async start(options: StartSandboxOptions = {}): Promise<void> {
    const { detached, resume } = checkStartSandbox(options)
    if ((detached !== undefined || resume !== undefined) && !this.capabilities.resumable)
      throw notResumable(this.name)
    if (detached !== undefined) this.#detached = detached
    await this.#life.get(options)
  }

  async which(
    names: readonly string[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ReadonlyMap<string, string>> {
    const { signal = new AbortController().signal } = knownOptions(options, { signal: true }, 'which()')
    const { target } = this.#present()
    this.#pause.requireRunning()
    const { programs: looked = [] } = this.#options
    const { programs } = target.facts
    if (names.some((name) => !looked.includes(name)))
      return this.#whileThere(() => findPrograms(target, { programs: names, signal }))
    return new Map([...programs].filter(([name]) => names.includes(name)))
  }

  async spawn(command: readonly [string, ...string[]], options: SpawnOptions = {}): Promise<SandboxProcess> {
    return this.processes.add(await this.#open(command, options), command, options)
  }

  process(id: string): SandboxProcess | undefined {
    return this.processes.get(id)
  }

  async #open(command: readonly [string, ...string[]], options: SpawnOptions = {}): Promise<SandboxProcess> {
    const {
      cwd = this.directory,
      killGraceMs = this.#options.killGraceMs ?? 1_000,
      role = 'process',
      signal,
      terminal,
    } = checkSpawn(command, options)
    signal?.throwIfAborted()
    if (terminal !== undefined) {
      const place = this.#place()
      return spawnInTerminal(command, { ...options, terminal, killGraceMs }, place)
    }
    // A block may have begun just before the pause.
    if (role !== 'block') this.#pause.requireRunning()
    return this.#pause.whileRunning(
      () => this.#spawn(command, { ...options, cwd, killGraceMs, role }),
      signal,
    )
  }

  async #spawn(command: readonly [string, ...string[]], request: ProcessRequest): Promise<SupervisedProcess> {
    const { target, processes } = this.#present()
    try {
      const started = await startProcess(target, command, request)
      processes.add(started)
      void started.exited.then(() => processes.delete(started))
      const trace = { sandbox: this.name, program: command[0] }
      traced('fenced:process', trace, () => started.ended).catch(() => {})
      return started
    } catch (error) {
      // A sandbox that is gone is not used again, even if it answers later.
      if (isGone(error) && this.#incarnation?.target === target) this.#incarnation = undefined
      throw error
    }
  }

  async connect(port: number, options: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    knownOptions(options, { signal: true }, 'connect()')
    this.#present()
    return connectInside(this.#place(), port, options)
  }

  async usage(options: { readonly signal?: AbortSignal } = {}): Promise<SandboxUsage> {
    const { signal = new AbortController().signal } = knownOptions(options, { signal: true }, 'usage()')
    this.#pause.requireRunning()
    const { sandboxUsage } = await import('./sandbox-usage.ts')
    const usage = await this.#whileThere(({ target }) => {
      const { hasControlGroup = false } = target.launched
      return sandboxUsage(target, { hasControlGroup, signal })
    })
    return { ...usage, ...this.network?.traffic }
  }

  get isPaused(): boolean {
    return this.#pause.isPaused
  }

  async pause(): Promise<void> {
    const { target } = this.#present()
    const { backend } = target.launched
    if (!this.capabilities.pause || backend.pause === undefined)
      throw notPausable(this.name, 'it has no way to do that.')
    await this.#pause.pause(async () => {
      await execsOpened(target)
      await backend.pause?.()
    })
    // What ends a detached sandbox is paused as well.
    if (this.#detached !== undefined && this.isPaused)
      this.#expiry ??= setTimeout(() => this.#life.stop().catch(() => {}), this.#detached.expiresInMs).unref()
  }

  async resume(): Promise<void> {
    await this.#pause.resume(async () => this.#present().target.launched.backend.resume?.())
    if (!this.isPaused) this.#endExpiry()
  }

  watchPause(watcher: (isPaused: boolean) => void): Disposable {
    return this.#pause.watch(watcher)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    try {
      await this.#life.stop()
    } finally {
      this.#isStopping = false
    }
    this.#network?.listed.end()
    this.#news = undefined
    this.#wasStarted = false
    this.#detached = undefined
    if (this.#lease === undefined) return
    await this.workDirectory.close()
    this.#lease.release()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Replaces the current sandbox. `news` is reported with the next block. */
  async renew(news: Notice, { signal, notice }: StartContext): Promise<void> {
    this.#incarnation = undefined
    await this.#life.get({ signal, onNotice: notice })
    this.#news = news
  }

  async beforeBlock({ signal, notice }: StartContext): Promise<void> {
    const target = this.#incarnation?.target
    if (target !== undefined && (await isUnmounted(target, this.workDirectory))) this.#incarnation = undefined
    if (this.#incarnation === undefined) {
      const isNew = this.#wasStarted
      await this.#life.get({ signal })
      if (isNew) this.#news = replaced
    }
    if (this.#news !== undefined) notice(this.#news)
    this.#news = undefined
    await this.#whileThere(async ({ target }) => {
      await this.#restartHelper(target, { signal, notice })
      await copyFilesIn(target, { signal, notice })
    }, signal)
  }

  async afterBlock(context: StartContext): Promise<void> {
    const incarnation = this.#incarnation
    if (incarnation === undefined) return
    const copyOut = async () => {
      await copyFilesOut(incarnation.target, context)
      prepareExecs(incarnation.target)
    }
    await this.#pause.whileRunning(copyOut, context.signal)
  }

  async silence(): Promise<Notice | undefined> {
    const backend = this.#incarnation?.target.launched.backend
    return backend !== undefined && (await isSilent(backend)) ? notBegunNotice(whereIs(backend)) : undefined
  }

  async afterStuckBlock({ notice }: StartContext): Promise<Notice | undefined> {
    const target = this.#incarnation?.target
    if (target !== undefined && (await isSilent(target.launched.backend))) {
      const where = whereIs(target.launched.backend)
      if (isKept(target)) notice(keptNotice(where))
      else this.#incarnation = undefined
      return unseenEndNotice(where)
    }
    try {
      await this.#life.stop()
    } catch (error) {
      const why = errorMessage(error)
      const message = `The block's sandbox could not be removed: ${why} Processes of the block may still be running in it. The next call removes it first.`
      notice({ code: 'leftovers-remain', message, data: { reason: why } })
    }
    return undefined
  }

  async #start({
    signal,
    onNotice = () => {},
    resume,
    preparation,
  }: StartSandboxOptions & { readonly signal: AbortSignal }): Promise<Incarnation> {
    if (this.#lease !== undefined) await this.workDirectory.open()
    this.#lease?.take(this.workDirectory.hostPath, { isResumed: resume !== undefined })
    const detached = this.#detached
    const launched = await this.#options.launch({ signal, notice: onNotice, detached, resume, preparation })
    try {
      const { workDirectory } = this
      const { programs = [] } = this.#options
      const isDetached = detached !== undefined
      const ready = await makeReady(launched, { workDirectory, programs, signal, network: this.#network })
      const use = isDetached ? keepInUse(ready, detached.expiresInMs, this.#pause) : undefined
      this.#incarnation = { target: { ...ready, isDetached }, processes: new Set(), use }
      this.#wasStarted = true
      this.#limits = launched.limits
      return this.#incarnation
    } catch (error) {
      await (launched.discard?.() ?? launched.backend.remove().catch(() => {}))
      signal.throwIfAborted()
      throw error
    }
  }

  async #end({ target, processes, use }: Incarnation): Promise<void> {
    clearInterval(use)
    this.#endExpiry()
    const { backend, outlivesStop = false } = target.launched
    this.#incarnation = undefined
    // Nothing in a paused sandbox can be ended or looked at.
    if (this.isPaused) await backend.resume?.().catch(() => {})
    this.#pause.reset()
    await closeExecs(target)
    target.helper?.end()
    const stays = outlivesStop && this.#isStopping
    if (stays) await Promise.all([...processes].map((each) => each.kill()))
    await clearSetIdsOf(target, this.workDirectory)
    if (!stays) await backend.remove()
    // An engine may keep the connection of what has ended.
    for (const each of processes) each.closeConnection()
  }

  /** For what Fenced starts itself, which is not listed. */
  #place(): Pick<Sandbox, 'spawn' | 'which'> {
    return { spawn: (...given) => this.#open(...given), which: (...given) => this.which(...given) }
  }

  #endExpiry(): void {
    clearTimeout(this.#expiry)
    this.#expiry = undefined
  }

  /** A program may have ended it, or the connection to it broke. */
  async #restartHelper(target: ReadySandbox, { signal, notice }: StartContext): Promise<void> {
    if (this.#network === undefined || target.helper?.hasEnded !== true) return
    try {
      target.helper = await startHelper(target.launched, target, { ...this.#network, signal })
    } catch (error) {
      if (!FencedError.isInstance(error) || error.code !== 'NETWORK_HELPER_FAILED') throw error
      const { reason = error.message } = error.data ?? {}
      const message = `The code has no network access because the helper for the network allowlist could not be restarted: ${reasonIn(reason)}. Restart the executor.`
      notice(noticeOf('network-lost', { message, data: { ...error.data, reason } }))
    }
  }

  async #whileThere<Result>(
    act: (incarnation: Incarnation) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const incarnation = this.#present()
    try {
      return await this.#pause.whileRunning(() => act(incarnation), signal)
    } catch (error) {
      if (isGone(error) && this.#incarnation === incarnation) this.#incarnation = undefined
      throw error
    }
  }

  #present(): Incarnation {
    if (this.#incarnation === undefined) throw sandboxNotStarted()
    return this.#incarnation
  }
}

function supervisedNetwork({ network }: SuperviseOptions): SupervisedNetwork | undefined {
  if (network === undefined) return undefined
  const { allowlist, lookup, hasRoutes = false } = network
  const settings = parseOptions(networkAllowlistSchema, allowlist, 'the network of a sandbox')
  return { listed: new ListedNetwork(settings, lookup), hasRoutes }
}
