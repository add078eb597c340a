import { FencedError } from '@fenced/core'
import { visible, visibleName } from '@fenced/errors/text'
import { quotedCode, withMargin } from '@fenced/shared'
import type { HumanInputRequest } from './human-input.ts'

/** Outputs on which a view has shown the messages of a question. */
const outputs = new WeakMap<HumanInputRequest, WeakSet<object>>()

/**
 * Tells the person's terminal that a view has shown all earlier messages on an output. A question there does not repeat them. Call
 * it for each event, after showing the event.
 */
export function markShown(
  event: { readonly type: string; readonly request?: unknown },
  output: object,
): void {
  if (event.type !== 'human-input-requested') return
  const request = event.request as HumanInputRequest
  const known = outputs.get(request) ?? new WeakSet()
  outputs.set(request, known.add(output))
}

/**
 * Returns the messages of a question as text for a terminal, or an empty text if a view has shown them on that output. The margin
 * keeps their text from passing for the question.
 */
export function messagesAbove(request: HumanInputRequest, output: object): string {
  if (outputs.get(request)?.has(output) === true) return ''
  // Programs in a message that an empty answer runs are shown as in a question about them.
  const isCode = request.onEmpty?.action === 'run-code'
  const quoted = (text: string) => (isCode ? quotedCode(text) : withMargin(visible(text).trimEnd()))
  return (request.messages ?? [])
    .map(({ source, text }) => `${visibleName(source)}:\n${quoted(text)}\n\n`)
    .join('')
}

/** The error of a question without a terminal. */
export function noTerminal(agent: string): FencedError {
  return new FencedError({
    code: 'HUMAN_INPUT_UNAVAILABLE',
    message: `The agent "${agent}" needs a person, but standard input is not a terminal. Start the process in a terminal, set \`humanInputMode: 'never'\`, or pass a \`humanInput\`.`,
    data: { agent },
  })
}
