import { randomBytes } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { BackendProcess, ExecOptions, SandboxBackend } from '@fenced/core/sandbox'
import { TextConnection } from './text-connection.ts'
import type { TextSandbox } from './text-sandbox.ts'
import { quoted, textFailures, textPreamble, textScript } from './text-script.ts'

/** How much of stderr explains a command that did not begin, in UTF-16 code units. */
const wordsLength = 2_000

/**
 * Creates a backend from a sandbox whose SDK handles process input and output as text, cannot close stdin, and has no back
 * pressure. All data is sent in length-prefixed base64 frames. The sandbox needs `base64`, `dd`, `mkfifo`, `setsid`, `tr` and a
 * writable `/tmp`.
 *
 * @example
 * ```ts
 * const backend = textBackend(new MySdkSandbox())
 * const sandbox = new SupervisedSandbox({
 *   name: 'mine',
 *   capabilities: { isolation: 'vm', network: 'open', limits: { memory: true, processes: true } },
 *   launch: async () => ({ id: 'vm-1', backend }),
 * })
 * ```
 */
export function textBackend(sandbox: TextSandbox): SandboxBackend {
  const { where, maxRestMs } = sandbox
  return {
    ...{ where, maxRestMs },
    exec: (command, options) => exec(sandbox, command, options),
    state: () => sandbox.state(),
    remove: (options) => sandbox.remove(options),
  }
}

async function exec(
  sandbox: TextSandbox,
  command: readonly [string, ...string[]],
  { user, cwd, env, stdin, signal }: ExecOptions,
): Promise<BackendProcess> {
  signal.throwIfAborted()
  let words = ''
  const onStderr = (text: string) => {
    words = (words + text).slice(-wordsLength)
  }
  const started: { exitCode?: Promise<number | undefined> } = {}
  const connection = await TextConnection.open(async (onStdout) => {
    const line = `exec /bin/sh -c ${quoted(textScript)}`
    const process = await sandbox.start(line, { user, onStdout, onStderr, signal })
    started.exitCode = process.ended
    return process
  }, stdin)
  const onAbort = () => connection.destroy()
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const variables = Object.entries(env).map((pair) => pair.join('='))
  const preamble = textPreamble({
    ...{ run: randomBytes(16).toString('hex'), user: user ?? '', cwd, stdin },
    words: [...variables, '/bin/sh', '-c', 'exec "$@"', 'sh', ...command],
  })
  const text = Buffer.from(preamble).toString('base64')
  void connection.send(`${text.length}\n${text}`)
  try {
    await connection.begun
    return connection
  } catch (cause) {
    signal.throwIfAborted()
    if (FencedError.isInstance(cause)) throw cause
    const exitCode = await started.exitCode?.catch(() => undefined)
    throw await notBegun(sandbox, { user, exitCode, words: words.trim(), cause })
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

interface Failure {
  readonly user: string | undefined
  readonly exitCode: number | undefined
  readonly words: string
  readonly cause: unknown
}

async function notBegun(
  sandbox: TextSandbox,
  { user, exitCode, words, cause }: Failure,
): Promise<FencedError> {
  const { where: backend = 'the sandbox' } = sandbox
  if (exitCode === textFailures.otherUser && user !== undefined)
    return new FencedError({
      code: 'INVALID_OPTIONS',
      message: `${backend} started a command as a user other than ${user}. Use \`user\` in \`start\`, or omit the \`user\` option.`,
      data: { backend, user, option: 'user' },
      cause,
    })
  if ((await sandbox.state()) === 'ended')
    return new FencedError({
      code: 'SANDBOX_GONE',
      message: 'The sandbox ended before a command in it started. Start again to get a new one.',
      data: { backend },
      cause,
    })
  const reason = words || (exitCode === undefined ? 'the connection was cut' : `exit code ${exitCode}`)
  return new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `A command could not be started in ${backend}: ${reason}. Check that it has \`base64\`, \`dd\`, \`mkfifo\`, \`setsid\` and \`tr\`, and that \`/tmp\` is writable.`,
    data: { backend, reason },
    cause,
  })
}
