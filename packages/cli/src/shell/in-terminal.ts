import { once } from 'node:events'
import { exitCodes } from '@fenced/core'
import type { ExecutorSandbox, ProcessEnd, TerminalSize } from '@fenced/core/sandbox'
import { visible } from '@fenced/errors/text'

/**
 * Runs a command in a sandbox, in the terminal of this process, whose keys all go to the command. The modes of the terminal are restored,
 * however the command ends.
 *
 * @returns the exit code of the command.
 */
export async function runInTerminal(
  sandbox: ExecutorSandbox,
  command: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<number> {
  const { stdin, stdout } = process
  const { TERM = 'xterm-256color' } = process.env
  const started = await sandbox.spawn(command, {
    terminal: sizeOf(stdout),
    env: { TERM },
    signal,
    output: show,
  })
  const resize = () => void started.resize?.(sizeOf(stdout)).catch(() => {})
  const type = (keys: Buffer) => {
    if (started.stdin?.write(keys) !== false) return
    stdin.pause()
    started.stdin.once('drain', () => stdin.resume())
  }
  stdout.on('resize', resize)
  stdin.setRawMode(true)
  // It may have changed meanwhile.
  resize()
  stdin.on('data', type)
  try {
    const end = await started.ended
    if (end.kind !== 'exited' || end.wasStopped) stdout.write(plainModes)
    return exitCodeOf(end)
  } finally {
    stdin.off('data', type).pause()
    stdin.setRawMode(false)
    stdout.off('resize', resize)
  }
}

/**
 * Ends modes that a program sets and restores at its end: the other screen, changed keys, a hidden cursor, reports of the mouse, and marks
 * around pasted text.
 */
const plainModes = '\x1b[?47l\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l'

async function show(_: unknown, chunk: Uint8Array): Promise<void> {
  // Its memory is used again.
  if (process.stdout.write(Buffer.from(chunk))) return
  await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')])
}

/** A terminal that does not know its size says 0. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 }
}

function exitCodeOf(end: ProcessEnd): number {
  if (end.kind === 'exited') return end.exitCode
  process.stderr.write(`fenced: ${visible(end.message)}\n`)
  if (end.kind !== 'not-started') return exitCodes.died
  return end.reason === 'not-found' ? exitCodes.notFound : exitCodes.notExecutable
}
