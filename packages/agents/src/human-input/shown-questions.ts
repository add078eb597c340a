import { FencedError } from '@fenced/core'
import { quotedCode, withMargin } from '@fenced/core/internal'
import { visible, visibleName } from '@fenced/core/text'
import type { HumanInputRequest } from './human-input.ts'

/** Outputs on which a view has shown the messages of a question. */
const outputs = new WeakMap<HumanInputRequest, WeakSet<object>>()

/** Called by a view that has shown everything before an event on an output. */
export function markShown(
  event: { readonly type: string; readonly request?: unknown },
  output: object,
): void {
  if (event.type !== 'human-input-requested') return
  const request = event.request as HumanInputRequest
  const known = outputs.get(request) ?? new WeakSet()
  outputs.set(request, known.add(output))
}

/** Messages of a question that no view has shown on an output. The margin keeps their text from passing for the question. */
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
