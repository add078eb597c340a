import type { Language, Notice } from '@fenced/core'
import type {
  BlockIo,
  BlockOutcome,
  Driver,
  HostWorkDirectory,
  PreparedBlock,
  StartContext,
} from '@fenced/core/driver'
import { Engine, Remains } from '@fenced/docker-engine'
import { WarmPython } from '@fenced/python-runner'
import { findInterpreter, interpreterNames } from '../container/interpreters.ts'
import { identityOf, type StartedContainer } from '../container/started-container.ts'
import type { DockerSettings } from '../options.ts'
import { runInContainer } from '../run/run-in-container.ts'
import { ContainerRunner, type RunnerPlace } from '../warm/container-runner.ts'
import { ContainerHolder } from './container-holder.ts'
import { ContainerPackages } from './container-packages.ts'
import type { DockerPlace } from './docker-place.ts'
import { workDirectoryModes } from './modes.ts'
import type { ContainerPlan } from './start-container.ts'

/** What a {@link DockerDriver} is made of. */
export interface DockerDriverParts {
  readonly settings: DockerSettings
  readonly workDirectory: HostWorkDirectory
  /** The languages that it may have to run. */
  readonly languages: readonly Language[]
}

/** One container for all blocks, and an exec of its own for each. */
export class DockerDriver implements Driver {
  readonly workDirectory: HostWorkDirectory
  readonly packages: ContainerPackages
  readonly #settings: DockerSettings
  readonly #languages: readonly Language[]
  readonly #remains = new Remains()
  readonly #warmPython: WarmPython<RunnerPlace> | undefined
  #place: DockerPlace | undefined

  constructor({ settings, workDirectory, languages }: DockerDriverParts) {
    this.workDirectory = workDirectory
    this.#settings = settings
    this.#languages = languages
    this.#warmPython = WarmPython.of({ warm: settings.warm, startRunner: ContainerRunner.start })
    this.packages = new ContainerPackages(settings, () => this.#place)
  }

  async start(context: StartContext): Promise<void> {
    const { signal } = context
    const engine = await Engine.connect(this.#settings.docker, { signal, remains: this.#remains })
    try {
      const holder = new ContainerHolder(await this.#makePlan(engine, context))
      // Also when it fails: `stop` removes what it may have left.
      this.#place = { engine, holder }
      await this.#warmUp(await holder.start(signal), context)
    } finally {
      if (this.#place === undefined) engine.close()
    }
  }

  async run(block: PreparedBlock, io: BlockIo): Promise<BlockOutcome> {
    const place = this.#place
    if (place === undefined) throw new Error('There is no container: it was not started.')
    if (place.holder.takeReplaced()) io.notice(replacedForPackages)
    const outcome = await this.#runOnce(place.holder, block, io)
    if (outcome !== 'gone') return outcome
    await place.holder.start(io.signal)
    io.notice(replaced)
    const second = await this.#runOnce(place.holder, block, io)
    return second === 'gone' ? { status: 'died' } : second
  }

  async stop(): Promise<void> {
    if (this.#place === undefined) return
    const { engine, holder } = this.#place
    await this.#warmPython?.end()
    await (this.#settings.stopContainer ? holder.remove() : holder.letGo())
    engine.close()
    this.#place = undefined
  }

  async #makePlan(engine: Engine, context: StartContext): Promise<ContainerPlan> {
    const settings = this.#settings
    const [image, user] = await Promise.all([
      engine.provideImage(settings, context),
      settings.user ?? engine.defaultUser(context),
      engine.removeLeftovers(context),
    ])
    reportWeakening(settings, context)
    return {
      engine,
      settings,
      image,
      user,
      workDirectory: this.workDirectory,
      modes: workDirectoryModes(settings.workDirMode, engine),
      programs: interpreterNames(this.#languages),
    }
  }

  /** What is to be imported beforehand is imported now, so that who cannot have it hears of it at once. */
  async #warmUp(container: StartedContainer, { signal, notice }: StartContext): Promise<void> {
    const language = this.#languages.find(({ id }) => id === 'python')
    if (language === undefined || this.#warmPython?.hasPreload !== true) return
    const { command: python } = findInterpreter(language, container.facts)
    if (python !== undefined) await this.#warmPython.prepare({ container, python }, signal)
    this.#warmPython.tellProblem(notice)
  }

  async #runOnce(holder: ContainerHolder, block: PreparedBlock, io: BlockIo): Promise<BlockOutcome | 'gone'> {
    const { current } = holder
    if (current === undefined || (await this.#isUnmounted(current))) return 'gone'
    const task = { block, killGraceMs: this.#settings.killGraceMs, warmPython: this.#warmPython }
    const outcome = await runInContainer(current, task, io)
    if (outcome !== 'stuck') return outcome
    await this.#removeUnder(holder, io)
    return { status: 'died' }
  }

  /** Nothing but the end of its container ends a block that is stuck. The result is the same where that must wait. */
  async #removeUnder(holder: ContainerHolder, { notice }: BlockIo): Promise<void> {
    try {
      await holder.remove()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `The block's container could not be removed: ${why} Something of the block may still run in it. The next call removes it first.`
      notice({ code: 'leftovers-remain', message })
    }
  }

  /** Whether the working directory was removed and made again: the mount is the old one, which is nowhere now. */
  async #isUnmounted({ workDirectory }: StartedContainer): Promise<boolean> {
    return (
      'mounted' in workDirectory && workDirectory.mounted !== (await identityOf(this.workDirectory.hostPath))
    )
  }
}

const replaced: Notice = {
  code: 'container-replaced',
  message:
    'A new container was made, because the old one had ended or lost its working directory: what earlier blocks installed or left running in it is lost. Files in the working directory are not.',
}

const replacedForPackages: Notice = {
  code: 'container-replaced',
  message:
    'A new container was made, because packages were installed into its image: what earlier blocks left running in the old one is lost, and their files outside of the working directory are.',
}

function reportWeakening({ weakening }: DockerSettings, { notice }: StartContext): void {
  if (weakening.length === 0) return
  const message = `The container is less isolated than it could be: createOptions sets ${weakening.join(', ')}.`
  notice({ code: 'weaker-isolation', message })
}
