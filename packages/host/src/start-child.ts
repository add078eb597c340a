import type { ChildProcess } from 'node:child_process'
import { execa } from 'execa'
import { withoutInherited } from './descriptors.ts'
import type { Environment } from './program-environment.ts'

/** How the child of {@link startChild} is started. */
export interface ChildOptions {
  readonly cwd: string
  /** The child's complete environment. Nothing is added. */
  readonly env: Environment
  readonly stdin: 'pipe' | 'ignore'
  /** Its stdout and its stderr. */
  readonly outputs: readonly [number | 'pipe' | 'ignore', number | 'pipe']
  /**
   * Additional descriptors, starting at 3. The child inherits no others.
   *
   * @default []
   */
  readonly others?: readonly (number | 'pipe')[] | undefined
  /** Stops the child with SIGTERM, and with SIGKILL after `killGraceMs`. */
  readonly signal?: AbortSignal | undefined
  readonly killGraceMs?: number | undefined
}

/** How a process ended. `error` if it could not be started. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly error?: NodeJS.ErrnoException
}

/** A process, and its end. */
export interface StartedChild {
  readonly child: ChildProcess
  readonly exit: Promise<ProcessExit>
}

/** Starts a program in a separate process group, so that a signal reaches everything that is still in it. */
export function startChild(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, stdin, outputs, others = [], signal, killGraceMs = 1_000 }: ChildOptions,
): StartedChild {
  // Execa takes numbers here as Node does; its types do not have them.
  const given = [...others, ...withoutInherited(3 + others.length)] as 'ignore'[]
  const subprocess = execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    stdio: [stdin, ...(outputs as readonly ['pipe', 'pipe']), ...given],
    encoding: 'buffer',
    buffer: false,
    reject: false,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    forceKillAfterDelay: killGraceMs,
    killDescendants: true,
    cleanup: false,
    windowsHide: true,
  })
  const child = subprocess.nodeChildProcess
  // A program that has ended closes it; its end says so.
  child.stdin?.on('error', () => {})
  const exit = new Promise<ProcessExit>((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve({ code: null, signal: null, error })
    child.once('error', failed)
    // If the program cannot be started, execa returns a substitute, which reports nothing.
    void subprocess.then(({ cause }) => {
      if (child.pid === undefined) failed(toError(cause))
    })
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  return { child, exit }
}

/** Sends a signal to everything that is still in the process group of a program. */
export function signalGroup(leader: number | undefined, name: NodeJS.Signals): void {
  if (leader === undefined) return
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, name)
  } catch {
    // ESRCH: no process is left.
  }
}

/** Whether a process is left in the process group of a program. */
export function isGroup(leader: number): boolean {
  try {
    return process.platform === 'linux' && process.kill(-leader, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function toError(cause: unknown): NodeJS.ErrnoException {
  return typeof cause === 'object' && cause !== null ? (cause as Error) : new Error(String(cause))
}
