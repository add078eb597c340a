import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'

interface RawTerminalOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** What was typed. A chunk may end in the middle of a character. */
  readonly onData: (chunk: string | Buffer) => void
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
  readonly prompt: string
  readonly onLine: (line: string) => void
}

/**
 * Node's line editor, with input from {@link RawTerminal} through `write`: on its own, it would take every pasted line for an
 * answer, and leave listeners at its input.
 */
export function lineEditor({ input, output, prompt, onLine }: LineEditorOptions): Interface {
  // Ctrl-Z gives the terminal back for as long as the process sleeps.
  const setRawMode = (mode: boolean) => input.setRawMode(mode)
  const noInput = Object.assign(new Readable({ read() {} }), { setRawMode })
  const editor = createInterface({ input: noInput, output, prompt, terminal: true, historySize: 0 })
  editor.on('line', (line) => {
    // What follows is another line of the same answer.
    editor.setPrompt('')
    onLine(line)
  })
  editor.prompt()
  return editor
}
