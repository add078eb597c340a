import { stripVTControlCharacters, types } from 'node:util'
import type { MimeBundle } from '@fenced/core'
import type { BlockIo, ResultOptions } from '@fenced/core/driver'
import { ShownResults } from '@fenced/sandbox/driver'
import type { KernelMessage } from '../protocol/message.ts'
import { exitText } from './exit-code.ts'

type Content = KernelMessage['content']
type ResultKind = Pick<ResultOptions, 'executionCount' | 'isUpdate'>

/** The part of a block's `io` that a cell speaks to. */
export type CellIo = Pick<BlockIo, 'write' | 'result' | 'clear' | 'notice' | 'ended'>

/** What a Jupyter Server says, in place of output that it dropped. */
const rateExceeded = /^\s*IOPub (data|message) rate exceeded/
/** Offset in a message, in bytes. */
const rateExceededBytes = 64

/** Turns what a kernel publishes while it runs a cell into a block's output. */
export class CellOutput {
  readonly #io: CellIo
  readonly #results: ShownResults
  #droppedBytes = 0

  constructor(io: CellIo) {
    this.#io = io
    this.#results = new ShownResults(io)
  }

  /** A promise when the reader of the output is behind. */
  take({ header, content }: KernelMessage): void | Promise<void> {
    switch (header.msg_type) {
      case 'stream':
        return this.stream(content)
      case 'display_data':
        return this.#show(content)
      case 'execute_result':
        return this.#show(content, countOf(content))
      case 'update_display_data':
        return this.#show(content, { isUpdate: true })
      case 'clear_output':
        this.#results.clear(content.wait === true)
        break
      case 'error':
        return this.#write('stderr', inBytes(errorText(content)))
    }
  }

  /** Something that was written. A promise when the reader of the output is behind. */
  stream({ name, text: written }: Content): void | Promise<void> {
    const bytes = types.isUint8Array(written) ? written : inBytes(text(written))
    const isCut = rateExceeded.test(String(Buffer.from(bytes.subarray(0, rateExceededBytes))))
    const room = this.#write(name === 'stderr' ? 'stderr' : 'stdout', bytes)
    if (isCut) this.#tellDroppedByServer()
    return room
  }

  /** The code has ended; a part of its output may still be on the way. */
  ended(): void {
    this.#io.ended()
  }

  /** Counts output that was dropped before it was read. */
  dropped(byteCount: number): void {
    this.#droppedBytes += byteCount
  }

  /** Nothing comes any more. */
  end(): void {
    if (this.#droppedBytes === 0) return
    const message = `The kernel wrote faster than its output could be read, so about ${this.#droppedBytes} bytes were left out in the middle.`
    this.#io.notice({ code: 'output-dropped', message, data: { bytes: String(this.#droppedBytes) } })
  }

  /** What a kernel wants its client to show at the end of a cell: the text of a pager, the input of the next cell, or a file to edit. */
  payload(payload: unknown): void {
    for (const { source, data, text: input, filename } of payloads(payload)) {
      if (source === 'page')
        void this.#write('stdout', inBytes(stripVTControlCharacters(text(data?.['text/plain']))))
      // `%load`, `%recall`: this client has no next cell to fill.
      if (source === 'set_next_input') this.#line(text(input))
      if (source === 'edit_magic') this.#line(text(filename))
    }
  }

  reportRestored(): void {
    const message =
      'The connection to the Jupyter server was briefly lost while this block ran, and then restored. Some of the output may be missing.'
    this.#io.notice({ code: 'connection-restored', message })
  }

  /** The kernel has replied, and what ends the output has not come. */
  reportMissingEnd(): void {
    const message =
      'The end of the output did not arrive, so some of it may be missing. If this happens again, call restart() to continue with a new, empty kernel.'
    this.#io.notice({ code: 'output-dropped', message })
  }

  reportMissing(messageCount: number): void {
    const message = `${messageCount} messages of the kernel did not arrive, so some of the output is missing. Show or print less at once.`
    this.#io.notice({ code: 'output-dropped', message, data: { messages: String(messageCount) } })
  }

  #show({ data, metadata, transient }: Content, kind: ResultKind = {}): void | Promise<void> {
    const { display_id: displayId } = Object(transient) as { display_id?: unknown }
    return this.#results.show({ data: data as MimeBundle, metadata, displayId, ...kind })
  }

  #line(written: string): void {
    if (written !== '') void this.#write('stdout', inBytes(`${written}\n`))
  }

  #write(stream: 'stdout' | 'stderr', written: Uint8Array): void | Promise<void> {
    this.#results.beforeOutput()
    if (written.length > 0) return this.#io.write(stream, written)
  }

  #tellDroppedByServer(): void {
    const message =
      'The Jupyter server dropped some of the output because it arrived faster than the server allows. To get all of it, start the server with --ZMQChannelsWebsocketConnection.limit_rate=False.'
    this.#io.notice({ code: 'output-dropped-by-server', message })
  }
}

/** Shared buffer for encoding: separate buffers would pile up by the mebibyte until the next garbage collection. */
const scratch = new Uint8Array(3 * 2 ** 16)
const encoder = new TextEncoder()

/** A text in UTF-8. The bytes are valid until the next call. */
function inBytes(written: string): Uint8Array {
  // A code unit becomes three bytes at most.
  if (3 * written.length > scratch.length) return encoder.encode(written)
  return scratch.subarray(0, encoder.encodeInto(written, scratch).written)
}

function countOf({ execution_count }: Content): ResultKind {
  return typeof execution_count === 'number' ? { executionCount: execution_count } : {}
}

/** An error as text: the traceback without colors. The traceback of `sys.exit` is left out. */
function errorText({ ename, evalue, traceback }: Content): string {
  if (ename === 'SystemExit') return exitText(evalue)
  const lines = Array.isArray(traceback) ? traceback.map(text) : []
  const whole = stripVTControlCharacters(lines.join('\n')).trimEnd()
  if (whole !== '') return `${whole}\n`
  const short = [ename, evalue].map(text).filter((part) => part !== '')
  return short.length === 0 ? '' : `${short.join(': ')}\n`
}

interface Payload {
  readonly source?: unknown
  readonly data?: Record<string, unknown>
  readonly text?: unknown
  readonly filename?: unknown
}

function payloads(payload: unknown): readonly Payload[] {
  return Array.isArray(payload) ? payload : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
