import { FencedError } from '@fenced/core'
import { type Engine, isConflict, isGone } from '@fenced/docker-engine'

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
   * @throws FencedError `IMAGE_IN_USE`, or what the engine answers.
   */
  async removeAll({ docker }: Engine): Promise<void> {
    for (const id of [...this.#ids].reverse()) {
      try {
        // What is below it was there before, unless it is one of ours as well; the engine would remove what has no name.
        await docker.getImage(id).remove({ noprune: true })
      } catch (error) {
        if (isConflict(error)) throw inUse(id, error)
        if (!isGone(error)) throw error
      }
      this.#ids.delete(id)
    }
  }
}

function inUse(id: string, cause: unknown): FencedError {
  const { json, message } = cause as { json?: { message?: string }; message: string }
  return new FencedError({
    code: 'IMAGE_IN_USE',
    message: `The image ${id} of the Python environment was not removed: ${json?.message ?? message}. Executors belong to whoever asked for them: stop them first, and then call stop() again.`,
    cause,
  })
}
