import { randomUUID } from 'node:crypto'
import { codeReply, runCode } from '@fenced/agents/reply'
import type { AskFunction, CodeBlock, CodeExecutor, DecisionLedger, Notice } from '@fenced/core'
import { askable } from '@fenced/core/internal'
import type { ConversationEvent, RunResult } from '../event.ts'
import type { Asked } from './questions.ts'
import { RunRecorder } from './run-recorder.ts'

/** How much of what a run printed agents read, in characters. */
const maxReply = 16_000

/** Code that is run without the agents. */
export interface CodeRun {
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  /** Of the answer or document that has the blocks. */
  readonly of: string
  /** The run that a person repeats. */
  readonly repeats?: string
  /** Names of tools that its programs can call, and whether it can be undone. */
  readonly facts: Pick<Extract<ConversationEvent, { type: 'code-start' }>, 'tools' | 'canUndo'>
  /** That the variables of earlier programs are lost. */
  readonly lost: Notice | undefined
  readonly ask: AskFunction
  readonly ledger: DecisionLedger
  /** Begins its questions. */
  readonly begin: (prepare: Asked['prepare']) => void
  readonly append: (event: ConversationEvent) => void
  readonly signal: AbortSignal
}

/** Runs the code of a document, or of an earlier run, and writes all of it into the log. Rejects with the reason of the signal. */
export async function runBlocks(code: CodeRun): Promise<void> {
  const { of, blocks, repeats, facts, append, signal } = code
  const runId = randomUUID()
  append({
    ...{ type: 'code-start', runId, of, blocks, ...facts },
    ...(repeats === undefined ? {} : { repeats }),
  })
  let end: Pick<Extract<ConversationEvent, { type: 'code-end' }>, 'result' | 'content'> = {
    result: interruptedRun,
    content: '',
  }
  try {
    end = await runRecorded(runId, code)
  } finally {
    append({ type: 'code-end', runId, ...end })
  }
  signal.throwIfAborted()
}

async function runRecorded(runId: string, { executor, blocks, lost, ...code }: CodeRun) {
  const { ask, ledger, begin, append, signal } = code
  using recorder = new RunRecorder({ runId, append })
  if (lost !== undefined) recorder.record({ type: 'notice', notice: lost })
  begin(async (_, question) => {
    recorder.flush()
    for (const event of question(runId)) append(event)
    return runId
  })
  const { result, stateLost = lost?.message } = await runCode({
    ...{ executor: askable(executor), questions: { ask, ledger }, blocks, signal },
    onEvent: (event) => recorder.take(event),
  })
  const { status, exitCode, durationMs, blocks: ran } = result
  const output = stateLost === undefined ? result.output : `${result.output}${stateLost}\n`
  const content = codeReply({ exitCode, output, blocks: ran }, maxReply)
  return { result: { status, exitCode, durationMs }, content }
}

/** The end of an interrupted run: the question is repeated, and so is the run. */
export const interruptedRun: RunResult = { status: 'interrupted', exitCode: 1, durationMs: 0 }
