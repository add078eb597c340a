import type { SpawnOptions } from '@fenced/core/sandbox'
import type { ExecTarget } from '../exec/exec-target.ts'
import { type OpenExec, openExec, runBestEffort } from '../exec/exec-target.ts'
import type { ExecPool } from './exec-pool.ts'
import { controlledScript, openScript, signalScript } from './process-scripts.ts'
import { type ShortSignal, SupervisedProcess } from './supervised-process.ts'

type ProcessRole = NonNullable<SpawnOptions['role']>

/** Where processes are started. */
export interface ProcessTarget extends ExecTarget {
  /** Whether only one caller runs blocks in it. */
  readonly isExclusive: boolean
  /** Whether its processes continue to run when this process ends. */
  readonly isDetached?: boolean
  readonly execs: ExecPool
}

/** {@link SpawnOptions}, with every default filled in. */
export interface ProcessRequest extends SpawnOptions {
  readonly cwd: string
  readonly killGraceMs: number
  readonly role: ProcessRole
}

const never = new AbortController().signal

/** @throws what the backend rejects with. Nothing has begun then. */
export async function startProcess(
  target: ProcessTarget,
  command: readonly [string, ...string[]],
  request: ProcessRequest,
): Promise<SupervisedProcess> {
  const hasStdin = request.stdin === 'open'
  // The others end with the connection to them.
  const staysOpen = hasStdin || (target.isDetached === true && request.role === 'process')
  const opened = staysOpen
    ? await openExec(
        { ...target, directory: request.cwd },
        ['/bin/sh', '-c', openScript, 'fenced', losesUnread(target), ...command],
        {
          env: request.env ?? {},
          signal: request.signal ?? never,
        },
      )
    : await openControlled(target, command, request)
  if (staysOpen && !hasStdin) opened.process.stdin?.end()
  const { output, signal, killGraceMs } = request
  return new SupervisedProcess({
    ...{ backend: target.backend, opened, program: command[0], hasStdin, output, signal, killGraceMs },
    send: staysOpen ? signalsThrough(target, opened.runId) : async (name) => writeLine(opened, name),
  })
}

/** The process of a block may be waiting already. Other commands are passed as arguments, and can be anything. */
async function openControlled(
  target: ProcessTarget,
  command: readonly [string, ...string[]],
  { cwd, env = {}, role, signal = never }: ProcessRequest,
): Promise<OpenExec> {
  const isPlain =
    role === 'block' &&
    cwd === target.directory &&
    Object.keys(env).length === 0 &&
    !command.some((word) => word.includes('\n'))
  const opened = isPlain
    ? await target.execs.take(signal)
    : await openExec({ ...target, directory: cwd }, [...controlledCommand(target, role), ...command], {
        env,
        signal,
      })
  writeLine(opened, [`${isPlain ? command.length : 0}`, ...(isPlain ? command : [])].join('\n'))
  return opened
}

/** What waits for a command's words, or runs those that are added to it. */
export function controlledCommand(
  target: Pick<ProcessTarget, 'isExclusive' | 'backend'>,
  role: ProcessRole,
): [string, ...string[]] {
  const isExclusive = target.isExclusive ? 'yes' : 'no'
  return ['/bin/sh', '-c', controlledScript, 'fenced', isExclusive, losesUnread(target), role]
}

function losesUnread({ backend }: Pick<ProcessTarget, 'backend'>): 'yes' | 'no' {
  return backend.losesUnreadOutput === true ? 'yes' : 'no'
}

function writeLine({ process }: OpenExec, line: string): void {
  process.stdin?.write(`${line}\n`)
}

/** How long another process may take to send a signal, in milliseconds. */
const signalLimitMs = 5_000

/** Sends signals by separate processes, one at a time per kind: a pending signal has the same effect. */
function signalsThrough(target: ProcessTarget, runId: string): (name: ShortSignal) => Promise<void> {
  const onTheWay = new Map<ShortSignal, Promise<void>>()
  const send = (name: ShortSignal) =>
    runBestEffort(target, ['/bin/sh', '-c', signalScript, 'fenced', runId, name], { limitMs: signalLimitMs })
  return (name) => {
    const sending = onTheWay.get(name) ?? send(name).finally(() => onTheWay.delete(name))
    onTheWay.set(name, sending)
    return sending
  }
}
