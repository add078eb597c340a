import { codeReply, runCode } from '@fenced/agents/reply'
import type { AskFunction, CodeBlock, CodeExecutor, DecisionLedger, Notice } from '@fenced/core'
import { askable } from '@fenced/core/internal'
import type { AgentRecorder } from './agent-recorder.ts'

/** How much of what a run printed agents read, in characters. */
const maxReply = 16_000

/** Code that is run without the agents. */
interface CodeRun {
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  /** That the variables of earlier programs are lost. */
  readonly lost: Notice | undefined
  readonly ask: AskFunction
  readonly ledger: DecisionLedger
  readonly signal: AbortSignal
}

/** Runs the code of a document, or of an earlier run, and records all of it. Rejects with the reason of the signal. */
export async function runBlocks(code: CodeRun, recorder: AgentRecorder): Promise<void> {
  const { executor, blocks, lost, ask, ledger, signal } = code
  const run = recorder.beginRun('', blocks)
  try {
    const { result, stateLost = lost?.message } = await runCode({
      ...{ executor: askable(executor), questions: { ask, ledger }, blocks, signal },
      onEvent: (event) => run.take(event),
    })
    const { status, exitCode, durationMs, blocks: ran } = result
    const output = stateLost === undefined ? result.output : `${result.output}${stateLost}\n`
    const content = codeReply({ exitCode, output, blocks: ran }, maxReply)
    recorder.endRun('', { result: { status, exitCode, durationMs }, content })
  } finally {
    recorder.end('interrupted')
  }
  signal.throwIfAborted()
}
