import { FencedError } from '@fenced/core'
import type { HostWorkDirectory, StartContext } from '@fenced/core/driver'
import type { LaunchContext, LaunchedSandbox, SuperviseOptions } from '@fenced/sandbox'
import { untilAborted } from '@fenced/shared'
import { Engine } from '../engine.ts'
import type { ProvidedImage } from '../image/image-options.ts'
import { type ContainerPlan, workDirectoryModes } from './container-plan.ts'
import { launchContainer } from './launch-container.ts'
import { preparedImage } from './prepared-image.ts'
import { programUser } from './program-user.ts'
import type { DockerSandboxSettings } from './sandbox-options.ts'

/** What a {@link ContainerLauncher} is made of. */
export interface ContainerLauncherParts {
  readonly settings: DockerSandboxSettings
  readonly capabilities: SuperviseOptions['capabilities']
  readonly network: SuperviseOptions['network']
  readonly workDirectory: HostWorkDirectory
  /** Whether the working directory on this machine goes with the container. */
  readonly isTemporary: boolean
  /** Names of programs to look for in each container. */
  readonly programs: readonly string[]
}

/** Makes the containers of a sandbox, one after the other, from the same options. */
export class ContainerLauncher {
  readonly #parts: ContainerLauncherParts
  /** What containers are made from; `undefined` unless one was launched. */
  plan: ContainerPlan | undefined

  constructor(parts: ContainerLauncherParts) {
    this.#parts = parts
  }

  /** Connects to the engine and provides the image, unless that is done. */
  async launch(context: LaunchContext): Promise<LaunchedSandbox> {
    const { detached, resume, preparation } = context
    if (this.#parts.isTemporary && (detached ?? resume) !== undefined) throw directoryNeeded()
    this.plan ??= await this.#makePlan(context)
    await untilAborted(this.plan.engine.removePending(), context.signal)
    if (preparation !== undefined && resume === undefined && this.plan.preparedFrom === undefined) {
      const image = await preparedImage(this.plan, preparation, context)
      this.plan = { ...this.plan, image, preparedFrom: this.plan.image.id }
    }
    return await launchContainer({ ...this.plan, detached, resume }, context)
  }

  /** The next container is made from this image. */
  use(image: ProvidedImage): void {
    if (this.plan !== undefined) this.plan = { ...this.plan, image }
  }

  /** Removes what failed launches left, and releases the engine. After a failure it can be called again. */
  async close(): Promise<void> {
    await this.plan?.engine.removePending()
    this.plan?.engine.close()
    this.plan = undefined
  }

  async #makePlan(context: StartContext): Promise<ContainerPlan> {
    const { settings, workDirectory } = this.#parts
    const engine = await Engine.connect(settings.docker, { signal: context.signal })
    try {
      const [image, user] = await Promise.all([
        engine.provideImage(settings, context),
        settings.user ?? programUser(engine, workDirectory, context),
        engine.removeLeftovers(context),
      ])
      reportWeakening(settings, context)
      const modes = workDirectoryModes(settings, engine)
      return { ...this.#parts, engine, image, user, workDirectory, modes }
    } catch (error) {
      engine.close()
      throw error
    }
  }
}

function directoryNeeded(): FencedError {
  return new FencedError({
    code: 'NOT_RESUMABLE',
    message:
      'A container that outlives its process needs the `workDir` option, because a temporary directory would be removed before the container.',
    data: { option: 'workDir' },
  })
}

function reportWeakening({ weakening }: DockerSandboxSettings, { notice }: StartContext): void {
  if (weakening.length === 0) return
  const message = `The container is less isolated than it could be: createOptions sets ${weakening.join(', ')}.`
  notice({
    code: 'weaker-isolation',
    message,
    data: { option: 'createOptions', fields: weakening.join(', ') },
  })
}
