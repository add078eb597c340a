import type { Endpoint } from '../engine/endpoint.ts'
import { forgetAtExit, removeAtExit } from './remove-at-exit.ts'
import { removeContainer } from './remove-container.ts'
import { type ContainerPlan, type StartedContainer, startContainer } from './start-container.ts'

/** The one container of an executor, which may have to be made anew. */
export class ContainerHolder {
  readonly #plan: ContainerPlan
  readonly #endpoint: Endpoint
  #current: StartedContainer | undefined

  constructor(plan: ContainerPlan, endpoint: Endpoint) {
    this.#plan = plan
    this.#endpoint = endpoint
  }

  get current(): StartedContainer | undefined {
    return this.#current
  }

  async start(signal: AbortSignal): Promise<StartedContainer> {
    await this.remove()
    const started = await startContainer(this.#plan, signal)
    this.#current = started
    if (this.#plan.settings.stopContainer) removeAtExit(started.container.id, this.#endpoint)
    return started
  }

  /** Ends it, unless there is none, and what failed starts left. After a failure it can be called again. */
  async remove(): Promise<void> {
    if (this.#current !== undefined) {
      const { container, execs } = this.#current
      execs.close()
      await removeContainer(container)
      forgetAtExit(container.id)
      this.#current = undefined
    }
    await this.#plan.remains.removeAll(this.#plan.docker)
  }

  /** Leaves it running, with nothing of ours in it; only what failed starts left is removed. */
  async letGo(): Promise<void> {
    this.#current?.execs.close()
    await this.#plan.remains.removeAll(this.#plan.docker)
  }
}
