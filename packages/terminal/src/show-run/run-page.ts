import { stripVTControlCharacters } from 'node:util'
import type {
  ApprovalEvent,
  ApprovalRequest,
  BlockResult,
  CodeBlock,
  CodeResult,
  ExecutionEvent,
} from '@fenced/core'
import { formatDuration, visibleName } from '@fenced/errors/text'
import { TerminalOutput } from '@fenced/shared'
import type { Theme } from '../console/theme.ts'
import { formatFile, formatStatus } from './format.ts'
import { MessageWriter } from './message-writer.ts'
import { type Program, ProgramList } from './program-list.ts'
import { programOutput } from './program-output.ts'
import { wrapped } from './prose-writer.ts'

interface OpenMessage {
  readonly head: string
  readonly writer: MessageWriter
  received: string
}

interface AgentRun {
  readonly programs: Program[]
  hasBegun: boolean
}

type Answer = Pick<Extract<ApprovalEvent, { type: 'approval-answered' }>, 'answer' | 'remembered'>

const marks = { '> ': 'cyan', '! ': 'yellow', '- ': 'dim' } as const

/** A page on which a run is shown: messages, and below the programs what they write and how they end. */
export class RunPage {
  readonly programs = new ProgramList()
  readonly #margin = new TerminalOutput()
  readonly #runs = new Map<string, AgentRun>()
  #open: OpenMessage | undefined
  /** A message that continues after a note. */
  #interrupted: Pick<OpenMessage, 'head' | 'received'> | undefined
  #isEmpty = true

  /** A piece of a message. Of two that are written at the same time the second one is shown when it is finished. */
  piece(head: string, text: string, theme: Theme): string {
    if (text === '' || (this.#open !== undefined && this.#open.head !== head)) return ''
    const begin = this.#open === undefined ? this.#begin(head, theme) : ''
    const open = this.#open as OpenMessage | undefined
    if (open === undefined) return begin
    open.received += text
    return `${begin}${open.writer.push(text)}`
  }

  /** A finished message; what was shown of it is not shown again. */
  message(head: string, text: string, theme: Theme): string {
    const received = this.#open?.head === head ? this.#open.received : undefined
    if (received !== undefined && received.trim() === text.trim()) return this.interrupt()
    if (received !== undefined && text.startsWith(received)) {
      return this.piece(head, text.slice(received.length), theme) + this.interrupt()
    }
    if (text.trim() === '') return this.interrupt()
    return `${this.interrupt()}${this.piece(head, text, theme)}${this.interrupt()}`
  }

  note(text: string, theme: Theme): string {
    const end = this.interrupt()
    this.#isEmpty = false
    return `${end}${this.#line('- ', wrapped(text, theme.textWidth - 4), theme)}`
  }

  /** A note in the middle of a message, of which the rest follows. */
  noteWithin(text: string, theme: Theme): string {
    const open = this.#open
    const shown = this.note(text, theme)
    this.#interrupted = open
    return shown
  }

  question(): string {
    return `${this.interrupt()}${this.#gap()}`
  }

  /** Ends the line at hand. */
  interrupt(): string {
    const end = this.#open?.writer.end() ?? ''
    this.#open = undefined
    return `${end}${this.#margin.end()}`
  }

  /** Programs are about to run, or to be approved: all of them are on the page. */
  beginRun(agent: string, blocks: readonly CodeBlock[], theme: Theme): string {
    let shown = this.interrupt()
    const programs = blocks.map((block) => {
      const waiting = this.programs.waiting(block)
      if (waiting !== undefined) return waiting
      const program = this.programs.add(block)
      shown += `${this.#gap()}${this.programs.text(program, theme)}`
      return program
    })
    this.#runs.set(agent, { programs, hasBegun: false })
    return shown
  }

  /** Programs are on the page before the question about them. */
  asked(agent: string, request: ApprovalRequest, theme: Theme): string {
    const programs = request.kind === 'code' ? this.beginRun(agent, request.blocks, theme) : ''
    return programs + this.question()
  }

  answered({ answer, remembered }: Answer, theme: Theme): string {
    return remembered && answer.decision !== 'answer'
      ? this.note(`${answers[answer.decision]} by an earlier answer.`, theme)
      : ''
  }

  execution(agent: string, event: ExecutionEvent, theme: Theme): string {
    switch (event.type) {
      case 'block-start':
        return this.#blockStart(agent, event, theme)
      case 'block-end':
        return this.#blockEnd(this.#runs.get(agent)?.programs[event.index], event.result, theme)
      case 'approval-requested':
        return this.asked(agent, event.request, theme)
      case 'approval-answered':
        return this.answered(event, theme)
      default: {
        // The end of the run names the reason.
        if (event.type === 'notice' && event.notice.code === 'denied' && this.#runs.has(agent)) return ''
        if (event.type === 'notice') return this.note(event.notice.message, theme)
        const output = programOutput(event)
        if (output === undefined) return ''
        const open = this.#open === undefined ? '' : this.interrupt()
        const end = output.isWhole ? this.#margin.end() : ''
        return `${open}${end}${this.#line(output.margin, output.text, theme, output.isWhole)}`
      }
    }
  }

  /** Blocks of a run that have not begun are programs of the page that were not run. */
  addUnreached(agent: string, blocks: readonly CodeBlock[]): void {
    const known = this.#runs.get(agent)?.programs.length ?? 0
    for (const block of blocks.slice(known)) this.programs.add(block)
  }

  /** Also of a run of which nothing was run. */
  endRun(agent: string, result: CodeResult, theme: Theme): string {
    const run = this.#runs.get(agent)
    this.#runs.delete(agent)
    if (run === undefined || run.hasBegun) return this.interrupt()
    const [program] = run.programs
    const note = this.note(result.output.trim(), theme)
    return `${note}${this.#blockEnd(program, { ...result, notices: [] } as unknown as BlockResult, theme)}`
  }

  #begin(head: string, theme: Theme): string {
    const writer = new MessageWriter(this.programs, theme)
    const end = this.#margin.end()
    const received = this.#interrupted?.head === head ? this.#interrupted.received : ''
    this.#interrupted = undefined
    this.#open = { head, writer, received }
    return `${end}${this.#gap()}${head}\n`
  }

  #gap(): string {
    const gap = this.#isEmpty ? '' : '\n'
    this.#isEmpty = false
    return gap
  }

  #blockStart(
    agent: string,
    { index, block }: { readonly index: number; readonly block: CodeBlock },
    theme: Theme,
  ): string {
    const run = this.#runs.get(agent) ?? { programs: [], hasBegun: false }
    this.#runs.set(agent, run)
    run.hasBegun = true
    const known = run.programs[index] ?? this.programs.waiting(block)
    const end = this.interrupt()
    // The program that runs is the program on the page: a person or an executor may have changed it.
    if (known === undefined || known.code !== block.code) {
      const program = this.programs.add(block)
      run.programs[index] = program
      return `${end}${this.#gap()}${this.programs.text(program, theme)}\n`
    }
    run.programs[index] = known
    const isLast = index === 0 && known === this.programs.all.at(-1)
    return isLast
      ? `${end}\n`
      : `${end}${this.#gap()}${this.programs.title({ ...known, line: undefined }, theme)}`
  }

  #blockEnd(program: Program | undefined, result: BlockResult, theme: Theme): string {
    if (program !== undefined) program.result = result
    const end = this.interrupt()
    const { status, files, durationMs } = result
    if (status === 'skipped') return end
    const parts = [
      formatStatus(result, theme),
      ...(status === 'denied' ? [] : [formatDuration(durationMs)]),
      ...files.map(formatFile),
    ]
    const line = `  = ${parts.join(theme.paint('dim', ' | '))}`
    if (stripVTControlCharacters(line).length <= theme.textWidth) return `${end}${line}\n`
    return `${end}  = ${parts.join('\n    ')}\n`
  }

  #line(margin: string, text: string, theme: Theme, isWhole = true): string {
    const mark = margin in marks ? marks[margin as keyof typeof marks] : 'dim'
    return this.#margin.add(`  ${theme.paint(mark, margin.trimEnd())} `, isWhole ? `${text}\n` : text, theme)
  }
}

const answers = { allow: 'Allowed', deny: 'Denied', edit: 'Changed' } as const

export function headOf(speaker: string, listener: string | undefined, { paint }: Theme): string {
  const to = listener === undefined ? '' : paint('dim', ` to ${visibleName(listener)}`)
  return `${paint('bold', visibleName(speaker))}${to}`
}
