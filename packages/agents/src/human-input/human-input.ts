/** What a person is asked. Plain data, so that a terminal and a web page can both show it. */
export interface HumanInputRequest {
  /** Whom the person speaks for. */
  agent: string
  /** Who waits for the answer; absent where nobody is known. */
  partner?: string
  /** The question, as a terminal would show it. */
  prompt: string
}

/** A way to ask a person. */
export interface HumanInput {
  /**
   * Resolves with the answer as it was typed, without the line break at its end: empty for "go on", `exit` to end the
   * conversation. A person who goes away answers `exit`.
   *
   * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` when nobody can be asked; the signal's reason when it is aborted.
   */
  ask(request: HumanInputRequest, options: { readonly signal: AbortSignal }): Promise<string>
}
