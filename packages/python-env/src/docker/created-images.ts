import { FencedError } from '@fenced/core'
import type { Engine } from '@fenced/sandbox-docker'

/** Images that an environment has created and can remove. */
export class CreatedImages {
  readonly #ids = new Set<string>()

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  add(id: string): void {
    this.#ids.add(id)
  }

  /**
   * Removes the newest image first, because it can be based on older ones. Can be called again after a failure.
   *
   * @throws FencedError `IMAGE_IN_USE`, and others of an engine.
   */
  async removeAll(engine: Engine): Promise<void> {
    for (const id of [...this.#ids].reverse()) {
      await engine.removeImage(id).catch((error: unknown) => {
        throw FencedError.isInstance(error) && error.code === 'IMAGE_IN_USE' ? inUse(error) : error
      })
      this.#ids.delete(id)
    }
  }
}

function inUse(cause: FencedError): FencedError {
  return new FencedError({
    code: 'IMAGE_IN_USE',
    message: `${cause.message} Stop the executors of this environment first, then call stop() again.`,
    data: cause.data,
    cause,
  })
}
