import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { FencedError, type LimitsInForce, type SandboxNetwork } from '@fenced/core'
import { parseOptions, type StartContext } from '@fenced/core/driver'
import {
  checkSpawn,
  DirectoryLease,
  knownOptions,
  type OptionNames,
  spawnOptionNames,
  startSandboxOptionNames,
  traced,
  traceProcess,
} from '@fenced/core/internal'
import {
  executorSandbox,
  HostWorkDirectory,
  type Sandbox,
  type SandboxCapabilities,
  type SandboxFiles,
  type SandboxPreparation,
  type SandboxProcess,
  type SpawnOptions,
  type StartSandboxOptions,
} from '@fenced/core/sandbox'
import {
  declareWritable,
  type Environment,
  endLeftoverProcesses,
  programEnvironment,
  requireDescriptorsForChild,
  SharedStart,
  startProcess,
} from '@fenced/host'
import type { Lookup } from '@fenced/sandbox'
import {
  ListedNetwork,
  networkAccess,
  notResumable,
  type SharedPythons,
  sandboxNotStarted,
} from '@fenced/sandbox/internal'
import { inheritedSettings } from './inherited-settings.ts'
import { LocalInterpreters } from './interpreters.ts'
import { Bubblewrap, firstFreeDescriptor } from './isolation/bubblewrap.ts'
import { BubblewrapNetwork } from './isolation/bubblewrap-network.ts'
import { identityOf, isolatedProcess, startWithin } from './isolation/isolated-process.ts'
import { outOfMemorySignal } from './isolation/limited-shell.ts'
import { findLimiter } from './isolation/limiter.ts'
import type { Limiter } from './isolation/limits.ts'
import { moveIntoCommand } from './isolation/loader-variables.ts'
import { type ProtectedPythons, protectPythons } from './isolation/protected-pythons.ts'
import { findReadable } from './isolation/readable-paths.ts'
import { StartReport } from './isolation/start-report.ts'
import { waitForReaders } from './isolation/wait-for-readers.ts'
import { type LocalSandboxOptions, type LocalSandboxSettings, localSandboxOptionsSchema } from './options.ts'
import { restorePrepared } from './prepared-directory.ts'
import { withSamePrograms } from './same-programs.ts'
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

/** Options for {@link LocalSandbox.spawn}. */
export interface LocalSpawnOptions extends SpawnOptions {
  /**
   * Additional directories on this machine that the process sees under their own paths and can write to. Do not trust anything
   * that the process puts there, especially links. Without isolation, the process can write there anyway.
   *
   * @default []
   */
  readonly writable?: readonly string[] | undefined
}

const localSpawnOptionNames: OptionNames<LocalSpawnOptions> = { ...spawnOptionNames, writable: true }

/** A process in a {@link LocalSandbox}. */
export interface LocalProcess extends SandboxProcess {
  /**
   * Watches the descendants that the process starts from now on, except those that clear their environment. Linux only; on other
   * systems, no descendants are found.
   */
  watchDescendants(): { kill(): void }
}

/** What a start makes, and `stop` ends. */
interface Incarnation {
  readonly id: string
  readonly environment: Environment
  /** Directories that the languages' programs need to read. */
  readonly directories: readonly string[]
  readonly limiter: Limiter | undefined
  readonly bubblewrap: Bubblewrap | undefined
  /** By list. */
  readonly network: BubblewrapNetwork | undefined
  readonly processes: Set<SandboxProcess>
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
  readonly network?: SandboxNetwork
  /** LocalInterpreters for each language. */
  readonly interpreters: LocalInterpreters
  /** Without isolation, sandboxes can share a Python: its processes have the same user anyway. Linux only. */
  readonly sharedPythons: SharedPythons | undefined
  readonly #settings: LocalSandboxSettings
  /** Of a directory that this sandbox opened. */
  readonly #lease: DirectoryLease | undefined
  readonly #listed: ListedNetwork | undefined
  readonly #life: SharedStart<Incarnation>
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
    this.files = new SharedFiles(this.shared)
    this.name = isolation === 'none' ? 'local' : 'bubblewrap'
    this.capabilities = {
      isolation,
      network: networkAccess(network),
      files: 'directory',
      // Without a network of this machine a port is bubblewrap's own.
      ports: network === 'open',
      resumable: false,
      preparable: true,
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
    this.interpreters = new LocalInterpreters({ python: settings.python, path, host: process.env })
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
    const { detached, resume, ...options } = knownOptions(given, startSandboxOptionNames, 'start()')
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
    const {
      cwd = this.directory,
      env,
      killGraceMs = this.#settings.killGraceMs,
      role,
      writable,
      reapsOrphans,
      ...options
    } = checkSpawn(command, spawnOptions, localSpawnOptionNames)
    const { environment, directories: ofLanguages, bubblewrap, network, processes } = this.#present()
    options.signal?.throwIfAborted()
    if (bubblewrap !== undefined) {
      requireDescriptorsForChild()
      for (const each of writable ?? []) declareWritable(each)
    }
    using report = bubblewrap && (await StartReport.make(command[0], () => bubblewrap.forget()))
    const ofProgram = this.interpreters.directoriesOf(command[0])
    const directories = [...ofProgram, ...ofLanguages, ...(network?.directories ?? [])]
    const identity = identityOf(this.directory)
    const settings = inheritedSettings()
    const given = { ...environment, ...network?.variables, ...env }
    const inside = moveIntoCommand(role === 'block' ? waitForReaders(command) : command, given)
    using wrapped = bubblewrap?.wrap(network?.wrap(inside.command, firstFreeDescriptor) ?? inside.command, {
      ...{ directories, cwd, writable, isProcess1: reapsOrphans, reports: true },
    })
    const limited = wrapped?.limited
    const started = await startWithin(limited, () =>
      startProcess(wrapped?.command ?? command, {
        ...options,
        killGraceMs,
        // What is wrapped goes to its directory inside.
        cwd: wrapped === undefined ? cwd : this.directory,
        env: wrapped === undefined ? given : inside.env,
        descriptors: wrapped && report ? wrapped.descriptors(report.descriptor) : [],
        ...(report && options.output ? { output: report.listen(options.output) } : {}),
        channel: network !== undefined,
        isolated: wrapped !== undefined,
        ...(limited === undefined ? {} : { outOfMemorySignal }),
      }),
    )
    report?.watch(started)
    wrapped?.holdUntil(started.ended)
    const isConnected = network?.serve(started)
    await this.#adopt(started, processes, command[0])
    if (bubblewrap === undefined) {
      return Object.assign(started, { isOutdated: async () => inheritedSettings() !== settings })
    }
    const { directory } = this
    const { privatePaths } = bubblewrap
    return isolatedProcess(started, { directory, identity, settings, limited, privatePaths, isConnected })
  }

  async connect(port: number, options: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    const { signal } = knownOptions(options, { signal: true }, 'connect()')
    this.#present()
    if (!this.capabilities.ports) {
      throw portClosed(port, 'each of its processes has a separate network. Use a container.')
    }
    signal?.throwIfAborted()
    const address = { host: '127.0.0.1', port, allowHalfOpen: true }
    const socket = connect({ ...address, ...(signal === undefined ? {} : { signal }) })
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
    socket.once('connect', () => resolve(socket)).once('error', reject)
    try {
      return await promise
    } catch (cause) {
      signal?.throwIfAborted()
      throw portClosed(port, 'nothing is listening there.', cause)
    }
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
    const incarnation = await this.#make(context)
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

  /** What a start needs before its first process. Nothing of it is left when this rejects. */
  async #make(context: StartContext): Promise<Incarnation> {
    const pythons = await this.#protectPythons()
    const environment = programEnvironment(process.env, this.#settings)
    const same = await withSamePrograms(environment, this.interpreters, this.#settings)
    const made = { id: randomUUID(), ...same, processes: new Set<SandboxProcess>() }
    if (this.#settings.isolation === 'none')
      return { ...made, limiter: undefined, bubblewrap: undefined, network: undefined }
    const readable = findReadable(this.#settings.readable, this.directory)
    const limiter = await findLimiter(this.#settings, context)
    try {
      const network = this.capabilities.network === 'open'
      const directories = { workDir: this.directory, realWorkDir: this.shared.realPath }
      const options = { ...directories, ...pythons, readable, network, limiter }
      const bubblewrap = await Bubblewrap.find(options, context)
      return { ...made, limiter, bubblewrap, network: await this.#findNetwork() }
    } catch (error) {
      await limiter?.end()
      throw error
    }
  }

  async #findNetwork(): Promise<BubblewrapNetwork | undefined> {
    if (this.#listed === undefined) return undefined
    return BubblewrapNetwork.of(this.#listed, await this.interpreters.find({ id: 'python' }))
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

  /** Without isolation code can replace every program of this user anyway. */
  async #protectPythons(): Promise<ProtectedPythons> {
    if (this.#settings.isolation === 'none') return { readOnly: [], startedOutside: [] }
    const path = programEnvironment(process.env, this.#settings).PATH ?? ''
    return protectPythons(this.directory, { python: this.#settings.python, path, host: process.env })
  }

  async #end({ processes, limiter, network }: Incarnation): Promise<void> {
    this.#incarnation = undefined
    await Promise.all([...processes].map((each) => each.kill()))
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
        const server = await forkOfSharedPython(interpreter, environment, signal)
        if (server !== undefined) await this.#adopt(server, processes, interpreter.python[0])
        return server
      },
    }
  }

  /** A process that was started ends with this sandbox. */
  async #adopt(started: SandboxProcess, processes: Set<SandboxProcess>, program: string): Promise<void> {
    if (this.#incarnation?.processes !== processes) {
      // It was stopped meanwhile.
      await started.kill()
      throw sandboxNotStarted()
    }
    processes.add(started)
    void started.ended.catch(() => {}).then(() => processes.delete(started))
    traceProcess({ sandbox: this.name, program }, started)
  }

  #present(): Incarnation {
    if (this.#incarnation === undefined) throw sandboxNotStarted()
    return this.#incarnation
  }
}

function portClosed(port: number, why: string, cause?: unknown): FencedError {
  return new FencedError({
    code: 'SANDBOX_PORT_CLOSED',
    message: `Port ${port} of the sandbox cannot be reached: ${why}`,
    data: { port: `${port}` },
    cause,
  })
}
