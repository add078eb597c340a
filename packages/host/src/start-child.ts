import { ChildProcess, execFile, type StdioOptions } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { spawn } from 'cross-spawn'
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
export function startChild(command: readonly [string, ...string[]], options: ChildOptions): StartedChild {
  const child = spawned(command, options)
  // A program that has ended closes it; its end says so.
  child.stdin?.on('error', () => {})
  const exit = new Promise<ProcessExit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  if (options.signal !== undefined) stopWhenAborted(child, options.signal, options.killGraceMs)
  return { child, exit }
}

function spawned(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, stdin, outputs, others = [] }: ChildOptions,
): ChildProcess {
  const given = [...others, ...withoutInherited(3 + others.length)]
  const stdio: StdioOptions = [stdin, ...outputs, ...given]
  const isWindows = process.platform === 'win32'
  try {
    return spawn(program, args, { cwd, env, stdio, detached: !isWindows, windowsHide: true })
  } catch (error) {
    // Node emits most errors, and throws others, such as E2BIG.
    const outputs = { stdout: Readable.from([]), stderr: Readable.from([]) }
    const child = Object.assign(new ChildProcess(), { stdin: null, ...outputs, stdio: [] as never })
    process.nextTick(() => child.emit('error', error))
    return child
  }
}

/** Stops the process group: with SIGTERM, and with SIGKILL if something still has its output after `graceMs`. */
function stopWhenAborted(child: ChildProcess, signal: AbortSignal, graceMs = 1_000): void {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    if (process.platform === 'win32') return endTree(child.pid)
    signalGroup(child.pid, 'SIGTERM')
    timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs)
  }
  const end = () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  child.once('error', end)
  child.once('close', end)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
}

/** Windows has no process groups, and `taskkill` finds the descendants only before their ancestor has ended. */
function endTree(leader: number | undefined): void {
  if (leader === undefined) return
  const program = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe')
  execFile(program, ['/pid', `${leader}`, '/T', '/F'], () => {})
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
