import type { Notice, RememberedApproval } from '@fenced/core'
import type { LoggedEvent, RememberedConnection } from '../../src/event.ts'
import { EarlierPrograms } from './earlier-programs.ts'
import {
  newBlock,
  noticesWith,
  type PendingQuestion,
  type RunView,
  takeCodeEvent,
  takeQuestionEvent,
} from './run-view.ts'

/** What a person sees of a conversation. It changes as its events come; `version` grows with every change of an item. */
export type Item = { version: number } & (
  | { readonly type: 'person'; readonly id: string; readonly text: string }
  | { readonly type: 'upload'; readonly path: string; readonly sizeBytes: number }
  | AnswerItem
  | { readonly type: 'repeat'; readonly run: RunView }
  | { readonly type: 'end'; readonly status: string; readonly message: string | undefined }
)

/** A text with code: of a model, or a document. */
export interface AnswerItem {
  readonly type: 'answer'
  readonly id: string
  /** The name of a document. */
  readonly document?: string
  text: string
  state: 'open' | 'complete' | 'cut'
  /** Whether it was cut off at the limit of tokens of its model. */
  reachedLimit?: boolean
  run?: RunView
}

/** A conversation as its events make it. */
export class ConversationView {
  readonly items: Item[] = []
  remembered: readonly RememberedApproval[] = []
  rememberedConnections: readonly RememberedConnection[] = []
  isWorking = false
  /** Whether something is left to be done that a person did not see to its end. */
  canResume = false
  /** How the start of the executor goes. */
  startNotices: Notice[] = []
  /** Number of events after which the working directory can have other files. */
  fileChanges = 0
  seq = 0
  readonly #programs = new EarlierPrograms()
  #run: { readonly view: RunView; readonly item: Item } | undefined

  /** The question that has waited longest. */
  get question(): PendingQuestion | undefined {
    return this.run?.pending[0]
  }

  /** Whether the executor is being started, for what comes next. */
  get isStarting(): boolean {
    if (!this.isWorking || this.run !== undefined) return false
    const last = this.items.at(-1)
    const isBeforeFirst = last?.type === 'person' || (last?.type === 'answer' && last.document !== undefined)
    return isBeforeFirst || this.startNotices.length > 0
  }

  /** Position of the item that contains the open run; -1 without one. */
  get runItem(): number {
    return this.run === undefined || this.#run === undefined ? -1 : this.items.lastIndexOf(this.#run.item)
  }

  /** The run that is not at its end. */
  get run(): RunView | undefined {
    const run = this.#run?.view
    return run?.result === undefined ? run : undefined
  }

  take({ seq, createdAt, event }: LoggedEvent): void {
    // A stream that was taken up again may repeat some.
    if (seq <= this.seq) return
    this.seq = seq
    switch (event.type) {
      case 'message':
        this.items.push({ type: 'person', version: 0, id: event.messageId, text: event.content })
        return
      case 'document': {
        const { documentId: id, name, content: text } = event
        this.items.push({ type: 'answer', version: 0, id, document: name, text, state: 'complete' })
        return
      }
      case 'upload':
        this.fileChanges++
        this.items.push({ version: 0, ...event })
        return
      case 'turn-start':
        this.isWorking = true
        this.canResume = false
        this.startNotices = []
        // What went wrong before is tried again.
        if (this.items.at(-1)?.type === 'end') this.items.pop()
        return
      case 'turn-end':
        this.isWorking = false
        this.canResume = event.status !== 'done'
        if (event.status !== 'done')
          this.items.push({ type: 'end', version: 0, status: event.status, message: event.message })
        return
      case 'notice':
        this.startNotices = noticesWith(this.startNotices, event.notice)
        return
      case 'answer-start':
        this.startNotices = []
        this.items.push({ type: 'answer', version: 0, id: event.answerId, text: '', state: 'open' })
        return
      case 'text-delta':
      case 'answer-end':
        this.#change(event.answerId, (item) => {
          if (event.type === 'text-delta') item.text += event.text
          else {
            item.state = event.complete ? 'complete' : 'cut'
            item.reachedLimit = event.isCut === true
          }
        })
        return
      case 'code-start': {
        this.startNotices = []
        const blocks = event.blocks.map((block) => newBlock(block))
        for (const block of blocks) block.earlier = this.#programs.before(block)
        this.#programs.add(blocks)
        const { runId: id, tools = [] } = event
        const run: RunView = { id, blocks, left: [], tools, pending: [], notices: [] }
        const answer = this.items.findLast((item) => item.type === 'answer' && item.id === event.of)
        let item = answer
        if (answer?.type === 'answer' && event.repeats === undefined) answer.run = run
        else {
          item = { type: 'repeat', version: 0, run }
          this.items.push(item)
        }
        if (item !== undefined) {
          item.version++
          this.#run = { view: run, item }
        }
        return
      }
      case 'code':
      case 'code-end':
      case 'approval-requested':
      case 'approval-answered':
      case 'approval-withdrawn': {
        if (this.#run?.view.id !== event.runId) return
        this.#run.item.version++
        if (event.type === 'code-end') {
          this.#run.view.result = event.result
          this.fileChanges++
        } else if (event.type === 'code')
          takeCodeEvent(this.#run.view, event.event, { seq, at: Date.parse(createdAt) })
        else takeQuestionEvent(this.#run.view, event)
        return
      }
      case 'remembered':
        this.remembered = event.approvals
        this.rememberedConnections = event.connections
        return
    }
  }

  #change(id: string, change: (item: AnswerItem) => void): void {
    const item = this.items.findLast((each) => each.type === 'answer' && each.id === id)
    if (item?.type !== 'answer') return
    change(item)
    item.version++
  }
}
