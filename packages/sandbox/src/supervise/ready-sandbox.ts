import { stat } from 'node:fs/promises'
import { FencedError } from '@fenced/core'
import type { HostWorkDirectory } from '@fenced/core/driver'
import { DirectoryCopy } from '../copy/directory-copy.ts'
import { runCommand } from '../exec/run-command.ts'
import type { NetworkHelper } from '../network/listed-network.ts'
import { ExecPool } from './exec-pool.ts'
import { probe, type SandboxFacts } from './probe.ts'
import { bundlePath, type SupervisedNetwork, startHelper } from './start-helper.ts'
import { controlledCommand, type ProcessTarget } from './start-process.ts'
import type { LaunchedSandbox } from './supervise-options.ts'

/** A sandbox in which processes can be started. */
export interface ReadySandbox extends ProcessTarget {
  readonly launched: LaunchedSandbox
  readonly facts: SandboxFacts
  /** The identity of the mounted directory, or the copier of a directory that is not mounted. */
  readonly files: { readonly mounted: string } | CopiedFiles
  /** Of a network by list. */
  helper: NetworkHelper | undefined
}

/** A working directory of which the sandbox has a copy. */
export interface CopiedFiles {
  readonly copy: DirectoryCopy
  /**
   * For the process that removes what was removed here, before each block: an engine takes longer to start one than that takes.
   * Not where the backend removes files itself.
   */
  readonly execs: ExecPool | undefined
}

/** What a sandbox is made ready with. */
export interface ReadyRequest {
  readonly workDirectory: HostWorkDirectory
  /** Names of programs to look for. */
  readonly programs: readonly string[]
  readonly signal: AbortSignal
  /** A network by list. */
  readonly network?: SupervisedNetwork | undefined
}

/** @throws FencedError `INIT_COMMAND_FAILED`, `CONTAINER_UNUSABLE`, and what the backend rejects with. */
export async function makeReady(launched: LaunchedSandbox, request: ReadyRequest): Promise<ReadySandbox> {
  const { backend, user, initCommand, isExclusive = false, startsAhead = true } = launched
  const { workDirectory, programs, signal, network } = request
  const variables = network?.listed.variables(bundlePath(launched)) ?? {}
  const target = { backend, user, directory: workDirectory.path, variables }
  const facts = launched.facts ?? (await probe(target, { programs, signal }))
  const copy = await connectFiles(launched, facts, request)
  const helper =
    network === undefined ? undefined : await startHelper(launched, target, { ...network, signal })
  if (initCommand !== undefined) await runInitCommand(initCommand, target, signal)
  const command = controlledCommand({ isExclusive, backend }, 'block')
  const newSupply = () => new ExecPool(target, command, startsAhead ? (backend.maxRestMs ?? 0) : 0)
  const ofFiles = backend.removeFiles === undefined ? newSupply() : undefined
  const files = typeof copy === 'string' ? { mounted: copy } : { copy, execs: ofFiles }
  const ready = { ...target, launched, facts, files, isExclusive, helper, execs: newSupply() }
  prepareExecs(ready)
  return ready
}

/** Begins to open what the next block needs. */
export function prepareExecs({ files, execs }: ReadySandbox): void {
  execs.prepare()
  if ('copy' in files) files.execs?.prepare()
}

/** Resolves when nothing is being opened for the next block. An engine may hang when it pauses a container that starts a process. */
export async function execsOpened({ files, execs }: ReadySandbox): Promise<void> {
  await Promise.all([execs.opened(), 'copy' in files ? files.execs?.opened() : undefined])
}

export async function closeExecs({ files, execs }: ReadySandbox): Promise<void> {
  await Promise.all([execs.close(), 'copy' in files ? files.execs?.close() : undefined])
}

/** Whether the mounted directory was removed and created again. The mount then shows the removed directory. */
export async function isUnmounted(
  { files }: ReadySandbox,
  { hostPath }: Pick<HostWorkDirectory, 'hostPath'>,
): Promise<boolean> {
  return 'mounted' in files && files.mounted !== (await identityOf(hostPath))
}

async function connectFiles(
  { backend, isMounted = false }: LaunchedSandbox,
  facts: SandboxFacts,
  { workDirectory, signal }: ReadyRequest,
): Promise<string | DirectoryCopy> {
  if (isMounted) return identityOf(workDirectory.hostPath)
  const copy = new DirectoryCopy({
    hostDirectory: workDirectory,
    backend,
    path: workDirectory.path,
    owner: { uid: facts.userId, gid: facts.groupId },
  })
  await copy.copyIn({ signal })
  return copy
}

async function runInitCommand(
  initCommand: string,
  target: Parameters<typeof runCommand>[0],
  signal: AbortSignal,
): Promise<void> {
  const command = ['/bin/sh', '-c', initCommand] as const
  const end = await runCommand(target, { command, signal, excess: 'keep-end' })
  if (end.exitCode === 0) return
  const output = end.output.trim().slice(-2_000)
  throw new FencedError({
    code: 'INIT_COMMAND_FAILED',
    message: `The \`initCommand\` ended with exit code ${end.exitCode}: ${output || 'it printed nothing'}`,
    data: { exitCode: `${end.exitCode}`, output },
  })
}

/** Identifies a directory, so that a later directory of the same name differs. A mount keeps showing the first directory. */
async function identityOf(hostPath: string): Promise<string> {
  const { dev, ino } = await stat(hostPath, { bigint: true })
  return `${dev} ${ino}`
}
