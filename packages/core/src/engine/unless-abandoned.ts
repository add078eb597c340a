/** What a driver is given to stop. */
export interface StopGrace {
  readonly signal: AbortSignal
  /** How long it may take behind the signal, in milliseconds. */
  readonly graceMs: number
}

/** What a driver does, or `abandoned` when it goes on for longer than a grace behind the signal. */
export async function unlessAbandoned<Value>(
  running: Promise<Value>,
  { signal, graceMs }: StopGrace,
): Promise<Value | 'abandoned'> {
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<'abandoned'>()
  let timer: NodeJS.Timeout | undefined
  const onStop = () => {
    timer = setTimeout(() => giveUp('abandoned'), graceMs)
  }
  if (signal.aborted) onStop()
  else signal.addEventListener('abort', onStop, { once: true })
  try {
    return await Promise.race([running, givenUp])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onStop)
  }
}
