import { stripVTControlCharacters } from 'node:util'
import type { ThrottledNotices } from '../throttled-notices.ts'

/** How many lines are kept for the error of a build that fails. */
const keptLines = 40

/** How much is kept of a line, in characters: its end, which a progress bar writes over. */
const keptOfLine = 4_096

/** The line with which a step begins: BuildKit's `#5 [2/3] RUN`, the classic builder's `Step 2/3 : RUN`, Podman's. */
const beginOfStep = /^(?:#\d+ (?=\[(?!internal))|(?=step \d+\/\d+ ?:))/i

/** Follows what a builder writes: reports its steps as notices, and keeps the end. */
export class BuildOutput {
  readonly #notices: ThrottledNotices
  readonly #lines: string[] = []
  /** The beginning of a line whose end has not come. */
  #open = ''

  constructor(notices: ThrottledNotices) {
    this.#notices = notices
  }

  take(text: string): void {
    const lines = `${this.#open}${text}`.split('\n')
    this.#open = (lines.pop() ?? '').slice(-keptOfLine)
    for (const line of lines) this.#takeLine(plain(line.slice(-keptOfLine)))
  }

  get lastLines(): string {
    return [...this.#lines, plain(this.#open)]
      .filter((line) => line !== '')
      .slice(-keptLines)
      .join('\n')
  }

  #takeLine(line: string): void {
    if (line === '') return
    this.#lines.push(line)
    if (this.#lines.length > keptLines) this.#lines.shift()
    if (beginOfStep.test(line)) {
      const step = line.replace(beginOfStep, '')
      this.#notices.say(`Building: ${step}`, { step })
    } else
      this.#notices.mention(
        () => line,
        () => ({ output: line }),
      )
  }
}

/** The classic builder colours stderr, and a progress bar writes over its own line. */
function plain(line: string): string {
  return stripVTControlCharacters(line).trimEnd().split('\r').pop() ?? ''
}
