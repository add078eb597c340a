import { randomUUID } from 'node:crypto'
import { codeReply, runCode } from '@fenced/agents/internal'
import {
  type ApprovalAnswer,
  ApprovalQueue,
  type Approve,
  approvedExecutor,
  type CodeBlock,
  type CodeExecutor,
  type HostToolOptions,
  RememberedApprovals,
} from '@fenced/core'
import type { ConversationEvent, LoggedEvent, RunResult } from '../event.ts'
import { Problem } from '../problem.ts'
import { RunRecorder } from './run-recorder.ts'
import { toolsWithQuestions } from './tool-questions.ts'

/** How much of what a run printed the model reads, in characters. */
const maxReply = 16_000

/** Code that is to be run. */
interface CodeRun {
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  /** Of the answer or document that has the blocks. */
  readonly of: string
  /** The run that a person repeats; nobody is asked then. */
  readonly repeats?: string
  readonly signal: AbortSignal
}

interface RunsParts {
  /** What programs can call. */
  readonly options: HostToolOptions
  readonly append: (event: ConversationEvent) => void
  /** Of the conversation so far. */
  readonly log: Iterable<LoggedEvent>
}

/** What is asked and run in a conversation. */
export class Runs {
  readonly #options: HostToolOptions
  readonly #append: (event: ConversationEvent) => void
  readonly #questions = new ApprovalQueue()
  readonly #answers = new Map<string, ApprovalAnswer>()
  readonly #remembered: RememberedApprovals
  /** Whether programs of this conversation have run in an executor that is not there any more. */
  #hasLostExecutor: boolean
  #stop: AbortController | undefined

  constructor({ options, append, log }: RunsParts) {
    this.#options = options
    this.#append = append
    const events = [...log].map(({ event }) => event)
    this.#remembered = new RememberedApprovals(
      events.findLast((event) => event.type === 'remembered')?.approvals,
    )
    this.#hasLostExecutor = events.some((event) => event.type === 'run-end')
  }

  /** Asks, runs, and writes all of it into the log. Rejects with the reason of the signal, and where nothing could be run. */
  async run({ executor, blocks, of, repeats, signal }: CodeRun): Promise<void> {
    const id = randomUUID()
    const stop = new AbortController()
    this.#stop = stop
    this.#append({ type: 'run-start', id, of, blocks, ...(repeats === undefined ? {} : { repeats }) })
    const startedAt = performance.now()
    let end = interruptedRun
    try {
      using recorder = new RunRecorder({
        append: (event) => this.#append({ type: 'run', id, event }),
        answerTo: (question) => this.#answers.get(question),
      })
      const lost = this.#tellLostState(executor, recorder)
      const { result, stateLost = lost } = await runCode({
        // A person has just asked for a run that is repeated.
        executor: repeats === undefined ? this.#asking(executor, recorder) : executor,
        blocks,
        signal: AbortSignal.any([signal, stop.signal]),
        tools: toolsWithQuestions(this.#options, executor, { questions: this.#questions, recorder }),
        onEvent: (event) => {
          recorder.take(event)
          if (event.type === 'approval-answered' && !event.remembered) this.#keepRemembered(event.id)
        },
      })
      const { status, exitCode, durationMs } = result
      const output = stateLost === undefined ? result.output : `${result.output}${stateLost}\n`
      end = { status, exitCode, durationMs, reply: codeReply({ exitCode, output }, maxReply) }
    } catch (error) {
      // A stop while an executor is made new.
      if (!stop.signal.aborted || signal.aborted) throw error
      const reply = 'The program was stopped by a person before its end.'
      end = { status: 'cancelled', exitCode: 125, durationMs: performance.now() - startedAt, reply }
    } finally {
      this.#append({ type: 'run-end', id, result: end })
    }
    signal.throwIfAborted()
  }

  /** Ends the programs that run, and not the turn: the model reads that they were stopped. */
  stop(): void {
    this.#stop?.abort()
  }

  /** Answers a question. @throws FencedError `UNKNOWN_APPROVAL`, `INVALID_APPROVAL`. */
  answer(id: string, answer: ApprovalAnswer): void {
    const isAsked = this.#questions.pending.some((request) => request.id === id)
    if (isAsked) this.#answers.set(id, answer)
    this.#questions.answer(id, answer)
  }

  /** Takes back an answer that holds on. */
  forget(id: string): void {
    if (!this.#remembered.forget(id)) throw new Problem(404, 'There is no such approval any more.')
    this.#append({ type: 'remembered', approvals: this.#remembered.list() })
  }

  /** Asks a person before each run. A question is in the log when it can be answered, and not before. */
  #asking(executor: CodeExecutor, recorder: RunRecorder): CodeExecutor {
    const approve: Approve = (request, options) => {
      const answer = this.#questions.approve(request, options)
      recorder.record({ type: 'approval-requested', request })
      return answer
    }
    return approvedExecutor(executor, approve, { remembered: this.#remembered })
  }

  /** A kernel of an earlier server, or one that was taken down meanwhile, has taken its variables with it. */
  #tellLostState({ capabilities: { stateful } }: CodeExecutor, recorder: RunRecorder): string | undefined {
    const isLost = this.#hasLostExecutor && stateful
    this.#hasLostExecutor = false
    if (!isLost) return undefined
    recorder.record({ type: 'notice', notice: { code: 'state-lost', message: lostState } })
    return lostState
  }

  /** An answer that holds on is in the log, so that it holds after the end of the server as well. */
  #keepRemembered(question: string): void {
    const answer = this.#answers.get(question)
    if (answer?.decision !== 'edit' && answer?.remember !== undefined)
      this.#append({ type: 'remembered', approvals: this.#remembered.list() })
  }
}

const lostState =
  'The executor that runs the code was made new since the programs before: all variables and imports are lost, and files are kept. Define again what the next block needs.'

/** The end of a run that has not come to its own: it is asked about again, and run again. */
export const interruptedRun: RunResult = { status: 'interrupted', exitCode: 1, durationMs: 0, reply: '' }
