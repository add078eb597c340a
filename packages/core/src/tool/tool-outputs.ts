import { setTimeout as sleep } from 'node:timers/promises'
import { TextTail } from '@fenced/shared'
import type { Execution, ExecutionEvent } from '../execution.ts'
import { knownOptions, type OptionNames } from '../options/known-options.ts'
import { runningToolOutput, type ToolOutput, toolOutputOf } from './tool-output.ts'
import type { ToolPicturesOptions } from './tool-pictures.ts'

/** Options for {@link toolOutputs}. */
export interface ToolOutputsOptions {
  /** Maximum length of printed text in a preliminary output, in characters. The end of the text is kept. Default: 4 000. */
  readonly maxPreliminaryLength?: number
  /** Minimum time between two preliminary outputs, in milliseconds. Default: 100. */
  readonly intervalMs?: number
  /** Limits for pictures in the final output. Default: no pictures. */
  readonly pictures?: ToolPicturesOptions | undefined
}

const outputsOptionNames: OptionNames<ToolOutputsOptions> = {
  maxPreliminaryLength: true,
  intervalMs: true,
  pictures: true,
}

/**
 * Yields an execution's progress as tool outputs in the AI SDK's style: preliminary outputs while it runs, whenever there is
 * something new, and then the complete final output.
 *
 * Leaving the loop early cancels the execution.
 *
 * @throws The error with which the execution rejects.
 */
export async function* toolOutputs(
  execution: Execution,
  options: ToolOutputsOptions = {},
): AsyncGenerator<ToolOutput, undefined, undefined> {
  const {
    maxPreliminaryLength = 4_000,
    intervalMs = 100,
    pictures,
  } = knownOptions(options, outputsOptionNames, 'toolOutputs()')
  const preview = new Preview(maxPreliminaryLength)
  const events = execution[Symbol.asyncIterator]()
  /** Until the next preliminary output may go out. */
  let pause: Promise<'over'> = Promise.resolve('over')
  try {
    let next = nextOf(events)
    for (;;) {
      // What has come already is taken first: the last event of all makes what is shown before it needless.
      const turn = await (preview.isNew ? Promise.race([next, pause]) : next)
      if (turn === 'over') {
        yield preview.output()
        pause = sleep(intervalMs, 'over')
        continue
      }
      if (turn.done) return
      if (turn.value.type === 'execution-end') {
        yield toolOutputOf(turn.value.result, pictures)
        return
      }
      preview.take(turn.value)
      next = nextOf(events)
    }
  } finally {
    await events.return?.()
  }
}

/** A reader that has left no longer waits for the result, so a rejection is ignored. */
function nextOf(
  events: AsyncIterator<ExecutionEvent, undefined>,
): Promise<IteratorResult<ExecutionEvent, undefined>> {
  const next = events.next()
  next.catch(() => {})
  return next
}

/** The visible part of a running execution. */
class Preview {
  isNew = false
  readonly #tail: OutputTail
  #progress: string | undefined

  constructor(maxLength: number) {
    this.#tail = new OutputTail(maxLength)
  }

  take(event: ExecutionEvent): void {
    switch (event.type) {
      case 'block-start':
        this.#tail.startBlock()
        return
      case 'stdout':
      case 'stderr':
        this.#tail.add(event.text)
        break
      case 'result': {
        const text = event.result['text/plain']
        if (typeof text !== 'string') return
        this.#tail.addLine(text)
        break
      }
      case 'clear':
        this.#tail.clear()
        break
      case 'tool-result':
        break
      case 'notice':
        this.#progress = event.notice.message
        this.isNew = true
        return
      case 'tool-call':
        this.#progress = `The program calls the tool ${event.call.tool}.`
        this.isNew = true
        return
      default:
        return
    }
    this.#progress = undefined
    this.isNew = true
  }

  output(): ToolOutput {
    this.isNew = false
    return runningToolOutput({ output: this.#tail.text, progress: this.#progress })
  }
}

/** The end of what an execution has written so far. */
export class OutputTail {
  readonly #maxLength: number
  /** Of the blocks before this one. */
  readonly #earlier: TextTail
  #current: TextTail

  constructor(maxLength: number) {
    this.#maxLength = maxLength
    this.#earlier = new TextTail(maxLength)
    this.#current = new TextTail(maxLength)
  }

  add(text: string): void {
    this.#current.push(text)
  }

  /** Adds a text on a separate line, such as a rich result. */
  addLine(text: string): void {
    const { text: before } = this.#current
    this.add(`${before === '' || before.endsWith('\n') ? '' : '\n'}${text}\n`)
  }

  startBlock(): void {
    this.#earlier.append(this.#current)
    this.clear()
  }

  /** Forgets what the block has written. */
  clear(): void {
    this.#current = new TextTail(this.#maxLength)
  }

  get text(): string {
    const all = new TextTail(this.#maxLength)
    all.append(this.#earlier)
    all.append(this.#current)
    const leftOut = all.length - all.text.length
    return leftOut === 0 ? all.text : `[... ${leftOut} characters before this ...]\n${all.text}`
  }
}
