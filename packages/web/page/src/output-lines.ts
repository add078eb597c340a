/** A line that a program has printed. */
export interface OutputLine {
  readonly text: string
  readonly isError: boolean
  /** The colors that were set in a line before, as the program wrote them. */
  readonly colors: string
}

/** How many lines are kept: what a person can scroll through. */
const maxLines = 100_000

/** What a program has printed, as a terminal shows it: a carriage return goes back to the beginning of the line. */
export class OutputLines {
  readonly lines: OutputLine[] = []
  /** How many lines at the beginning are not kept. */
  left = 0
  #open = ''
  #isError = false
  #colors = ''
  #openColors = ''

  append(text: string, isError: boolean): void {
    if (isError !== this.#isError && this.#open !== '') this.#endLine()
    this.#isError = isError
    // Only what is new is looked through: a line may be long.
    const [first = '', ...rest] = text.split('\n')
    const parts = [this.#open + first, ...rest]
    this.#open = parts.pop() ?? ''
    if (this.#isShown) this.lines.pop()
    this.#isShown = false
    for (const part of parts) this.#push(part)
    if (this.#open !== '') {
      this.#isShown = true
      this.lines.push(this.#line(this.#open))
    }
    // A progress bar is one line that is written again and again.
    if (this.#open.length > 100_000) this.#open = shown(this.#open)
    if (this.lines.length > maxLines) {
      this.left += this.lines.length - maxLines
      this.lines.splice(0, this.lines.length - maxLines)
    }
  }

  clear(): void {
    this.lines.length = 0
    this.#open = ''
    this.#isShown = false
    this.left = 0
  }

  /** Whether the last line is not at its end. */
  #isShown = false

  #endLine(): void {
    if (this.#isShown) this.lines.pop()
    this.#isShown = false
    this.#push(this.#open)
    this.#open = ''
  }

  #push(text: string): void {
    this.lines.push(this.#line(text))
    for (const [code] of text.matchAll(colorCode)) {
      this.#colors = code === '\u001B[0m' || code === '\u001B[m' ? '' : (this.#colors + code).slice(-200)
    }
    this.#openColors = this.#colors
  }

  #line(text: string): OutputLine {
    return { text: shown(text), isError: this.#isError, colors: this.#openColors }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what begins a code.
const colorCode = /\u001B\[[\d;]*m/g

/** What is left of a line of which a part was written over. */
function shown(text: string): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  const start = line.lastIndexOf('\r')
  return start === -1 ? line : line.slice(start + 1)
}
