import type { Language, Notice } from '@fenced/core'
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
import type { Sandbox } from '@fenced/core/sandbox'
import { BlockFigures } from './block-figures.ts'
import { BlockPreparation, languagesWithoutFile } from './block-preparation.ts'
import { BlockPrograms, type BlockToRun, type Ran } from './block-programs.ts'
import type { CommandLineDriverParts } from './command-line-driver-parts.ts'
import { noteTools, sessionOf } from './driver-session.ts'
import { isGone } from './exec/exec-target.ts'
import { WarmPython } from './resident-python/warm-python.ts'
import { sessionAnswerMs } from './session/session-process.ts'
import { noSession, type StatefulPython } from './session/stateful-python.ts'
import { type AroundBlocks, hasAroundBlocks } from './supervise/around-blocks.ts'

/** Why no Python stays between blocks. */
const noRest =
  'processes in this sandbox cannot keep running between blocks, because its backend does not set `maxRestMs`.'

/** Runs every block as a process in a sandbox, or as a fork of a Python that stays resident there. */
export class CommandLineDriver implements Driver {
  readonly workDirectory: HostWorkDirectory
  readonly keepsWorkDirectory: boolean
  readonly isGuest: boolean
  readonly languagesWithoutFile = languagesWithoutFile
  readonly sandbox: Sandbox
  readonly packages?: PackageManager
  readonly #parts: CommandLineDriverParts
  readonly #warmPython: WarmPython | undefined
  /** The session of Python blocks, with `stateful`. */
  readonly #session: StatefulPython | undefined
  /** Also a block that did not stop in time, and was given up. */
  #isRunning = false
  readonly #around: AroundBlocks | undefined
  readonly #preparation: BlockPreparation
  readonly #programs: BlockPrograms

  constructor(parts: CommandLineDriverParts) {
    const { sandbox, workDirectory, packages, warm, warmProblem } = parts
    this.workDirectory = workDirectory
    this.keepsWorkDirectory = !parts.ownsSandbox
    this.isGuest = !parts.ownsSandbox
    this.sandbox = sandbox
    if (packages !== undefined) this.packages = packages
    this.#parts = parts
    this.#around = hasAroundBlocks(sandbox) ? sandbox : undefined
    this.#warmPython = WarmPython.of({ warm, problem: warmProblem })
    this.#session = sessionOf(parts)
    const pythons = { session: this.#session, warm: this.#warmPython }
    this.#preparation = new BlockPreparation(parts, pythons)
    this.#programs = new BlockPrograms(parts, pythons, this.#preparation)
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
    await this.#preparation.preload(signal)
    this.#warmPython?.tellProblem(notice)
    this.#preparation.scheduleIdle()
  }

  async prepare(language: Language, { signal }: StartContext): Promise<void> {
    this.#warmPython?.cancelIdle()
    try {
      await this.#preparation.prepare(language, signal)
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
      this.#preparation.scheduleIdle()
    }
  }

  rested(at: 'block' | 'call'): void {
    this.#session?.rested(at)
  }

  /** Includes the time to copy the files of a stopped block, and to restore the variables of its session. */
  get stopGraceMs(): number {
    const endMs = this.#around === undefined ? 10_000 : 70_000
    return this.#parts.killGraceMs + endMs + (this.#session === undefined ? 0 : sessionAnswerMs)
  }

  ending(): void {
    this.#session?.giveUp()
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

  async #runAround(block: BlockToRun, io: BlockIo): Promise<BlockOutcome> {
    const around = this.#around
    if (around === undefined) return (await this.#programs.run(block, io)).outcome
    try {
      const { outcome, isLeft } = await this.#runInSandbox(around, block, io)
      // How it ended is known: copying its files, or taking the sandbox down, is not on its time.
      if (isLeft || !io.signal.aborted) io.ended()
      if (isLeft) {
        const loss = await around.afterStuckBlock(io)
        return loss === undefined ? outcome : { status: 'died', loss }
      }
      if (outcome.status !== 'died') await around.afterBlock(io)
      return outcome
    } catch (error) {
      const loss = io.signal.aborted ? await around.silence() : undefined
      if (loss !== undefined) return { status: 'died', loss }
      if (!isGone(error)) throw error
      return { status: 'died' }
    }
  }

  /** Begins once more where the sandbox was gone. What was started has an end and throws nothing, so no program starts twice. */
  async #runInSandbox(around: AroundBlocks, block: BlockToRun, io: BlockIo): Promise<Ran> {
    const run = async () => {
      await around.beforeBlock(io)
      return this.#programs.run(block, io)
    }
    try {
      return await run()
    } catch (error) {
      if (io.signal.aborted || !isGone(error)) throw error
      return run()
    }
  }

  #isCell({ language }: Pick<PreparedBlock, 'language'>): boolean {
    return this.#session !== undefined && language.id === 'python'
  }
}
