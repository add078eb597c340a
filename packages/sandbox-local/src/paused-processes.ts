import { setTimeout as sleep } from 'node:timers/promises'
import { notPausable } from '@fenced/core/internal'
import { findProcesses, type ProcessRoot, stateOf } from '@fenced/host'

/** How long processes that wait for a disk may take to stop, in milliseconds. They run nothing meanwhile. */
const stopMs = 2_000

/** The processes of a sandbox, stopped by SIGSTOP. */
export class PausedProcesses {
  readonly #stopped = new Set<number>()

  /**
   * Stops all processes of these programs, including those that they start meanwhile. Those that had stopped are not continued later.
   *
   * @throws FencedError `NOT_PAUSABLE` if a process belongs to another user. All continue then.
   */
  static async stop(roots: readonly ProcessRoot[], name: string): Promise<PausedProcesses> {
    const paused = new PausedProcesses()
    const giveUpAt = performance.now() + stopMs
    try {
      for (;;) {
        const running = findProcesses(roots).filter(isRunning)
        const isNew = running.map((id) => paused.#stop(id))
        if (running.length === 0 || (!isNew.includes(true) && performance.now() > giveUpAt)) return paused
        await sleep(1)
      }
    } catch (error) {
      paused.resume()
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
      throw notPausable(name, 'a process in it belongs to another user.')
    }
  }

  resume(): void {
    for (const id of this.#stopped) if (!isRunning(id)) signal(id, 'SIGCONT')
    this.#stopped.clear()
  }

  /** Returns whether it was not asked to stop before. */
  #stop(id: number): boolean {
    if (this.#stopped.has(id)) return false
    signal(id, 'SIGSTOP')
    this.#stopped.add(id)
    return true
  }
}

function isRunning(id: number): boolean {
  return !['T', 't', undefined].includes(stateOf(id)?.state)
}

function signal(id: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(id, name)
  } catch (error) {
    // It has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
