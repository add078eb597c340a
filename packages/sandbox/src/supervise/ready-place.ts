import { stat } from 'node:fs/promises'
import { FencedError } from '@fenced/core'
import type { HostWorkDirectory } from '@fenced/core/sandbox'
import { DirectoryCopy } from '../copy/directory-copy.ts'
import { ExecSupply } from './exec-supply.ts'
import { type PlaceFacts, probe } from './probe.ts'
import { runCommand } from './run-command.ts'
import { controlledCommand, type ProcessPlace } from './start-process.ts'
import type { LaunchedPlace } from './supervise-options.ts'

/** A place in which processes can be started. */
export interface ReadyPlace extends ProcessPlace {
  readonly launched: LaunchedPlace
  readonly facts: PlaceFacts
  /** What tells the mounted directory from another one of its name; or what keeps the two the same where they are two. */
  readonly files: { readonly mounted: string } | CopiedFiles
}

interface CopiedFiles {
  readonly copy: DirectoryCopy
  /** For the process that removes what was removed here, before each block. */
  readonly execs: ExecSupply
}

/** What a place is made ready with. */
export interface PlaceRequest {
  readonly workDirectory: HostWorkDirectory
  /** Names of programs to look for. */
  readonly programs: readonly string[]
  readonly signal: AbortSignal
}

/** @throws FencedError `INIT_COMMAND_FAILED`, `CONTAINER_UNUSABLE`, and what the backend rejects with. */
export async function makeReady(launched: LaunchedPlace, request: PlaceRequest): Promise<ReadyPlace> {
  const { backend, user, initCommand, isExclusive = false, startsAhead = true } = launched
  const { workDirectory, signal } = request
  const place = { backend, user, directory: workDirectory.path }
  const facts = launched.facts ?? (await probe(place, request))
  const copy = await connectFiles(launched, facts, request)
  if (initCommand !== undefined) await runInitCommand(initCommand, place, signal)
  const command = controlledCommand({ isExclusive, backend }, 'block')
  const newSupply = () => new ExecSupply(place, command, startsAhead ? backend.maxRestMs : 0)
  const files = typeof copy === 'string' ? { mounted: copy } : { copy, execs: newSupply() }
  const ready = { ...place, launched, facts, files, isExclusive, execs: newSupply() }
  prepareExecs(ready)
  return ready
}

/** Begins to open what the next block needs. */
export function prepareExecs({ files, execs }: ReadyPlace): void {
  execs.prepare()
  if ('copy' in files) files.execs.prepare()
}

export async function closeExecs({ files, execs }: ReadyPlace): Promise<void> {
  await Promise.all([execs.close(), 'copy' in files ? files.execs.close() : undefined])
}

/** Whether the mounted directory was removed and made again: the mount is the old one, which is nowhere now. */
export async function isUnmounted(
  { files }: ReadyPlace,
  { hostPath }: Pick<HostWorkDirectory, 'hostPath'>,
): Promise<boolean> {
  return 'mounted' in files && files.mounted !== (await identityOf(hostPath))
}

async function connectFiles(
  { backend, isMounted = false }: LaunchedPlace,
  facts: PlaceFacts,
  { workDirectory, signal }: PlaceRequest,
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
  place: Parameters<typeof runCommand>[0],
  signal: AbortSignal,
): Promise<void> {
  const command = ['/bin/sh', '-c', initCommand] as const
  const end = await runCommand(place, { command, signal, excess: 'keep-end' })
  if (end.exitCode === 0) return
  throw new FencedError({
    code: 'INIT_COMMAND_FAILED',
    message: `The \`initCommand\` ended with exit code ${end.exitCode}: ${end.output.trim().slice(-2_000) || 'it said nothing'}`,
  })
}

/** What tells a directory from another one that is made later under its name; a mount goes on showing the first. */
async function identityOf(hostPath: string): Promise<string> {
  const { dev, ino } = await stat(hostPath, { bigint: true })
  return `${dev} ${ino}`
}
