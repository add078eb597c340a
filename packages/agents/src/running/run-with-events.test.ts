import { expect, it } from 'vitest'
import { runWithEvents } from './run-with-events.ts'

/** A signal that is not of this realm, as a library brings one. */
function foreignSignal({ signal }: AbortController): AbortSignal {
  return {
    get aborted() {
      return signal.aborted
    },
    get reason() {
      return signal.reason
    },
    throwIfAborted: () => signal.throwIfAborted(),
    addEventListener: signal.addEventListener.bind(signal),
    removeEventListener: signal.removeEventListener.bind(signal),
  } as AbortSignal
}

it('is ended by a signal of another realm', async () => {
  const stop = new AbortController()
  const running = runWithEvents(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    foreignSignal(stop),
  )
  stop.abort(new Error('over there'))
  await expect(running).rejects.toThrow('over there')
})
