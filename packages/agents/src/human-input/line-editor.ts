import { createInterface, type Interface, type Key } from 'node:readline'
import { Readable } from 'node:stream'

export interface LineEditorOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** One line. */
  readonly prompt: string
  readonly onLine: (line: string) => void
}

/**
 * Node's line editor, which is given what was typed: reading by itself it would take every line of a paste for an
 * answer, and leave listeners behind at its input.
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

  /** What stands in the line at hand. */
  get line(): string {
    return this.#interface.line
  }

  /** A key, which may move and delete. */
  type(text: string | undefined, key: Key): void {
    this.#interface.write(text ?? '', key)
  }

  /** Text as it is. */
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
