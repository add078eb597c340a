import type { DecisionLedger, ToolApprovalRequest } from '@fenced/core'
import { type AllowedCall, askedAgain, decidedCall, withDigest } from '@fenced/core/internal'
import { errorMessage } from '@fenced/errors'
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { Suspension } from '../running/questions.ts'
import { choicesOf } from '../running/run-program.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { type SavedTurn, savedOf } from '../running/saved-questions.ts'
import { type AskTool, askedWithEvents, noApprover } from '../tool/ask-tool.ts'
import { toolQuestion } from '../tool/call-tool.ts'
import type { ApprovalPart } from './ai-sdk-agent.ts'

interface Asking {
  readonly run: RunContext
  /** Absent where no approver decides about calls. */
  readonly askTool: AskTool | undefined
}

type Decided = AllowedCall | { readonly denial: string }

/** Asks about the calls of an agent of the AI SDK, and records them. The agent makes them itself, in its next answer. */
export class AiSdkApprovals {
  readonly #agent: string
  readonly #ledger: DecisionLedger
  /** Questions of the state that was loaded. */
  readonly #saved: Map<string, ToolApprovalRequest>
  /** Calls that have begun, keyed by call id. */
  readonly #begun = new Map<string, AllowedCall>()

  constructor(
    agent: string,
    { ledger, saved }: { readonly ledger: DecisionLedger; readonly saved: SavedTurn | undefined },
  ) {
    this.#agent = agent
    this.#ledger = ledger
    this.#saved = new Map(savedOf(saved, 'tool').map((request) => [request.digest, request]))
  }

  /**
   * What the agent reads of calls that wait. The calls that are allowed begin when all have been decided about. Questions that wait for
   * their answers are answered together.
   */
  async answersTo(parts: readonly ApprovalPart[], asking: Asking): Promise<ModelMessage[]> {
    const requests: ToolApprovalRequest[] = []
    for (const part of parts) requests.push(await this.#requestFor(part))
    const { given } = asking.run
    const unanswered = requests.find(({ id }) => given?.suspends === true && !given.has(id))
    if (unanswered !== undefined) {
      for (const request of requests) await this.#leaveOpen(request, asking)
      throw new Suspension(unanswered.id)
    }
    const decided: Decided[] = []
    for (const request of requests) decided.push(await this.#decided(request, asking))
    const answers: ModelMessage[] = []
    for (const [index, part] of parts.entries())
      answers.push(answerTo(part, await this.#begin(part, decided[index] as Decided)))
    return answers
  }

  /** Records the end of a call, where a part of an answer has its result. */
  async follow(part: TextStreamPart<ToolSet>): Promise<void> {
    const isEnd = part.type === 'tool-error' || (part.type === 'tool-result' && part.preliminary !== true)
    if (!isEnd) return
    const { toolCallId } = part
    const call = this.#begun.get(toolCallId)
    this.#begun.delete(toolCallId)
    await call?.end('finished')
  }

  /** Records that the calls without a result may have been made. */
  async close(): Promise<void> {
    for (const call of this.#begun.values()) await call.end('unknown')
    this.#begun.clear()
  }

  /** Records and shows a question. */
  async #leaveOpen({ ...request }: ToolApprovalRequest, { run }: Asking): Promise<void> {
    const { id, kind, digest, after } = request
    await this.#ledger.ask({ id, kind, digest, after })
    await run.emit({ type: 'approval-requested', agent: this.#agent, request, choices: choicesOf(request) })
    await run.drained()
  }

  async #decided(request: ToolApprovalRequest, { run, askTool }: Asking): Promise<Decided> {
    const ask = askedWithEvents(askTool, { agent: this.#agent, run })
    if (ask === undefined) return { denial: noApprover }
    const { signal } = run
    try {
      return await decidedCall(request, {
        ledger: this.#ledger,
        ask: (asked) => ask(asked, { signal }),
      })
    } catch (error) {
      signal.throwIfAborted()
      return { denial: errorMessage(error) }
    }
  }

  async #requestFor({ toolCall: { toolCallId, toolName: tool, input } }: ApprovalPart) {
    const request: ToolApprovalRequest = withDigest({
      kind: 'tool' as const,
      id: crypto.randomUUID(),
      toolCallId,
      question: toolQuestion(this.#agent, tool, input),
      tool,
      needsApproval: true as const,
      input: structuredClone(input) as unknown,
    })
    const saved = this.#saved.get(request.digest)
    this.#saved.delete(request.digest)
    return saved === undefined ? request : await askedAgain(this.#ledger, request, saved.id)
  }

  /** Why a call is denied; `undefined` where it begins. */
  async #begin({ toolCall }: ApprovalPart, decided: Decided): Promise<string | undefined> {
    if ('denial' in decided) return decided.denial
    try {
      await decided.begin()
    } catch (error) {
      return errorMessage(error)
    }
    this.#begun.set(toolCall.toolCallId, decided)
    return undefined
  }
}

function answerTo({ approvalId }: ApprovalPart, denial: string | undefined): ModelMessage {
  const answer = denial === undefined ? { approved: true } : { approved: false, reason: denial }
  return { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, ...answer }] }
}
