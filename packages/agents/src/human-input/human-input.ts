import type { Isolation } from '@fenced/core'
import { isolationText } from '@fenced/core/internal'

/**
 * What an empty answer does. `run-code`: programs of the last message are run there, after which the conversation may end;
 * `call-tools`: tools are called; `reply`: the agent replies by itself; `end`: the conversation ends.
 */
export type EmptyAnswer =
  | {
      action: 'run-code'
      /** How many programs. */
      programs: number
      isolation: Isolation
      network: boolean
      ends: boolean
    }
  | { action: 'call-tools' | 'reply' | 'end' }

/**
 * What is asked: the first message of a conversation, a reply; at the end of a conversation whether it ends
 * (`stop-or-feedback`), also with code in the last message (`run-and-stop`); at the limit of replies without a person
 * (`skip-or-stop`); or whether code may be run (`approval`).
 */
export type HumanInputKind =
  | 'first-message'
  | 'reply'
  | 'stop-or-feedback'
  | 'skip-or-stop'
  | 'run-and-stop'
  | 'approval'

/** An answer that a page can offer on a button. */
export interface HumanInputChoice {
  /** What is typed for it. */
  answer: string
  /** What it does, as a sentence without its dot. */
  label: string
}

/** A message that a question is about. */
export interface HumanInputMessage {
  /** Name of the agent that has said it. */
  source: string
  /** Its text with the code in it, and the calls of tools that it asks for. */
  text: string
}

/** What a person is asked. Plain data, so that a terminal and a web page can both show it. */
export interface HumanInputRequest {
  /** Unique. */
  id: string
  kind: HumanInputKind
  /** The answers that have a meaning of their own. Any other text is an answer as well. */
  choices: readonly HumanInputChoice[]
  /** Whom the person speaks for. */
  agent: string
  /** Who waits for the answer; absent where nobody is known. */
  partner?: string
  /** The question, as a terminal would show it. */
  prompt: string
  /** Messages that the person replies to, with the code that an empty answer runs. Absent where there is none. */
  messages?: readonly HumanInputMessage[]
  /** Absent where it is not known. A reply function of your own may still do something else. */
  onEmpty?: EmptyAnswer
}

/** A way to ask a person. */
export interface HumanInput {
  /**
   * Resolves with the answer as it was typed, without the line break at its end: empty for "go on", `exit` to end the
   * conversation. A person who goes away answers `exit`.
   *
   * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` when nobody can be asked; the signal's reason when it is aborted.
   *
   * A program that iterates a conversation is asked when it comes back for the event after `human-input-requested`: a loop
   * body that waits for the answer itself waits for ever. Answer from outside of the loop.
   */
  ask(request: HumanInputRequest, options: { readonly signal: AbortSignal }): Promise<string>
}

/** A request with an id, and the choices that follow from what an empty answer does. */
export function humanInputRequest(request: Omit<HumanInputRequest, 'id' | 'choices'>): HumanInputRequest {
  const { kind, onEmpty } = request
  const enter = onEmpty === undefined ? [] : [{ answer: '', label: whatEnterDoes(onEmpty) }]
  const exit = {
    answer: 'exit',
    label: kind === 'run-and-stop' ? 'Ends without running it' : 'Ends the conversation',
  }
  const choices =
    onEmpty?.action === 'end' ? [{ answer: '', label: 'Ends the conversation' }] : [...enter, exit]
  return { id: crypto.randomUUID(), choices, ...request }
}

/** What an empty answer does, as a sentence without subject and dot. */
export function whatEnterDoes(answer: EmptyAnswer): string {
  switch (answer.action) {
    case 'run-code': {
      const programs = answer.programs === 1 ? 'it' : `the ${answer.programs} programs`
      return `Runs ${programs} ${isolationText(answer)}${answer.ends ? ', and ends the conversation' : ''}`
    }
    case 'call-tools':
      return 'Calls the tools'
    case 'reply':
      return 'Goes on'
    case 'end':
      return 'Ends the conversation'
  }
}
