/** How long turns without I/O may keep the event loop, in milliseconds. */
const longestMs = 10

let lastLetGo = performance.now()

/**
 * Lets timers and I/O of the process happen. Called between turns: agents that do no I/O wait for promises only, and would keep the
 * event loop until their run ends.
 */
export function letOthersRun(): void | Promise<void> {
  if (performance.now() - lastLetGo < longestMs) return
  return new Promise((resolve) =>
    setImmediate(() => {
      lastLetGo = performance.now()
      resolve()
    }),
  )
}
