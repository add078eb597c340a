import { randomBytes } from 'node:crypto'
import {
  type CodeApprovalRequest,
  DecisionLedger,
  FencedError,
  type FileRequest,
  type InstallRequest,
} from '@fenced/core'
import { MemoryLedgerStore } from '@fenced/core/internal'
import { visibleCode } from '@fenced/errors/text'
import { hideUsers } from '@fenced/shared'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failure, failureOf } from './tool-sandboxes.ts'

/** A question about the action of a tool. */
export interface Question {
  readonly key: string
  readonly request: CodeApprovalRequest | FileRequest | InstallRequest
}

/** A question that was asked, as the client brings it back with the answer. */
interface Asked {
  readonly id: string
  readonly key: string
  /** Digest of the action. */
  readonly digest: string
}

interface Action {
  readonly ctx: ServerContext
  readonly server: McpServer
  readonly work: () => Promise<CallToolResult>
  /** Returns what the call answers, if that can be before the end of the work. Default: the end. */
  readonly answer?: (end: Promise<CallToolResult>) => Promise<CallToolResult>
}

/** The answer of a person to the question with this id. */
interface Answer {
  readonly id: string
  readonly isAllowed: boolean
}

/** Options of {@link Approvals}. */
interface ApprovalsOptions {
  /** Records questions and answers. Default: in memory, from the answer on, so that open questions take no memory. */
  readonly ledger?: DecisionLedger | undefined
  /**
   * How long a question can be answered, in seconds.
   *
   * @default 3_600: a person may be away
   */
  readonly answerableSeconds?: number | undefined
}

/**
 * Asks a person about programs, installations and files, through the client (elicitation). The client repeats its call with the answer; for
 * clients of the older protocol revisions the SDK does. A client without elicitation gets an error, and no action is taken.
 *
 * An answer is valid once, for the action and the sandbox of its question. The client returns the question as the state of its
 * request, signed with a key of this process. An answer to a different question is ignored, and the person is prompted.
 */
export class Approvals {
  readonly #codec: ReturnType<typeof createRequestStateCodec<Asked>>
  readonly #ledger: DecisionLedger
  readonly #recordsQuestions: boolean

  constructor({ ledger, answerableSeconds = 3_600 }: ApprovalsOptions = {}) {
    const ttlSeconds = Math.ceil(answerableSeconds)
    this.#codec = createRequestStateCodec<Asked>({ key: randomBytes(32), ttlSeconds })
    this.#ledger = ledger ?? usedAnswers(ttlSeconds)
    this.#recordsQuestions = ledger !== undefined
  }

  /** Checks the state that a client brings, for the options of a server. */
  get verify() {
    return this.#codec.verify
  }

  /**
   * Performs an action after a person has allowed it.
   *
   * @returns the result of the action; or of a call without the action: the question, or the reason of a refusal.
   */
  async perform(
    question: Question,
    { ctx: { mcpReq }, server, work, answer: answerOf = (end) => end }: Action,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { request } = question
    if (!hasForms(declaredBy(mcpReq) ?? server.server.getClientCapabilities())) return unreachable(request)
    const answer = answerTo(question, mcpReq)
    try {
      if (answer === undefined || !(await this.#decide(answer, request))) return await this.#ask(question)
    } catch (error) {
      if (!FencedError.isInstance(error)) throw error
      return failureOf(error)
    }
    if (answer.isAllowed) return await answerOf(this.#recorded(answer.id, work))
    return failure(`A person decided not to ${wordsFor[request.kind].verb} it.`)
  }

  async #ask({ key, request }: Question): Promise<InputRequiredResult> {
    const { id, kind, digest, target } = request
    if (this.#recordsQuestions) await this.#ledger.ask({ id, kind, digest, target })
    const requestState = await this.#codec.mint({ id, key, digest })
    return inputRequired({ inputRequests: { approval: elicitation(request) }, requestState })
  }

  /** Records an answer, and the start of what it allows. Resolves with `false` where the answer was used before. */
  async #decide({ id, isAllowed }: Answer, { kind, digest, target }: Question['request']): Promise<boolean> {
    try {
      await this.#ledger.ask({ id, kind, digest, target })
      await this.#ledger.decide(
        id,
        isAllowed ? { state: 'allowed', by: 'person', digest } : { state: 'denied', by: 'person' },
      )
      if (isAllowed) await this.#ledger.start(id, digest)
      return true
    } catch (error) {
      if (FencedError.isInstance(error) && error.code === 'APPROVAL_USED') return false
      throw error
    }
  }

  async #recorded(id: string, work: Action['work']): Promise<CallToolResult> {
    let state: 'finished' | 'unknown' = 'unknown'
    try {
      const result = await work()
      if (hasEnded(result)) state = 'finished'
      return result
    } finally {
      // An end that cannot be recorded counts as unknown.
      await this.#ledger.finish(id, state).catch(() => {})
    }
  }
}

/** Knows each answer until its question can no longer be answered, however many others come. */
function usedAnswers(answerableSeconds: number): DecisionLedger {
  const store = new MemoryLedgerStore(Number.POSITIVE_INFINITY)
  return new DecisionLedger({ store, expireAfterMs: (answerableSeconds + 1) * 1_000 })
}

/** The answer that a call brings; `undefined` where it brings none to this question. */
function answerTo(
  { key, request: { digest } }: Question,
  mcpReq: ServerContext['mcpReq'],
): Answer | undefined {
  const given = inputResponse(mcpReq.inputResponses, 'approval')
  const asked = mcpReq.requestState<Asked>()
  if (given.kind !== 'elicit' || asked?.digest !== digest || asked.key !== key) return undefined
  return { id: asked.id, isAllowed: given.action === 'accept' && given.content?.allow === true }
}

/** Whether an action has ended. A failure without a result may be one of the sandbox, whose program may have run in part. */
function hasEnded({ isError = false, structuredContent }: CallToolResult): boolean {
  return structuredContent === undefined ? !isError : Object(structuredContent).status !== 'died'
}

/** The capabilities in a request; older revisions have them for a connection instead. */
function declaredBy({ envelope }: ServerContext['mcpReq']): ClientCapabilities | undefined {
  return Reflect.get(Object(envelope), CLIENT_CAPABILITIES_META_KEY)
}

/** Whether a client can show a form. A client that names no mode of elicitation has forms. */
function hasForms(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

const wordsFor = {
  code: { verb: 'run', button: 'Run it', notDone: 'The program was not run' },
  file: { verb: 'write', button: 'Write it', notDone: 'The file was not written' },
  install: { verb: 'install', button: 'Install it', notDone: 'Nothing was installed' },
} as const

function unreachable({ kind }: Question['request']): CallToolResult {
  return failure(
    `${wordsFor[kind].notDone}: this client cannot ask a person (its capabilities lack elicitation). Use a client with elicitation, or start the server without --ask. (APPROVAL_UNAVAILABLE)`,
  )
}

function elicitation(request: Question['request']) {
  return inputRequired.elicit({
    message: `${request.question}\n\n${visibleCode(contentOf(request))}`,
    requestedSchema: {
      type: 'object',
      properties: {
        allow: { type: 'boolean', title: wordsFor[request.kind].button, default: false },
      },
      required: ['allow'],
    },
  })
}

function contentOf(request: Question['request']): string {
  if (request.kind === 'code') return request.blocks.map(({ code }) => code).join('\n\n')
  if (request.kind === 'install') return request.packages.map(hideUsers).join('\n')
  const { text, sha256 = '' } = request.file ?? {}
  return text ?? `The content is not UTF-8 text. Its SHA-256 is ${sha256}.`
}
