import { onTestFinished, vi } from 'vitest'

/**
 * Stops the clock of this process until the test ends: `vi.advanceTimersByTime` moves it, so a time limit passes when the
 * test says so, on a busy machine as well. Timers of `node:timers/promises` continue.
 */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}
