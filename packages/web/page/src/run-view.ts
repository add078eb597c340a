import type {
  ApprovalRequest,
  CodeApprovalRequest,
  CodeBlock,
  HostToolCall,
  MimeBundle,
  NetworkConnection,
  Notice,
  OutputFile,
} from '@fenced/core'
import type { GivenAnswer, LoggedCodeEvent, QuestionEvent, RunResult } from '../../src/event.ts'
import { OutputLines } from './output-lines.ts'

/** A question that waits for an answer, and the digest that the answer names. */
export interface PendingQuestion {
  readonly request: ApprovalRequest
  readonly digest: string
}

export interface RunView {
  readonly id: string
  blocks: BlockView[]
  /** Programs that the person left out of the run. */
  left: BlockView[]
  /** The names of what its programs can call. */
  readonly tools: readonly string[]
  /** The question about its programs, and the answer. */
  question?: CodeApprovalRequest
  answer?: { readonly given: GivenAnswer; readonly remembered: boolean }
  /** Those that wait, the oldest first. */
  pending: PendingQuestion[]
  notices: Notice[]
  result?: RunResult
  isUndone?: boolean
}

export interface BlockView {
  readonly block: CodeBlock
  /** The lines that it has in its answer, from 1, with its fences; absent where they are not known. */
  readonly lines: { readonly from: number; readonly to: number } | undefined
  /** Counted from 1 over the conversation. A program that a person edited keeps the number. */
  number: number
  /** The program of this conversation of which this is likely a later version. */
  earlier?: BlockView | undefined
  /** In milliseconds since 1970; absent before its start. */
  startedAt?: number
  end?: Extract<LoggedCodeEvent, { type: 'block-end' }>
  readonly output: OutputLines
  dropped: number
  results: { readonly seq: number; readonly displayId: string | undefined; readonly result: MimeBundle }[]
  files: OutputFile[]
  notices: Notice[]
  calls: (Pick<HostToolCall, 'id' | 'tool' | 'input'> & { answer?: HostToolCall })[]
  connections: NetworkConnection[]
}

export function newBlock(block: CodeBlock, lines = linesOf(block)): BlockView {
  return {
    block,
    lines,
    number: 0,
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

export function takeQuestionEvent(run: RunView, event: QuestionEvent): void {
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
  if (answer.decision === 'edit') takeEdit(run, answer.blocks)
}

/** An edited program is shown where the model wrote the first one. If there are fewer, the unchanged ones keep their places. */
function takeEdit(run: RunView, blocks: readonly CodeBlock[]): void {
  const before = run.blocks
  const isSubset = blocks.length < before.length
  const used = new Set<BlockView>()
  run.blocks = blocks.map((block, index) => {
    const same = before.find((each) => !used.has(each) && each.block.code === block.code)
    const place = isSubset ? same : before[index]
    if (place === undefined) return newBlock(block)
    used.add(place)
    return { ...newBlock(block, place.lines), number: place.number }
  })
  run.left = isSubset ? before.filter((each) => !used.has(each)) : []
}

export function takeCodeEvent(
  run: RunView,
  event: LoggedCodeEvent,
  { seq, at }: { seq: number; at: number },
): void {
  if (event.type === 'notice' && event.index === undefined) {
    run.notices = noticesWith(run.notices, event.notice)
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
      block.end = event
      return
  }
}

/** Of progress, only the last notice is kept. */
export function noticesWith(notices: readonly Notice[], notice: Notice): Notice[] {
  return [...notices.filter(({ code }) => !isProgress(notice) || code !== notice.code), notice]
}

/** Whether a notice reports work in progress, with or without a percentage. */
export function isProgress({ code }: Notice): boolean {
  return ['pull', 'build', 'install', 'waiting'].includes(code)
}
