import type { Duplex } from 'node:stream'
import type { LimitsInForce, Notice, SandboxNetwork, SandboxUsage } from '@fenced/core'
import { HostWorkDirectory, parseOptions, type StartContext } from '@fenced/core/driver'
import {
  checkSpawn,
  checkStartSandbox,
  DirectoryLease,
  knownOptions,
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
import { notResumable, sandboxNotStarted } from '@fenced/shared'
import { ProcessFiles } from '../files/process-files.ts'
import { ListedNetwork } from '../network/listed-network.ts'
import { networkAllowlistSchema } from '../network/network-options.ts'
import { connectInside } from '../ports/connect-inside.ts'
import { spawnInTerminal } from '../terminal/spawn-in-terminal.ts'
import type { AroundBlocks } from './around-blocks.ts'
import { BlocksInSandbox } from './blocks-in-sandbox.ts'
import { clearSetIdsOf } from './clear-set-ids.ts'
import { CurrentSandbox, type Incarnation } from './current-sandbox.ts'
import { keepInUse } from './kept-sandbox.ts'
import { findPrograms } from './probe.ts'
import { closeExecs, execsOpened, makeReady } from './ready-sandbox.ts'
import type { SupervisedNetwork } from './start-helper.ts'
import { type ProcessRequest, startProcess } from './start-process.ts'
import { type SuperviseOptions, superviseOptionNames } from './supervise-options.ts'
import type { SupervisedProcess } from './supervised-process.ts'

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
  readonly #current: CurrentSandbox
  readonly #blocks: BlocksInSandbox
  /** Removes a detached sandbox that stays paused. */
  #expiry: NodeJS.Timeout | undefined
  #limits: LimitsInForce | undefined
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
    this.#current = new CurrentSandbox(this.#pause)
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
      isAlive: (incarnation) => incarnation === this.#current.incarnation,
      stoppedError: sandboxNotStarted,
    })
    this.#blocks = new BlocksInSandbox({
      workDirectory: this.workDirectory,
      network: this.#network,
      current: this.#current,
      life: this.#life,
      pause: this.#pause,
    })
  }

  get directory(): string {
    return this.workDirectory.path
  }

  get shared(): HostWorkDirectory | undefined {
    const files = this.#current.target?.files
    return files !== undefined && 'mounted' in files ? this.workDirectory : undefined
  }

  get limitsInForce(): LimitsInForce | undefined {
    return this.#limits
  }

  get id(): string | undefined {
    return this.#current.target?.launched.id
  }

  get mayRest(): boolean {
    return this.#blocks.mayRest
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
    const { target } = this.#current.present()
    this.#pause.requireRunning()
    const { programs: looked = [] } = this.#options
    const { programs } = target.facts
    if (names.some((name) => !looked.includes(name)))
      return this.#current.whileThere(() => findPrograms(target, { programs: names, signal }))
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
    return this.#current.orForget(async ({ target, processes }) => {
      const started = await startProcess(target, command, request)
      processes.add(started)
      void started.exited.then(() => processes.delete(started))
      const trace = { sandbox: this.name, program: command[0] }
      traced('fenced:process', trace, () => started.ended).catch(() => {})
      return started
    })
  }

  async connect(port: number, options: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    knownOptions(options, { signal: true }, 'connect()')
    this.#current.present()
    return connectInside(this.#place(), port, options)
  }

  async usage(options: { readonly signal?: AbortSignal } = {}): Promise<SandboxUsage> {
    const { signal = new AbortController().signal } = knownOptions(options, { signal: true }, 'usage()')
    this.#pause.requireRunning()
    const { sandboxUsage } = await import('./sandbox-usage.ts')
    const usage = await this.#current.whileThere(({ target }) => {
      const { hasControlGroup = false } = target.launched
      return sandboxUsage(target, { hasControlGroup, signal })
    })
    return { ...usage, ...this.network?.traffic }
  }

  get isPaused(): boolean {
    return this.#pause.isPaused
  }

  async pause(): Promise<void> {
    const { target } = this.#current.present()
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
    await this.#pause.resume(async () => this.#current.present().target.launched.backend.resume?.())
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
    this.#blocks.setStarted(false)
    this.#detached = undefined
    if (this.#lease === undefined) return
    await this.workDirectory.close()
    this.#lease.release()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Replaces the current sandbox. `news` is reported with the next block. */
  renew(news: Notice, context: StartContext): Promise<void> {
    return this.#blocks.renew(news, context)
  }

  beforeBlock(context: StartContext): Promise<void> {
    return this.#blocks.beforeBlock(context)
  }

  afterBlock(context: StartContext): Promise<void> {
    return this.#blocks.afterBlock(context)
  }

  silence(): Promise<Notice | undefined> {
    return this.#blocks.silence()
  }

  afterStuckBlock(context: StartContext): Promise<Notice | undefined> {
    return this.#blocks.afterStuckBlock(context)
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
      const incarnation = { target: { ...ready, isDetached }, processes: new Set<SupervisedProcess>(), use }
      this.#current.begin(incarnation)
      this.#blocks.setStarted(true)
      this.#limits = launched.limits
      return incarnation
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
    this.#current.forget()
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
}

function supervisedNetwork({ network }: SuperviseOptions): SupervisedNetwork | undefined {
  if (network === undefined) return undefined
  const { allowlist, lookup, hasRoutes = false } = network
  const settings = parseOptions(networkAllowlistSchema, allowlist, 'the network of a sandbox')
  return { listed: new ListedNetwork(settings, lookup), hasRoutes }
}
