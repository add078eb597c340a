import { exitCodes } from '@fenced/core'
import type { BlockIo, BlockOutcome, PreparedBlock } from '@fenced/core/driver'
import { noticeOf, tellMemoryKills } from '@fenced/core/internal'
import { outcomeOf } from '@fenced/core/sandbox'
import type { BlockPreparation, Pythons } from './block-preparation.ts'
import type { CommandLineDriverParts } from './command-line-driver-parts.ts'
import type { FoundInterpreter } from './interpreters.ts'
import { runNodeWithTools } from './node-tools.ts'
import type { Program } from './resident-python/python-runner.ts'
import type { ResidentPythonTarget } from './resident-python/resident-python.ts'
import { type WarmOutcome, WarmPython } from './resident-python/warm-python.ts'
import { type AroundBlocks, hasAroundBlocks } from './supervise/around-blocks.ts'
import { toolModule } from './tools/tool-module.ts'

const outOfMemory = {
  kind: 'exited',
  exitCode: exitCodes.killed,
  outOfMemory: true,
  wasStopped: false,
} as const

/** A block, and variables for its program in addition to the variables of the sandbox. */
export interface BlockToRun extends PreparedBlock {
  readonly variables: Readonly<Record<string, string>> | undefined
}

/** How a block ended, and whether processes of the block may still run. */
export interface Ran {
  readonly outcome: BlockOutcome
  readonly isLeft: boolean
}

/** Runs a block in the session, in a fork of the resident Python, or in a separate process. */
export class BlockPrograms {
  readonly #parts: CommandLineDriverParts
  readonly #pythons: Pythons
  readonly #preparation: BlockPreparation
  readonly #around: AroundBlocks | undefined

  constructor(parts: CommandLineDriverParts, pythons: Pythons, preparation: BlockPreparation) {
    this.#parts = parts
    this.#pythons = pythons
    this.#preparation = preparation
    this.#around = hasAroundBlocks(parts.sandbox) ? parts.sandbox : undefined
  }

  async run(block: BlockToRun, io: BlockIo): Promise<Ran> {
    const interpreter = await this.#preparation.interpreterOf(block.language, io.signal)
    if ('missing' in interpreter) {
      const { missing, data } = interpreter
      io.notice(noticeOf('no-interpreter', { message: missing, data }))
      return { outcome: { status: 'invalid', exitCode: interpreter.exitCode }, isLeft: false }
    }
    if (interpreter.notice !== undefined) io.notice(interpreter.notice)
    const { command } = interpreter
    const { session } = this.#pythons
    if (session !== undefined && block.language.id === 'python') {
      const outcome = await session.run(block, this.#preparation.targetOf(command), io)
      return { outcome, isLeft: false }
    }
    await session?.keepFiles()
    const warm = await this.#runWarm(block, command, io)
    return warm === undefined ? this.#runProcess(block, command, io) : this.#ranWarm(warm, io)
  }

  async #runProcess(block: BlockToRun, command: FoundInterpreter['command'], io: BlockIo): Promise<Ran> {
    const { path, variables, isWritten } = block
    const { sandbox, killGraceMs } = this.#parts
    if (await io.fileHasChanged()) return { outcome: { status: 'died' }, isLeft: false }
    // The file was written just now, so it is not in a copy of the working directory yet.
    if (isWritten === false && sandbox.shared === undefined) await this.#around?.beforeBlock(io)
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
    const { warm } = this.#pythons
    const program = { path, cwd: sandbox.directory, added: variables, killGraceMs }
    if (language.id === 'python') {
      const target = this.#preparation.targetOf(command)
      const python = { ...program, content, hasFile: isWritten }
      return io.tools === undefined
        ? warm?.run(python, target, io)
        : this.#runWithTools({ ...python, tools: toolModule(io.tools) }, target, io)
    }
    if (io.tools !== undefined || warm?.isRunning !== true) return undefined
    if (isWritten === false) {
      return warm.runOther({ ...program, command, content, hasFile: false }, sandbox, io)
    }
    if (await io.fileHasChanged()) return { status: 'died' }
    return warm.runOther({ ...program, command }, sandbox, io)
  }

  /** The resident Python passes calls on: with `warm: false` there is one for this block alone. */
  async #runWithTools(program: Program, target: ResidentPythonTarget, io: BlockIo): Promise<WarmOutcome> {
    const { warmProblem } = this.#parts
    const warm = this.#around?.mayRest === false ? undefined : this.#pythons.warm
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
}
