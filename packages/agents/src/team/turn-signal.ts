/**
 * A signal for one turn of a long run, that is aborted with the run's. Whatever a speaker hangs on it goes with the turn and
 * does not gather at the run's own signal.
 */
export function turnSignal(run: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const turn = new AbortController()
  const abort = () => turn.abort(run.reason)
  if (run.aborted) abort()
  run.addEventListener('abort', abort, { once: true })
  return { signal: turn.signal, [Symbol.dispose]: () => run.removeEventListener('abort', abort) }
}
