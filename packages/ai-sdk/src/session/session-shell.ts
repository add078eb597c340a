import { posix } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { ExecutorSandbox, ProcessEnd, SandboxProcess } from '@fenced/core/sandbox'
import { shortened } from '@fenced/errors/text'
import type { SandboxProcess as SessionProcess } from '../ai-sdk.ts'
import { type NewRedactor, processOutput } from './process-output.ts'
import { checkVariables, invalidArgument } from './sandbox-error.ts'

export interface SessionCommand {
  readonly command: string
  readonly workingDirectory?: string | undefined
  readonly env?: Record<string, string> | undefined
  readonly abortSignal?: AbortSignal | undefined
  readonly stdin?: boolean
}

export class SessionShell {
  readonly #sandbox: ExecutorSandbox
  readonly #newRedactor: NewRedactor
  #shell: Promise<readonly [string, ...string[]]> | undefined

  constructor(sandbox: ExecutorSandbox, newRedactor: NewRedactor) {
    this.#sandbox = sandbox
    this.#newRedactor = newRedactor
  }

  async start({
    command,
    workingDirectory,
    env,
    abortSignal,
    stdin,
  }: SessionCommand): Promise<SandboxProcess> {
    abortSignal?.throwIfAborted()
    checkCommand(command, { workingDirectory, env })
    const line = [...(await this.#find(abortSignal)), '-c', command] as const
    const { directory, capabilities } = this.#sandbox
    const cwd = posix.resolve(directory, workingDirectory ?? '.')
    // A question shows the directory and the command instead of a script.
    const isPlain = workingDirectory === undefined || capabilities.asks === true
    return this.#sandbox.spawn(isPlain ? line : ['/bin/sh', '-c', enterScript, 'sh', cwd, ...line], {
      ...(capabilities.asks === true && workingDirectory !== undefined ? { cwd } : {}),
      env,
      stdin: stdin === true ? 'open' : 'none',
      signal: abortSignal,
    })
  }

  async spawn(command: SessionCommand): Promise<SessionProcess> {
    const process = await this.start(command)
    const { abortSignal } = command
    const ended = process.ended.then((end) => exitOf(end, command))
    // The promise may have no waiter.
    ended.catch(() => {})
    const failed = ended.then(() => undefined)
    failed.catch(() => {})
    const output = (stream: Readable) =>
      processOutput(stream, { failed, abortSignal, redactor: this.#newRedactor() })
    return {
      stdout: output(process.stdout),
      stderr: output(process.stderr),
      wait: () => ended,
      kill: async () => {
        await process.kill()
      },
      ...(process.stdin === undefined ? {} : { stdin: Writable.toWeb(process.stdin) }),
    }
  }

  /**
   * Agents write for `bash`; smaller images have `sh` only. Looked for once. A bash whose standard input is a socket, as that of
   * programs of Node, reads `~/.bashrc` unless it has `--norc` (Bash Reference Manual, 6.2).
   */
  #find(signal: AbortSignal | undefined): Promise<readonly [string, ...string[]]> {
    this.#shell ??= this.#sandbox.which(['bash'], signal === undefined ? {} : { signal }).then(
      (found) => {
        const bash = found.get('bash')
        return bash === undefined ? ['/bin/sh'] : [bash, '--norc']
      },
      (error) => {
        this.#shell = undefined
        throw error
      },
    )
    return this.#shell
  }
}

/** Changes to the working directory. An error is reported on stderr. */
const enterScript = 'cd "$1" || exit 126; shift; exec "$@"'

/** The exit code. Rejects with the signal's reason where that ended it, and where no exit code is known. */
export function exitOf(end: ProcessEnd, { command, abortSignal }: SessionCommand): { exitCode: number } {
  if (end.kind === 'exited' && !end.wasStopped) return { exitCode: end.exitCode }
  abortSignal?.throwIfAborted()
  if (end.kind === 'exited') return { exitCode: end.exitCode }
  const shown = shortened(command, 99)
  const message = `The command ${JSON.stringify(shown)} has no exit code: ${end.message}`
  throw new FencedError({
    code: 'SANDBOX_COMMAND_FAILED',
    message,
    data: { command: shown, reason: end.message },
  })
}

function checkCommand(
  command: string,
  { workingDirectory, env = {} }: Omit<SessionCommand, 'command'>,
): void {
  const text = `${command}${workingDirectory ?? ''}`
  if (text.includes('\0') || !text.isWellFormed())
    throw invalidArgument(
      'A command or its directory contains a NUL or half a surrogate pair, which cannot be passed to a program.',
    )
  checkVariables(env)
}
