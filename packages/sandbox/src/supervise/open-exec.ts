import { randomBytes } from 'node:crypto'
import type { BackendProcess } from '@fenced/core/sandbox'
import type { ExecTarget } from './backend.ts'

/** A process in a sandbox, and what tells it from every other one. */
export interface OpenExec {
  readonly process: BackendProcess
  /** What `FENCED_RUN_ID` says in it. */
  readonly runId: string
}

/** @throws what the backend answers when it cannot be made. */
export async function openExec(
  { backend, user, directory, variables: common }: ExecTarget,
  command: readonly [string, ...string[]],
  { signal, env }: { readonly signal: AbortSignal; readonly env?: Readonly<Record<string, string>> },
): Promise<OpenExec> {
  const runId = randomBytes(16).toString('hex')
  const variables = { ...common, ...env, FENCED_RUN_ID: runId }
  const process = await backend.exec(command, { user, cwd: directory, env: variables, stdin: true, signal })
  return { process, runId }
}
