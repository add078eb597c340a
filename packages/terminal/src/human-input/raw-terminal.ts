import { createInterface, type Interface, type Key } from 'node:readline'
import { Readable } from 'node:stream'

interface RawTerminalOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** What was typed. A chunk may end in the middle of a character. */
  readonly onData: (chunk: string | Buffer) => void
  /** The terminal is closed. */
  readonly onGone: () => void
}

/** Requests that the terminal mark pasted text. Terminals without this feature ignore it. */
const markPastes = '\x1b[?2004h'
const unmarkPastes = '\x1b[?2004l'

/** A terminal that hands over each key, until it is given back as it was. */
export class RawTerminal {
  readonly #giveBack: () => void
  #isOpen = true
  #isGone = false

  constructor({ input, output, onData, onGone }: RawTerminalOptions) {
    const wasRaw = input.isRaw
    const wasFlowing = input.readableFlowing === true
    const knowsPastes = process.env.TERM !== 'dumb'
    const onEnd = () => {
      this.#isGone = true
      onGone()
    }
    const write = (text: string) => {
      if (knowsPastes && !this.#isGone && output.writable) output.write(text)
    }
    // Node gives a terminal its modes back when the process exits in the middle; of this one it does not know.
    const onExit = () => write(unmarkPastes)
    for (const event of goneEvents) input.on(event, onEnd)
    output.on('error', onEnd)
    process.on('exit', onExit)
    input.on('data', onData)
    input.setRawMode(true)
    write(markPastes)
    input.resume()

    this.#giveBack = () => {
      write(unmarkPastes)
      input.setRawMode(wasRaw)
      if (!wasFlowing) input.pause()
      input.off('data', onData)
      process.off('exit', onExit)
      output.off('error', onEnd)
      for (const event of goneEvents) input.off(event, onEnd)
    }
  }

  /** Whether the terminal is closed. */
  get isGone(): boolean {
    return this.#isGone
  }

  close(): void {
    if (this.#isOpen) this.#giveBack()
    this.#isOpen = false
  }
}

const goneEvents = ['end', 'close', 'error'] as const

interface LineEditorOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** One line. */
  readonly prompt: string
  readonly onLine: (line: string) => void
}

/**
 * Node's line editor, with input from {@link RawTerminal}: on its own, it would take every pasted line for an answer, and leave
 * listeners at its input.
 */
export class LineEditor {
  readonly #interface: Interface

  constructor({ input, output, prompt, onLine }: LineEditorOptions) {
    // Ctrl-Z gives the terminal back for as long as the process sleeps.
    const setRawMode = (mode: boolean) => input.setRawMode(mode)
    const noInput = Object.assign(new Readable({ read() {} }), { setRawMode })
    this.#interface = createInterface({ input: noInput, output, prompt, terminal: true, historySize: 0 })
    this.#interface.on('line', (line) => {
      // What follows is another line of the same answer.
      this.#interface.setPrompt('')
      onLine(line)
    })
    this.#interface.prompt()
  }

  /** Text of the current line. */
  get line(): string {
    return this.#interface.line
  }

  /** A key, which may move and delete. */
  type(text: string | undefined, key: Key): void {
    this.#interface.write(text ?? '', key)
  }

  /** Text without interpretation of keys. */
  insert(text: string): void {
    this.#interface.write(text)
  }

  /** Ends the line at hand. */
  breakLine(): void {
    this.#interface.write(null, { name: 'return' })
  }

  close(): void {
    this.#interface.close()
  }
}
