import {
  type CodeApprovalRequest,
  type DecisionLedger,
  FencedError,
  type ToolApprovalRequest,
} from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { readApprovalRequest, withDigest } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { visible, visibleName } from '@fenced/errors/text'
import type { EventInit, OpenQuestion } from '../event.ts'
import type { HumanInputRequest } from '../human-input/human-input.ts'
import type { ToolResponse } from '../message/tool-parts.ts'
import type { RunContext } from './run-with-events.ts'

/** Options of `loadState`. */
export interface LoadStateOptions {
  /**
   * What happens to a question that was open when the state was saved. `ask`: an agent that has `ask`, or
   * prompts a person, asks again; any other agent refuses the state. `deny`: the question is denied without asking, and nothing
   * that it covers runs. `suspend`: the question stays open for a run with `answers` or `onQuestion: 'suspend'`; other runs are refused
   * as `ask` refuses the state.
   *
   * @default 'ask'
   */
  readonly onQuestion?: 'ask' | 'deny' | 'suspend' | undefined
}

const optionsSchema = z.strictObject({ onQuestion: z.enum(['ask', 'deny', 'suspend']).default('ask') })

/** @throws FencedError `INVALID_OPTIONS`. */
export function loadOptions(options: LoadStateOptions = {}): Required<z.output<typeof optionsSchema>> {
  return parseOptions(optionsSchema, options, 'loadState')
}

const toolRequestSchema = z.lazy(() =>
  z.looseObject({
    kind: z.literal('tool'),
    id: z.string().min(1),
    toolCallId: z.string(),
    question: z.string(),
    tool: z.string(),
    digest: z.string(),
  }),
)

const humanRequestSchema = z.lazy(() =>
  z.looseObject({
    kind: z.enum(['reply', 'stop-or-feedback', 'skip-or-stop', 'run-and-stop']),
    id: z.string().min(1),
    prompt: z.string(),
  }),
)

function isCodeRequest(request: unknown): boolean {
  try {
    readApprovalRequest(request)
    return true
  } catch {
    return false
  }
}

const matches = (schema: z.ZodType) => (value: unknown) => schema.safeParse(value).success

const approvalQuestionSchema = z.lazy(() =>
  z.union([
    z.custom<CodeApprovalRequest>(isCodeRequest, 'must be a request for an approval of code'),
    z.custom<ToolApprovalRequest>(matches(toolRequestSchema), 'must be a request for an approval of a call'),
  ]),
)

const humanQuestionSchema = z.custom<HumanInputRequest>(
  matches(humanRequestSchema),
  'must be a question to a person',
)

const pictureSchema = z.strictObject({ mediaType: z.string(), data: z.string() })

const toolResponseSchema: z.ZodType<ToolResponse> = z.lazy(() =>
  z.strictObject({
    toolCallId: z.string(),
    name: z.string(),
    content: z.string(),
    pictures: z.array(pictureSchema).exactOptional(),
    isError: z.boolean().exactOptional(),
  }),
)

/** A turn that was waiting for answers when its agent was saved. */
export const savedTurnSchema = z.lazy(() =>
  z.strictObject({
    questions: z
      .array(
        z.strictObject({
          agent: z.string(),
          request: z.union([approvalQuestionSchema, humanQuestionSchema]),
        }),
      )
      .min(1),
    areDenied: z.boolean(),
    toolResponses: z.array(toolResponseSchema),
    replies: z.array(z.strictObject({ agent: z.string(), kind: z.string(), text: z.string() })),
  }),
)

/** A turn that waits for answers, as a state keeps it. */
export interface SavedTurn {
  readonly questions: readonly OpenQuestion[]
  /** Whether they were denied when the state was loaded. */
  readonly areDenied: boolean
  /** What tools have answered to the other calls of the same message. */
  readonly toolResponses: readonly ToolResponse[]
  /** What persons have answered in the turn. */
  readonly replies: readonly { readonly agent: string; readonly kind: string; readonly text: string }[]
}

/** The questions of a saved turn of one kind. */
export function savedOf<Kind extends OpenQuestion['request']['kind']>(
  saved: Pick<SavedTurn, 'questions'> | undefined,
  kind: Kind,
): Extract<OpenQuestion['request'], { kind: Kind }>[] {
  const requests = (saved?.questions ?? []).map(({ request }) => request)
  return requests.filter((one): one is Extract<OpenQuestion['request'], { kind: Kind }> => one.kind === kind)
}

/** The reason that a model reads of a question that was denied by `onQuestion`. */
export const deniedOnLoading =
  'The question was open when the state was saved, and was denied when the state was loaded.'

/**
 * Records that saved questions were denied when their state was loaded. A question that is missing in the ledger is recorded
 * with its denial. A closed question stays unchanged. A question that was changed in the state is not recorded, and no part of
 * it runs here.
 *
 * @throws FencedError `LEDGER_UNAVAILABLE`.
 */
export async function recordDenials(
  ledger: DecisionLedger,
  questions: readonly Pick<OpenQuestion, 'request'>[],
): Promise<void> {
  for (const { request } of questions) {
    if (!('digest' in request) || withDigest(request).digest !== request.digest) continue
    const { id, kind, digest, after } = request
    const target = request.kind === 'code' ? request.target : undefined
    try {
      await ledger.ask({ id, kind, digest, target, after })
      await ledger.decide(id, { state: 'denied', by: 'rule' })
    } catch (error) {
      if (!FencedError.isInstance(error) || error.code === 'LEDGER_UNAVAILABLE') throw error
    }
  }
}

/** Why a state with a question is refused. */
export function approvalRequired(agent: string, { request }: Pick<OpenQuestion, 'request'>): FencedError {
  const text = 'question' in request ? request.question : request.prompt.trim()
  const { missing, advice } = remedyFor(request)
  return new FencedError({
    code: 'APPROVAL_REQUIRED',
    message: `The state was not loaded because it contains an open question: "${visible(text)}" ${visibleName(agent)} has ${missing}, so it would continue without asking. ${advice}, or deny the question with loadState(state, { onQuestion: 'deny' }).`,
    data: { agent, question: text, kind: request.kind },
  })
}

interface Remedy {
  readonly missing: string
  readonly advice: string
}

function remedyFor({ kind }: OpenQuestion['request']): Remedy {
  if (kind === 'code') return { missing: 'no `ask` about code', advice: 'Give the agent `ask`' }
  if (kind === 'tool') return { missing: 'no `ask` about tools', advice: 'Give the agent `ask`' }
  return {
    missing: 'no person to ask at this point',
    advice: 'Give the agent the same `humanInputMode` and limits as the saved agent',
  }
}

/** The questions of a run that have no answer yet, and what tools have answered meanwhile: what a state keeps of a turn. */
export class OpenQuestions {
  readonly #questions = new Map<string, OpenQuestion>()
  #toolResponses: ToolResponse[] = []
  #replies: SavedTurn['replies'][number][] = []
  #isAnswered = false

  /** Whether a question has its answer. */
  get isAnswered(): boolean {
    return this.#isAnswered
  }

  /** The turn, as a state keeps it; `undefined` if no question is open. */
  get turn(): SavedTurn | undefined {
    if (this.#questions.size === 0) return undefined
    const questions = [...this.#questions.values()]
    const [toolResponses, replies] = [this.#toolResponses, this.#replies]
    return structuredClone({ questions, areDenied: false, toolResponses, replies })
  }

  clear(): void {
    this.#questions.clear()
    this.#toolResponses = []
    this.#replies = []
    this.#isAnswered = false
  }

  /** The same run, whose questions are known here. */
  following<Run extends RunContext>(run: Run): Run {
    return {
      ...run,
      emit: (event) => {
        this.#follow(event)
        return run.emit(event)
      },
    }
  }

  #follow(event: EventInit): void {
    const { agent } = event
    switch (event.type) {
      case 'human-input-requested':
        this.#questions.set(event.request.id, { agent, request: event.request })
        break
      case 'approval-requested': {
        const { request } = event
        // A question of a running program ends with the program.
        if (request.kind === 'code' || (request.kind === 'tool' && request.blockIndex === undefined))
          this.#questions.set(request.id, { agent, request })
        break
      }
      case 'tool-end':
        this.#toolResponses.push(event.response)
        break
      case 'tool-calls':
      case 'tool-results':
        this.#toolResponses = []
        break
      case 'message':
        this.#replies = []
        break
      case 'human-input-answered': {
        const { kind = '' } = this.#questions.get(event.requestId)?.request ?? {}
        this.#replies.push({ agent, kind, text: event.text })
        this.#close(event)
        break
      }
      case 'approval-answered':
        this.#close(event)
        break
    }
  }

  #close({ requestId }: { readonly requestId: string }): void {
    this.#questions.delete(requestId)
    this.#isAnswered = true
  }
}
