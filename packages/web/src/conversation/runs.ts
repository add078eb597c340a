import { randomUUID } from 'node:crypto'
import { codeReply, runCode } from '@fenced/agents/reply'
import { ApprovalQueue, type CodeBlock, type CodeExecutor, type HostToolOptions } from '@fenced/core'
import { askable, targetOf } from '@fenced/core/internal'
import type { ConversationEvent, GivenAnswer, LoggedEvent, RunResult } from '../event.ts'
import type { FencedWebOptions } from '../options.ts'
import { Problem } from '../problem.ts'
import { type AllowedConnections, PageQuestions } from './questions.ts'
import { RememberedAnswers } from './remembered-answers.ts'
import { RunRecorder } from './run-recorder.ts'

/** How much of what a run printed the model reads, in characters. */
const maxReply = 16_000

interface CodeRun {
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  /** Of the answer or document that has the blocks. */
  readonly of: string
  /** The run that a person repeats. */
  readonly repeats?: string
  /** Whether a person allowed exactly these programs in this target before. The run starts without a question then. */
  readonly wasAllowed?: boolean
  readonly signal: AbortSignal
}

type RunsOptions = HostToolOptions & Pick<FencedWebOptions, 'ask' | 'ledger'>

interface RunsParts {
  /** What programs can call, and where decisions are recorded. */
  readonly options: RunsOptions
  readonly append: (event: ConversationEvent) => void
  /** Of the conversation so far. */
  readonly log: Iterable<LoggedEvent>
}

/** How a run ended, and what the model reads of it. */
type RunEnd = Pick<Extract<ConversationEvent, { type: 'code-end' }>, 'result' | 'content'>

/** Models and executors of a conversation. */
export class Runs {
  readonly #options: RunsOptions
  readonly #append: (event: ConversationEvent) => void
  readonly #queue = new ApprovalQueue()
  readonly #remembered: RememberedAnswers
  /** Whether programs of this conversation have run in an executor that is not there any more. */
  #hasLostExecutor: boolean
  #stop: AbortController | undefined

  constructor({ options, append, log }: RunsParts) {
    this.#options = options
    this.#append = append
    const events = [...log]
    this.#remembered = new RememberedAnswers(events, append)
    this.#hasLostExecutor = events.some(({ event }) => event.type === 'code-end')
  }

  /** Asks, runs, and writes all of it into the log. Rejects with the reason of the signal, and where nothing could be run. */
  async run(code: CodeRun): Promise<void> {
    const runId = randomUUID()
    const stop = new AbortController()
    this.#stop = stop
    const { executor, of, blocks, repeats, signal } = code
    const { tools } = toolsOfRun(this.#options, executor) ?? {}
    this.#append({
      ...{ type: 'code-start', runId, of, blocks },
      ...(tools === undefined ? {} : { tools: Object.keys(tools) }),
      ...(repeats === undefined ? {} : { repeats }),
    })
    const startedAt = performance.now()
    let end: RunEnd = { result: interruptedRun, content: '' }
    try {
      end = await this.#runRecorded(runId, { ...code, signal: AbortSignal.any([signal, stop.signal]) })
    } catch (error) {
      // A stop while an executor is made new.
      if (!stop.signal.aborted || signal.aborted) throw error
      const result = {
        status: 'cancelled',
        exitCode: 125,
        durationMs: performance.now() - startedAt,
      } as const
      end = { result, content: 'The program was stopped by a person before its end.' }
    } finally {
      this.#append({ type: 'code-end', runId, ...end })
    }
    signal.throwIfAborted()
  }

  /** Ends the programs that run, and not the turn: the model reads that they were stopped. */
  stop(): void {
    this.#stop?.abort()
  }

  /**
   * Answers a question.
   *
   * @param shown - digest of the question that the person saw.
   * @throws FencedError `UNKNOWN_APPROVAL`, `INVALID_APPROVAL`.
   * @throws {@link Problem} 409 where the question with this id has another digest. The question continues to wait.
   */
  answer(id: string, shown: string, answer: GivenAnswer): void {
    const waiting = this.#queue.pending.find((request) => request.id === id)
    if (waiting !== undefined && waiting.digest !== shown) throw new Problem(409, otherQuestion)
    this.#queue.answer(id, answer)
  }

  /** Revokes a remembered answer. */
  forget(id: string): void {
    if (!this.#remembered.forget(id)) throw new Problem(404, 'There is no such approval any more.')
  }

  async #runRecorded(
    runId: string,
    { executor, blocks, wasAllowed = false, signal }: CodeRun,
  ): Promise<RunEnd> {
    const questions = new PageQuestions({
      queue: this.#queue,
      allowed: this.#allowedConnections(executor),
      askTool: this.#options.ask?.tool,
      wasAllowed,
    })
    using recorder = new RunRecorder({
      runId,
      append: this.#append,
      isForPerson: (request) => questions.isForPerson(request),
    })
    const lost = this.#tellLostState(executor, recorder)
    const { ledger } = this.#options
    const { ask } = questions
    const remembered = wasAllowed ? undefined : this.#remembered.approvals
    const { result, stateLost = lost } = await runCode({
      executor: askable(executor),
      questions: { ask, ledger, remembered },
      blocks,
      signal,
      tools: toolsOfRun(this.#options, executor),
      onEvent: (event) => {
        recorder.take(event)
        if (event.type === 'approval-answered' && !event.remembered) this.#remembered.keep(event.id)
      },
    })
    const { status, exitCode, durationMs, blocks: ran } = result
    const output = stateLost === undefined ? result.output : `${result.output}${stateLost}\n`
    const content = codeReply({ exitCode, output, blocks: ran }, maxReply)
    return { result: { status, exitCode, durationMs }, content }
  }

  #allowedConnections(executor: CodeExecutor): AllowedConnections {
    const target = targetOf(executor)
    return {
      allows: (connection) => this.#remembered.allowsConnection(connection, target),
      remember: (request) => this.#remembered.addConnection(request, target),
    }
  }

  /** A kernel of an earlier server, or a kernel that was stopped, has lost its variables. */
  #tellLostState({ capabilities: { stateful } }: CodeExecutor, recorder: RunRecorder): string | undefined {
    const isLost = this.#hasLostExecutor && stateful.length > 0
    this.#hasLostExecutor = false
    if (!isLost) return undefined
    recorder.record({ type: 'notice', notice: { code: 'state-lost', message: lostState } })
    return lostState
  }
}

/** The tools that the programs of an executor can call; `undefined` where its programs cannot call any. */
export function toolsOfRun(
  { tools, toolLimits }: HostToolOptions,
  { capabilities: { toolLanguages = [] } }: CodeExecutor,
): HostToolOptions | undefined {
  return tools === undefined || toolLanguages.length === 0 ? undefined : { tools, toolLimits }
}

const otherQuestion =
  'The answer is for a different question than the open one. Nothing was decided. Read the question again, and answer it.'

const lostState =
  'The executor was recreated since the earlier programs: all variables and imports are lost, and files are kept. Define again what the next block needs.'

/** The end of an interrupted run: the question is repeated, and so is the run. */
export const interruptedRun: RunResult = { status: 'interrupted', exitCode: 1, durationMs: 0 }
