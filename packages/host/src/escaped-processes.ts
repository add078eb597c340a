import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const markName = 'FENCED_RUN_ID'

/** A variable for the environment of a run, which every descendant inherits. */
export type ProcessMark = Readonly<Record<typeof markName, string>>

/**
 * Finds the processes of a run that left its process group (`setsid`), by a mark in their environment: those that
 * began after this object was made. Linux only: elsewhere, and for a process that cleared its environment, they
 * are not seen.
 */
export class EscapedProcesses {
  /** To be put into the environment of the run. */
  readonly mark: ProcessMark
  readonly #older = new Set(processIds())

  constructor(mark: ProcessMark = { [markName]: randomUUID() }) {
    this.mark = mark
  }

  /** Kills them, also the ones that they start meanwhile. */
  kill(): void {
    // Whoever forks in a loop is found again; the bound is for a race that we keep losing.
    for (let round = 0; round < 50 && this.#killOnce(); round++);
  }

  #killOnce(): boolean {
    let found = false
    for (const id of processIds()) {
      if (this.#older.has(id) || !this.#isOurs(id)) continue
      found = killQuietly(Number(id)) || found
    }
    return found
  }

  #isOurs(id: string): boolean {
    try {
      return readFileSync(`/proc/${id}/environ`, 'latin1').includes(`${markName}=${this.mark[markName]}`)
    } catch {
      // It has ended, or it is another user's.
      return false
    }
  }
}

function processIds(): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((name) => name >= '0' && name <= '9:')
}

function killQuietly(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL')
  } catch {
    return false
  }
}
