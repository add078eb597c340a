import type { NoticeCode } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'

/** Pause between two notices that only say how far something has come, in milliseconds. */
const pauseMs = 1_000

type NoticeData = Readonly<Record<string, string>>

/** Reports progress at a readable pace. */
export class ThrottledNotices {
  readonly #context: StartContext
  readonly #code: NoticeCode
  #last = Number.NEGATIVE_INFINITY

  constructor(context: StartContext, code: NoticeCode) {
    this.#context = context
    this.#code = code
  }

  /** Something that must not be missed. */
  say(message: string, data: NoticeData): void {
    this.#last = performance.now()
    this.#context.notice({ code: this.#code, message, data })
  }

  /** Something that the next message replaces. */
  mention(message: () => string, data: () => NoticeData): void {
    if (performance.now() - this.#last >= pauseMs) this.say(message(), data())
  }
}
