import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FencedError, type LimitsInForce } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { temporaryFileName } from '@fenced/core/internal'
import { declareWritable } from '@fenced/host'
import { type LaunchedSandbox, probe, type SandboxFacts } from '@fenced/sandbox'
import { hasEnded, makeWritable } from '@fenced/sandbox/driver'
import type { Container } from '../container/container.ts'
import { containerRefusal } from '../container/container-error.ts'
import { isPath } from './container-options.ts'
import type { ContainerPlan, WorkDirectoryMode } from './container-plan.ts'
import { diskLimitInForce, diskLimitRefused } from './disk-limit.ts'
import { forgetFacts, keyOfFacts, knownFacts } from './known-facts.ts'
import { bringPreparedFiles } from './prepare-container.ts'
import { giveWorkDirectory, reportUnwritable } from './program-user.ts'
import { findDetached, findKept, type ReusedContainer } from './reused-container.ts'
import { workingDirectoryInside } from './sandbox-options.ts'
import { helperUser, outlivesProcess, sandboxRequest } from './sandbox-request.ts'

/**
 * A container that answers. When it fails, nothing of it is left.
 *
 * @throws FencedError, or what the engine answers.
 */
export async function launchContainer(plan: ContainerPlan, context: StartContext): Promise<LaunchedSandbox> {
  const { signal } = context
  declareVolumes(plan)
  const kept = plan.resume === undefined ? await findKept(plan, signal) : await findDetached(plan, signal)
  if (kept !== undefined) return adopt(kept, plan, signal)
  for (const mode of plan.modes) {
    const started = await startAnew(mode, plan, context)
    if (started !== undefined) return started
  }
  throw notShared(plan)
}

/** No program that this process starts is taken from a volume in which the code can write. */
function declareVolumes({ engine, settings: { volumes } }: ContainerPlan): void {
  if (!engine.isLocal) return
  for (const { source, readOnly } of volumes) if (!readOnly && isPath(source)) declareWritable(source)
}

/** `undefined` when the working directory does not get there in this way. */
async function startAnew(
  mode: WorkDirectoryMode,
  plan: ContainerPlan,
  context: StartContext,
): Promise<LaunchedSandbox | undefined> {
  const { signal } = context
  if (mode === 'bind') await giveWorkDirectory(plan)
  const key = await keyOfFacts(plan, mode)
  const container = await openUnlessUnshared(plan, mode, signal)
  if (container === undefined) return undefined
  try {
    if (!outlivesProcess(plan)) await hold(container, plan, signal)
    const facts = await knownFacts(key, () => inspect(container, plan, signal))
    if (mode === 'bind' && !facts.isWritable) reportUnwritable(plan, context)
    if (mode === 'bind' && !(await worksAsBind(container, facts, plan, signal))) {
      // In a container that has ended the directory is not visible either, and the error says why the container ended.
      if (facts.isWritable) await inspect(container, plan, signal)
      await container.remove()
      return undefined
    }
    const limits = await limitsOf(container, plan, signal)
    if (plan.preparedFrom !== undefined) {
      const owner = { uid: facts.userId, gid: facts.groupId }
      const target = { backend: container, path: workingDirectoryInside, owner, signal }
      if (mode === 'copy') await makeWritable(target)
      await bringPreparedFiles(container, plan, signal)
    }
    return {
      ...launched(container, plan, { facts, limits, isMounted: mode === 'bind' }),
      initCommand: plan.settings.initCommand,
      discard: () => container.discard({ signal }),
    }
  } catch (error) {
    forgetFacts(key)
    await container.discard({ signal })
    signal.throwIfAborted()
    throw error
  }
}

/** Uses a container that was left running. If that fails, the container stays. */
async function adopt(
  { container, mode }: ReusedContainer,
  plan: ContainerPlan,
  signal: AbortSignal,
): Promise<LaunchedSandbox> {
  const facts = await ask(container, plan, signal)
  const limits = await limitsOf(container, plan, signal)
  return {
    ...launched(container, plan, { facts, limits, isMounted: mode === 'bind' }),
    discard: async () => {},
  }
}

async function limitsOf(
  container: Container,
  plan: ContainerPlan,
  signal: AbortSignal,
): Promise<LimitsInForce> {
  const limits = await container.limits({ signal })
  const diskBytes = await diskLimitInForce(container, plan, signal)
  return diskBytes === undefined ? limits : { ...limits, diskBytes }
}

function launched(
  container: Container,
  { user, settings: { stopContainer, runtime } }: ContainerPlan,
  seen: Pick<LaunchedSandbox, 'facts' | 'isMounted' | 'limits'>,
): LaunchedSandbox {
  return {
    ...{ ...seen, user, id: container.id, backend: container },
    helperUser,
    hasControlGroup: true,
    isExclusive: stopContainer,
    outlivesStop: !stopContainer,
    // Helpers of a sandbox with a separate kernel (gVisor) end together with a block. If a process is being started then,
    // containerd's shim may wait for itself, and the container can no longer be removed.
    startsAhead: runtime === undefined,
  }
}

function ask(
  container: Container,
  { user, programs }: ContainerPlan,
  signal: AbortSignal,
): Promise<SandboxFacts> {
  return probe(
    { backend: container, user, directory: workingDirectoryInside },
    { programs, signal, explain: (output) => containerRefusal(output, undefined) },
  )
}

async function openUnlessUnshared(
  plan: ContainerPlan,
  mode: WorkDirectoryMode,
  signal: AbortSignal,
): Promise<Container | undefined> {
  const { engine, workDirectory, settings, isTemporary } = plan
  const { bindDir } = settings
  try {
    return await engine.startContainer(sandboxRequest(plan, mode), {
      signal,
      outlivesProcess: outlivesProcess(plan),
      temporaryDirectory: isTemporary ? workDirectory.hostPath : undefined,
    })
  } catch (error) {
    const said = (FencedError.isInstance(error) && error.data?.reason) || ''
    const source = bindDir ?? workDirectory.hostPath
    // The engine's own words: it does not have the directory that was to be mounted.
    if (/bind source path does not exist|no such file or directory/.test(said) && said.includes(source))
      return undefined
    throw diskLimitRefused(plan, said) ?? error
  }
}

/** Ties a new container to this process. */
async function hold(container: Container, plan: ContainerPlan, signal: AbortSignal): Promise<void> {
  try {
    await container.hold({ signal })
  } catch (error) {
    // A container that has ended may be removed by now. The error of a command says why it has ended.
    if (FencedError.isInstance(error) && vague.has(error.code)) await inspect(container, plan, signal)
    throw error
  }
}

async function inspect(
  container: Container,
  plan: ContainerPlan,
  signal: AbortSignal,
): Promise<SandboxFacts> {
  try {
    return await ask(container, plan, signal)
  } catch (error) {
    signal.throwIfAborted()
    // The engine may give any error for a command in a container that is ending. The end is the reason.
    const isKnown = FencedError.isInstance(error) && !vague.has(error.code)
    throw !isKnown && (await hasEnded(container)) ? await container.whyItEnded({ signal }) : error
  }
}

/** Codes of errors that do not say which option is at fault. */
const vague = new Set<string>(['CONTAINER_UNUSABLE', 'ENGINE_FAILED', 'ENGINE_LOST', 'SANDBOX_GONE'])

/** An engine that maps users may show the directory and still not let the code's user write there. */
async function worksAsBind(
  container: Container,
  { isWritable }: SandboxFacts,
  { modes, workDirectory }: ContainerPlan,
  signal: AbortSignal,
): Promise<boolean> {
  return (
    (isWritable || !modes.includes('copy')) && (await isShared(container, workDirectory.hostPath, signal))
  )
}

function notShared({ workDirectory: { hostPath } }: ContainerPlan): FencedError {
  return new FencedError({
    code: 'WORK_DIR_NOT_SHARED',
    message: `The engine cannot access the directory ${hostPath} on this machine, so it cannot be mounted. Set \`workDirMode\` to "copy", or \`bindDir\` to its path on the engine’s machine.`,
    data: { path: hostPath, option: 'workDirMode, bindDir' },
  })
}

/**
 * Whether the directory that was mounted is the one on this machine: another machine may have one of the same name. A
 * file that is made here for a moment is seen there.
 */
async function isShared(container: Container, hostPath: string, signal: AbortSignal): Promise<boolean> {
  const name = temporaryFileName('tmp')
  const path = join(hostPath, name)
  await writeFile(path, '', { flag: 'wx', mode: 0o600 })
  try {
    return await container.has(`${workingDirectoryInside}/${name}`, { signal })
  } finally {
    await rm(path, { force: true })
  }
}
