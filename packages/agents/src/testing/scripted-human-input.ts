import { FencedError } from '@fenced/core'
import { untilAborted } from '@fenced/shared'
import type { HumanInput, HumanInputRequest } from '../human-input/human-input.ts'

/** Answers in order, or a function that returns the answer to a request, or `undefined` if it has none. */
export type HumanInputScript =
  | readonly string[]
  | ((request: HumanInputRequest, index: number) => string | undefined | Promise<string | undefined>)

/** A person with predefined answers, for tests and examples. */
export class ScriptedHumanInput implements HumanInput {
  readonly #script: HumanInputScript
  readonly #requests: HumanInputRequest[] = []

  constructor(script: HumanInputScript) {
    this.#script = typeof script === 'function' ? script : [...script]
  }

  /** All requests in order, including those without an answer. */
  get requests(): readonly HumanInputRequest[] {
    return this.#requests
  }

  /** @throws FencedError `HUMAN_INPUT_SCRIPT_ENDED` if no answer is left; the signal's reason when it is aborted. */
  async ask(request: HumanInputRequest, { signal }: { readonly signal: AbortSignal }): Promise<string> {
    signal.throwIfAborted()
    const index = this.#requests.push(request) - 1
    const script = this.#script
    const given = typeof script === 'function' ? script(request, index) : script[index]
    const answer = await untilAborted(Promise.resolve(given), signal)
    if (answer === undefined) throw noAnswer(request, index)
    return answer
  }
}

function noAnswer({ agent, prompt }: HumanInputRequest, index: number): FencedError {
  return new FencedError({
    code: 'HUMAN_INPUT_SCRIPT_ENDED',
    message: `The script has no answer to question ${index + 1}, asked of "${agent}": ${JSON.stringify(prompt)}. Add one, or end the conversation earlier.`,
    data: { number: `${index + 1}`, agent, prompt },
  })
}
