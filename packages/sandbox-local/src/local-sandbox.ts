import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import {
  HostWorkDirectory,
  type Sandbox,
  type SandboxCapabilities,
  type SandboxProcess,
  SharedFiles,
  type SpawnOptions,
  type StartSandboxOptions,
} from '@fenced/core/sandbox'
import {
  choosePython,
  type Environment,
  endLeftoverProcesses,
  programEnvironment,
  requireDescriptorsForChild,
  startProcess,
  withPathFirst,
} from '@fenced/host'
import { Interpreters } from './interpreters.ts'
import { Bubblewrap } from './isolation/bubblewrap.ts'
import { findLimiter, type Limiter } from './isolation/limiter.ts'
import { type LocalSandboxOptions, type LocalSandboxSettings, localSandboxOptionsSchema } from './options.ts'

/** What a sandbox may be given beside its options, which are data. */
export interface LocalSandboxParts {
  /** A directory that somebody else opens and closes, in the place of the option. */
  readonly directory?: HostWorkDirectory | undefined
}

/**
 * Processes on this machine, with or without bubblewrap around each of them. Without it nothing is isolated: a process can do
 * what you can do. With it, each process has a process table, a /tmp and a home of its own.
 *
 * A process is found by its group and, on Linux, by a mark in its environment, and ends with this process, however that
 * ends; one that leaves its group and clears its environment is found only in bubblewrap.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class LocalSandbox implements Sandbox {
  readonly name: 'local' | 'bubblewrap'
  readonly capabilities: SandboxCapabilities
  readonly shared: HostWorkDirectory
  readonly files: SharedFiles
  /** What runs each language. */
  readonly interpreters: Interpreters
  readonly #settings: LocalSandboxSettings
  readonly #processes = new Set<SandboxProcess>()
  readonly #ownsDirectory: boolean
  #environment: Environment
  #id: string | undefined
  #limiter: Limiter | undefined
  #bubblewrap: Bubblewrap | undefined

  constructor(options: LocalSandboxOptions = {}, parts: LocalSandboxParts = {}) {
    const settings = parseOptions(localSandboxOptionsSchema, options, 'LocalSandbox') as LocalSandboxSettings
    const { isolation, memoryBytes, pids } = settings
    this.#settings = settings
    this.#ownsDirectory = parts.directory === undefined
    this.shared = parts.directory ?? new HostWorkDirectory({ path: settings.directory })
    this.files = new SharedFiles(this.shared)
    this.name = isolation === 'none' ? 'local' : 'bubblewrap'
    this.capabilities = {
      isolation: isolation === 'none' ? 'none' : 'sandbox',
      network: this.#hasNetwork ? 'open' : 'none',
      files: 'directory',
      // Without a network of this machine a port is bubblewrap's own.
      ports: this.#hasNetwork,
      resumable: false,
      limits: { memory: typeof memoryBytes === 'number', processes: typeof pids === 'number' },
    }
    this.#environment = programEnvironment(process.env, settings)
    this.interpreters = new Interpreters({
      python: settings.python,
      path: this.#environment.PATH ?? this.#environment.Path ?? '',
      host: process.env,
    })
  }

  get directory(): string {
    return this.shared.path
  }

  get id(): string | undefined {
    return this.#id
  }

  async start({ signal, onNotice = () => {}, detached }: StartSandboxOptions = {}): Promise<void> {
    if (detached !== undefined) throw notResumable()
    if (this.#id !== undefined) return
    signal?.throwIfAborted()
    // In the background: nothing here depends on it.
    void endLeftoverProcesses()
    if (this.#ownsDirectory) await this.shared.open()
    await this.#choosePython()
    if (this.#settings.isolation !== 'none') {
      const context = { signal: signal ?? new AbortController().signal, notice: onNotice }
      this.#limiter = await findLimiter(this.#settings, context)
      const place = { workDir: this.directory, network: this.#hasNetwork, limiter: this.#limiter }
      this.#bubblewrap = await Bubblewrap.find(place, context.signal)
    }
    this.#id = randomUUID()
  }

  async which(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await Promise.all(
      names.map(async (name) => [name, await this.interpreters.locate(name)] as const),
    )
    return new Map(found.filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  async spawn(
    command: readonly [string, ...string[]],
    {
      cwd = this.directory,
      env,
      stdin,
      output,
      signal,
      killGraceMs = this.#settings.killGraceMs,
    }: SpawnOptions = {},
  ): Promise<SandboxProcess> {
    if (this.#id === undefined) throw gone()
    signal?.throwIfAborted()
    if (this.#bubblewrap !== undefined) requireDescriptorsForChild()
    using wrapped = this.#bubblewrap?.wrap(command, {
      directories: this.interpreters.directoriesOf(command[0]),
      cwd,
    })
    const started = await startProcess(wrapped?.command ?? command, {
      // What is wrapped goes to its directory inside.
      cwd: wrapped === undefined ? cwd : this.directory,
      env: { ...this.#environment, ...env },
      killGraceMs,
      stdin,
      output,
      signal,
      descriptors: wrapped === undefined ? [] : [wrapped.filter],
      // See {@link Limiter.wrap}.
      killMeansOutOfMemory: this.#limiter !== undefined,
    })
    this.#processes.add(started)
    void started.ended.catch(() => {}).then(() => this.#processes.delete(started))
    return started
  }

  async connect(port: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Duplex> {
    if (this.#id === undefined) throw gone()
    if (!this.capabilities.ports) {
      throw portClosed(port, 'its processes have a network of their own. Give it `network: true`.')
    }
    signal?.throwIfAborted()
    const socket = connect({ host: '127.0.0.1', port, ...(signal === undefined ? {} : { signal }) })
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
    socket.once('connect', () => resolve(socket)).once('error', reject)
    try {
      return await promise
    } catch (cause) {
      signal?.throwIfAborted()
      throw portClosed(port, 'nothing listens there.', cause)
    }
  }

  async stop(): Promise<void> {
    this.#id = undefined
    await Promise.all([...this.#processes].map((each) => each.kill()))
    await this.#limiter?.end()
    this.#limiter = undefined
    this.#bubblewrap = undefined
    if (this.#ownsDirectory) await this.shared.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  get #hasNetwork(): boolean {
    return this.#settings.network ?? this.#settings.isolation === 'none'
  }

  /** `pip` and `python` in a shell are those of the chosen Python, without `activate`. */
  async #choosePython(): Promise<void> {
    const { python } = this.#settings
    if (python === undefined) return
    const found = await this.interpreters.find({ id: 'python' })
    if ('missing' in found) throw new FencedError({ code: 'PYTHON_NOT_FOUND', message: found.missing })
    const directory = dirname(await choosePython(python))
    this.#environment = withPathFirst(programEnvironment(process.env, this.#settings), directory)
  }
}

function gone(): FencedError {
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: 'The sandbox is not there: it was not started, or it was stopped. Call start().',
  })
}

function notResumable(): FencedError {
  return new FencedError({
    code: 'NOT_RESUMABLE',
    message:
      'A sandbox on this machine ends with the process that made it: leave `detached` out, or choose a container.',
  })
}

function portClosed(port: number, why: string, cause?: unknown): FencedError {
  return new FencedError({
    code: 'SANDBOX_PORT_CLOSED',
    message: `Port ${port} of the sandbox cannot be reached: ${why}`,
    cause,
  })
}
