import { randomBytes } from 'node:crypto'
import { finished } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { askForEnd, Demultiplexer, endOf } from '@fenced/docker-engine'
import type Docker from 'dockerode'
import { hasEnded } from '../container/describe-loss.ts'
import { EndMark } from './end-mark.ts'

/** A command of our own in a container, not a block. */
export interface OwnCommand {
  readonly command: readonly string[]
  readonly user: string
  readonly workingDirectory: string
  readonly signal: AbortSignal
  /** How many bytes of its output are kept. Default 1 MiB. */
  readonly maxOutputBytes?: number
  /** What happens to more than that: the command fails, which is the default, or only the end is kept. */
  readonly excess?: 'fail' | 'keep-end'
}

/** What became of it. */
export interface OwnCommandResult {
  readonly exitCode: number
  /** Both streams as they came; or why the engine could not start the command. */
  readonly output: string
}

/** How often a command is looked after whose output does not end, in milliseconds. */
const pollMs = 250

/** How long the rest of the output of a command that has ended may take to come, in milliseconds. */
const restMs = 2_000

/** Runs a command and marks the end of its output, because a connection that was cut looks like a quiet command. */
const script = `"$@"
code=$?
printf '\\036%s0\\036' "$0"
exit $code`

/**
 * Runs a short command to its end and keeps what it says.
 *
 * @throws FencedError `CONTAINER_UNUSABLE` when it writes more than it may; what the engine answers; or that the
 * connection was cut or the container ended before the command's end.
 */
export async function runCommand(
  container: Docker.Container,
  { command, user, workingDirectory, signal, maxOutputBytes = 2 ** 20, excess = 'fail' }: OwnCommand,
): Promise<OwnCommandResult> {
  const runId = randomBytes(16).toString('hex')
  const exec = await container.exec({
    Cmd: ['/bin/sh', '-c', script, runId, ...command],
    User: user,
    WorkingDir: workingDirectory,
    AttachStdout: true,
    AttachStderr: true,
    abortSignal: signal,
  })
  const connection = await exec.start({ abortSignal: signal })
  const kept = new KeptOutput(maxOutputBytes, excess)
  const mark = new EndMark(runId)
  const over = new AbortController()
  const demultiplexer = new Demultiplexer((stream, chunk) => {
    kept.add(stream === 'stdout' ? mark.push(chunk) : chunk)
    if (mark.note !== undefined) over.abort()
  })
  let fault: unknown
  connection.on('data', (chunk: Buffer) => {
    try {
      demultiplexer.push(chunk)
    } catch (error) {
      fault ??= error
      // The command is ended by its next write.
      connection.destroy()
      over.abort()
    }
  })
  finished(connection, () => over.abort())
  await ended(exec, AbortSignal.any([signal, over.signal]))
  connection.destroy()
  signal.throwIfAborted()
  if (fault !== undefined) throw fault
  const isWhole = mark.note !== undefined
  const exitCode = await endOf(exec, isWhole)
  const output = kept.text
  // Docker gives 126 to a command whose connection was cut, as to one that it could not start. But then it says why,
  // and ends with CR LF (moby, `postContainerExecStart`).
  const isKnown = isWhole || /OCI runtime|exec failed|\r\n$/i.test(output)
  if (exitCode === undefined || !isKnown) throw await loss(container)
  return { exitCode, output }
}

/** The bytes of an output, within a limit. */
class KeptOutput {
  readonly #limit: number
  readonly #excess: 'fail' | 'keep-end'
  #chunks: Buffer[] = []
  #size = 0

  constructor(limit: number, excess: 'fail' | 'keep-end') {
    this.#limit = limit
    this.#excess = excess
  }

  /** @throws FencedError when it is too much. */
  add(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk))
    this.#size += chunk.length
    if (this.#size <= this.#limit) return
    if (this.#excess === 'fail') throw tooMuch(this.#limit)
    // Twice the limit before anything is copied, so that each byte is copied once or twice.
    if (this.#size > 2 * this.#limit) this.#keepEnd()
  }

  get text(): string {
    this.#keepEnd()
    return Buffer.concat(this.#chunks).toString('utf8')
  }

  #keepEnd(): void {
    if (this.#size <= this.#limit) return
    this.#chunks = [Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#limit))]
    this.#size = this.#limit
  }
}

function tooMuch(limit: number): FencedError {
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `A command that Fenced runs in the container wrote more than ${limit} bytes, which no usual program does. Check the \`image\`: its shell may not be one.`,
  })
}

/** A service that the command leaves behind may hold the connection open for as long as it lives. */
async function ended(exec: Docker.Exec, wake: AbortSignal): Promise<void> {
  while (!wake.aborted) {
    await delay(pollMs, undefined, { signal: wake }).catch(() => {})
    if (wake.aborted || (await askForEnd(exec)) === undefined) continue
    await delay(restMs, undefined, { signal: wake }).catch(() => {})
    return
  }
}

/** An error to be thrown when a connection ended early, with the field by which errors of its kind are known. */
export async function loss(container: Docker.Container): Promise<Error> {
  return (await hasEnded(container))
    ? Object.assign(new Error('The container ended.'), { statusCode: 409 })
    : Object.assign(new Error('the connection was cut before the end of a command'), { code: 'ECONNRESET' })
}
