import type { Notice, RememberedApproval } from '@fenced/core'
import type { LoggedEvent, QuestionEvent, RememberedConnection } from '../../src/event.ts'
import { EarlierPrograms } from './earlier-programs.ts'
import type { AnswerItem, Item } from './item.ts'
import {
  newBlock,
  noticesWith,
  type PendingQuestion,
  type RunView,
  takeCodeEvent,
  takeQuestionEvent,
} from './run-view.ts'

/** A conversation as its events make it. */
export class ConversationView {
  readonly items: Item[] = []
  remembered: readonly RememberedApproval[] = []
  rememberedConnections: readonly RememberedConnection[] = []
  isWorking = false
  /** Whether something is left to be done that a person did not see to its end. */
  canResume = false
  /** Whether its programs keep variables, and can be undone. */
  canUndo = false
  /** IDs of the runs that can be undone, the oldest first. */
  undoable: readonly string[] = []
  /** How the start of the executor goes. */
  startNotices: Notice[] = []
  /** Number of events after which the working directory can have other files. */
  fileChanges = 0
  seq = 0
  readonly #programs = new EarlierPrograms()
  /** Questions of agents that are about no run. */
  #pending: PendingQuestion[] = []
  /** Positions at which answers and calls of tools began. */
  readonly #begun = new Map<Item, number>()
  #run: { readonly view: RunView; readonly item: Item } | undefined

  /** The question that has waited longest. */
  get question(): PendingQuestion | undefined {
    return this.run?.pending[0] ?? this.#pending[0]
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
        if (event.after !== undefined) this.#forget(event.after)
        return
      case 'turn-end':
        this.isWorking = false
        this.#pending = []
        this.canResume = event.status !== 'done'
        if (event.status !== 'done')
          this.items.push({ type: 'end', version: 0, status: event.status, message: event.message })
        return
      case 'notice':
        this.startNotices = noticesWith(this.startNotices, event.notice)
        return
      case 'answer-start': {
        this.startNotices = []
        const { answerId: id, agent } = event
        const speaker = agent === undefined ? {} : { agent }
        this.#begin({ type: 'answer', version: 0, id, text: '', state: 'open', ...speaker }, seq)
        return
      }
      case 'tool-start': {
        const { callId: id, agent, tool, input } = event
        this.#begin({ type: 'tool', version: 0, id, agent, tool, input }, seq)
        return
      }
      case 'tool-end': {
        const item = this.items.findLast((each) => each.type === 'tool' && each.id === event.callId)
        if (item?.type !== 'tool') return
        item.result = { content: event.content, isError: event.isError }
        item.version++
        return
      }
      case 'text-delta':
      case 'answer-end':
        this.#change(event.answerId, (item) => {
          if (event.type === 'text-delta') item.text += event.text
          else {
            item.state = event.complete ? 'complete' : 'cut'
            item.text = event.text ?? item.text
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
        this.canUndo ||= event.canUndo === true
        const run: RunView = { id, blocks, left: [], tools, pending: [], notices: [] }
        const answer = this.items.findLast((item) => item.type === 'answer' && item.id === event.of)
        let item = answer
        if (answer?.type === 'answer' && event.repeats === undefined) answer.run = run
        else {
          item = { type: 'repeat', version: 0, run, isAgain: event.repeats !== undefined }
          this.items.push(item)
        }
        if (item !== undefined) {
          item.version++
          this.#run = { view: run, item }
        }
        return
      }
      case 'undo':
        this.#undo(event)
        return
      case 'approval-requested':
      case 'approval-answered':
      case 'approval-withdrawn':
        if (event.runId === '') this.#takeOwnQuestion(event)
        else this.#takeRunEvent(event, { seq, createdAt })
        return
      case 'code':
      case 'code-end':
        this.#takeRunEvent(event, { seq, createdAt })
        return
      case 'remembered':
        this.remembered = event.approvals
        this.rememberedConnections = event.connections
        return
    }
  }

  #takeRunEvent(
    event: Extract<LoggedEvent['event'], { runId: string; type: 'code' | 'code-end' }> | QuestionEvent,
    { seq, createdAt }: Omit<LoggedEvent, 'event'>,
  ): void {
    if (this.#run?.view.id !== event.runId) return
    const { item, view } = this.#run
    item.version++
    if (event.type === 'code-end') {
      view.result = event.result
      this.fileChanges++
      if (this.canUndo && hasRun(view)) this.undoable = [...this.undoable, view.id]
    } else if (event.type === 'code') {
      takeCodeEvent(view, event.event, { seq, at: Date.parse(createdAt) })
      // Its checkpoints are lost, too.
      if (event.event.type === 'notice' && event.event.notice.code === 'state-lost') this.undoable = []
    } else takeQuestionEvent(view, event)
  }

  #undo({ runIds, content: text }: Extract<LoggedEvent['event'], { type: 'undo' }>): void {
    for (const item of this.items) {
      const run = item.type === 'answer' || item.type === 'repeat' ? item.run : undefined
      if (run === undefined || !runIds.includes(run.id)) continue
      run.isUndone = true
      item.version++
    }
    this.undoable = this.undoable.filter((id) => !runIds.includes(id))
    this.fileChanges++
    this.items.push({ type: 'undo', version: 0, text })
  }

  #begin(item: Item, seq: number): void {
    this.items.push(item)
    this.#begun.set(item, seq)
  }

  /** Removes what agents said that they do not remember: they say it again. */
  #forget(after: number): void {
    const kept = this.items.filter((item) => (this.#begun.get(item) ?? 0) <= after)
    this.items.splice(0, this.items.length, ...kept)
  }

  #takeOwnQuestion(event: QuestionEvent): void {
    if (event.type === 'approval-requested')
      this.#pending = [...this.#pending, { request: event.request, digest: event.digest }]
    else this.#pending = this.#pending.filter(({ request }) => request.id !== event.requestId)
  }

  #change(id: string, change: (item: AnswerItem) => void): void {
    const item = this.items.findLast((each) => each.type === 'answer' && each.id === id)
    if (item?.type !== 'answer') return
    change(item)
    item.version++
  }
}

function hasRun({ blocks }: RunView): boolean {
  return blocks.some(({ end }) => end !== undefined && end.status !== 'skipped' && end.status !== 'invalid')
}
