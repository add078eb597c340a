import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { reasonIn } from '@fenced/errors'
import { findProgram, withTrustedPath } from '@fenced/host'
import { nodeHttp, TextTail } from '@fenced/shared'
import type { SshAddress } from './address.ts'
import { Fault } from './fault.ts'
import { handshakesTo } from './ssh-handshakes.ts'

/**
 * Reaches an engine as docker's CLI does (cli/connhelper): through the system's `ssh`, so that ~/.ssh/config, agents
 * and known hosts hold. docker-modem's own ssh accepts every host key.
 */
export class SshAgent extends nodeHttp().Agent {
  readonly #args: readonly string[]
  readonly #environment: NodeJS.ProcessEnv

  constructor(address: SshAddress, environment: NodeJS.ProcessEnv) {
    // Kept, because a connection costs a handshake; SshConnection ends itself when it was idle for long.
    super({ keepAlive: true })
    this.#args = sshArguments(address)
    this.#environment = environment
  }

  /** A connection that no request has. */
  connectTo(): SshConnection {
    return new SshConnection(this.#args, this.#environment)
  }

  override createConnection(_: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    const done = callback ?? (() => {})
    void handshakesTo(this.#args.join(' '))
      .enter()
      .then((leave) => {
        try {
          done(null, new SshConnection(this.#args, this.#environment, leave))
        } catch (error) {
          leave()
          done(error as Error, new Duplex())
        }
      })
  }
}

export function sshArguments({ user, port, host, path }: SshAddress): string[] {
  const socket = path === undefined ? [] : [quoted(`--host=unix://${path}`)]
  return [
    ...['-o', 'ConnectTimeout=30', '-T'],
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', port]),
    // No host can pass for an option of ssh.
    ...['--', host, 'docker', ...socket, 'system', 'dial-stdio'],
  ]
}

/** ssh joins its arguments with blanks, and the shell over there reads them. */
function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const idleMs = 30_000
const killGraceMs = 2_000
const lingerMs = 1_000
const maxWords = 4_096

/**
 * A connection to an engine, through a child process: `ssh host docker system dial-stdio`. The process ends with the
 * connection, and the connection with the process; what ssh says when it fails is the connection's error.
 */
export class SshConnection extends Duplex {
  readonly #child: ChildProcessWithoutNullStreams
  /** As of a socket: what came, and what was sent. */
  bytesRead = 0
  bytesWritten = 0
  readonly #words = new TextTail(maxWords)
  /** Called at the first sign of the engine, and at the end. */
  readonly #onLogin: () => void
  #idle: NodeJS.Timeout | undefined

  /** @throws FencedError `PROGRAM_WRITABLE` where code could replace ssh. */
  constructor(args: readonly string[], environment: NodeJS.ProcessEnv, onLogin: () => void = () => {}) {
    super({ allowHalfOpen: false })
    this.#onLogin = onLogin
    const env = withTrustedPath(environment)
    this.#child = spawn(findProgram('ssh', { path: env.PATH }) ?? 'ssh', args, {
      env,
      windowsHide: true,
      // As docker's CLI: a separate session has no terminal, so ssh cannot wait there for a password.
      detached: process.platform !== 'win32',
    })
    const { stdin, stdout, stderr } = this.#child
    stdout.on('data', (chunk) => {
      if (this.bytesRead === 0) onLogin()
      this.bytesRead += chunk.length
      if (!this.push(chunk)) stdout.pause()
    })
    stderr.setEncoding('utf8').on('data', (text: string) => this.#words.push(text))
    // ssh is at its end, and its exit says why.
    stdin.on('error', () => {})
    this.#child.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'it is not on the PATH' : cause.message
      this.destroy(
        new Fault('ssh', `the program ssh could not be started: ${why}`, {
          cause,
          data: { program: 'ssh', reason: cause.code ?? cause.message },
        }),
      )
    })
    void this.#followToItsEnd()
  }

  override _read(): void {
    this.#child.stdout.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.bytesWritten += chunk.length
    // Not called back after an error: the exit of ssh ends the connection, with the better words.
    this.#child.stdin.write(chunk, (error) => {
      if (!error) done()
    })
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idle)
    this.#onLogin()
    const { stdin, stdout, stderr } = this.#child
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
    this.#kill('SIGTERM')
    setTimeout(() => this.#kill('SIGKILL'), killGraceMs).unref()
    done(error)
  }

  /** The agent calls this when the connection becomes idle. It then neither keeps the process alive nor stays open for ever. */
  unref(): void {
    for (const part of this.#parts()) part.unref()
    this.#idle = setTimeout(() => this.destroy(), idleMs).unref()
  }

  /** The agent calls this when it uses the connection again. */
  ref(): void {
    clearTimeout(this.#idle)
    for (const part of this.#parts()) part.ref()
  }

  // What http calls on every socket, and what has no meaning here.
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }

  async #followToItsEnd(): Promise<void> {
    const { stdout, stderr } = this.#child
    const ended = new Promise<void>((resolve) => stdout.once('end', resolve))
    const said = new Promise<void>((resolve) => stderr.once('close', resolve))
    const exit = new Promise<number | null>((resolve) => this.#child.once('exit', resolve))
    // An ssh process that carries other sessions too (ControlMaster) continues after the end of this session.
    const code = await Promise.race([exit, ended.then(() => delay(lingerMs, 0, { ref: false }))])
    if (code === 0) {
      await ended
      this.push(null)
      return
    }
    // Its words may come after its exit, and something that it left running may hold stderr open.
    await Promise.race([said, delay(lingerMs, undefined, { ref: false })])
    const words = reasonIn(this.#words.text)
    const how = code === null ? 'was killed' : `ended with ${code}`
    const data = { program: 'ssh', output: words, ...(code === null ? {} : { exitCode: String(code) }) }
    this.destroy(new Fault('ssh', `ssh ${how}${words === '' ? '' : `: ${words}`}`, { data }))
  }

  /** The whole group: a ProxyCommand is in it. */
  #kill(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    try {
      if (process.platform === 'win32') this.#child.kill(signal)
      else process.kill(-pid, signal)
    } catch {
      // It is ending just now: ESRCH, and EPERM on macOS.
    }
  }

  /** What keeps a Node process running for it; pipes are sockets, although their types say less. */
  #parts(): ReadonlyArray<Pick<Socket, 'ref' | 'unref'>> {
    const { stdin, stdout, stderr } = this.#child
    return [this.#child, stdin, stdout, stderr] as unknown as Socket[]
  }
}
