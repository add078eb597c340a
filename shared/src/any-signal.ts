import { onAbort } from './waiting.ts'

/** `AbortSignal.any`, also for signals of another realm or of a library that brings its own. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  return AbortSignal.any(signals.map(ofThisRealm))
}

/** One listener per foreign signal, however often it is given. */
const known = new WeakMap<AbortSignal, AbortSignal>()

function ofThisRealm(signal: AbortSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const linked = known.get(signal) ?? link(signal)
  known.set(signal, linked)
  return linked
}

function link(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  onAbort(signal, () => controller.abort(signal.reason))
  return controller.signal
}

/** Whether a value is an AbortSignal: also one of another realm, or of a library that brings its own. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener, removeEventListener } = Object(value) as Partial<AbortSignal>
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  )
}
