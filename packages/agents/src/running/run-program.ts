import {
  type AskOptions,
  type CodeBlock,
  type CodeExecutor,
  type CodeResult,
  type ExecutionEvent,
  FencedError,
} from '@fenced/core'
import { type AboutCode, notRun } from '@fenced/core/internal'
import { picturesOf } from '@fenced/core/tool'
import type { Picture } from '../message/tool-parts.ts'
import { executorFailed, isUndecided } from './error-notice.ts'
import type { Repetitions } from './repetitions.ts'
import { emitExecutionEvent, type RanInTurn, runCode } from './run-code.ts'
import type { RunContext } from './run-with-events.ts'

/** A program that is about to run. */
export interface Program {
  readonly blocks: readonly CodeBlock[]
  /** Text before the result, for its reader: the programs of the same message that do not run. */
  readonly withheld: string
  /** For the approver. */
  readonly about?: AboutCode | undefined
}

/** The agent that runs a program, and its way of running it. */
export interface ProgramRunner {
  readonly agent: string
  readonly run: RunContext
  /** Calls the approver, if there is one, before running code. */
  readonly executor: CodeExecutor
  /** What its programs ask meanwhile. */
  readonly questions: AskOptions
  /** Text of a result for the author of the program. */
  readonly describe: (result: CodeResult) => string
  readonly pictures: Parameters<typeof picturesOf>[1] | undefined
  /** Counts programs that repeat themselves. */
  readonly repetitions: Repetitions | undefined
}

export interface RanProgram {
  readonly result: CodeResult
  readonly blocks: readonly CodeBlock[]
  /** Why the agent ends its conversation or run: the program was repeated too often. */
  readonly ending: string | undefined
  /** Text for the author of the program. */
  readonly content: string
  readonly pictures: readonly Picture[]
}

/** Runs the code of a message. An executor that fails is a result, and a notice; an approver that cannot be asked is an error. */
export async function runProgram(program: Program, runner: ProgramRunner): Promise<RanProgram> {
  const { blocks, withheld, about } = program
  const { agent, run, describe, pictures, repetitions } = runner
  const { result, stateLost } = await execute(program, runner)
  const { notice, ending } = repetitions?.add(blocks, result) ?? {}
  const content = withLine(withLine(`${withheld}${describe(result)}`, stateLost), notice?.message)
  await run.emit({ type: 'code-end', agent, retryAttempt: about?.retryAttempt ?? 0, result, content })
  if (notice !== undefined) await run.emit({ type: 'notice', agent, notice })
  return {
    ...{ result, blocks, ending, content },
    pictures: pictures === undefined ? [] : picturesOf(result, pictures),
  }
}

async function execute(
  { blocks, about }: Program,
  { agent, run, executor, questions }: ProgramRunner,
): Promise<RanInTurn> {
  const { signal } = run
  try {
    const ran = await runCode({
      ...{ executor, questions, blocks, signal, about },
      onEvent: async (event) => {
        if (!isSaidInResult(event))
          await emitExecutionEvent(event, { agent, run, retryAttempt: about?.retryAttempt })
      },
    })
    // The question has no answer, so there is no result.
    if (ran.result.status === 'cancelled' && ran.result.blocks.length === 0) signal.throwIfAborted()
    return ran
  } catch (error) {
    signal.throwIfAborted()
    if (isUndecided(error)) throw error
    const notice = executorFailed(error)
    await run.emit({ type: 'notice', agent, notice })
    const known = FencedError.isInstance(error) ? error.result : undefined
    const output = `${known?.output ?? ''}The code could not be run: ${notice.message}\n`
    return { result: { ...(known ?? { ...notRun(executor, 'died', output), exitCode: 1 }), output } }
  }
}

/** The decision is in the answer and in the result. */
function isSaidInResult(event: ExecutionEvent): boolean {
  return event.type === 'notice' && (event.notice.code === 'denied' || event.notice.code === 'edited')
}

function withLine(text: string, line: string | undefined): string {
  return line === undefined ? text : `${text.replace(/\n?$/, '\n')}${line}\n`
}
