import type { PackageAdvice, PackageManager, StartContext } from '@fenced/core'
import { ownerLabels, provideImage, whileDoing } from '@fenced/docker-engine'
import type { DockerSettings } from '../options.ts'
import type { DockerPlace } from './docker-place.ts'

/**
 * Packages for a container that has no network and cannot be written to: they are installed into a layer on top of its
 * image, and the container is made anew from that.
 */
export class ContainerPackages implements PackageManager {
  readonly #settings: DockerSettings
  readonly #place: () => DockerPlace | undefined

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
    await whileDoing(engine, `installing ${packages.join(', ')}`, async () => {
      const image = await provideImage(
        engine,
        {
          ...this.#settings,
          build: undefined,
          requirements: undefined,
          image: holder.image.id,
          imageName: holder.image.name,
          pull: 'never',
          packages: [...packages],
          labels: ownerLabels(),
        },
        { signal, notice },
      )
      await holder.restartFrom({ ...image, name: holder.image.name }, signal)
    })
  }
}
