import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { visible, visibleName } from '@fenced/core/text'
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** What a person is asked about. */
export interface Question {
  readonly session: string
  readonly language: string
  readonly code: string
  readonly where: string
}

/** A question that was asked, as the client brings it back with the answer. */
interface Asked {
  readonly id: string
  /** Of the program in its session. */
  readonly digest: string
}

/** How long an answer to a question counts, in seconds: a person may be away. */
const answerableSeconds = 3_600

/**
 * Asks a person about programs, through the client (elicitation). The client calls again with the answer; for clients of the
 * protocol's older revisions the SDK does. A client that cannot ask gets an error, and nothing runs.
 *
 * An answer counts once, for the program and the session of its question. The client brings the question back as the state of
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

  /** The decision about a program, or the question where none was asked about it. */
  async decide(
    question: Question,
    { mcpReq }: ServerContext,
  ): Promise<'allowed' | 'denied' | InputRequiredResult> {
    const given = inputResponse(mcpReq.inputResponses, 'approval')
    const asked = mcpReq.requestState<Asked>()
    const digest = digestOf(question)
    if (given.kind !== 'elicit' || asked?.digest !== digest || !this.#take(asked)) {
      const requestState = await this.#codec.mint({ id: randomUUID(), digest })
      return inputRequired({ inputRequests: { approval: elicitation(question) }, requestState })
    }
    return given.action === 'accept' && given.content?.run === true ? 'allowed' : 'denied'
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

function digestOf({ session, language, code }: Question): string {
  return createHash('sha256')
    .update(JSON.stringify([session, language, code]))
    .digest('hex')
}

function elicitation({ language, code, where }: Question) {
  return inputRequired.elicit({
    message: `May this program (${visibleName(language)}) run ${where}?\n\n${visible(code)}`,
    requestedSchema: {
      type: 'object',
      properties: { run: { type: 'boolean', title: 'Run it', default: false } },
      required: ['run'],
    },
  })
}
