import type { CodeExecutor, Notice } from '@fenced/core'
import { toldRestorations } from '@fenced/core/internal'
import type { RunContext } from './run-with-events.ts'

/** Returns of an executor's session to earlier states that the model of an agent has not read about. */
export class Undone {
  readonly #executor: CodeExecutor
  #seen: number

  constructor(executor: CodeExecutor) {
    this.#executor = executor
    this.#seen = this.#restorations.at(-1)?.number ?? 0
  }

  /** Reports each return once, the oldest first. Returns what the model must read. */
  async report(agent: string, run: Pick<RunContext, 'emit'>): Promise<readonly Notice[]> {
    const unread = this.#restorations.filter(({ number }) => number > this.#seen)
    this.#seen = unread.at(-1)?.number ?? this.#seen
    const notices = unread
      .filter((restored) => !toldRestorations.has(restored))
      .flatMap((restored) => restored.notices)
    for (const notice of notices) await run.emit({ type: 'notice', agent, notice })
    return notices
  }

  get #restorations() {
    return this.#executor.session?.restorations ?? []
  }
}
