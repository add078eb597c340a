export interface RawTerminalOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** What was typed. A chunk may end in the middle of a character. */
  readonly onData: (chunk: string | Buffer) => void
  /** Nobody can type any more. */
  readonly onGone: () => void
}

/** Asks a terminal to mark what is pasted; one that cannot ignores it. */
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

  /** Whether nobody can type any more. */
  get isGone(): boolean {
    return this.#isGone
  }

  close(): void {
    if (this.#isOpen) this.#giveBack()
    this.#isOpen = false
  }
}

const goneEvents = ['end', 'close', 'error'] as const
