import type { Change } from './changed-session.ts'

/** A repair of a copy, and a session that is wrong without it. */
export interface Repair {
  readonly name: string
  /** Switches the repair off. */
  readonly off: Change
  /** Cell before the checkpoint. */
  readonly before: string
  /** Cell that is undone. @default one without effect */
  readonly undone?: string
  readonly after: string
  /** What the last two cells print, and what the undo does not restore. */
  readonly shown: string | RegExp
  /** The same without the repair. A cell that hangs shows `timeout`. */
  readonly wrong: string | RegExp
}
