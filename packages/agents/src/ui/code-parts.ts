import type { BlockResult, CodeBlock, ExecutionEvent, MimeBundle, RichResult } from '@fenced/core'
import { TextTail } from '@fenced/shared'
import type { EventOf } from '../event.ts'
import type { WriteChunk } from './ui-message.ts'

/** The longest text of an output, in characters, and the shortest time between two, in milliseconds. */
const longestOutput = 16_000
const outputIntervalMs = 100

/** What the programs of agents do, as parts. An agent runs the blocks of one message at a time. */
export class CodeParts {
  readonly #write: WriteChunk
  readonly #runs = new Map<string, Map<number, BlockParts>>()

  constructor(write: WriteChunk) {
    this.#write = write
  }

  add({ agent, event }: EventOf<'code'>): void {
    switch (event.type) {
      case 'block-start':
        // A run that failed has left its blocks.
        this.#runs.get(agent)?.get(event.index)?.cancel()
        this.#runs.get(agent)?.delete(event.index)
        this.#block(agent, event.index, event.block).start()
        break
      case 'block-end':
        this.#block(agent, event.index, event.result.block).end(event.result)
        break
      case 'notice': {
        const { code, message } = event.notice
        this.#write({ type: 'data-notice', data: { code, message } })
        break
      }
      default:
        if ('index' in event) this.#runs.get(agent)?.get(event.index)?.add(event)
    }
  }

  /** All blocks have a result by now, also those that were denied and never started. */
  end({ agent, result }: EventOf<'code-end'>): void {
    for (const [index, block] of result.blocks.entries()) this.#block(agent, index, block.block).end(block)
    this.#runs.delete(agent)
  }

  /** Nothing runs after the run. */
  cancelAll(): void {
    for (const blocks of this.#runs.values()) for (const block of blocks.values()) block.cancel()
    this.#runs.clear()
  }

  #block(agent: string, index: number, block: CodeBlock): BlockParts {
    const blocks = this.#runs.get(agent) ?? new Map<number, BlockParts>()
    this.#runs.set(agent, blocks)
    const parts = blocks.get(index) ?? new BlockParts({ agent, block }, this.#write)
    blocks.set(index, parts)
    return parts
  }
}

type BlockEvent = Extract<ExecutionEvent, { readonly index: number }>

/** One block and what comes of it. */
class BlockParts {
  readonly #id = crypto.randomUUID()
  readonly #about: { readonly agent: string; readonly language: string; readonly code: string }
  readonly #write: WriteChunk
  #text = new TextTail(longestOutput)
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  #shownText = ''
  #isEnded = false

  constructor({ agent, block }: { readonly agent: string; readonly block: CodeBlock }, write: WriteChunk) {
    this.#about = { agent, language: block.language, code: block.code }
    this.#write = write
  }

  start(): void {
    this.#write({ type: 'data-code', id: this.#id, data: { ...this.#about, status: 'running' } })
  }

  add(event: BlockEvent): void {
    switch (event.type) {
      case 'stdout':
      case 'stderr':
        this.#print(event.text)
        break
      case 'clear':
        this.#text = new TextTail(longestOutput)
        this.#show()
        break
      case 'result':
        this.#result(event.result, event.displayId)
        break
      case 'file': {
        const { path, sizeBytes, change } = event.file
        const data = { blockId: this.#id, path, sizeBytes, change }
        this.#write({ type: 'data-file', id: `${this.#id}/${path}`, data })
        break
      }
      default:
    }
  }

  end({ status, exitCode, output, error }: Omit<BlockResult, 'block'>): void {
    if (this.#isEnded) return
    this.#stop()
    this.#text = new TextTail(longestOutput)
    this.#text.push(output)
    this.#writeOutput()
    this.#write({ type: 'data-code', id: this.#id, data: { ...this.#about, status, exitCode } })
    if (error === undefined) return
    const { name, message, text } = error
    this.#write({ type: 'data-error', id: this.#id, data: { blockId: this.#id, name, message, text } })
  }

  cancel(): void {
    if (this.#isEnded) return
    this.#stop()
    this.#writeOutput()
    this.#write({ type: 'data-code', id: this.#id, data: { ...this.#about, status: 'cancelled' } })
  }

  #stop(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
  }

  #result(result: RichResult['data'], displayId: string | undefined): void {
    const picture = pictureOf(result)
    const text = result['text/plain']
    if (picture === undefined) {
      if (typeof text === 'string') this.#print(`${text}\n`)
      return
    }
    const id = `${this.#id}/${displayId ?? crypto.randomUUID()}`
    this.#write({ type: 'data-picture', id, data: { blockId: this.#id, ...picture } })
  }

  #print(text: string): void {
    this.#text.push(text)
    this.#show()
  }

  /** Shows the output now, or when the last one is old enough. */
  #show(): void {
    this.#isDue = true
    if (this.#timer === undefined) this.#flush()
  }

  #flush(): void {
    this.#timer = undefined
    if (!this.#isDue) return
    this.#isDue = false
    this.#writeOutput()
    this.#timer = setTimeout(() => this.#flush(), outputIntervalMs)
  }

  #writeOutput(): void {
    const { text } = this.#text
    if (text === this.#shownText) return
    this.#shownText = text
    this.#write({ type: 'data-output', id: this.#id, data: { blockId: this.#id, text } })
  }
}

/** The picture in a rich result, with a URL for an `img`. */
function pictureOf(bundle: MimeBundle): { mediaType: string; url: string } | undefined {
  for (const [mediaType, data] of Object.entries(bundle)) {
    if (!mediaType.startsWith('image/') || typeof data !== 'string') continue
    // Kernels give SVG as text, and all other pictures in base64.
    const base64 = mediaType === 'image/svg+xml' ? Buffer.from(data).toString('base64') : data
    return pictureUrl(mediaType, base64)
  }
  return undefined
}

export function pictureUrl(mediaType: string, base64: string): { mediaType: string; url: string } {
  return { mediaType, url: `data:${mediaType};base64,${base64.replace(/\s/g, '')}` }
}
