import { stat } from 'node:fs/promises'
import { FencedError } from '@fenced/core'
import type { HostWorkDirectory } from '@fenced/core/driver'
import { type SandboxBackend, workingDirectoryInside } from '../backend.ts'
import { ExecSupply } from '../run/exec-supply.ts'
import { runCommand } from '../run/run-command.ts'
import { DirectoryCopy } from '../work-directory/directory-copy.ts'
import type { ContainerFacts } from './probe.ts'

/** A container in which blocks can run. */
export interface StartedContainer {
  readonly backend: SandboxBackend
  readonly user: string
  readonly facts: ContainerFacts
  readonly workDirectory: WorkDirectoryInside
  readonly execs: ExecSupply
}

/** The directory that is mounted, or what keeps the two the same where they are two. */
type WorkDirectoryInside = { readonly mounted: string } | { readonly copy: DirectoryCopy }

/** A container that was looked at, and how blocks are to run in it. */
export interface ContainerParts {
  readonly backend: SandboxBackend
  readonly user: string
  readonly facts: ContainerFacts
  readonly workDirectory: HostWorkDirectory
  /** Whether the working directory is mounted in it. Else it is copied. */
  readonly isMounted: boolean
  /** Runs once before any block. */
  readonly initCommand?: string | undefined
  /** Whether no other executor runs blocks in it. */
  readonly isExclusive: boolean
  /** Whether the process of the next block may be started while nothing else goes on. */
  readonly startsAhead: boolean
}

/** @throws FencedError `INIT_COMMAND_FAILED`, and what the backend rejects with. */
export async function makeReady(parts: ContainerParts, signal: AbortSignal): Promise<StartedContainer> {
  const { backend, user, facts, isExclusive, startsAhead } = parts
  const workDirectory = await connect(parts, signal)
  await runInitCommand(parts, signal)
  const place = { backend, user, workingDirectory: workingDirectoryInside, isExclusive }
  const execs = new ExecSupply(place, startsAhead ? backend.maxRestMs : 0)
  execs.prepare()
  return { backend, user, facts, workDirectory, execs }
}

async function connect(
  { backend, facts, workDirectory, isMounted }: ContainerParts,
  signal: AbortSignal,
): Promise<WorkDirectoryInside> {
  if (isMounted) return { mounted: await identityOf(workDirectory.hostPath) }
  const copy = new DirectoryCopy({
    hostDirectory: workDirectory,
    backend,
    path: workingDirectoryInside,
    owner: { uid: facts.userId, gid: facts.groupId },
  })
  await copy.copyIn({ signal })
  return { copy }
}

async function runInitCommand(
  { backend, initCommand, user }: ContainerParts,
  signal: AbortSignal,
): Promise<void> {
  if (initCommand === undefined) return
  const command = ['/bin/sh', '-c', initCommand]
  const workingDirectory = workingDirectoryInside
  const end = await runCommand(backend, { command, user, workingDirectory, signal, excess: 'keep-end' })
  if (end.exitCode === 0) return
  throw new FencedError({
    code: 'INIT_COMMAND_FAILED',
    message: `The \`initCommand\` ended with exit code ${end.exitCode}: ${end.output.trim().slice(-2_000) || 'it said nothing'}`,
  })
}

/** What tells a directory from another one that is made later under its name; a mount goes on showing the first. */
export async function identityOf(hostPath: string): Promise<string> {
  const { dev, ino } = await stat(hostPath, { bigint: true })
  return `${dev} ${ino}`
}
