import type { HumanInputRequest } from './human-input.ts'

/** Where the messages of a question were shown before it is asked. */
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

/** Whether a view has shown the messages of a question on an output. */
export function isShown(request: HumanInputRequest, output: object): boolean {
  return outputs.get(request)?.has(output) === true
}
