/** Shows what went wrong, until the next try or a click. */
export type Attempt = (work: () => Promise<unknown>) => Promise<boolean>

/** What every item of a conversation is drawn with. */
export interface ItemContext {
  /** Of the conversation. */
  readonly id: string
  readonly isWorking: boolean
  readonly attempt: Attempt
  readonly show: (id: string) => void
  /** IDs of the runs that can be undone, the oldest first. */
  readonly undoable: readonly string[]
}
