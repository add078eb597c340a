import type { PackageAdvice, PackageManager, StartContext } from '@fenced/core/driver'
import type { Engine } from '../engine.ts'
import type { ProvidedImage } from '../image/image-options.ts'
import type { ContainerLauncher } from './container-launcher.ts'
import type { DockerSandboxSettings } from './sandbox-options.ts'

/** What {@link ContainerPackages} are made of. */
export interface ContainerPackagesParts {
  readonly settings: DockerSandboxSettings
  readonly launcher: ContainerLauncher
  /** Makes the container again from an image. */
  restartFrom(image: ProvidedImage, context: StartContext): Promise<void>
}

/**
 * Packages for a container that has no network and cannot be written to: they are installed into a layer on top of its
 * image, and the container is created again from the new image.
 */
export class ContainerPackages implements PackageManager {
  readonly #parts: ContainerPackagesParts
  /** The image before anything was installed, and what was: an engine takes some 125 layers on top of each other. */
  #base: { readonly engine: Engine; readonly image: ProvidedImage } | undefined
  readonly #installed = new Set<string>()

  constructor(parts: ContainerPackagesParts) {
    this.#parts = parts
  }

  async advise(distribution: string): Promise<PackageAdvice> {
    return {
      advice: 'Packages installed from inside the container do not last.',
      operatorAdvice: `Pass the executor the option packages: [${JSON.stringify(distribution)}].`,
    }
  }

  async install(packages: readonly string[], context: StartContext): Promise<void> {
    const { settings, launcher, restartFrom } = this.#parts
    if (launcher.plan === undefined) throw new Error('The container was not started.')
    const { engine, image: current } = launcher.plan
    // Another engine, of a pool, has no image that was made here.
    const base = this.#base?.engine === engine ? this.#base.image : current
    const all = [...new Set([...this.#installed, ...packages])]
    const image = await engine.provideImage(
      {
        ...settings,
        build: undefined,
        requirements: undefined,
        image: base.id,
        imageName: base.name,
        pull: 'never',
        packages: all,
      },
      context,
    )
    await restartFrom({ ...image, name: base.name }, context)
    this.#base = { engine, image: base }
    for (const name of packages) this.#installed.add(name)
  }
}
