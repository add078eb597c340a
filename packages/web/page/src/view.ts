import type {
  ApprovalRequest,
  CodeApprovalRequest,
  CodeBlock,
  HostToolCall,
  MimeBundle,
  NetworkConnection,
  Notice,
  OutputFile,
  RememberedApproval,
} from '@fenced/core'
import type {
  ConversationEvent,
  GivenAnswer,
  LoggedCodeEvent,
  LoggedEvent,
  RememberedConnection,
  RunResult,
} from '../../src/event.ts'
import { OutputLines } from './output-lines.ts'

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

/** A question that waits for an answer, and the digest that the answer names. */
export interface PendingQuestion {
  readonly request: ApprovalRequest
  readonly digest: string
}

export interface RunView {
  readonly id: string
  blocks: BlockView[]
  /** The names of what its programs can call. */
  readonly tools: readonly string[]
  /** The question about its programs, and the answer. */
  question?: CodeApprovalRequest
  answer?: { readonly given: GivenAnswer; readonly remembered: boolean }
  /** Those that wait, the oldest first. */
  pending: PendingQuestion[]
  readonly notices: Notice[]
  result?: RunResult
}

export interface BlockView {
  readonly block: CodeBlock
  /** The lines that it has in its answer, from 1, with its fences; absent where they are not known. */
  readonly lines: { readonly from: number; readonly to: number } | undefined
  state: 'waiting' | 'running' | 'ended'
  status?: string
  exitCode?: number
  durationMs?: number
  startedAt?: number
  readonly output: OutputLines
  dropped: number
  results: { readonly seq: number; readonly displayId: string | undefined; readonly result: MimeBundle }[]
  files: OutputFile[]
  notices: Notice[]
  calls: (Pick<HostToolCall, 'id' | 'tool' | 'input'> & { answer?: HostToolCall })[]
  connections: NetworkConnection[]
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
  seq = 0
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
        const { runId: id, tools = [] } = event
        const run: RunView = { id, blocks, tools, pending: [], notices: [] }
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
        if (event.type === 'code-end') this.#run.view.result = event.result
        else if (event.type === 'code')
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

function newBlock(block: CodeBlock, lines = linesOf(block)): BlockView {
  return {
    block,
    lines,
    state: 'waiting',
    output: new OutputLines(),
    dropped: 0,
    results: [],
    files: [],
    notices: [],
    calls: [],
    connections: [],
  }
}

function linesOf({ line, code }: CodeBlock): BlockView['lines'] {
  if (line === undefined) return undefined
  return { from: line, to: line + code.replace(/\n$/, '').split('\n').length + 1 }
}

type QuestionEvent = Extract<
  ConversationEvent,
  { type: 'approval-requested' | 'approval-answered' | 'approval-withdrawn' }
>

function takeQuestionEvent(run: RunView, event: QuestionEvent): void {
  if (event.type === 'approval-requested') {
    const { request, digest } = event
    run.pending = [...run.pending, { request, digest }]
    if (request.kind === 'code') run.question = request
    return
  }
  const { requestId } = event
  run.pending = run.pending.filter(({ request }) => request.id !== requestId)
  if (event.type === 'approval-withdrawn') return
  const { answer, remembered } = event
  // An answer that is remembered has no question, and is about the programs.
  if (!remembered && requestId !== run.question?.id) return
  run.answer = { given: answer, remembered }
  // An edited program is shown where the model wrote the first one.
  if (answer.decision === 'edit')
    run.blocks = answer.blocks.map((block, index) => newBlock(block, run.blocks[index]?.lines))
}

function takeCodeEvent(run: RunView, event: LoggedCodeEvent, { seq, at }: { seq: number; at: number }): void {
  if (event.type === 'notice' && event.index === undefined) {
    const kept = noticesWith(run.notices, event.notice)
    run.notices.splice(0, run.notices.length, ...kept)
    return
  }
  if (!('index' in event) || event.index === undefined) return
  const block = run.blocks[event.index]
  if (block !== undefined) takeBlockEvent(block, event, { seq, at })
}

function takeBlockEvent(
  block: BlockView,
  event: Extract<LoggedCodeEvent, { index?: number }>,
  { seq, at }: { seq: number; at: number },
): void {
  switch (event.type) {
    case 'block-start':
      block.state = 'running'
      block.startedAt = at
      return
    case 'stdout':
    case 'stderr':
      block.output.append(event.text, event.type === 'stderr')
      return
    case 'output-dropped':
      block.dropped = event.characters
      return
    case 'clear':
      block.output.clear()
      block.results = []
      return
    case 'result': {
      const { result, displayId } = event
      const shown = block.results.findIndex((each) => displayId !== undefined && each.displayId === displayId)
      block.results.splice(shown === -1 ? block.results.length : shown, shown === -1 ? 0 : 1, {
        seq,
        displayId,
        result,
      })
      return
    }
    case 'file':
      block.files.push(event.file)
      return
    case 'notice':
      block.notices.push(event.notice)
      return
    case 'tool-call':
      block.calls.push({ ...event.call })
      return
    case 'tool-result': {
      const call = block.calls.find(({ id }) => id === event.call.id)
      if (call !== undefined) call.answer = event.call
      return
    }
    case 'connection':
      block.connections.push(event.connection)
      return
    case 'block-end':
      block.state = 'ended'
      block.status = event.status
      block.exitCode = event.exitCode
      block.durationMs = event.durationMs
      return
  }
}

/** Of progress, only the last notice is kept. */
function noticesWith(notices: readonly Notice[], notice: Notice): Notice[] {
  const isProgress = ['pull', 'build', 'install', 'waiting'].includes(notice.code)
  return [...notices.filter(({ code }) => !isProgress || code !== notice.code), notice]
}
