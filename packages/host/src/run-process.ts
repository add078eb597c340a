import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { BlockIo, Notice } from '@fenced/core'
import { exitCodeOfSignal } from '@fenced/core'
import { execa } from 'execa'
import { withoutInherited } from './descriptors.ts'
import { EscapedProcesses } from './escaped-processes.ts'
import { type DrainTimes, endsWithin, OutputPump } from './output-pump.ts'
import type { Environment } from './program-environment.ts'

/** How long processes that a program leaves behind may go on writing after its end, in milliseconds. */
const afterglowMs = 100

/** What {@link runProcess} starts. */
export interface ProcessOptions {
  /** The program and its arguments. No shell takes part. */
  readonly command: readonly [string, ...string[]]
  /** The directory in which it starts. */
  readonly cwd: string
  /** Its whole environment: nothing is added. */
  readonly env: Environment
  /** How long it may take to end after SIGTERM before it gets SIGKILL, in milliseconds. */
  readonly killGraceMs: number
  /** Descriptors that it gets from 3 up; all others from there are empty. Default none. */
  readonly descriptors?: readonly number[]
}

/** How a process ended: its exit code as a shell would report it, and the signal that ended it; or why it could not be started. */
export type ProcessEnd =
  | { readonly exitCode: number; readonly signal: NodeJS.Signals | null }
  | { readonly notStarted: NodeJS.ErrnoException }

/** Runs a program to its end, or until `io.signal`; no process that it started is left when this resolves. */
export async function runProcess(
  { command, cwd, env, killGraceMs, descriptors = [] }: ProcessOptions,
  io: BlockIo,
): Promise<ProcessEnd> {
  const [program, ...args] = command
  const escaped = new EscapedProcesses()
  const subprocess = execa(program, args, {
    cwd,
    env: { ...env, ...escaped.mark },
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'pipe', ...extraDescriptors(descriptors)],
    encoding: 'buffer',
    buffer: false,
    reject: false,
    cancelSignal: io.signal,
    forceKillAfterDelay: killGraceMs,
    // A process group of its own, so that a signal reaches everything that is still in it.
    killDescendants: true,
    windowsHide: true,
  })
  const child = subprocess.nodeChildProcess
  const pumps = (['stdout', 'stderr'] as const).map(
    (stream) => new OutputPump(child[stream] as Readable, (chunk) => io.write(stream, chunk)),
  )
  const end = await new Promise<ProcessEnd>((resolve) => {
    child.once('error', (error) => resolve({ notStarted: error }))
    // Where nothing could be started execa has a child of its own making, which says nothing.
    void subprocess.then(({ cause }) => {
      if (child.pid === undefined) resolve({ notStarted: toError(cause) })
    })
    child.once('exit', (code, signal) =>
      resolve({ exitCode: code ?? exitCodeOfSignal(signalNumber(signal)), signal }),
    )
  })
  io.ended()
  // The program has ended, but a process that it left behind may hold its streams open for ever.
  if (!io.signal.aborted) await endsWithin(Promise.all(pumps.map((pump) => pump.done)), afterglowMs)
  killGroup(child.pid)
  escaped.kill()
  const hasEnded = await Promise.all(pumps.map((pump) => pump.drain(drainTimes)))
  if (hasEnded.includes(false)) io.notice(leftBehind)
  return end
}

/** Behind the end of a program and of all that is known to be its own, in milliseconds. */
const drainTimes: DrainTimes = { quietMs: 250, longestMs: 1_000 }

const leftBehind: Notice = {
  code: 'left-behind',
  message:
    'A process that the program started has left its session and cleared its environment, and still holds the output of the program. It was not found and may go on; what it writes is not read any more.',
}

function toError(cause: unknown): NodeJS.ErrnoException {
  return cause instanceof Error ? cause : new Error(String(cause))
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined || process.platform === 'win32') return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: nobody is left, which is what was wanted.
  }
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? constants.signals.SIGKILL : constants.signals[signal]
}

/** Execa takes numbers here as Node does; its types do not have them. */
export function extraDescriptors(own: readonly number[]): 'ignore'[] {
  return [...own, ...withoutInherited(3 + own.length)] as 'ignore'[]
}
