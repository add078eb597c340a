import { afterGrace, onAbort } from '@fenced/shared'

/** The signal and the grace period of a driver. */
export interface StopGrace {
  readonly signal: AbortSignal
  /** Grace period after the signal, in milliseconds. */
  readonly graceMs: number
}

/** Returns the result of a driver's work, or `abandoned` when the work outlasts the grace period after the signal. */
export async function withStopGrace<Value>(
  running: Promise<Value>,
  { signal, graceMs }: StopGrace,
): Promise<Value | 'abandoned'> {
  const { promise: abandoned, resolve } = Promise.withResolvers<'abandoned'>()
  let timer: Disposable | undefined
  using _ = onAbort(signal, () => {
    timer = afterGrace(graceMs, () => resolve('abandoned'))
  })
  try {
    return await Promise.race([running, abandoned])
  } finally {
    timer?.[Symbol.dispose]()
  }
}
