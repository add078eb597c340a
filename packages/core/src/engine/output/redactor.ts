import type { CodeBlock } from '@fenced/markdown'
import type { ApprovalEvent } from '../../approval/approval-event.ts'
import { bytesIn, toBytes } from '../../host-tools/json-text.ts'
import type { ProgramError } from '../../program-error/program-error.ts'
import type { MimeBundle, Notice } from '../../vocabulary/code-result.ts'

const mask = '[redacted]'
/** Where a text was shortened. */
const cutMark = '…'
/** Length from which a part of a secret at such a place is replaced too. */
const shortestPart = 4

type FindSecret = (position: number) => { start: number; end: number } | undefined

/**
 * Replaces secret values in a stream of text. The end of a chunk is held back while it could be the beginning of a
 * secret, so that a value is found wherever the stream was cut.
 */
export class Redactor {
  readonly #secrets: readonly string[]
  #held = ''
  /** So much of the beginning of what is held back belongs to a secret that was replaced already. */
  #covered = 0

  /** @param secrets - no empty strings. */
  constructor(secrets: readonly string[]) {
    // The longest first, so that a value that begins with a shorter value is replaced whole.
    this.#secrets = [...secrets].sort((a, b) => b.length - a.length)
  }

  push(chunk: string): string {
    const text = this.#held + chunk
    const findSecret = this.#search(text)
    const open = this.#openEnd(text)
    let position = endOfRun(findSecret, 0, this.#covered)
    let output = ''
    for (
      let secret = findSecret(position);
      secret !== undefined && secret.start < open;
      secret = findSecret(position)
    ) {
      output += text.slice(position, secret.start) + mask
      position = endOfRun(findSecret, secret.start + 1, secret.end)
    }
    this.#held = text.slice(open)
    this.#covered = Math.max(0, position - open)
    return output + text.slice(position, open)
  }

  /** The rest, when the stream has ended. */
  end(): string {
    const rest = this.#redact(this.#held, this.#covered)
    this.#held = ''
    this.#covered = 0
    return rest
  }

  /** Replaces the secrets in a text that is whole, and parts of a secret beside a `…`, where the text was shortened. */
  redact(text: string): string {
    const pieces = this.#redact(text, 0).split(cutMark)
    if (pieces.length === 1) return pieces[0] as string
    return pieces.map((piece, index) => this.#redactCut(piece, index, pieces.length - 1)).join(cutMark)
  }

  /** @param index - of a piece between two places where the text was shortened; `last` is the index of the last piece. */
  #redactCut(piece: string, index: number, last: number): string {
    const longest = (part: typeof partAtEnd, text: string) =>
      Math.max(0, ...this.#secrets.map((secret) => part(text, secret)))
    const start = index === 0 ? 0 : longest(partAtStart, piece)
    const rest = piece.slice(start)
    const end = index === last ? 0 : longest(partAtEnd, rest)
    return (start === 0 ? '' : mask) + rest.slice(0, rest.length - end) + (end === 0 ? '' : mask)
  }

  #redact(text: string, covered: number): string {
    const findSecret = this.#search(text)
    let output = ''
    let position = endOfRun(findSecret, 0, covered)
    for (let secret = findSecret(position); secret !== undefined; secret = findSecret(position)) {
      output += text.slice(position, secret.start) + mask
      position = endOfRun(findSecret, secret.start + 1, secret.end)
    }
    return output + text.slice(position)
  }

  /**
   * Returns the first secret at or after a position, which must not decrease. Of secrets that begin at the same
   * place, the longest. Not a regular expression: many or long values make it too large for V8.
   */
  #search(text: string): FindSecret {
    const starts = this.#secrets.map((secret) => text.indexOf(secret))
    return (position) => {
      let first: { start: number; end: number } | undefined
      for (const [index, secret] of this.#secrets.entries()) {
        let start = starts[index] ?? -1
        if (start !== -1 && start < position) {
          start = text.indexOf(secret, position)
          starts[index] = start
        }
        if (start !== -1 && start < (first?.start ?? text.length))
          first = { start, end: start + secret.length }
      }
      return first
    }
  }

  /** Returns where the end of the text could begin a secret, or the length of the text. */
  #openEnd(text: string): number {
    let open = text.length
    for (const secret of this.#secrets) {
      for (let start = Math.max(0, text.length - secret.length + 1); start < open; start++) {
        if (secret.startsWith(text.slice(start))) open = start
      }
    }
    return open
  }
}

/** Returns how much of the end of a shortened text is the beginning of a secret. */
function partAtEnd(text: string, secret: string): number {
  let length = Math.min(secret.length - 1, text.length)
  while (length >= shortestPart && !text.endsWith(secret.slice(0, length))) length--
  return length < shortestPart ? 0 : length
}

/** Returns how much of the beginning of a shortened text is the end of a secret. */
function partAtStart(text: string, secret: string): number {
  let length = Math.min(secret.length - 1, text.length)
  while (length >= shortestPart && !text.startsWith(secret.slice(-length))) length--
  return length < shortestPart ? 0 : length
}

/** Returns the end of a chain of overlapping secrets. */
function endOfRun(findSecret: FindSecret, from: number, end: number): number {
  let [position, last] = [from, end]
  for (
    let secret = findSecret(position);
    secret !== undefined && secret.start < last;
    secret = findSecret(position)
  ) {
    last = Math.max(last, secret.end)
    position = secret.start + 1
  }
  return last
}

type Redact = (text: string) => string

/** A rich result with every text in it redacted, the names of fields in its data included; MIME types are ours. */
export function redactBundle(bundle: MimeBundle, redact: Redact): MimeBundle {
  return Object.fromEntries(Object.entries(bundle).map(([type, value]) => [type, redacted(value, redact)]))
}

/** The same for any value of JSON. */
export function redactValue(value: unknown, redact: Redact): unknown {
  return redacted(value, redact)
}

/** A block with each of its texts redacted. */
export function redactBlock(block: CodeBlock, redact: Redact): CodeBlock {
  const fields = Object.entries(block).map(([name, value]) => [
    name,
    typeof value === 'string' ? redact(value) : value,
  ])
  return Object.fromEntries(fields)
}

/** Redacts every text of an error. The numbers of its lines stay. */
export function redactError(error: ProgramError, redact: Redact): ProgramError {
  const traceback = error.traceback.map((frame) => ({ ...frame, ...redactedTexts(frame, redact) }))
  return { ...error, ...redactedTexts(error, redact), traceback }
}

function redactedTexts<Fields extends object>(fields: Fields, redact: Redact): Partial<Fields> {
  const texts = Object.entries(fields).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(texts.map(([name, value]) => [name, redact(value)])) as Partial<Fields>
}

/** Redacts the message and the data of a notice. Its code and the names of its data stay. */
export function redactNotice({ code, message, data }: Notice, redact: Redact): Notice {
  const parts = Object.entries(data ?? {}).map(([name, value]) => [name, redact(value)] as const)
  return {
    code,
    message: redact(message),
    ...(data === undefined ? {} : { data: Object.fromEntries(parts) }),
  }
}

function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact))
  if (typeof value !== 'object' || value === null) return redactedScalar(value, redact)
  const bytes = bytesIn(value)
  if (bytes !== undefined) return redactedBytes(bytes, redact) ?? value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redacted(item, redact)]))
}

/** A number becomes a text where a secret is in its digits. */
function redactedScalar(value: unknown, redact: Redact): unknown {
  const text = String(value)
  const shown = redact(text)
  return shown === text ? value : shown
}

/** Bytes that are not UTF-8 hide no secret: it begins with a whole character, at which decoding begins anew. */
function redactedBytes(bytes: Uint8Array, redact: Redact): unknown {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const shown = redact(text)
  return shown === text ? undefined : toBytes(Buffer.from(shown))
}

/** What identifies an action stays, so that an answer to the redacted question is one to the question. */
const identities = ['id', 'kind', 'digest', 'codeHash'] as const

/** An event about a question, redacted in everything that a person reads. */
export function redactApproval(event: ApprovalEvent, redact: Redact): ApprovalEvent {
  const { type } = event
  if (type === 'approval-withdrawn') return event
  if (type === 'approval-answered')
    return { ...event, answer: redacted(event.answer, redact) as typeof event.answer }
  const request: Readonly<Record<string, unknown>> = { ...event.request }
  const kept = identities.filter((name) => name in request).map((name) => [name, request[name]])
  const shown = { ...(redacted(request, redact) as object), ...Object.fromEntries(kept) }
  return { type, request: shown as typeof event.request }
}
