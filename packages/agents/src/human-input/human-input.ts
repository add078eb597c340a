import type { Isolation } from '@fenced/core'

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

/** What a person is asked. Plain data, so that a terminal and a web page can both show it. */
export interface HumanInputRequest {
  /** Whom the person speaks for. */
  agent: string
  /** Who waits for the answer; absent where nobody is known. */
  partner?: string
  /** The question, as a terminal would show it. */
  prompt: string
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
   * A program that iterates a conversation is asked when it comes back for the event after `human-input-request`: a loop
   * body that waits for the answer itself waits for ever. Answer from outside of the loop.
   */
  ask(request: HumanInputRequest, options: { readonly signal: AbortSignal }): Promise<string>
}
