import { exitCodes, type Language, type Notice } from '@fenced/core'
import type {
  BlockIo,
  BlockOutcome,
  Driver,
  DriverSession,
  HostWorkDirectory,
  PackageManager,
  PreparedBlock,
  StartContext,
} from '@fenced/core/driver'
import { noticeOf, tellMemoryKills } from '@fenced/core/internal'
import { outcomeOf, type Sandbox } from '@fenced/core/sandbox'
import { raceAbort } from '@fenced/shared'
import { BlockFigures } from './block-figures.ts'
import type { CommandLineDriverParts } from './command-line-driver-parts.ts'
import { noteTools, sessionOf } from './driver-session.ts'
import { isGone } from './exec/exec-target.ts'
import {
  type FoundInterpreter,
  type InterpreterFinder,
  type MissingInterpreter,
  SandboxInterpreters,
} from './interpreters.ts'
import { runNodeWithTools } from './node-tools.ts'
import type { Program } from './resident-python/python-runner.ts'
import type { ResidentPythonTarget } from './resident-python/resident-python.ts'
import { sharedPythonsOf } from './resident-python/shared-pythons.ts'
import { type WarmOutcome, WarmPython } from './resident-python/warm-python.ts'
import { noSession, type StatefulPython } from './session/stateful-python.ts'
import { type AroundBlocks, hasAroundBlocks } from './supervise/around-blocks.ts'
import { toolModule } from './tools/tool-module.ts'

/** Why no Python stays between blocks. */
const noRest =
  'processes in this sandbox cannot keep running between blocks, because its backend does not set `maxRestMs`.'

const outOfMemory = {
  kind: 'exited',
  exitCode: exitCodes.killed,
  outOfMemory: true,
  wasStopped: false,
} as const

/** A block, and variables for its program in addition to the variables of the sandbox. */
interface BlockToRun extends PreparedBlock {
  readonly variables: Readonly<Record<string, string>> | undefined
}

/** How a block ended, and whether processes of the block may still run. */
interface Ran {
  readonly outcome: BlockOutcome
  readonly isLeft: boolean
}

/** Runs every block as a process in a sandbox, or as a fork of a Python that stays resident there. */
export class CommandLineDriver implements Driver {
  readonly workDirectory: HostWorkDirectory
  readonly keepsWorkDirectory: boolean
  readonly isGuest: boolean
  readonly languagesWithoutFile = ['python', 'sh', 'bash']
  readonly sandbox: Sandbox
  readonly packages?: PackageManager
  readonly #parts: CommandLineDriverParts
  readonly #interpreters: InterpreterFinder
  readonly #warmPython: WarmPython | undefined
  /** The session of Python blocks, with `stateful`. */
  readonly #session: StatefulPython | undefined
  /** Also a block that did not stop in time, and was given up. */
  #isRunning = false
  readonly #around: AroundBlocks | undefined
  /** What was found for the block that comes next. */
  #prepared:
    | {
        readonly id: string
        readonly incarnation: string | undefined
        readonly found: FoundInterpreter | MissingInterpreter
      }
    | undefined

  constructor(parts: CommandLineDriverParts) {
    const { sandbox, workDirectory, languages, interpreters, packages, warm, warmProblem } = parts
    this.workDirectory = workDirectory
    this.keepsWorkDirectory = !parts.ownsSandbox
    this.isGuest = !parts.ownsSandbox
    this.sandbox = sandbox
    if (packages !== undefined) this.packages = packages
    this.#parts = parts
    this.#around = hasAroundBlocks(sandbox) ? sandbox : undefined
    this.#interpreters = interpreters ?? new SandboxInterpreters(sandbox, languages)
    this.#warmPython = WarmPython.of({ warm, problem: warmProblem })
    this.#session = sessionOf(parts)
  }

  /** The session of Python blocks, with `stateful`. */
  get session(): DriverSession | undefined {
    const session = this.#session
    if (session === undefined) return undefined
    return {
      get state() {
        return session.state
      },
      undo: (steps) => this.#withFiles(session.undo(steps)),
      restore: (name) => this.#withFiles(session.restore(name)),
      checkpoint: (name) => session.checkpoint(name),
      variables: () => session.variables(),
    }
  }

  /** A session outlives the end of any block, or says in a notice that its variables are lost. */
  get recovers(): boolean {
    return this.#session !== undefined && !this.#isRunning
  }

  async start({ signal, notice }: StartContext): Promise<void> {
    await this.#parts.sandbox.start({ signal, onNotice: notice })
    if (this.#session !== undefined && !this.#mayRest) throw noSession(noRest)
    if (!this.#mayRest) this.#warmPython?.refuse(noRest)
    const python = this.#python
    if (python !== undefined && this.#warmPython?.hasPreload === true) {
      await this.#prepareWarm(await this.#interpreters.find(python, signal), signal)
    }
    this.#warmPython?.tellProblem(notice)
    this.#scheduleIdle()
  }

  async prepare(language: Language, { signal }: StartContext): Promise<void> {
    this.#prepared = undefined
    this.#warmPython?.cancelIdle()
    try {
      const found = await raceAbort(this.#interpreters.find(language, signal), signal)
      if (found === 'aborted') return
      this.#prepared = { id: language.id, incarnation: this.#parts.sandbox.id, found }
      if (language.id === 'python') await this.#preparePython(found, signal)
      else await this.#prepareOther(language, signal)
      if (language.id !== 'python' && this.#session?.keepsFiles === true) await this.#prepareSession(signal)
    } catch (error) {
      // A sandbox that was lost is replaced before the block.
      if (this.#around === undefined || !isGone(error)) throw error
    }
  }

  async run(block: PreparedBlock, given: BlockIo): Promise<BlockOutcome> {
    const io = this.#session === undefined ? given : noteTools(given, this.#session)
    await this.#session?.beforeBlock(io)
    const figures =
      this.#parts.figures && !this.#isCell(block) && BlockFigures.mayBeIn(block)
        ? await BlockFigures.write(this.#parts.workDirectory, block)
        : undefined
    this.#isRunning = true
    try {
      return await this.#runAround({ ...block, variables: figures?.variables }, io)
    } finally {
      this.#isRunning = false
      await figures?.collect(io)
      this.#scheduleIdle()
    }
  }

  rested(at: 'block' | 'call'): void {
    this.#session?.rested(at)
  }

  async stop(): Promise<void> {
    await this.#session?.end()
    await this.#warmPython?.end()
    if (this.#parts.ownsSandbox) await this.#parts.sandbox.stop()
  }

  /** Files that were restored in the sandbox are restored on this machine, too. */
  async #withFiles(going: Promise<readonly Notice[]>): Promise<readonly Notice[]> {
    const notices = [...(await going)]
    const notice = (each: Notice) => void notices.push(each)
    await this.#around?.afterBlock({ signal: new AbortController().signal, notice })
    return notices
  }

  get #mayRest(): boolean {
    return this.#around?.mayRest !== false
  }

  get #python(): Language | undefined {
    return this.#parts.languages.find(({ id }) => id === 'python')
  }

  async #runAround(block: BlockToRun, io: BlockIo): Promise<BlockOutcome> {
    const around = this.#around
    if (around === undefined) return (await this.#runOnce(block, io)).outcome
    for (let isAgain = false; ; isAgain = true) {
      try {
        await around.beforeBlock(io)
        const { outcome, isLeft } = await this.#runOnce(block, io)
        if (isLeft) {
          // How it ended is known: taking the sandbox down, which may take long, is not on its time.
          io.ended()
          const loss = await around.afterStuckBlock(io)
          return loss === undefined ? outcome : { status: 'died', loss }
        }
        if (outcome.status !== 'died') await around.afterBlock(io)
        return outcome
      } catch (error) {
        // What was started has an end, and throws nothing.
        const loss = io.signal.aborted ? await around.silence() : undefined
        if (loss !== undefined) return { status: 'died', loss }
        if (!isGone(error)) throw error
        if (isAgain) return { status: 'died' }
      }
    }
  }

  async #runOnce(block: BlockToRun, io: BlockIo): Promise<Ran> {
    const { language, path, variables } = block
    const { sandbox, killGraceMs } = this.#parts
    const interpreter = await this.#interpreterOf(language, io)
    if ('missing' in interpreter) {
      const { missing, data } = interpreter
      io.notice(noticeOf('no-interpreter', { message: missing, data }))
      return { outcome: { status: 'invalid', exitCode: interpreter.exitCode }, isLeft: false }
    }
    if (interpreter.notice !== undefined) io.notice(interpreter.notice)
    const { command } = interpreter
    if (this.#session !== undefined && this.#isCell(block)) {
      const outcome = await this.#session.run(block, this.#targetOf(command), io)
      return { outcome, isLeft: false }
    }
    await this.#session?.keepFiles()
    const warm = await this.#runWarm(block, command, io)
    if (warm !== undefined) return this.#ranWarm(warm, io)
    if (await io.fileHasChanged()) return { outcome: { status: 'died' }, isLeft: false }
    // The file was written just now, so it is not in a copy of the working directory yet.
    if (block.isWritten === false && sandbox.shared === undefined) await this.#around?.beforeBlock(io)
    const { tools } = io
    if (tools !== undefined) {
      return runNodeWithTools({ sandbox, command, path, variables, killGraceMs }, { ...io, tools })
    }
    const process = await sandbox.spawn([...command, path], {
      role: 'block',
      env: variables,
      signal: io.signal,
      killGraceMs,
      output: (stream, chunk) => io.write(stream, chunk),
    })
    void process.exited.then(() => io.ended())
    const end = await process.ended
    return { outcome: outcomeOf(end, io, sandbox), isLeft: end.kind === 'stuck' }
  }

  #ranWarm({ memoryKills = 0, ...outcome }: WarmOutcome, io: BlockIo): Ran {
    if (outcome.outOfMemory === true) {
      const { usage } = outcome
      return { outcome: { ...outcomeOf(outOfMemory, io), ...(usage && { usage }) }, isLeft: false }
    }
    tellMemoryKills({ memoryKills }, io, this.#parts.sandbox)
    // Processes of a program that died may still run.
    return { outcome, isLeft: outcome.status === 'died' }
  }

  /** Runs a block as a fork of the resident Python. Returns `undefined` when no runner is available for the block. */
  async #runWarm(
    { language, path, content, variables, isWritten }: BlockToRun,
    command: FoundInterpreter['command'],
    io: BlockIo,
  ): Promise<WarmOutcome | undefined> {
    const { sandbox, killGraceMs } = this.#parts
    const program = { path, cwd: sandbox.directory, added: variables, killGraceMs }
    if (language.id === 'python') {
      const target = this.#targetOf(command)
      return io.tools === undefined
        ? this.#warmPython?.run({ ...program, content, hasFile: isWritten }, target, io)
        : this.#runWithTools(
            { ...program, content, hasFile: isWritten, tools: toolModule(io.tools) },
            target,
            io,
          )
    }
    if (io.tools !== undefined || this.#warmPython?.isRunning !== true) return undefined
    if (isWritten === false) {
      return this.#warmPython.runOther({ ...program, command, content, hasFile: false }, sandbox, io)
    }
    if (await io.fileHasChanged()) return { status: 'died' }
    return this.#warmPython.runOther({ ...program, command }, sandbox, io)
  }

  /** The resident Python passes calls on: with `warm: false` there is one for this block alone. */
  async #runWithTools(program: Program, target: ResidentPythonTarget, io: BlockIo): Promise<WarmOutcome> {
    const { warmProblem } = this.#parts
    const warm = this.#mayRest ? this.#warmPython : undefined
    const isAlone = warm === undefined
    const python = warm ?? WarmPython.of({ warm: true, problem: warmProblem })
    try {
      const outcome = await python?.run(program, isAlone ? { ...target, shared: undefined } : target, io)
      if (outcome !== undefined) return outcome
      const why = python?.problem ?? 'packages are being installed.'
      const message = `The program was not run: it may call tools on the host, but this Python cannot forward calls: ${why}`
      io.notice({ code: 'tools-unavailable', message, data: { reason: why } })
      return { status: 'invalid' }
    } finally {
      if (isAlone) await python?.end()
    }
  }

  /** An interpreter that was not found is not searched for again while its block runs. */
  async #interpreterOf(
    language: Language,
    { signal }: BlockIo,
  ): Promise<FoundInterpreter | MissingInterpreter> {
    const prepared = this.#prepared
    const isCurrent = prepared?.id === language.id && prepared.incarnation === this.#parts.sandbox.id
    return isCurrent ? prepared.found : this.#interpreters.find(language, signal)
  }

  #isCell({ language }: Pick<PreparedBlock, 'language'>): boolean {
    return this.#session !== undefined && language.id === 'python'
  }

  async #preparePython(found: FoundInterpreter | MissingInterpreter, signal: AbortSignal): Promise<void> {
    if (this.#session === undefined) return this.#prepareWarm(found, signal)
    if ('command' in found) await this.#session.prepare(this.#targetOf(found.command), signal)
  }

  /** A session keeps the files for blocks of other languages, too. */
  async #prepareSession(signal: AbortSignal): Promise<void> {
    const python = this.#python
    if (python === undefined) return
    const found = await raceAbort(this.#interpreters.find(python, signal), signal)
    if (found !== 'aborted') await this.#preparePython(found, signal)
  }

  async #prepareWarm(found: FoundInterpreter | MissingInterpreter, signal: AbortSignal): Promise<void> {
    // Without one the block says so.
    if (!('command' in found)) return
    await this.#warmPython?.prepare(this.#targetOf(found.command), signal)
  }

  /** Only a fork runs a shell program without a file. For another language, a fork is faster if executors share a Python that is there. */
  async #prepareOther({ id }: Language, signal: AbortSignal): Promise<void> {
    const [python, warm] = [this.#python, this.#warmPython]
    if (python === undefined || warm === undefined || warm.isRunning) return
    const waits = this.languagesWithoutFile.includes(id)
    if (!waits && sharedPythonsOf(this.#parts.sandbox)?.isAnyReady() !== true) return
    const found = await raceAbort(this.#interpreters.find(python, signal), signal)
    if (found === 'aborted' || !('command' in found)) return
    await warm.prepareOther(this.#targetOf(found.command), { waits, signal })
  }

  #targetOf(python: FoundInterpreter['command']): ResidentPythonTarget {
    const { sandbox } = this.#parts
    return { sandbox, python, shared: sharedPythonsOf(sandbox) }
  }

  #scheduleIdle(): void {
    const python = this.#python
    if (python === undefined) return
    this.#warmPython?.scheduleIdle(async (signal) => {
      const found = await this.#interpreters.find(python, signal)
      return 'command' in found ? this.#targetOf(found.command) : undefined
    })
  }
}
