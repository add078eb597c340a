import type { Isolation, NetworkAccess } from '@fenced/core'
import { isolationText } from '@fenced/core/internal'

/**
 * Effect of an empty answer. `run-code`: runs the programs in the last message, after which the conversation may end;
 * `call-tools`: calls tools; `reply`: the agent replies automatically; `end`: ends the conversation.
 */
export type EmptyAnswer =
  | {
      action: 'run-code'
      /** Number of programs. */
      programs: number
      isolation: Isolation
      network: NetworkAccess
      ends: boolean
    }
  | { action: 'call-tools' | 'reply' | 'end' }

/**
 * Subject of the question: the first message of a conversation, a reply, the end of a conversation (`stop-or-feedback`), the end
 * when the last message contains code (`run-and-stop`), the limit on automatic replies (`skip-or-stop`), or code (`approval`).
 */
type HumanInputKind =
  | 'first-message'
  | 'reply'
  | 'stop-or-feedback'
  | 'skip-or-stop'
  | 'run-and-stop'
  | 'approval'

/** An answer that a page can offer as a button. */
export interface HumanInputChoice {
  /** Text to send as the answer. */
  answer: string
  /** Its effect, as a sentence without the period. */
  label: string
}

/** A message that the question refers to. */
interface HumanInputMessage {
  /** Name of the agent that sent the message. */
  source: string
  /** Text of the message, including its code and its tool calls. */
  text: string
}

/** A question to a person, as plain data that both a terminal and a web page can show. */
export interface HumanInputRequest {
  /** Unique id. */
  id: string
  kind: HumanInputKind
  /** Answers with a special meaning. Any other text is a valid answer too. */
  choices: readonly HumanInputChoice[]
  /** Name of the agent that the person speaks for. */
  agent: string
  /** Name of the agent that waits for the answer; absent if unknown. */
  partner?: string
  /** Text of the question, as a terminal would show it. */
  prompt: string
  /** Messages that the person replies to, with the code that an empty answer runs. Absent without messages. */
  messages?: readonly HumanInputMessage[]
  /** Effect of an empty answer; absent if unknown. A custom reply function may still act differently. */
  onEmpty?: EmptyAnswer
}

/** A channel for asking a person. */
export interface HumanInput {
  /**
   * Resolves with the answer as typed, without the final line break: empty to continue, `exit` to end the conversation. A person
   * who leaves answers `exit`.
   *
   * In a program that iterates a conversation, `ask` is called when the loop requests the event after `human-input-requested`. A
   * loop body that waits for the answer waits forever, so answer outside the loop.
   *
   * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` if no person can be reached; the signal's reason when it is aborted.
   */
  ask(request: HumanInputRequest, options: { readonly signal: AbortSignal }): Promise<string>
}

/** Creates a question as an agent does: adds an id, and the choices that follow from the effect of an empty answer. */
export function humanInputRequest(request: Omit<HumanInputRequest, 'id' | 'choices'>): HumanInputRequest {
  const { kind, onEmpty } = request
  const enter = onEmpty === undefined ? [] : [{ answer: '', label: enterKeyText(onEmpty) }]
  const exit = {
    answer: 'exit',
    label: kind === 'run-and-stop' ? 'Ends without running it' : 'Ends the conversation',
  }
  const choices =
    onEmpty?.action === 'end' ? [{ answer: '', label: 'Ends the conversation' }] : [...enter, exit]
  return { id: crypto.randomUUID(), choices, ...request }
}

/** What an empty answer does, as a sentence without subject and dot. */
function enterKeyText(answer: EmptyAnswer): string {
  switch (answer.action) {
    case 'run-code': {
      const programs = answer.programs === 1 ? 'it' : `the ${answer.programs} programs`
      return `Runs ${programs} ${isolationText(answer)}${answer.ends ? ', and ends the conversation' : ''}`
    }
    case 'call-tools':
      return 'Calls the tools'
    case 'reply':
      return 'Continues'
    case 'end':
      return 'Ends the conversation'
  }
}
