import type { PackageAdvice, PackageManager, StartContext } from '@fenced/core/driver'
import type { ProvidedImage } from '@fenced/docker-engine'
import type { DockerSettings } from '../options.ts'
import type { DockerPlace } from './docker-place.ts'

/**
 * Packages for a container that has no network and cannot be written to: they are installed into a layer on top of its
 * image, and the container is made anew from that.
 */
export class ContainerPackages implements PackageManager {
  readonly #settings: DockerSettings
  readonly #place: () => DockerPlace | undefined
  /** The image before anything was installed, and what was: an engine takes some 125 layers on top of each other. */
  #base: ProvidedImage | undefined
  readonly #installed = new Set<string>()

  constructor(settings: DockerSettings, place: () => DockerPlace | undefined) {
    this.#settings = settings
    this.#place = place
  }

  async advise(distribution: string): Promise<PackageAdvice> {
    return {
      advice: `Nothing can be installed from inside of the container for good: give the executor the option packages: [${JSON.stringify(distribution)}].`,
    }
  }

  async install(packages: readonly string[], { signal, notice }: StartContext): Promise<void> {
    const place = this.#place()
    if (place === undefined) throw new Error('There is no container: it was not started.')
    const { engine, holder } = place
    const base = this.#base ?? holder.image
    const all = [...new Set([...this.#installed, ...packages])]
    const image = await engine.provideImage(
      {
        ...this.#settings,
        build: undefined,
        requirements: undefined,
        image: base.id,
        imageName: base.name,
        pull: 'never',
        packages: all,
      },
      { signal, notice },
    )
    await holder.restartFrom({ ...image, name: base.name }, signal)
    this.#base = base
    for (const name of packages) this.#installed.add(name)
  }
}
