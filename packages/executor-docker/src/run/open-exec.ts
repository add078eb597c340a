import { randomBytes } from 'node:crypto'
import { untilKnown } from '@fenced/host'
import type { BackendProcess, Command, SandboxBackend } from '../backend.ts'

/** Where an exec runs, and as whom. */
export interface ExecPlace {
  readonly backend: SandboxBackend
  readonly user: string
  readonly workingDirectory: string
}

/** A process in a container that waits for what it is to do; whatever becomes of its connection, the end of that stops it. */
export interface OpenExec {
  readonly process: BackendProcess
  /** What `FENCED_RUN_ID` says in it. */
  readonly runId: string
}

/** @throws what the backend answers when it cannot be made. */
export async function openExec(
  { backend, user, workingDirectory }: ExecPlace,
  command: Command,
  signal: AbortSignal,
): Promise<OpenExec> {
  const runId = randomBytes(16).toString('hex')
  const env = { FENCED_RUN_ID: runId }
  const process = await backend.exec(command, { user, cwd: workingDirectory, env, stdin: true, signal })
  return { process, runId }
}

/** How long the backend may take to notice the end of a process whose output has ended, in milliseconds. */
const noticeTimeMs = 10_000

/**
 * The exit code of a process whose connection has ended; `undefined` when the backend tells none.
 *
 * @param isWhole - whether its output came to its end. If not, the connection was cut and there is nothing to wait for.
 */
export function exitCodeOf(process: BackendProcess, isWhole: boolean): Promise<number | undefined> {
  return untilKnown(() => process.poll(), isWhole ? noticeTimeMs : 0)
}
