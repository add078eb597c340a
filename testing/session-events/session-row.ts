import type { expect as Expect, vi as Vi } from 'vitest'
import type { Session, SessionEvent, SessionExecutor, SessionPlace, SessionResult } from './session-place.ts'

/** What a row works with. */
export interface SessionRow {
  readonly place: SessionPlace
  readonly expect: typeof Expect
  readonly vi: typeof Vi
  /** Fails unless notices say what became of the variables of the cell `x = 41`, and the next cell finds it so. */
  expectFate(session: Session, event?: SessionResult['blocks'][number]): Promise<void>
  /** Runs work in a session with the cell `x = 41`, and stops its executor. */
  inSession(work: (session: Session) => Promise<unknown>, executor?: SessionExecutor): Promise<void>
}

export type SessionRows = Readonly<Record<SessionEvent, (row: SessionRow) => Promise<unknown>>>

export const startSleep = (seconds: number): string =>
  `import subprocess\nserver = subprocess.Popen(["sleep", "${seconds}"])`
