import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { raceTimeout, untilAborted } from '@fenced/core/internal'
import type { HostWorkDirectory } from '@fenced/core/sandbox'
import type { LaunchContext, LaunchedSandbox, SuperviseOptions } from '@fenced/sandbox'
import { PendingRemovals } from '../container/pending-removals.ts'
import { Engine } from '../engine.ts'
import type { ProvidedImage } from '../image/image-options.ts'
import { EnginePool } from '../pool/engine-pool.ts'
import type { Placement } from '../pool/placement.ts'
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

/** How long a start or a stop waits for removals on an engine of a pool, in milliseconds. */
const patienceMs = 3_000

/** Makes the containers of a sandbox, one after the other, from the same options. */
export class ContainerLauncher {
  readonly #parts: ContainerLauncherParts
  readonly #pendingRemovals = new PendingRemovals()
  #engine: Engine | undefined
  /** Where the engine is one of a pool. */
  #placement: Placement | undefined
  /** What containers are made from; `undefined` unless one was launched. */
  plan: ContainerPlan | undefined

  constructor(parts: ContainerLauncherParts) {
    this.#parts = parts
  }

  /** Connects to the engine and provides the image, unless that is done. */
  async launch(context: LaunchContext): Promise<LaunchedSandbox> {
    const { detached, resume } = context
    if (this.#parts.isTemporary && (detached ?? resume) !== undefined) throw directoryNeeded()
    for (;;) {
      if (this.#placement?.isLost) this.#release()
      try {
        return await this.#launch(context)
      } catch (error) {
        const isLost = await this.#placement?.isLostBy(error)
        // Nothing stops a sandbox that did not start, so its place must be released here.
        if (this.#placement !== undefined) this.#release()
        context.signal.throwIfAborted()
        // The pool chooses a different engine, or throws when it has none.
        if (!isLost) throw error
      }
    }
  }

  /** The next container is made from this image. */
  use(image: ProvidedImage): void {
    if (this.plan !== undefined) this.plan = { ...this.plan, image }
  }

  /** Removes what failed launches left, and releases the engine. After a failure it can be called again. */
  async close(): Promise<void> {
    if (this.#engine !== undefined) await this.#removePending(this.#engine)
    this.#release()
  }

  async #launch(context: LaunchContext): Promise<LaunchedSandbox> {
    const { detached, resume, preparation } = context
    this.plan ??= await this.#makePlan(context)
    await untilAborted(this.#removePending(this.plan.engine), context.signal)
    if (preparation !== undefined && resume === undefined && this.plan.preparedFrom === undefined) {
      const image = await preparedImage(this.plan, preparation, context)
      this.plan = { ...this.plan, image, preparedFrom: this.plan.image.id }
    }
    const launched = await launchContainer({ ...this.plan, detached, resume }, context)
    const outlivesProcess = !this.#parts.settings.stopContainer || (detached ?? resume) !== undefined
    const backend = this.#placement?.watch(launched.backend, { outlivesProcess }) ?? launched.backend
    return { ...launched, backend }
  }

  /** Errors are ignored in a pool: a container that its engine refuses to remove may belong to other sandboxes. */
  async #removePending(engine: Engine): Promise<void> {
    const removal = engine.removePending()
    await (this.#placement === undefined
      ? removal
      : raceTimeout(
          removal.catch(() => {}),
          patienceMs,
        ))
  }

  #release(): void {
    this.#engine?.close()
    this.#placement?.release()
    this.#engine = undefined
    this.#placement = undefined
    this.plan = undefined
  }

  async #makePlan(context: StartContext): Promise<ContainerPlan> {
    const { settings, workDirectory } = this.#parts
    const engine = await this.#connect(context)
    try {
      const [image, user] = await Promise.all([
        engine.provideImage(settings, context),
        settings.user ?? programUser(engine, workDirectory, context),
        engine.removeLeftovers(context),
      ])
      reportWeakening(settings, context)
      const modes = workDirectoryModes(settings.workDirMode, engine)
      this.#engine = engine
      return { ...this.#parts, engine, image, user, workDirectory, modes }
    } finally {
      if (this.#engine !== engine) engine.close()
    }
  }

  async #connect(context: LaunchContext): Promise<Engine> {
    const { docker, stopContainer, containerName } = this.#parts.settings
    const { signal, resume } = context
    if (!(docker instanceof EnginePool))
      return Engine.connect(docker, { signal, pendingRemovals: this.#pendingRemovals })
    const container = resume ?? (stopContainer ? undefined : containerName)
    this.#placement ??= await docker.place({ image: this.#parts.settings, container }, context)
    return this.#placement.connect(signal)
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
