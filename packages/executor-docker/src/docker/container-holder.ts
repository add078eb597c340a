import type { ProvidedImage } from '@fenced/docker-engine'
import type { StartedContainer } from '../container/started-container.ts'
import { type ContainerPlan, startContainer } from './start-container.ts'

/** The one container of an executor, which may have to be made anew. */
export class ContainerHolder {
  #plan: ContainerPlan
  #current: StartedContainer | undefined
  /** The engine was asked to remove it: whatever was heard of that, it may go at any moment. */
  #isCondemned = false
  #isReplaced = false

  constructor(plan: ContainerPlan) {
    this.#plan = plan
  }

  /** The one in which blocks can run. */
  get current(): StartedContainer | undefined {
    return this.#isCondemned ? undefined : this.#current
  }

  async start(signal: AbortSignal): Promise<StartedContainer> {
    await this.remove()
    this.#current = await startContainer(this.#plan, signal)
    return this.#current
  }

  /** The image that containers are made from. */
  get image(): ProvidedImage {
    return this.#plan.image
  }

  /** A new container, from another image, in the place of the one at hand. */
  async restartFrom(image: ProvidedImage, signal: AbortSignal): Promise<void> {
    this.#plan = { ...this.#plan, image }
    this.#isReplaced = true
    await this.start(signal)
  }

  /** Whether the container was replaced for another image; the next answer is `false`. */
  takeReplaced(): boolean {
    const isReplaced = this.#isReplaced
    this.#isReplaced = false
    return isReplaced
  }

  /** Ends it, unless there is none, and what failed starts left. After a failure it can be called again. */
  async remove(): Promise<void> {
    if (this.#current !== undefined) {
      const { backend, execs } = this.#current
      this.#isCondemned = true
      await execs.close()
      await backend.remove()
      this.#current = undefined
      this.#isCondemned = false
    }
    await this.#plan.engine.removeRemains()
  }

  /** Leaves it running, with nothing of ours in it; only what failed starts left is removed. */
  async letGo(): Promise<void> {
    await this.#current?.execs.close()
    await this.#plan.engine.removeRemains()
  }
}
