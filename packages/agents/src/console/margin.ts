import { visible } from './visible.ts'

/** Puts a margin before every line of a text that comes in pieces, so that a program cannot speak for an agent. */
export class Margin {
  #margin: string | undefined

  /** Another margin than that of the line at hand begins a new line. */
  add(margin: string, text: string): string {
    let shown = this.#margin === margin ? '' : this.end()
    for (const [line, lineBreak] of linesOf(text)) {
      // A progress bar goes back to the beginning of its line, which is behind the margin.
      const body = line.split('\r').map(visible).join(`\r${margin}`)
      shown += `${this.#margin === undefined ? margin : ''}${body}${lineBreak}`
      this.#margin = lineBreak === '' ? margin : undefined
    }
    return shown
  }

  /** Ends the line at hand. */
  end(): string {
    const end = this.#margin === undefined ? '' : '\n'
    this.#margin = undefined
    return end
  }
}

function linesOf(text: string): [line: string, lineBreak: '\n' | ''][] {
  const lines = text.split(/\r?\n/)
  const last = lines.pop() ?? ''
  const ended = lines.map((line): [string, '\n'] => [line, '\n'])
  return last === '' ? ended : [...ended, [last, '']]
}
