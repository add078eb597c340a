import { parseInput } from '../options/parse-options.ts'
import type {
  PythonSession,
  SessionRestored,
  SessionStateId,
  SessionVariable,
} from '../session/python-session.ts'
import type { Notice } from '../vocabulary/code-result.ts'
import { z } from '../zod.ts'
import type { DriverSession } from './driver.ts'
import { Redactor, redactNotice } from './output/redactor.ts'

/** What a session needs from its executor. */
export interface EngineSessionParts {
  readonly redact: readonly string[]
  /** Waits for the turn of a call. */
  take(signal: AbortSignal): Promise<Disposable>
  /** Throws if the executor is stopped or has died. */
  check(): void
}

const stepsSchema = z.int().min(1).max(1_000)
/** Number of returns that are remembered. */
const mostRestorations = 20
const nameSchema = z.string().min(1).max(100)

/** The session of a driver, in turn with the calls of its executor. */
export class EngineSession implements PythonSession {
  readonly #session: DriverSession
  readonly #parts: EngineSessionParts
  #restorations: readonly SessionRestored[] = []

  constructor(session: DriverSession, parts: EngineSessionParts) {
    this.#session = session
    this.#parts = parts
  }

  get restorations(): readonly SessionRestored[] {
    return this.#restorations
  }

  get state(): SessionStateId | undefined {
    return this.#session.state
  }

  async undo(steps = 1): Promise<SessionRestored> {
    const given = parseInput(stepsSchema, steps, 'session.undo()')
    return this.#returned(() => this.#session.undo(given))
  }

  async restore(name: string): Promise<SessionRestored> {
    const given = parseInput(nameSchema, name, 'session.restore()')
    return this.#returned(() => this.#session.restore(given))
  }

  async checkpoint(name: string): Promise<void> {
    const given = parseInput(nameSchema, name, 'session.checkpoint()')
    await this.#inTurn(() => this.#session.checkpoint(given))
  }

  async variables(): Promise<readonly SessionVariable[]> {
    const redact = this.#redaction()
    const found = await this.#inTurn(() => this.#session.variables())
    return found.map((each) => ({
      ...each,
      name: redact(each.name),
      type: redact(each.type),
      preview: redact(each.preview),
    }))
  }

  async #returned(going: () => Promise<readonly Notice[]>): Promise<SessionRestored> {
    const redact = this.#redaction()
    const notices = await this.#inTurn(going)
    const number = (this.#restorations.at(-1)?.number ?? 0) + 1
    const restored = { number, notices: notices.map((notice) => redactNotice(notice, redact)) }
    this.#restorations = [...this.#restorations, restored].slice(-mostRestorations)
    return restored
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    using _turn = await this.#parts.take(new AbortController().signal)
    this.#parts.check()
    return await work()
  }

  #redaction(): (text: string) => string {
    const redactor = new Redactor(this.#parts.redact)
    return (text) => redactor.redact(text)
  }
}
