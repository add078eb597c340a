import { randomBytes, randomUUID } from 'node:crypto'
import type { CodeApprovalRequest, FileRequest } from '@fenced/core'
import { approvalDigest } from '@fenced/core/internal'
import { visible } from '@fenced/core/text'
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
import { failure } from './session-tools.ts'

/** A question about the action of a tool. */
export interface Question {
  readonly session: string
  readonly request: CodeApprovalRequest | FileRequest
}

/** A question that was asked, as the client brings it back with the answer. */
interface Asked {
  readonly id: string
  readonly session: string
  /** Digest of the action. */
  readonly digest: string
}

/** How long an answer to a question counts, in seconds: a person may be away. */
const answerableSeconds = 3_600

/**
 * Asks a person about programs and files, through the client (elicitation). The client calls again with the answer; for clients of the
 * protocol's older revisions the SDK does. A client that cannot ask gets an error, and nothing happens.
 *
 * An answer counts once, for the action and the session of its question. The client brings the question back as the state of
 * its request, signed with a key of this process. An answer to any other question is no answer: the person is asked.
 */
export class Approvals {
  readonly #codec = createRequestStateCodec<Asked>({ key: randomBytes(32), ttlSeconds: answerableSeconds })
  /** Questions that have an answer, with the time from which their state is refused anyway, the earliest first. */
  readonly #answered = new Map<string, number>()

  /** Checks the state that a client brings, for the options of a server. */
  get verify() {
    return this.#codec.verify
  }

  /**
   * Asks about an action.
   *
   * @returns the result of the call that does not perform the action: the question, or why it is refused. `undefined` where a person has allowed it.
   */
  async ask(
    { session, request }: Question,
    { mcpReq }: ServerContext,
    server: McpServer,
  ): Promise<CallToolResult | InputRequiredResult | undefined> {
    if (!hasForms(declaredBy(mcpReq) ?? server.server.getClientCapabilities())) return unreachable(request)
    const given = inputResponse(mcpReq.inputResponses, 'approval')
    const asked = mcpReq.requestState<Asked>()
    const digest = approvalDigest(request)
    const isAnswer = given.kind === 'elicit' && asked?.digest === digest && asked.session === session
    if (!isAnswer || !this.#take(asked)) {
      const requestState = await this.#codec.mint({ id: randomUUID(), session, digest })
      return inputRequired({ inputRequests: { approval: elicitation(request) }, requestState })
    }
    if (given.action === 'accept' && given.content?.allow === true) return undefined
    return failure(`A person decided not to ${request.kind === 'code' ? 'run' : 'write'} it.`)
  }

  /** Whether it is the first answer to a question. */
  #take({ id }: Asked): boolean {
    const now = Date.now()
    for (const [old, endsAt] of this.#answered) {
      if (endsAt > now) break
      this.#answered.delete(old)
    }
    if (this.#answered.has(id)) return false
    // A second more: the state is as old as its whole seconds.
    this.#answered.set(id, now + (answerableSeconds + 1) * 1_000)
    return true
  }
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

function unreachable({ kind }: Question['request']): CallToolResult {
  const why = 'this client cannot ask a person (its capabilities lack elicitation)'
  const advice = 'Use a client with elicitation, or start the server without --ask.'
  return kind === 'code'
    ? failure(`The program was not run: ${why}. ${advice} (APPROVAL_UNAVAILABLE)`)
    : failure(`The file was not written: ${why}. ${advice}`)
}

function elicitation(request: Question['request']) {
  return inputRequired.elicit({
    message: `${request.question}\n\n${visible(contentOf(request))}`,
    requestedSchema: {
      type: 'object',
      properties: {
        allow: { type: 'boolean', title: request.kind === 'code' ? 'Run it' : 'Write it', default: false },
      },
      required: ['allow'],
    },
  })
}

function contentOf(request: Question['request']): string {
  if (request.kind === 'code') return request.blocks.map(({ code }) => code).join('\n\n')
  const { text, sha256 = '' } = request.file ?? {}
  return text ?? `The content is not UTF-8 text. Its SHA-256 is ${sha256}.`
}
