import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { BackendProcess } from '@fenced/core/sandbox'
import { pendingReads, TextTail } from '@fenced/shared'
import { EndMark } from './end-mark.ts'
import type { ExecTarget } from './exec-target.ts'
import { lossError } from './explain-disconnect.ts'

/** A command of our own in a sandbox, not a block. */
export interface OwnCommand {
  readonly command: readonly [string, ...string[]]
  readonly signal: AbortSignal
  /** How many bytes it may write, or how many UTF-16 code units of its end are kept. Default 1 MiB. */
  readonly maxOutputBytes?: number
  /** What happens to more than that: the command fails, which is the default, or only the end is kept. */
  readonly excess?: 'fail' | 'keep-end'
}

/** What became of it. */
export interface OwnCommandResult {
  readonly exitCode: number
  /** Both streams as they came; or why the command could not be started. */
  readonly output: string
}

/** How often a command is looked after whose output does not end, in milliseconds. */
const pollMs = 250

/** How long the rest of the output of a command that has ended may take to come, in milliseconds. */
const restMs = 2_000

/** Runs a command and marks the end of its output, because a connection that was cut looks like a quiet command. */
const script = `"$@"
code=$?
printf '\\036%s0%s\\036' "$0" $code
exit $code`

/**
 * Runs a short command to its end and keeps what it says.
 *
 * @throws FencedError `CONTAINER_UNUSABLE` when it writes more than it may, `SANDBOX_GONE` and `ENGINE_LOST` when the
 * sandbox ended or the connection was cut before the command's end, and what the backend rejects with.
 */
export async function runCommand(
  { backend, user, directory, variables = {} }: ExecTarget,
  { command, signal, maxOutputBytes = 2 ** 20, excess = 'fail' }: OwnCommand,
): Promise<OwnCommandResult> {
  const runId = randomBytes(16).toString('hex')
  const process = await backend.exec(['/bin/sh', '-c', script, runId, ...command], {
    user,
    cwd: directory,
    env: variables,
    stdin: false,
    signal,
  })
  const kept = new TextTail(maxOutputBytes)
  let sizeBytes = 0
  const mark = new EndMark(runId)
  const over = new AbortController()
  let fault: unknown
  process
    .read((stream, chunk) => {
      const part = stream === 'stdout' ? mark.push(chunk) : chunk
      sizeBytes += part.length
      if (excess === 'fail' && sizeBytes > maxOutputBytes) throw tooMuch(maxOutputBytes)
      kept.push(part)
      if (mark.note !== undefined) over.abort()
    })
    .catch((error: unknown) => {
      // The command is ended by its next write.
      fault = error
    })
    .finally(() => over.abort())
  await ended(process, AbortSignal.any([signal, over.signal]))
  process.destroy()
  signal.throwIfAborted()
  if (fault !== undefined) throw fault
  const output = kept.text
  if (mark.note !== undefined) return { exitCode: mark.note.exitCode, output }
  // Docker reports 126 both for a lost connection and for a command that could not be started. Only the latter prints a reason,
  // which ends with CR LF (moby, `postContainerExecStart`).
  const exitCode = /OCI runtime|exec failed|\r\n$/i.test(output) ? await process.poll() : undefined
  if (exitCode === undefined) throw await lossError(backend, output)
  return { exitCode, output }
}

function tooMuch(limit: number): FencedError {
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `A command that Fenced runs in the sandbox wrote more than ${limit} bytes. Check the \`image\`: its /bin/sh may not be a shell.`,
    data: { limitBytes: `${limit}` },
  })
}

/** A service that the command leaves behind may hold the connection open for as long as it lives. */
async function ended(process: BackendProcess, wake: AbortSignal): Promise<void> {
  while (!wake.aborted) {
    await delay(pollMs, undefined, { signal: wake }).catch(() => {})
    if (wake.aborted || (await process.poll()) === undefined) continue
    await delay(restMs, undefined, { signal: wake }).catch(() => {})
    return pendingReads()
  }
}
