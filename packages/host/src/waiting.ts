/** What a promise comes to, unless the signal is aborted before. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>()
  const onAbort = () => resolve('aborted')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

/** What a promise comes to, unless it takes longer than so many milliseconds. */
export function orAfter<T>(promise: Promise<T>, timeMs: number): Promise<T | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, timeMs, 'late')
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
