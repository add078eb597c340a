import { randomBytes } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { BackendProcess, SandboxBackend } from '@fenced/core/sandbox'

/** Where something runs in a sandbox, and as which user. */
export interface ExecTarget {
  readonly backend: SandboxBackend
  /** Default: the sandbox's own. */
  readonly user: string | undefined
  /** An absolute path there. */
  readonly directory: string
  /**
   * Variables for everything that is started there.
   *
   * @default {}
   */
  readonly variables?: Readonly<Record<string, string>>
}

/** Names the machine or service of a sandbox, for messages. */
export function whereIs({ where = 'the sandbox' }: Pick<SandboxBackend, 'where'>): string {
  return where
}

/** Whether a process may stay in a sandbox while no block runs. See {@link SandboxBackend.maxRestMs}. */
export function mayRest({ maxRestMs = 0 }: Pick<SandboxBackend, 'maxRestMs'>): boolean {
  return maxRestMs > 0
}

/** Whether a backend rejected because the sandbox is gone, so that no process was started. */
export function isGone(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE'
}

/** A process in a sandbox, and its unique id. */
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

/**
 * Runs a command to its end, or up to a time limit, and ignores its output. Never rejects: if the sandbox is gone, or cannot start
 * another process, other processes report it.
 *
 * @param options - `ref`: whether the command keeps this Node process alive.
 */
export async function runBestEffort(
  target: ExecTarget,
  command: readonly [string, ...string[]],
  { limitMs, ref = true }: { readonly limitMs: number; readonly ref?: boolean },
): Promise<void> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    const { process } = await openExec({ ...target, directory: '/' }, command, { signal })
    if (!ref) process.unref?.()
    signal.addEventListener('abort', () => process.destroy(), { once: true })
    await process.read(() => {})
    process.destroy()
  } catch {
    // Other processes report that the sandbox is gone.
  }
}
