import { EventEmitter } from 'node:events'
import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { visible } from '@fenced/errors/text'
import { folded, Quiet, resetLooks, untilAborted } from '@fenced/shared'
import { lineEditor, RawTerminal } from './raw-terminal.ts'

interface TerminalQuestionOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly prompt: string
}

/** In milliseconds: what comes closer together was not typed by hand. */
const quietMs = 100

/**
 * One question at a terminal. It is shown when the terminal is quiet: what is typed before that answers nothing, so
 * that an Enter pressed too often does not approve of code that was not there yet.
 */
export class TerminalQuestion {
  readonly #options: TerminalQuestionOptions
  readonly #terminal: RawTerminal
  /** Cuts what comes into keys. At the input itself Node would leave its listener. */
  readonly #keys = new EventEmitter()
  readonly #lines: string[] = []
  readonly #answer = Promise.withResolvers<string>()
  /** There is none before the question is shown. */
  #editor: Interface | undefined
  readonly #quiet = new Quiet(quietMs, () => this.#onQuiet())
  /** Whether the last keys arrived together, like pasted text that the terminal does not mark. */
  #isBurst = false
  /** Whether a line of a burst has ended, without further input. */
  #endsWithLine = false
  #isFinished = false
  #isPasting = false
  /** Text that is not in the line yet: the editor redraws the whole line for every piece. */
  #pending = ''
  /** A line feed that follows belongs to it. */
  #isAfterReturn = false

  constructor(options: TerminalQuestionOptions) {
    this.#options = options
    emitKeypressEvents(this.#keys as NodeJS.ReadableStream)
    this.#keys.on('keypress', (text: string | undefined, key: Key) => this.#onKey(text, key))
    this.#terminal = new RawTerminal({
      ...options,
      onData: (chunk) => this.#take(chunk),
      onGone: () => this.#answer.resolve('exit'),
    })
    this.#quiet.heard()
  }

  /** Resolves with the answer; rejects with the signal's reason. The terminal is then as it was before. */
  async answer(signal: AbortSignal): Promise<string> {
    try {
      return await untilAborted(this.#answer.promise, signal)
    } finally {
      this.#close()
    }
  }

  #take(chunk: string | Buffer): void {
    this.#isBurst ||= chunk.toString().length > 1
    this.#keys.emit('data', chunk)
    if (!this.#isPasting) this.#insertPending()
    this.#quiet.heard()
  }

  #onKey(text: string | undefined, key: Key): void {
    const isSecondOfBreak = key.name === 'enter' && this.#isAfterReturn
    this.#isAfterReturn = key.name === 'return'
    if (key.name === 'paste-start' || key.name === 'paste-end') this.#isPasting = key.name === 'paste-start'
    // In raw mode Ctrl-C is a key. What was typed ahead of it holds none: there it was a signal.
    else if (!this.#isPasting && key.ctrl === true && key.name === 'c') this.#answer.resolve('exit')
    else if (this.#editor !== undefined && !isSecondOfBreak) this.#apply(this.#editor, { text, key })
  }

  #apply(editor: Interface, { text, key }: { readonly text: string | undefined; readonly key: Key }): void {
    this.#endsWithLine = false
    const isBreak = key.name === 'return' || key.name === 'enter'
    if (!isBreak && (this.#isPasting || isText(text))) {
      this.#pending += (key.sequence ?? '').replaceAll(control, '')
      return
    }
    this.#insertPending()
    if (isBreak) {
      editor.write(null, { name: 'return' })
      if (this.#isPasting) return
      if (this.#isBurst) this.#endsWithLine = true
      else this.#finish()
    } else if (key.ctrl === true && key.name === 'd' && editor.line === '') this.#answer.resolve('exit')
    else editor.write(text ?? '', key)
  }

  #insertPending(): void {
    if (this.#pending !== '') this.#editor?.write(this.#pending)
    this.#pending = ''
  }

  #onQuiet(): void {
    this.#insertPending()
    this.#isBurst = false
    if (this.#endsWithLine) this.#finish()
    else this.#editor ??= this.#show()
  }

  #show(): Interface {
    const { input, output, prompt } = this.#options
    const lines = visible(prompt).split('\n')
    const last = lines.pop() ?? ''
    if (process.env.TERM !== 'dumb') output.write(resetLooks)
    for (const line of lines) output.write(`${folded(line, output.columns || Number.POSITIVE_INFINITY)}\n`)
    return lineEditor({ input, output, prompt: last, onLine: (line) => this.#lines.push(line) })
  }

  #finish(): void {
    this.#isFinished = true
    while (this.#lines.at(-1) === '') this.#lines.pop()
    this.#answer.resolve(this.#lines.join('\n'))
  }

  #close(): void {
    this.#quiet[Symbol.dispose]()
    this.#keys.removeAllListeners()
    // Further output begins on a new line.
    if (!this.#isFinished && !this.#terminal.isGone) this.#editor?.write(null, { name: 'return' })
    this.#editor?.close()
    this.#terminal.close()
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: an editor would take them for keys, and a terminal obey them.
const control = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g

/** A character, and no key that may move or delete. */
function isText(text: string | undefined): boolean {
  return text !== undefined && text.replaceAll(control, '') === text
}
