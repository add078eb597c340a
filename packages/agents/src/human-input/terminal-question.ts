import { untilAborted } from '@fenced/core/internal'
import { visible } from '../console/visible.ts'
import { InputScanner, type InputToken } from './input-scanner.ts'
import { LineEditor } from './line-editor.ts'
import { RawTerminal } from './raw-terminal.ts'

export interface TerminalQuestionOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly prompt: string
}

/** In milliseconds: what comes closer together was not typed by hand. */
const quietMs = 100

/** Ctrl-D, which deletes a character where there is one. */
const endOfInput = '\x04'

/**
 * One question at a terminal. It is shown when the terminal is quiet: what is typed before that answers nothing, so
 * that an Enter pressed too often does not approve of code that was not there yet.
 */
export class TerminalQuestion {
  readonly #options: TerminalQuestionOptions
  readonly #terminal: RawTerminal
  readonly #scanner = new InputScanner()
  readonly #lines: string[] = []
  readonly #answer = Promise.withResolvers<string>()
  /** There is none before the question is shown. */
  #editor: LineEditor | undefined
  #quiet: NodeJS.Timeout
  /** Whether the last characters came together, as a paste does that the terminal does not mark. */
  #isBurst = false
  /** Whether a line of a burst has ended, and nothing has come behind it so far. */
  #endsWithLine = false
  #isFinished = false
  /** What was pasted and does not stand in the line yet: the editor shows the whole line anew for every piece. */
  #pasted = ''

  constructor(options: TerminalQuestionOptions) {
    this.#options = options
    this.#terminal = new RawTerminal({
      ...options,
      onText: (text) => this.#take(text),
      onGone: () => this.#answer.resolve('exit'),
    })
    this.#quiet = setTimeout(() => this.#onQuiet(), quietMs)
  }

  /** Resolves with the answer; rejects with the signal's reason. The terminal is then as it was before. */
  async answer(signal: AbortSignal): Promise<string> {
    try {
      return await untilAborted(this.#answer.promise, signal)
    } finally {
      this.#close()
    }
  }

  #take(text: string): void {
    const tokens = this.#scanner.scan(text)
    this.#isBurst ||= text.length > 1
    for (const token of tokens) this.#apply(token)
    this.#quiet.refresh()
  }

  #apply(token: InputToken): void {
    const editor = this.#editor
    // In raw mode Ctrl-C is a character. What was typed ahead of it holds none: there it was a signal.
    if (token.kind === 'interrupt') this.#answer.resolve('exit')
    if (editor === undefined) return
    this.#endsWithLine = false
    if (token.kind !== 'pasted') this.#insertPasted(editor)
    switch (token.kind) {
      case 'keys':
        editor.type(token.text)
        break
      case 'pasted':
        this.#pasted += token.text
        break
      case 'end':
        if (editor.line === '') this.#answer.resolve('exit')
        else editor.type(endOfInput)
        break
      case 'line-break':
        editor.breakLine()
        if (token.pasted) break
        if (this.#isBurst) this.#endsWithLine = true
        else this.#finish()
        break
    }
  }

  #insertPasted(editor: LineEditor): void {
    if (this.#pasted !== '') editor.insert(this.#pasted)
    this.#pasted = ''
  }

  #onQuiet(): void {
    for (const token of this.#scanner.flush()) this.#apply(token)
    if (this.#editor !== undefined) this.#insertPasted(this.#editor)
    this.#isBurst = false
    if (this.#endsWithLine) this.#finish()
    else this.#editor ??= this.#show()
  }

  #show(): LineEditor {
    const { input, output, prompt } = this.#options
    const lines = visible(prompt).split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) output.write(`${line}\n`)
    return new LineEditor({ input, output, prompt: last, onLine: (line) => this.#lines.push(line) })
  }

  #finish(): void {
    this.#isFinished = true
    while (this.#lines.at(-1) === '') this.#lines.pop()
    this.#answer.resolve(this.#lines.join('\n'))
  }

  #close(): void {
    clearTimeout(this.#quiet)
    // Whatever is printed next begins on a line of its own.
    if (!this.#isFinished && !this.#terminal.isGone) this.#editor?.breakLine()
    this.#editor?.close()
    this.#terminal.close()
  }
}
