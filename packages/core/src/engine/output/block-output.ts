import type { StreamName } from '../../sandbox/sandbox-process.ts'
import type { DroppedBytes } from '../../vocabulary/code-result.ts'
import { type ByteRange, HeadTail, wholeCharacters } from './head-tail.ts'
import { Redactor } from './redactor.ts'

/** Options for {@link BlockOutput}. */
export interface BlockOutputOptions {
  readonly maxOutputBytes: number
  readonly redact: readonly string[]
  /**
   * Called with what may be shown: whole characters in UTF-8, without secrets. A promise holds the writer back
   * until a slow reader has caught up.
   */
  readonly onOutput: (stream: StreamName, bytes: Uint8Array) => void | Promise<void>
  /** Called once, when a stream has grown beyond `maxOutputBytes`. */
  readonly onLimit: () => void
}

/** A line and its new text. */
export interface ChangedLine {
  readonly line: ByteRange | undefined
  readonly text: string
}

const encoder = new TextEncoder()

/**
 * The output of one block: bytes in, bounded text out. Each stream has a separate limit, so that a flood on one
 * stream does not displace the other. `output` holds both in the order of arrival.
 */
export class BlockOutput {
  readonly #onOutput: BlockOutputOptions['onOutput']
  readonly #onLimit: () => void
  readonly #redactor: Redactor
  readonly #streams: Record<StreamName, OutputStream>
  readonly #maxOutputBytes: number
  #output: HeadTail
  /** For both streams together: a program can write one part of a secret to each stream. */
  readonly #bothRedactor: Redactor | undefined
  #hasEnded = false
  readonly #reasonLength: number
  #limitReported = false
  #atLineStart = true

  constructor({ maxOutputBytes, redact, onOutput, onLimit }: BlockOutputOptions) {
    this.#onOutput = onOutput
    this.#onLimit = onLimit
    this.#redactor = new Redactor(redact)
    this.#bothRedactor = redact.length === 0 ? undefined : new Redactor(redact)
    this.#streams = {
      stdout: new OutputStream(maxOutputBytes, redact),
      stderr: new OutputStream(maxOutputBytes, redact),
    }
    this.#maxOutputBytes = maxOutputBytes
    this.#output = new HeadTail(maxOutputBytes)
    this.#reasonLength = Math.ceil(maxOutputBytes / 8)
  }

  write(stream: StreamName, chunk: Uint8Array): void | Promise<void> {
    return this.#take(stream, this.#streams[stream].wholeOf(chunk))
  }

  /**
   * A line that belongs to `output` alone: a rich result as text, the reason of a failure. Returns the place of the line for
   * {@link replaceLines} where it is known.
   */
  addLine(text: string): ByteRange | undefined {
    if (!this.#atLineStart) this.#push(Uint8Array.of(lineFeed))
    const start = this.#output.sizeOfHead
    this.#push(encoder.encode(`${this.redact(text)}\n`))
    if (this.#hasEnded) this.#endBoth()
    const end = this.#output.sizeOfHead
    // A redactor holds back a part of the text.
    const isKnown = this.#bothRedactor === undefined && start !== undefined && end !== undefined
    return isKnown ? { start, end } : undefined
  }

  /** Replaces lines of {@link addLine}, in order, and appends those without a place or room. An empty text removes its line. */
  replaceLines(lines: readonly ChangedLine[]): void {
    const placed = lines.flatMap(({ line, text }) =>
      line === undefined
        ? []
        : [{ ...line, text, bytes: encoder.encode(text === '' ? '' : `${this.redact(text)}\n`) }],
    )
    const left = new Set(this.#output.replace(placed))
    const rest = [
      ...lines.filter(({ line }) => line === undefined),
      ...placed.filter((each) => left.has(each)),
    ]
    for (const { text } of rest) if (text !== '') this.addLine(text)
  }

  /**
   * Appends the end of stderr if it is not in `output`: a driver with separate streams may deliver a traceback before
   * the flood of output that preceded it, and then the traceback is in the middle that is left out.
   */
  repeatStderrTail(): void {
    if (!this.#output.overflowed) return
    const reason = this.#streams.stderr.kept.summary().text.slice(-this.#reasonLength).trim()
    if (reason !== '' && !this.#output.summary().text.includes(reason)) this.addLine(reason)
  }

  /** Forgets everything but what a stream still holds back. */
  clear(): void {
    for (const stream of Object.values(this.#streams)) stream.clear()
    this.#bothRedactor?.end()
    this.#output = new HeadTail(this.#maxOutputBytes)
    this.#atLineStart = true
    this.#hasEnded = false
  }

  redact(text: string): string {
    return this.#redactor.redact(text)
  }

  /** Both streams have ended: hands out what was still held back. */
  end(): void {
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = this.#streams[name]
      void this.#take(name, stream.end())
      void this.#keep(name, stream.endRedacted())
    }
    this.#hasEnded = true
    this.#endBoth()
  }

  /** Returns the kept bytes of a stream. */
  textOf(stream: StreamName): string {
    return this.#streams[stream].kept.summary().text
  }

  /** Returns the end of one stream, or of both, as text, up to a number of bytes. */
  tail(stream: StreamName | 'output', maxBytes: number): string {
    return (stream === 'output' ? this.#output : this.#streams[stream].kept).end(maxBytes)
  }

  summary(): { stdout: string; stderr: string; output: string; droppedBytes: DroppedBytes } {
    const stdout = this.#streams.stdout.kept.summary()
    const stderr = this.#streams.stderr.kept.summary()
    const output = this.#output.summary()
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      output: output.text,
      droppedBytes: {
        stdout: stdout.droppedBytes,
        stderr: stderr.droppedBytes,
        output: output.droppedBytes,
      },
    }
  }

  #take(stream: StreamName, bytes: Uint8Array): void | Promise<void> {
    if (bytes.length === 0) return
    this.#push(bytes)
    return this.#keep(stream, this.#streams[stream].redacted(bytes))
  }

  #keep(stream: StreamName, bytes: Uint8Array): void | Promise<void> {
    if (bytes.length === 0) return
    const { kept } = this.#streams[stream]
    kept.push(bytes)
    if (kept.overflowed && !this.#limitReported) {
      this.#limitReported = true
      this.#onLimit()
    }
    return this.#onOutput(stream, bytes)
  }

  #push(bytes: Uint8Array): void {
    this.#output.push(redactedWith(this.#bothRedactor, bytes))
    this.#atLineStart = bytes.at(-1) === lineFeed
  }

  #endBoth(): void {
    if (this.#bothRedactor !== undefined) this.#output.push(encoder.encode(this.#bothRedactor.end()))
  }
}

/** Redactors work on text. Each chunk holds whole characters, so the decoder keeps no state. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function redactedWith(redactor: Redactor | undefined, bytes: Uint8Array): Uint8Array {
  return redactor === undefined ? bytes : encoder.encode(redactor.push(decoder.decode(bytes)))
}

const lineFeed = 0x0a
const nothing = new Uint8Array(0)

/** One stream: hands on whole characters without secrets, and keeps what its limit allows. */
class OutputStream {
  kept: HeadTail
  readonly #maxBytes: number
  readonly #redactor: Redactor | undefined
  /** The beginning of a character whose rest has not come yet: another stream must not come between. */
  #held: Uint8Array = nothing

  constructor(maxBytes: number, redact: readonly string[]) {
    this.#maxBytes = maxBytes
    this.kept = new HeadTail(maxBytes)
    this.#redactor = redact.length === 0 ? undefined : new Redactor(redact)
  }

  clear(): void {
    this.kept = new HeadTail(this.#maxBytes)
  }

  /** The characters that are whole with this chunk. */
  wholeOf(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const whole = wholeCharacters(bytes)
    if (whole === bytes.length) {
      this.#held = nothing
      return bytes
    }
    // A copy, because the chunk's memory may be used again by the one who wrote it; a Buffer's slice() is none.
    this.#held = new Uint8Array(bytes.subarray(whole))
    return bytes.subarray(0, whole)
  }

  redacted(bytes: Uint8Array): Uint8Array {
    return redactedWith(this.#redactor, bytes)
  }

  /** The rest of an incomplete character. */
  end(): Uint8Array {
    const rest = this.#held
    this.#held = nothing
    return rest
  }

  /** Returns the text that the redactor still holds back. */
  endRedacted(): Uint8Array {
    return this.#redactor === undefined ? nothing : encoder.encode(this.#redactor.end())
  }
}
