import { FencedError } from '@fenced/core'
import { shortened } from '@fenced/errors/text'

/** A line of `textScript`. */
export type TextFrame =
  | { readonly kind: 'begun' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'stdout' | 'stderr'; readonly content: Buffer }

const streams = { o: 'stdout', e: 'stderr' } as const

/** The longest line: a frame of 48 KiB as base64, and its length. */
const maxLineLength = 70_000

/** Cuts text into frames. */
export class TextFrames {
  #rest = ''

  /** @throws FencedError `CONTAINER_UNUSABLE` for text that is no frame. */
  push(text: string): TextFrame[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > maxLineLength) throw noFrame(this.#rest)
    return lines.map((line) => frameOf(line.replace(/\r$/, '')))
  }
}

function frameOf(line: string): TextFrame {
  const [kind = '', first = '', second = ''] = line.split(' ')
  if (line === 'b') return { kind: 'begun' }
  if (line === 'a') return { kind: 'taken' }
  if (kind === 'x' && /^\d{1,3}$/.test(first)) return { kind: 'exit', code: Number(first) }
  const stream = kind === 'o' || kind === 'e' ? streams[kind] : undefined
  const isWhole = /^\d+$/.test(first) && second.length === Number(first) && first !== ''
  if (stream === undefined || !isWhole || !/^[A-Za-z0-9+/]*=*$/.test(second)) throw noFrame(line)
  return { kind: stream, content: Buffer.from(second, 'base64') }
}

function noFrame(line: string): FencedError {
  const output = shortened(line, 200)
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `The sandbox sent text that is not a complete output frame: ${output}. Check that its SDK passes on all of stdout, unchanged, and that its shell prints no additional text.`,
    data: { output },
  })
}
