import type { PauseSwitch } from '@fenced/core/internal'
import { sandboxNotStarted } from '@fenced/shared'
import { isGone } from '../exec/exec-target.ts'
import type { ReadySandbox } from './ready-sandbox.ts'
import type { SupervisedProcess } from './supervised-process.ts'

/** What a start makes, and its end removes. */
export interface Incarnation {
  readonly target: ReadySandbox
  readonly processes: Set<SupervisedProcess>
  /** Keeps a detached one from expiring. */
  readonly use: NodeJS.Timeout | undefined
}

/** The incarnation of a sandbox, from its start until its stop or until its loss is noticed. */
export class CurrentSandbox {
  readonly #pause: PauseSwitch
  #incarnation: Incarnation | undefined

  constructor(pause: PauseSwitch) {
    this.#pause = pause
  }

  get incarnation(): Incarnation | undefined {
    return this.#incarnation
  }

  get target(): ReadySandbox | undefined {
    return this.#incarnation?.target
  }

  /** @throws FencedError `SANDBOX_NOT_STARTED` */
  present(): Incarnation {
    if (this.#incarnation === undefined) throw sandboxNotStarted()
    return this.#incarnation
  }

  begin(incarnation: Incarnation): void {
    this.#incarnation = incarnation
  }

  /** A sandbox that is gone is not used again, even if it answers later. */
  forget(): void {
    this.#incarnation = undefined
  }

  /** Acts in the sandbox when it is not paused, and forgets the sandbox if it turns out to be gone. */
  whileThere<Result>(
    act: (incarnation: Incarnation) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#pause.whileRunning(() => this.orForget(act), signal)
  }

  /** As {@link whileThere}, also while it is paused. */
  async orForget<Result>(act: (incarnation: Incarnation) => Promise<Result>): Promise<Result> {
    const incarnation = this.present()
    try {
      return await act(incarnation)
    } catch (error) {
      if (isGone(error) && this.#incarnation === incarnation) this.forget()
      throw error
    }
  }
}
