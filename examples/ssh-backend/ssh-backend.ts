import { randomUUID } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { BackendProcess, ExecOptions, SandboxBackend } from '@fenced/core/sandbox'
import { NotBegunError, type Session, SshConnection, type SshOptions } from './ssh-connection.ts'

/** Options of {@link SshBackend.start}. */
export interface SshBackendOptions extends SshOptions {
  /**
   * The directory that it makes there and removes at its end. An existing directory is refused.
   *
   * @default a new one in /tmp
   */
  readonly directory?: string
  /**
   * Variables for every command, in addition to the login's own.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Ends what it started: it is on the environment of every process of the sandbox. */
const markName = 'FENCED_SANDBOX'

/**
 * A directory of a machine that OpenSSH reaches, as the backend of a sandbox. It isolates nothing: what runs there may do what the login may.
 * It ends with the connection, also when this process is killed: its processes are killed, and the directory is removed.
 */
export class SshBackend implements SandboxBackend {
  readonly directory: string
  readonly where: string
  readonly maxRestMs = 60_000
  readonly #connection: SshConnection
  readonly #env: Readonly<Record<string, string>>
  #removal: Promise<string> | undefined

  /** Rejects with FencedError `SSH_FAILED` when there is no connection, or the directory cannot be made. */
  static async start(options: SshBackendOptions): Promise<SshBackend> {
    const { directory = `/tmp/fenced-${randomUUID()}`, signal = new AbortController().signal } = options
    const mark = randomUUID()
    const env = { ...options.env, [markName]: mark }
    signal.throwIfAborted()
    try {
      const script = shell(keeper, [directory, `${markName}=${mark}`])
      const connection = await SshConnection.open(options, script, signal)
      return new SshBackend(connection, directory, env)
    } catch (error) {
      throw signal.aborted ? signal.reason : failed(`start in ${options.destination}:${directory}`, error)
    }
  }

  private constructor(connection: SshConnection, directory: string, env: Readonly<Record<string, string>>) {
    this.#connection = connection
    this.directory = directory
    this.where = `${connection.destination} (ssh)`
    this.#env = env
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess> {
    const { user = '', cwd, env, stdin: hasStdin, signal } = options
    const variables = Object.entries({ ...this.#env, ...env }).map((pair) => pair.join('='))
    const args = [user, cwd, ...variables, '/bin/sh', '-c', 'exec "$@"', 'sh', ...command]
    try {
      return await this.#start([run, ...args], { hasStdin, signal })
    } catch (error) {
      if (!(error instanceof NotBegunError)) throw error
      const message = `${user} is not the user of the login, and a login is one user: ${this.where} cannot start a command as another user.`
      throw new FencedError({ code: 'SSH_ONE_USER', message, data: { user, backend: this.where } })
    }
  }

  async state(): Promise<'running' | 'ended' | 'unknown'> {
    if (this.#removal !== undefined || !(await this.#connection.isOpen())) return 'ended'
    try {
      const session = await this.#start([look], { hasStdin: false, signal: AbortSignal.timeout(5_000) })
      session.destroy()
      return 'running'
    } catch (error) {
      return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE' ? 'ended' : 'unknown'
    }
  }

  async remove({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted()
    this.#removal ??= this.#connection.close()
    const aborted = Promise.withResolvers<never>()
    const onAbort = () => aborted.reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const said = await Promise.race([this.#removal, aborted.promise])
    signal?.removeEventListener('abort', onAbort)
    // A cut connection delivers no message: the directory is removed once the machine notices the cut.
    if (said !== '' && !said.endsWith('removed\n')) throw failed(`remove ${this.directory}`, new Error(said))
  }

  /** Starts a script with arguments, where the directory is there. Rejects with NotBegunError when it ended with {@link notDone}. */
  async #start(
    [script, ...args]: readonly [string, ...string[]],
    options: { hasStdin: boolean; signal: AbortSignal },
  ): Promise<Session> {
    options.signal.throwIfAborted()
    if (this.#removal !== undefined) throw this.#gone()
    try {
      return await this.#connection.start(shell(`${guard}\n${script}`, [this.directory, ...args]), options)
    } catch (error) {
      options.signal.throwIfAborted()
      const exitCode = error instanceof NotBegunError ? error.exitCode : undefined
      if (exitCode === notDone) throw error
      if (exitCode === noDirectory || !(await this.#connection.isOpen())) throw this.#gone(error)
      throw failed('start a session', error)
    }
  }

  #gone(cause?: unknown): FencedError {
    const message = `${this.directory} of ${this.where} was removed, or the connection was lost and it ended with it.`
    const data = { directory: this.directory, backend: this.where }
    return new FencedError({ code: 'SANDBOX_GONE', message, data, cause })
  }
}

/** Exit codes before a script begins: the directory is not there, or what is asked for is not. */
const [noDirectory, notDone] = [97, 98]

const guard = `[ -d "$1" ] || exit ${noDirectory}`

const look = 'echo begins'

// The waiting shell reports the signal that ended a program, because ssh does not. Its own output is dropped.
// A command leads a separate session, as in a container.
const run = `case $2 in '' | "$(id -un)" | "$(id -u)" | "$(id -u):$(id -g)") ;; *) exit ${notDone} ;; esac
echo begins
cd -- "$3" || exit 126
shift 3
exec 3>&2 2> /dev/null
setsid env "$@" 2>&3 3>&-
exit $?`

// The script of the connection. It removes only its own directory, once all processes have ended. A new fork can be missed, so it
// searches until it finds no process twice in a row.
const keeper = `trap '' HUP INT TERM PIPE
umask 077
mkdir -- "$1" || exit 1
echo begins
cat > /dev/null
looks=0
none=0
while [ $none -lt 2 ] && [ $looks -lt 100 ]; do
  looks=$((looks + 1))
  none=$((none + 1))
  for file in $(grep -ls "$2" /proc/[0-9]*/environ 2> /dev/null); do
    id=\${file#/proc/}
    kill -9 "\${id%/environ}" 2> /dev/null && none=0
  done
  sleep 0.05
done
find "$1" -type d -exec chmod u+rwx {} \\; 2> /dev/null
rm -rf -- "$1" 2>&1 && echo removed`

/** A line for the login's shell, which has to be one as POSIX knows them. */
function shell(script: string, args: readonly string[]): string {
  const words = ['/bin/sh', '-c', script, 'sh', ...args]
  return `exec ${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`
}

function failed(doing: string, cause: unknown): FencedError {
  const words = cause instanceof Error ? cause.message.trim() : String(cause)
  const message = `ssh could not ${doing}: ${words}`
  return new FencedError({ code: 'SSH_FAILED', message, data: { reason: words }, cause })
}
