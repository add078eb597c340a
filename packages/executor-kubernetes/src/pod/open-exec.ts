import { FencedError } from '@fenced/core'
import { ApiAnswerError, apiError, unreachable } from '../api/api-error.ts'
import type { Cluster } from '../api/cluster.ts'
import { bootScript, goLine } from './exec-script.ts'
import { ExecSocket, type ExecStatus } from './exec-socket.ts'

const command = ['/bin/sh', '-c', bootScript].map((word): [string, string] => ['command', word])
const streams = ['stdin', 'stdout', 'stderr'].map((name): [string, string] => [name, 'true'])

const doing = 'starting a command in a pod'

/** Where execs are opened. */
export interface ExecTarget {
  readonly cluster: Cluster
  /** The path of the pod in the API. */
  readonly podPath: string
  readonly container: string
}

/**
 * Opens an exec that waits for its command.
 *
 * @throws FencedError, and the reason of the signal. Nothing has begun then.
 */
export async function openExec(
  { cluster, podPath, container }: ExecTarget,
  { signal, limitMs }: Omit<Wait, 'cluster'>,
): Promise<ExecSocket> {
  const query = new URLSearchParams([...command, ['container', container], ...streams]).toString()
  const socket = new ExecSocket(await cluster.connect({ path: `${podPath}/exec`, query, doing, signal }))
  return waitForLine(socket, { cluster, signal, limitMs })
}

/**
 * Gives an exec its command.
 *
 * @throws as {@link openExec}.
 */
export async function beginCommand(
  socket: ExecSocket,
  begin: Wait & { readonly input: string },
): Promise<ExecSocket> {
  await beginScript(socket, begin)
  socket.stdin.write(goLine)
  return socket
}

/** Gives an exec lines to read, and waits until it says that it has them. */
export async function beginScript(
  socket: ExecSocket,
  { input, ...wait }: Wait & { readonly input: string | Buffer },
): Promise<ExecSocket> {
  socket.stdin.write(input)
  return waitForLine(socket, wait)
}

/** A wait for the shell of an exec. */
interface Wait {
  readonly cluster: Cluster
  readonly signal: AbortSignal
  /**
   * How long the shell may take, in milliseconds.
   *
   * @default 60_000
   */
  readonly limitMs?: number | undefined
}

/** How much an image may write before its shell says that it listens, in bytes. */
const maxFirstWords = 64 * 1024

/** How much of it an error repeats, in characters. */
const shownWords = 4_096

async function waitForLine(
  socket: ExecSocket,
  { cluster, signal, limitMs = 60_000 }: Wait,
): Promise<ExecSocket> {
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    socket.destroy()
  }, limitMs).unref()
  const onAbort = () => socket.destroy()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    const words = await unexpectedOutput(socket)
    signal.throwIfAborted()
    if (isLate) throw silent(cluster, limitMs)
    if (words !== undefined) throw refusal(words, socket.status, cluster)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** `undefined` when the line came. */
async function unexpectedOutput(socket: ExecSocket): Promise<string | undefined> {
  let hasLine = false
  let byteCount = 0
  let words = ''
  await socket.read((stream, chunk) => {
    if (stream === 'stdout') {
      hasLine = true
      socket.hold(chunk.subarray(1))
      return
    }
    byteCount += chunk.length
    words = (words + Buffer.from(chunk)).slice(0, shownWords)
    // Its connection ends with that.
    if (byteCount > maxFirstWords) throw outputTooLong(words)
  })
  return hasLine ? undefined : words
}

function silent({ server }: Cluster, limitMs: number): FencedError {
  const words = `the pod’s shell did not respond within ${limitMs / 1_000} seconds`
  return unreachable({ server, words, values: { limitMs: String(limitMs) }, doing, cause: undefined })
}

function outputTooLong(words: string): FencedError {
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `The /bin/sh of the pod wrote more than ${maxFirstWords} bytes instead of reading its command. Choose another \`image\`. It begins: ${words}`,
    data: { limitBytes: String(maxFirstWords), output: words, option: 'image' },
  })
}

function refusal(words: string, status: ExecStatus | undefined, cluster: Cluster): FencedError {
  const said = [status?.message?.slice(0, shownWords), words.trim()].filter(Boolean).join(': ')
  if (/\/bin\/sh.*(no such file|not found|executable file)/is.test(said))
    return new FencedError({
      code: 'IMAGE_WITHOUT_SHELL',
      message: `The image has no /bin/sh, which every pod needs. Choose another \`image\`. The cluster says: ${said}`,
      data: { reason: said, option: 'image' },
    })
  if (said === '') return apiError(new Error('the connection was cut'), doing, cluster.server)
  return apiError(new ApiAnswerError(500, { message: said }), doing, cluster.server)
}
