import type { Duplex } from 'node:stream'
import type { LimitsInForce, SandboxNetwork, SandboxUsage } from '@fenced/core'
import { HostWorkDirectory, parseOptions, type StartContext } from '@fenced/core/driver'
import {
  checkStartSandbox,
  DirectoryLease,
  knownOptions,
  notPausable,
  PauseSwitch,
  ProcessList,
  SharedStart,
  traced,
} from '@fenced/core/internal'
import {
  executorSandbox,
  type Sandbox,
  type SandboxCapabilities,
  type SandboxFiles,
  type SandboxPreparation,
  type SandboxProcess,
  type StartSandboxOptions,
} from '@fenced/core/sandbox'
import { endLeftoverProcesses, programEnvironment } from '@fenced/host'
import type { Lookup } from '@fenced/sandbox'
import {
  type CompiledPrograms,
  ListedNetwork,
  networkAccess,
  type SharedPythons,
} from '@fenced/sandbox/driver'
import { notResumable, sandboxNotStarted } from '@fenced/shared'
import { compiledPrograms } from './compiled-programs.ts'
import { connectLoopback, portClosed } from './connect-loopback.ts'
import { type Incarnation, type LocalRoot, makeIncarnation } from './incarnation.ts'
import { LocalInterpreters } from './interpreters.ts'
import { type LocalProcess, type LocalSpawnOptions, startLocalProcess } from './local-process.ts'
import { startInTerminal } from './local-terminal.ts'
import { type LocalSandboxOptions, type LocalSandboxSettings, localSandboxOptionsSchema } from './options.ts'
import { restorePrepared } from './prepared-directory.ts'
import { SharedFiles } from './shared-files.ts'
import {
  forkOfSharedPython,
  hasSharedPython,
  hasSharedPythons,
  startSharedPythonSoon,
} from './shared-python/shared-pythons.ts'

/** Parts that can be passed to the constructor in addition to the options, which are plain data. */
export interface LocalSandboxParts {
  /** Directory to use instead of the option. The caller opens and closes it. */
  readonly workDirectory?: HostWorkDirectory | undefined
  /**
   * Resolves host names when the network is an allowlist.
   *
   * @default this machine's resolver
   */
  readonly lookup?: Lookup | undefined
}

/**
 * Runs processes on this machine, each of them optionally in bubblewrap. Without bubblewrap nothing is isolated, and a process
 * can do anything that you can do. With bubblewrap, each process has its own process table, `/tmp` and home directory.
 *
 * Processes are tracked by their group and, on Linux, by their session and a mark in their environment. They are stopped when
 * this process ends, however it ends. A process that leaves its session and clears its environment is stopped only in bubblewrap.
 * Otherwise, `leftBehind` reports it, as far as its output and `/proc` reveal it.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class LocalSandbox implements Sandbox {
  readonly name: 'local' | 'bubblewrap'
  readonly capabilities: SandboxCapabilities
  readonly shared: HostWorkDirectory
  readonly files: SandboxFiles
  readonly processes = new ProcessList()
  readonly network?: SandboxNetwork
  /** Interpreters of the languages. */
  readonly interpreters: LocalInterpreters
  /** Without isolation, sandboxes can share a Python: its processes have the same user anyway. Linux only. */
  readonly sharedPythons: SharedPythons | undefined
  /** Fenced's Python programs, compiled outside all sandboxes. */
  readonly compiledPrograms: CompiledPrograms
  readonly #settings: LocalSandboxSettings
  /** Of a directory that this sandbox opened. */
  readonly #lease: DirectoryLease | undefined
  readonly #listed: ListedNetwork | undefined
  readonly #life: SharedStart<Incarnation>
  readonly #pause: PauseSwitch
  /** There while it is paused. */
  #paused: { resume(): void } | undefined
  #limits: LimitsInForce | undefined
  /** There while it is started. */
  #incarnation: Incarnation | undefined

  constructor(options: LocalSandboxOptions = {}, { workDirectory, lookup }: LocalSandboxParts = {}) {
    const settings = parseOptions(localSandboxOptionsSchema, options, 'LocalSandbox')
    const { isolation, memoryBytes, pids, cpus } = settings
    const network = settings.network ?? (isolation === 'none' ? 'open' : 'none')
    if (typeof network === 'object') this.#listed = new ListedNetwork(network, lookup)
    if (this.#listed !== undefined) this.network = this.#listed.gate
    this.#settings = settings
    const allowsShared = settings.allowSharedWorkDir
    if (workDirectory === undefined) this.#lease = new DirectoryLease({ isolation, allowsShared })
    this.shared = workDirectory ?? new HostWorkDirectory({ path: settings.workDir })
    this.files = new SharedFiles(this.shared, (...given) => this.#open(...given))
    this.name = isolation === 'none' ? 'local' : 'bubblewrap'
    this.#pause = new PauseSwitch(this.name)
    this.capabilities = {
      isolation,
      network: networkAccess(network),
      files: 'directory',
      // Without a network of this machine a port is bubblewrap's own.
      ports: network === 'open',
      resumable: false,
      preparable: true,
      pause: process.platform === 'linux',
      limits: {
        memory: typeof memoryBytes === 'number',
        processes: typeof pids === 'number',
        cpu: typeof cpus === 'number',
      },
    }
    this.sharedPythons =
      isolation === 'none' && process.platform === 'linux' ? this.#sharedPythons() : undefined
    const { PATH, Path } = programEnvironment(process.env, settings)
    const path = PATH ?? Path ?? ''
    const search = { python: settings.python, path, host: process.env }
    this.interpreters = new LocalInterpreters(search)
    this.compiledPrograms = compiledPrograms(search)
    this.#life = new SharedStart({
      start: (startOptions) =>
        traced('fenced:start', { kind: 'sandbox', name: this.name }, () => this.#start(startOptions)),
      stop: (incarnation) => this.#end(incarnation),
      discard: async () => this.#lease?.release(),
      stoppedError: sandboxNotStarted,
    })
  }

  get directory(): string {
    return this.shared.path
  }

  get id(): string | undefined {
    return this.#incarnation?.id
  }

  get limitsInForce(): LimitsInForce | undefined {
    return this.#limits
  }

  async start(given: StartSandboxOptions = {}): Promise<void> {
    const { detached, resume, ...options } = checkStartSandbox(given)
    if (detached !== undefined || resume !== undefined) throw notResumable(this.name)
    await this.#life.get(options)
  }

  async which(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await Promise.all(
      names.map(async (name) => [name, await this.interpreters.locate(name)] as const),
    )
    return new Map(found.filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  async spawn(
    command: readonly [string, ...string[]],
    spawnOptions: LocalSpawnOptions = {},
  ): Promise<LocalProcess> {
    return this.processes.add(await this.#open(command, spawnOptions), command, spawnOptions)
  }

  process(id: string): SandboxProcess | undefined {
    return this.processes.get(id)
  }

  async #open(
    command: readonly [string, ...string[]],
    spawnOptions: LocalSpawnOptions = {},
  ): Promise<LocalProcess> {
    const { killGraceMs } = this.#settings
    const { directory, interpreters } = this
    const start = (words: readonly [string, ...string[]], options: LocalSpawnOptions) => {
      const startNow = () => {
        const incarnation = this.#present()
        const adopt = (started: LocalRoot) => this.#adopt(started, incarnation.processes, words[0])
        const place = { directory, interpreters, incarnation, killGraceMs, program: command[0], adopt }
        return startLocalProcess(words, options, place)
      }
      return this.#pause.whileRunning(startNow, options.signal)
    }
    const { terminal, role } = spawnOptions
    // A block may have begun just before the pause.
    if (role !== 'block') this.#pause.requireRunning()
    if (terminal === undefined) return start(command, spawnOptions)
    const place = { start, killGraceMs, which: (names: readonly string[]) => this.which(names) }
    return startInTerminal(command, { ...spawnOptions, terminal }, place)
  }

  async connect(port: number, options: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    const { signal } = knownOptions(options, { signal: true }, 'connect()')
    this.#present()
    if (!this.capabilities.ports) {
      throw portClosed(port, 'each of its processes has a separate network. Use a container.')
    }
    return connectLoopback(port, signal)
  }

  async usage(options: { readonly signal?: AbortSignal } = {}): Promise<SandboxUsage> {
    const { signal } = knownOptions(options, { signal: true }, 'usage()')
    const { processes } = this.#present()
    const { localUsage } = await import('./local-usage.ts')
    const usage = await localUsage([...processes], this.directory, signal)
    return { ...usage, ...this.network?.traffic }
  }

  get isPaused(): boolean {
    return this.#pause.isPaused
  }

  async pause(): Promise<void> {
    const { processes } = this.#present()
    if (this.capabilities.pause !== true)
      throw notPausable(this.name, 'its processes are found on Linux only.')
    const { PausedProcesses } = await import('./paused-processes.ts')
    await this.#pause.pause(async () => {
      this.#paused = await PausedProcesses.stop([...processes], this.name)
    })
  }

  async resume(): Promise<void> {
    await this.#pause.resume(async () => this.#paused?.resume())
  }

  watchPause(watcher: (isPaused: boolean) => void): Disposable {
    return this.#pause.watch(watcher)
  }

  async stop(): Promise<void> {
    await this.#life.stop()
    if (this.#lease === undefined) return
    await this.shared.close()
    this.#lease.release()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #start({
    signal,
    onNotice = () => {},
    preparation,
  }: StartSandboxOptions & { readonly signal: AbortSignal }): Promise<Incarnation> {
    // In the background: nothing here depends on it.
    void endLeftoverProcesses()
    if (this.#lease !== undefined) await this.shared.open()
    this.#lease?.take(this.directory)
    const context = { signal, notice: onNotice }
    const { shared, interpreters } = this
    const parts = { settings: this.#settings, shared, interpreters, listed: this.#listed }
    const incarnation = await makeIncarnation(parts, context)
    this.#incarnation = incarnation
    this.#limits = incarnation.limiter?.limits ?? {}
    try {
      await incarnation.network?.test((...args) => this.spawn(...args), signal)
      if (preparation !== undefined) await this.#prepare(preparation, context)
      return incarnation
    } catch (error) {
      await this.#end(incarnation)
      throw error
    }
  }

  async #prepare(preparation: SandboxPreparation, context: StartContext): Promise<void> {
    const incarnation = this.#present()
    const endProcesses = () => Promise.all([...incarnation.processes].map((each) => each.kill()))
    const work = async () => {
      await preparation.prepare(executorSandbox(this), { signal: context.signal })
      await endProcesses()
    }
    await restorePrepared({ directory: this.directory, sandbox: this.name, work }, preparation, context)
    context.signal.throwIfAborted()
  }

  async #end({ processes, limiter, network }: Incarnation): Promise<void> {
    this.#incarnation = undefined
    await Promise.all([...processes].map((each) => each.kill()))
    this.#pause.reset()
    this.#listed?.end()
    await network?.end()
    await limiter?.end()
  }

  #sharedPythons(): SharedPythons {
    return {
      isAnyReady: hasSharedPythons,
      isReady: (interpreter) => hasSharedPython(interpreter, this.#present().environment),
      startSoon: (interpreter) => {
        const environment = this.#incarnation?.environment
        if (environment !== undefined) startSharedPythonSoon(interpreter, environment)
      },
      get: async (interpreter, signal) => {
        const { environment, processes } = this.#present()
        const fork = () => forkOfSharedPython(interpreter, environment, signal)
        const server = await this.#pause.whileRunning(fork, signal)
        if (server !== undefined) await this.#adopt(server, processes, interpreter.python[0])
        return server
      },
    }
  }

  /** A process that was started ends with this sandbox. */
  async #adopt(started: LocalRoot, processes: Set<LocalRoot>, program: string): Promise<void> {
    if (this.#incarnation?.processes !== processes) {
      // It was stopped meanwhile.
      await started.kill()
      throw sandboxNotStarted()
    }
    processes.add(started)
    void started.ended.catch(() => {}).then(() => processes.delete(started))
    traced('fenced:process', { sandbox: this.name, program }, () => started.ended).catch(() => {})
  }

  #present(): Incarnation {
    if (this.#incarnation === undefined) throw sandboxNotStarted()
    return this.#incarnation
  }
}
