import {
  type AskOptions,
  askingExecutor,
  type CodeBlock,
  type CodeExecutor,
  type CodeResult,
  type ExecutionEvent,
  FencedError,
} from '@fenced/core'
import { notRun } from '@fenced/core/internal'
import { picturesOf } from '@fenced/core/tool'
import type { Picture } from '../message/tool-parts.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import { executorFailed, isUndecided } from '../running/error-notice.ts'
import type { Repetition } from '../running/repetitions.ts'
import { emitExecutionEvent, type RanInTurn, runCode, withLine } from '../running/run-code.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { repetitionsIn, type TeamPrograms } from '../running/team-programs.ts'
import { deniedOnLoading } from '../task/saved-questions.ts'
import type { CodeExecutorAgentSettings } from './options.ts'
import { resultText } from './prompts.ts'
import type { SavedProgram } from './saved-question.ts'

/** What a CodeExecutorAgent works with while it answers. */
export interface TurnParts {
  readonly settings: CodeExecutorAgentSettings
  /** Calls the approver, if there is one, before running code. */
  readonly executor: CodeExecutor
  /** What its programs ask meanwhile. */
  readonly questions: AskOptions
  readonly context: ModelContext
  readonly run: RunContext
  /** The programs that members of its team have run. */
  readonly programs: TeamPrograms | undefined
  /** The program that was about to run when the agent was saved. */
  readonly saved?: SavedProgram | undefined
}

/** A program that is about to run. */
export interface Program extends Pick<TurnParts, 'saved'> {
  readonly blocks: readonly CodeBlock[]
  /** Text before the result, for the model: the programs that were denied. */
  readonly withheld: string
  /** What was written around the code. */
  readonly text: string
  readonly retryAttempt: number
}

export interface RanProgram {
  readonly result: CodeResult
  readonly blocks: readonly CodeBlock[]
  readonly isDenied: boolean
  /** Why the agent ends its run: the program was repeated too often. */
  readonly ending?: string | undefined
  /** What the model reads of it. */
  readonly content: string
  readonly pictures: readonly Picture[]
}

export async function runProgram(program: Program, parts: TurnParts): Promise<RanProgram> {
  const { blocks, retryAttempt } = program
  const { settings, run, programs } = parts
  const { name: agent, maxResultLength, pictures } = settings
  const { result, stateLost } = await execute(program, parts)
  const isDenied = result.status === 'denied'
  const text = program.withheld + resultText(result, maxResultLength)
  const { notice, ending }: Repetition = repetitionsIn(programs)?.add(blocks, result) ?? {}
  const content = isDenied ? text.trimEnd() : withLine(withLine(text, stateLost), notice?.message)
  await run.emit({ type: 'code-end', agent, retryAttempt, result, content })
  if (notice !== undefined) await run.emit({ type: 'notice', agent, notice })
  return {
    result,
    blocks,
    isDenied,
    ending,
    content,
    pictures: pictures === undefined ? [] : picturesOf(result, pictures),
  }
}

/** An executor that fails is a result, and a notice; who could not be asked is an error. */
async function execute(
  { blocks, text: context, retryAttempt, saved }: Program,
  { settings: { name: agent }, executor, questions, run }: TurnParts,
): Promise<RanInTurn> {
  const { signal } = run
  try {
    const ran = await runCode({
      executor: saved?.isDenied === true ? denying(executor, agent) : executor,
      questions,
      blocks,
      signal,
      // A denial was recorded when the state was loaded. It is shown as a question of this run.
      about: { context, retryAttempt, saved: saved?.isDenied === true ? undefined : saved?.question },
      onEvent: async (event) => {
        if (!isSaidInResult(event)) await emitExecutionEvent(event, { agent, run, retryAttempt })
      },
    })
    // The question has no answer, so there is no result.
    if (ran.result.status === 'cancelled' && ran.result.blocks.length === 0) signal.throwIfAborted()
    return ran
  } catch (error) {
    signal.throwIfAborted()
    const known = FencedError.isInstance(error) ? error : undefined
    if (isUndecided(error)) throw error
    const notice = executorFailed(error)
    await run.emit({ type: 'notice', agent, notice })
    const output = `${known?.result?.output ?? ''}The code could not be run: ${notice.message}\n`
    return { result: { ...(known?.result ?? notRun(executor, 'died', output)), output } }
  }
}

/** Runs nothing, and reports it as an executor does whose `ask` denies. */
function denying(executor: CodeExecutor, agent: string): CodeExecutor {
  return askingExecutor(executor, { code: () => ({ decision: 'deny', reason: deniedOnLoading }) }, { agent })
}

/** The decision is in the answer and in the result. */
function isSaidInResult(event: ExecutionEvent): boolean {
  return event.type === 'notice' && (event.notice.code === 'denied' || event.notice.code === 'edited')
}
