import type { AgentState } from '@fenced/agents'

/** What the agents of a conversation remember at a position of its log. */
export interface SavedState {
  /** Position of the last event that they know. */
  readonly seq: number
  /** Absent if the agents remember what is in the events up to here, as after an older version. */
  readonly state: AgentState | undefined
  /** Whether they have nothing left to do. */
  readonly isDone: boolean
}

/** The state in a row of the database, if there is a row. */
export function savedState(row: Readonly<Record<string, unknown>> | undefined): SavedState | undefined {
  if (row === undefined) return undefined
  const { seq, isDone, state } = row
  return {
    seq: Number(seq),
    isDone: isDone === 1,
    state: state === '' ? undefined : JSON.parse(String(state)),
  }
}
