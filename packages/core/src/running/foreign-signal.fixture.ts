/** An AbortSignal that is not of this realm, as a library brings one. */
export function foreignSignal() {
  const listening = new Set<() => void>()
  const state = { aborted: false, reason: undefined as unknown }
  const signal = {
    get aborted() {
      return state.aborted
    },
    get reason() {
      return state.reason
    },
    addEventListener: (_: string, listener: () => void) => listening.add(listener),
    removeEventListener: (_: string, listener: () => void) => listening.delete(listener),
    throwIfAborted() {
      if (state.aborted) throw state.reason
    },
  } as unknown as AbortSignal
  const abort = (reason: unknown) => {
    Object.assign(state, { aborted: true, reason })
    for (const listener of listening) listener()
  }
  return { signal, abort, listeners: () => listening.size }
}
