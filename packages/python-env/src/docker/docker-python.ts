import type { StartOptions } from '@fenced/core'
import type { Engine, ProvidedImage } from '@fenced/sandbox-docker'
import { anySignal, raceAbort } from '@fenced/shared'
import { stoppedError } from '../python-environment.ts'
import type { PythonInterpreter } from '../python-interpreter.ts'
import type { DockerPythonSettings } from './docker-options.ts'

/** What a {@link DockerPython} is made of. */
export interface DockerPythonParts {
  readonly engine: Engine
  readonly image: ProvidedImage
  readonly interpreter: PythonInterpreter
}

/** A Python in an image that gets further layers, one after the other. */
export class DockerPython {
  readonly engine: Engine
  readonly interpreter: PythonInterpreter
  #image: ProvidedImage
  readonly #closing = new AbortController()
  /** When those who came earlier are done. It never fails. */
  #turn: Promise<void> = Promise.resolve()

  constructor({ engine, image, interpreter }: DockerPythonParts) {
    this.engine = engine
    this.interpreter = interpreter
    this.#image = image
  }

  /** For the containers that are made from now on. */
  get image(): ProvidedImage {
    return this.#image
  }

  /** @throws FencedError `INSTALL_FAILED` and others of an image. */
  async install(
    packages: string[],
    settings: DockerPythonSettings & { readonly onMade: (imageId: string) => void },
    { signal, onNotice = () => {} }: StartOptions,
  ): Promise<void> {
    const { promise: done, resolve: finish } = Promise.withResolvers<void>()
    const turn = this.#turn
    this.#turn = turn.then(() => done)
    const context = {
      signal: anySignal([this.#closing.signal, ...(signal === undefined ? [] : [signal])]),
      notice: onNotice,
    }
    try {
      await raceAbort(turn, context.signal)
      const { id, name } = this.#image
      const added = { packages, requirements: undefined }
      const base = { image: id, imageName: name, build: undefined, pull: 'never' as const }
      const image = await this.engine.provideImage({ ...settings, ...base, ...added }, context)
      this.#image = { ...image, name }
    } finally {
      finish()
    }
  }

  /** Gives up what is being installed, and ends the connection when `act` is done. */
  async close(act: () => Promise<void>): Promise<void> {
    this.#closing.abort(stoppedError())
    await this.#turn
    try {
      await act()
    } finally {
      this.engine.close()
    }
  }
}
