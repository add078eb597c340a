import { FencedError } from '@fenced/core'
import type { Engine } from '@fenced/sandbox-docker'

/** The images that an environment has made, and may remove. */
export class MadeImages {
  readonly #ids = new Set<string>()

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  add(id: string): void {
    this.#ids.add(id)
  }

  /**
   * Removes the newest first, because the others may be below it. After a failure it can be called again.
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
    message: `${cause.message} It is of the Python environment: executors belong to their callers, who stop them before they call stop() again.`,
    data: cause.data,
    cause,
  })
}
