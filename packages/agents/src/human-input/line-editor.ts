import { createInterface, type Interface } from 'node:readline'
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
  readonly #keys: Readable
  readonly #interface: Interface

  constructor({ input, output, prompt, onLine }: LineEditorOptions) {
    // Ctrl-Z gives the terminal back for as long as the process sleeps.
    const setRawMode = (mode: boolean) => input.setRawMode(mode)
    this.#keys = Object.assign(new Readable({ read() {} }), { setRawMode })
    this.#interface = createInterface({ input: this.#keys, output, prompt, terminal: true, historySize: 0 })
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

  /** Characters and keys, which may move and delete. */
  type(keys: string): void {
    this.#keys.emit('data', keys)
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
