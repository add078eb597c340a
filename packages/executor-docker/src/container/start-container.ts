import { FencedError } from '@fenced/core'
import type { HostWorkDirectory } from '@fenced/core/driver'
import type { Container, Engine, ProvidedImage } from '@fenced/docker-engine'
import type { SandboxBackend } from '../backend.ts'
import type { DockerSettings } from '../options.ts'
import { ExecSupply } from '../run/exec-supply.ts'
import { runCommand } from '../run/run-command.ts'
import { DirectoryCopy } from '../work-directory/directory-copy.ts'
import { identityOf, isShared } from '../work-directory/is-shared.ts'
import type { WorkDirectoryMode } from '../work-directory/modes.ts'
import { containerRequest } from './container-request.ts'
import { workingDirectoryInside } from './create-options.ts'
import { hasEnded } from './describe-loss.ts'
import { findKept, type KeptContainer } from './kept-container.ts'
import { type ContainerFacts, probe } from './probe.ts'

/** What a container is started from. */
export interface ContainerPlan {
  readonly engine: Engine
  readonly settings: DockerSettings
  readonly image: ProvidedImage
  readonly user: string
  readonly workDirectory: HostWorkDirectory
  /** How the working directory may get into it; the first way that works is taken. */
  readonly modes: readonly WorkDirectoryMode[]
  /** Names of programs to look for in it. */
  readonly programs: readonly string[]
}

/** A container in which blocks can run. */
export interface StartedContainer {
  readonly backend: SandboxBackend
  readonly user: string
  readonly facts: ContainerFacts
  readonly workDirectory: WorkDirectoryInside
  readonly execs: ExecSupply
  /** How long a connection into it may rest before it is used: one to another machine may be forgotten without a word. */
  readonly maxRestMs: number
}

/** The directory that is mounted, or what keeps the two the same where they are two. */
type WorkDirectoryInside = { readonly mounted: string } | { readonly copy: DirectoryCopy }

/**
 * A container that is ready for blocks. When it fails, nothing of it is left.
 *
 * @throws FencedError, or what the engine answers.
 */
export async function startContainer(plan: ContainerPlan, signal: AbortSignal): Promise<StartedContainer> {
  const kept = await findKept(plan, signal)
  if (kept !== undefined) return adopt(kept, plan, signal)
  for (const mode of plan.modes) {
    const started = await startAnew(mode, plan, signal)
    if (started !== undefined) return started
  }
  throw notShared(plan)
}

/** `undefined` when the working directory does not get there in this way. */
async function startAnew(
  mode: WorkDirectoryMode,
  plan: ContainerPlan,
  signal: AbortSignal,
): Promise<StartedContainer | undefined> {
  const container = await openUnlessUnshared(plan, mode, signal)
  if (container === undefined) return undefined
  try {
    const facts = await look(container, plan, signal)
    if (mode === 'bind' && !(await worksAsBind(container, facts, plan, signal))) {
      await container.remove()
      return undefined
    }
    const workDirectory = await connect({ mode, container, facts }, plan, signal)
    await runInitCommand(container, plan, signal)
    return { backend: container, user: plan.user, facts, workDirectory, ...connectionsTo(container, plan) }
  } catch (error) {
    await container.discard()
    signal.throwIfAborted()
    throw error
  }
}

/** Goes on with a container that was left running; whatever fails, it stays. */
async function adopt(
  { container, mode }: KeptContainer,
  plan: ContainerPlan,
  signal: AbortSignal,
): Promise<StartedContainer> {
  const { user, programs } = plan
  const facts = await probe(container, { user, programs, signal })
  const workDirectory = await connect({ mode, container, facts }, plan, signal)
  return { backend: container, user, facts, workDirectory, ...connectionsTo(container, plan) }
}

function connectionsTo(
  backend: SandboxBackend,
  { user, settings }: ContainerPlan,
): Pick<StartedContainer, 'execs' | 'maxRestMs'> {
  const isExclusive = settings.stopContainer
  const place = { backend, user, workingDirectory: workingDirectoryInside, isExclusive }
  const { maxRestMs } = backend
  // A sandbox of its own (gVisor) has helpers that end together with a block. While a process is being started then,
  // containerd's shim may wait for itself, and the container cannot even be removed any more.
  const execs = new ExecSupply(place, settings.runtime === undefined ? maxRestMs : 0)
  execs.prepare()
  return { execs, maxRestMs }
}

async function openUnlessUnshared(
  plan: ContainerPlan,
  mode: WorkDirectoryMode,
  signal: AbortSignal,
): Promise<Container | undefined> {
  const { engine, workDirectory, settings } = plan
  const { stopContainer, workDir, bindDir } = settings
  try {
    return await engine.startContainer(containerRequest(plan, mode), {
      signal,
      outlivesProcess: !stopContainer,
      temporaryDirectory: workDir === undefined ? workDirectory.hostPath : undefined,
    })
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const source = bindDir ?? workDirectory.hostPath
    // The engine's own words: it does not have the directory that was to be mounted.
    if (/bind source path does not exist|no such file or directory/.test(said) && said.includes(source))
      return undefined
    throw error
  }
}

async function look(
  container: Container,
  { user, programs }: ContainerPlan,
  signal: AbortSignal,
): Promise<ContainerFacts> {
  try {
    return await probe(container, { user, programs, signal })
  } catch (error) {
    signal.throwIfAborted()
    // Whatever the engine makes of a command in a container that is ending, its end is the reason.
    const isKnown = FencedError.isInstance(error) && !vague.has(error.code)
    throw !isKnown && (await hasEnded(container)) ? await container.whyItEnded({ signal }) : error
  }
}

/** Codes of errors that do not say which option is at fault. */
const vague = new Set<string>(['CONTAINER_UNUSABLE', 'ENGINE_FAILED', 'ENGINE_LOST', 'SANDBOX_GONE'])

/** An engine that maps users may show the directory and still not let the code's user write there. */
async function worksAsBind(
  container: Container,
  { isWritable }: ContainerFacts,
  { modes, workDirectory }: ContainerPlan,
  signal: AbortSignal,
): Promise<boolean> {
  return (
    (isWritable || !modes.includes('copy')) && (await isShared(container, workDirectory.hostPath, signal))
  )
}

async function connect(
  { mode, container, facts }: { mode: WorkDirectoryMode; container: Container; facts: ContainerFacts },
  { workDirectory }: ContainerPlan,
  signal: AbortSignal,
): Promise<WorkDirectoryInside> {
  if (mode === 'bind') return { mounted: await identityOf(workDirectory.hostPath) }
  const copy = new DirectoryCopy({
    hostDirectory: workDirectory,
    backend: container,
    path: workingDirectoryInside,
    owner: { uid: facts.userId, gid: facts.groupId },
  })
  await copy.copyIn({ signal })
  return { copy }
}

async function runInitCommand(
  container: Container,
  { settings: { initCommand }, user }: ContainerPlan,
  signal: AbortSignal,
): Promise<void> {
  if (initCommand === undefined) return
  const command = ['/bin/sh', '-c', initCommand]
  const workingDirectory = workingDirectoryInside
  const end = await runCommand(container, { command, user, workingDirectory, signal, excess: 'keep-end' })
  if (end.exitCode === 0) return
  throw new FencedError({
    code: 'INIT_COMMAND_FAILED',
    message: `The \`initCommand\` ended with exit code ${end.exitCode}: ${end.output.trim().slice(-2_000) || 'it said nothing'}`,
  })
}

function notShared({ workDirectory: { hostPath } }: ContainerPlan): FencedError {
  return new FencedError({
    code: 'WORK_DIR_NOT_SHARED',
    message: `The engine does not see this machine’s directory ${hostPath}, so it cannot be mounted. Set \`workDirMode\` to "copy", or \`bindDir\` to the path that it has for the engine.`,
  })
}
