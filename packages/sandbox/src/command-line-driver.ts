import { exitCodes, type Language } from '@fenced/core'
import type {
  BlockIo,
  BlockOutcome,
  Driver,
  PackageManager,
  PreparedBlock,
  StartContext,
  WorkDirectory,
} from '@fenced/core/driver'
import { orAborted } from '@fenced/core/internal'
import { outcomeOf, type Sandbox } from '@fenced/core/sandbox'
import { type WarmOption, WarmPython } from '@fenced/python-runner'
import { ForkServer, type ForkServerPlace } from './fork-server.ts'
import {
  type FoundInterpreter,
  type InterpreterFinder,
  type MissingInterpreter,
  SandboxInterpreters,
} from './interpreters.ts'

/** What a {@link CommandLineDriver} is made of. */
export interface CommandLineDriverParts {
  readonly sandbox: Sandbox
  /** The sandbox's working directory, on this machine. */
  readonly workDirectory: WorkDirectory
  /** Whether the sandbox is this driver's to start and to stop. */
  readonly ownsSandbox: boolean
  /** Those that it may have to run. */
  readonly languages: readonly Language[]
  /** The option `warm`, checked. */
  readonly warm: WarmOption
  /** Why no Python can stay in this sandbox, where that is known. */
  readonly warmProblem?: string | undefined
  /** In milliseconds. */
  readonly killGraceMs: number
  /** Default: by the names of the languages' commands. */
  readonly interpreters?: InterpreterFinder | undefined
  readonly packages?: PackageManager | undefined
}

const outOfMemory = {
  kind: 'exited',
  exitCode: exitCodes.killed,
  outOfMemory: true,
  wasStopped: false,
} as const

/** A process in a sandbox for every block, or a fork of a Python that stays there. */
export class CommandLineDriver implements Driver {
  readonly workDirectory: WorkDirectory
  readonly packages?: PackageManager
  readonly #parts: CommandLineDriverParts
  readonly #interpreters: InterpreterFinder
  readonly #warmPython: WarmPython<ForkServerPlace> | undefined
  /** What was found for the block that comes next. */
  #prepared: { readonly id: string; readonly found: FoundInterpreter | MissingInterpreter } | undefined

  constructor(parts: CommandLineDriverParts) {
    const { sandbox, workDirectory, languages, interpreters, packages, warm, warmProblem } = parts
    this.workDirectory = workDirectory
    if (packages !== undefined) this.packages = packages
    this.#parts = parts
    this.#interpreters = interpreters ?? new SandboxInterpreters(sandbox, languages)
    this.#warmPython = WarmPython.of({ warm, startRunner: ForkServer.start, problem: warmProblem })
  }

  async start({ signal, notice }: StartContext): Promise<void> {
    await this.#parts.sandbox.start({ signal, onNotice: notice })
    const python = this.#parts.languages.find(({ id }) => id === 'python')
    if (python !== undefined && this.#warmPython?.hasPreload === true) {
      await this.#prepareWarm(await this.#interpreters.find(python, signal), signal)
    }
    this.#warmPython?.tellProblem(notice)
  }

  async prepare(language: Language, { signal }: StartContext): Promise<void> {
    const found = await orAborted(this.#interpreters.find(language, signal), signal)
    if (found === 'aborted') return
    this.#prepared = { id: language.id, found }
    if (language.id === 'python') await this.#prepareWarm(found, signal)
  }

  async run({ language, path }: PreparedBlock, io: BlockIo): Promise<BlockOutcome> {
    // One that was looked for in vain is not looked for again in the time of its block.
    const prepared = this.#prepared?.id === language.id ? this.#prepared.found : undefined
    const interpreter = prepared ?? (await this.#interpreters.find(language, io.signal))
    if ('missing' in interpreter) {
      io.notice({ code: 'no-interpreter', message: interpreter.missing })
      return { status: 'invalid', exitCode: interpreter.exitCode }
    }
    if (interpreter.notice !== undefined) io.notice(interpreter.notice)
    const { sandbox, killGraceMs } = this.#parts
    const { command } = interpreter
    if (language.id === 'python') {
      const program = { path, cwd: sandbox.directory, killGraceMs }
      const outcome = await this.#warmPython?.run(program, { sandbox, python: command }, io)
      if (outcome?.outOfMemory === true) return outcomeOf(outOfMemory, io)
      if (outcome !== undefined) return outcome
    }
    const process = await sandbox.spawn([...command, path], {
      role: 'block',
      signal: io.signal,
      killGraceMs,
      output: (stream, chunk) => io.write(stream, chunk),
    })
    void process.exited.then(() => io.ended())
    return outcomeOf(await process.ended, io)
  }

  async stop(): Promise<void> {
    await this.#warmPython?.end()
    if (this.#parts.ownsSandbox) await this.#parts.sandbox.stop()
  }

  async #prepareWarm(found: FoundInterpreter | MissingInterpreter, signal: AbortSignal): Promise<void> {
    // Without one the block says so.
    if (!('command' in found)) return
    await this.#warmPython?.prepare({ sandbox: this.#parts.sandbox, python: found.command }, signal)
  }
}
