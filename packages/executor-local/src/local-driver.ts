import { dirname } from 'node:path'
import { FencedError, type Language } from '@fenced/core'
import type {
  BlockIo,
  BlockOutcome,
  Driver,
  HostWorkDirectory,
  PreparedBlock,
  StartContext,
} from '@fenced/core/driver'
import {
  choosePython,
  type Environment,
  endLeftoverProcesses,
  type Interpreter,
  type NoInterpreter,
  orAborted,
  type ProcessOutcome,
  programEnvironment,
  requireDescriptorsForChild,
  runProcess,
  withPathFirst,
} from '@fenced/host'
import { WarmPython } from '@fenced/python-runner'
import { Interpreters } from './interpreter/interpreters.ts'
import { createSandbox, type Sandbox } from './isolation/bubblewrap.ts'
import { findLimiter, type Limiter } from './isolation/limiter.ts'
import { type InstallPackages, LocalPackages } from './local-packages.ts'
import type { LocalSettings } from './options.ts'
import { type RunnerPlace, RunnerProcess } from './warm/runner-process.ts'

/** What a {@link LocalDriver} is made of. */
export interface LocalDriverParts {
  readonly settings: LocalSettings
  readonly workDirectory: HostWorkDirectory
  readonly installPackages: InstallPackages | undefined
}

type Command = readonly [string, ...string[]]

/** A process on this machine for every block. */
export class LocalDriver implements Driver {
  readonly workDirectory: HostWorkDirectory
  readonly packages: LocalPackages
  readonly #settings: LocalSettings
  #environment: Environment
  readonly #interpreters: Interpreters
  readonly #warmPython: WarmPython<RunnerPlace> | undefined
  #limiter: Limiter | undefined
  #sandbox: Sandbox | undefined
  /** What was found for the block that comes next. */
  #prepared: { readonly id: string; readonly found: Interpreter | NoInterpreter } | undefined

  constructor({ settings, workDirectory, installPackages }: LocalDriverParts) {
    this.workDirectory = workDirectory
    this.#settings = settings
    this.#environment = programEnvironment(process.env, settings)
    this.#interpreters = new Interpreters({
      python: settings.python,
      path: this.#environment.PATH ?? this.#environment.Path ?? '',
      host: process.env,
    })
    this.#warmPython = warmPython(settings)
    this.packages = new LocalPackages(this.#interpreters, installPackages)
  }

  async start({ signal, notice }: StartContext): Promise<void> {
    const { isolation, network, python } = this.#settings
    // In the background: nothing here depends on it.
    void endLeftoverProcesses()
    // `pip` and `python` in a shell block are the ones of the chosen Python, without `activate`.
    if (python !== undefined) {
      const found = await this.#interpreters.find({ id: 'python' })
      if ('missing' in found) throw new FencedError({ code: 'PYTHON_NOT_FOUND', message: found.missing })
      this.#environment = withPathFirst(
        programEnvironment(process.env, this.#settings),
        dirname(await choosePython(python)),
      )
    }
    if (isolation !== 'none') {
      this.#limiter = await findLimiter(this.#settings, { signal, notice })
      const place = { workDir: this.workDirectory.path, network, limiter: this.#limiter }
      this.#sandbox = await createSandbox(place, signal)
    }
    if (this.#warmPython?.hasPreload === true) await this.#prepareWarm(this.#warmPython, signal)
    this.#warmPython?.tellProblem(notice)
  }

  async prepare(language: Language, { signal }: StartContext): Promise<void> {
    const found = await orAborted(this.#interpreters.find(language), signal)
    if (found === 'aborted') return
    this.#prepared = { id: language.id, found }
    if (language.id === 'python' && this.#warmPython !== undefined) {
      await this.#prepareWarm(this.#warmPython, signal)
    }
  }

  async run({ language, path }: PreparedBlock, io: BlockIo): Promise<BlockOutcome> {
    // One that was looked for in vain is not looked for again in the time of its block.
    const prepared = this.#prepared?.id === language.id ? this.#prepared.found : undefined
    const interpreter = prepared ?? (await this.#interpreters.find(language))
    if ('missing' in interpreter) {
      io.notice({ code: 'no-interpreter', message: interpreter.missing })
      return { status: 'invalid', exitCode: interpreter.exitCode }
    }
    const { killGraceMs } = this.#settings
    const cwd = this.workDirectory.path
    const env = this.#environment
    if (language.id === 'python') {
      const outcome = await this.#warmPython?.run({ path, cwd, killGraceMs }, { interpreter, env }, io)
      if (outcome !== undefined) return outcome
    }
    const command: Command = [...interpreter.command, path]
    if (this.#sandbox !== undefined) requireDescriptorsForChild()
    using sandboxed = this.#sandbox?.wrap(command, interpreter.directories)
    const descriptors = sandboxed === undefined ? [] : [sandboxed.filter]
    const options = { cwd, env, killGraceMs, descriptors }
    return this.#outcomeOf(await runProcess(sandboxed?.command ?? command, options, io), io)
  }

  async stop(): Promise<void> {
    await this.#warmPython?.end()
    await this.#limiter?.end()
    this.#limiter = undefined
  }

  #outcomeOf(end: ProcessOutcome, io: BlockIo): BlockOutcome {
    if (this.#limiter === undefined || end.signal !== 'SIGKILL' || io.signal.aborted) return end
    io.notice({
      code: 'out-of-memory',
      message:
        'Out of memory: the program was killed because it reached the `memoryBytes` limit of its sandbox.',
    })
    return { status: 'out-of-memory' }
  }

  async #prepareWarm(warm: WarmPython<RunnerPlace>, signal?: AbortSignal): Promise<void> {
    const interpreter = await this.#interpreters.find({ id: 'python' })
    // Without one the block says so.
    if ('command' in interpreter) await warm.prepare({ interpreter, env: this.#environment }, signal)
  }
}

function warmPython({ warm, isolation }: LocalSettings): WarmPython<RunnerPlace> | undefined {
  const problem =
    process.platform === 'win32'
      ? 'Windows cannot fork a process.'
      : isolation === 'none'
        ? undefined
        : 'with isolation every block has a sandbox of its own.'
  return WarmPython.of({ warm, startRunner: RunnerProcess.start, problem })
}
