import type { RunView } from './run-view.ts'

/** What a person sees of a conversation. It changes as its events come; `version` grows with every change of an item. */
export type Item = { version: number } & (
  | { readonly type: 'person'; readonly id: string; readonly text: string }
  | { readonly type: 'upload'; readonly path: string; readonly sizeBytes: number }
  | AnswerItem
  | ToolItem
  | { readonly type: 'repeat'; readonly run: RunView; readonly isAgain: boolean }
  | { readonly type: 'undo'; readonly text: string }
  | { readonly type: 'end'; readonly status: string; readonly message: string | undefined }
)

/** A call of a tool by an agent. */
export interface ToolItem {
  readonly type: 'tool'
  readonly id: string
  readonly agent: string
  readonly tool: string
  readonly input: unknown
  /** Absent while it runs. */
  result?: { readonly content: string; readonly isError: boolean }
}

/** A text with code: of a model or an agent, or a document. */
export interface AnswerItem {
  readonly type: 'answer'
  readonly id: string
  /** The name of a document. */
  readonly document?: string
  /** The name of the agent that speaks; absent for a model. */
  readonly agent?: string
  text: string
  state: 'open' | 'complete' | 'cut'
  /** Whether it was cut off at the limit of tokens of its model. */
  reachedLimit?: boolean
  run?: RunView
}
