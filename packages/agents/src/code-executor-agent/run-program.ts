import { type AskOptions, askingExecutor, type CodeApprovalRequest, type CodeExecutor } from '@fenced/core'
import type { ModelContext } from '../model-context/model-context.ts'
import { resultText } from '../running/result-text.ts'
import { type Program, type RanProgram, runProgram } from '../running/run-program.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { deniedOnLoading, type SavedTurn, savedOf } from '../running/saved-questions.ts'
import { repetitionsIn, type TeamPrograms } from '../running/team-programs.ts'
import type { CodeExecutorAgentSettings } from './options.ts'

/** A program that was about to run when the agent was saved. */
export interface SavedProgram {
  readonly question: CodeApprovalRequest
  readonly isDenied: boolean
}

export function savedProgram(saved: SavedTurn | undefined): SavedProgram | undefined {
  const [question] = savedOf(saved, 'code')
  return question && { question, isDenied: saved?.areDenied === true }
}

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

/** A program of a turn. */
export interface TurnProgram extends Omit<Program, 'about'>, Pick<TurnParts, 'saved'> {
  /** What was written around the code. */
  readonly text: string
  readonly retryAttempt: number
}

/** Runs a program. A program that was denied when the state was loaded does not run: its denial is shown as a question of this run. */
export async function runTurnProgram(
  { blocks, withheld, text: context, retryAttempt, saved }: TurnProgram,
  { settings, executor, questions, run, programs }: TurnParts,
): Promise<RanProgram> {
  const { name: agent, maxResultLength, pictures } = settings
  const isDenied = saved?.isDenied === true
  const about = { context, retryAttempt, saved: isDenied ? undefined : saved?.question }
  return await runProgram(
    { blocks, withheld, about },
    {
      ...{ agent, run, questions, pictures },
      executor: isDenied ? askingExecutor(executor, { code: deny }, { agent }) : executor,
      describe: (result) => resultText(result, maxResultLength),
      repetitions: repetitionsIn(programs),
    },
  )
}

const deny = () => ({ decision: 'deny', reason: deniedOnLoading }) as const
