import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { ChildBackendProcess } from '@fenced/sandbox'
import { Room } from './room.ts'

/** How a machine is reached. */
export interface SshOptions {
  /** As `ssh` takes it: `user@host`, or a name of ~/.ssh/config. */
  readonly destination: string
  /** Options for `ssh`: `['-p', '2222']`. Nothing can be asked at a terminal: it needs a key, and a host that is known. */
  readonly sshOptions?: readonly string[]
  /**
   * How many sessions the server allows in one connection. The connection's own takes one; further ones wait for room.
   *
   * @default 10, as sshd does (`MaxSessions`)
   */
  readonly maxSessions?: number
}

/** A script that ended before it printed that it begins. */
export class NotBegunError extends Error {
  readonly exitCode: number | undefined

  constructor(exitCode: number | undefined, words: string) {
    super(words.trim() || `ssh ended with ${exitCode ?? 'a signal'}`)
    this.exitCode = exitCode
  }
}

/**
 * One connection (`ControlMaster`) for many sessions. A script on the other side notices the end of its stdin when the connection is
 * closed or cut, or when this process is killed.
 */
export class SshConnection {
  readonly destination: string
  /** Resolves when it has ended, with what its own script has printed. */
  readonly ended: Promise<string>
  #isOpen = true
  readonly #args: readonly string[]
  readonly #master: Session
  readonly #room: Room

  /** Rejects with NotBegunError when there is no connection, or its own script does not begin. */
  static async open(options: SshOptions, script: string, signal: AbortSignal): Promise<SshConnection> {
    // Short: the path of a socket has room for about a hundred characters.
    const folder = await mkdtemp(join(tmpdir(), 'fenced-ssh-'))
    const args = ['-S', join(folder, 'socket'), ...settings, ...(options.sshOptions ?? [])]
    const master = new Session(['-M', ...args, '--', options.destination, script], { hasStdin: true })
    try {
      await master.begun(signal)
      return new SshConnection(options, { folder, args, master })
    } catch (error) {
      await rm(folder, { recursive: true })
      throw error
    }
  }

  private constructor(options: SshOptions, { folder, args, master }: Parts) {
    this.destination = options.destination
    // Without the socket, ssh would open a separate connection.
    this.#args = [...args, '-o', 'ProxyCommand=false']
    this.#master = master
    this.#room = new Room((options.maxSessions ?? 10) - 1)
    this.ended = this.#followToItsEnd(folder)
    master.unref()
  }

  /** Whether it is there still, as the connection itself says. */
  async isOpen(): Promise<boolean> {
    return this.#isOpen && (await this.#control('check')) === 0
  }

  /** Starts a script, and waits until it prints `begins` and a line's end. Rejects with NotBegunError when it ends before. */
  async start(script: string, options: { hasStdin: boolean; signal: AbortSignal }): Promise<Session> {
    for (let attempt = 1; ; attempt++) {
      await this.#room.enter(options.signal)
      const session = new Session([...this.#args, '--', this.destination, script], options, () =>
        this.isOpen(),
      )
      void session.exit.then(() => this.#room.leave())
      try {
        await session.begun(options.signal)
        return session
      } catch (error) {
        if (!mayPass(error, attempt) || !(await this.isOpen())) throw error
        await delay(200, undefined, options)
      }
    }
  }

  /** Closes the stdin of the connection's script, and waits for its end. */
  async close(): Promise<string> {
    this.#master.ref()
    this.#master.stdin?.end()
    return this.ended
  }

  async #followToItsEnd(folder: string): Promise<string> {
    this.#master.stderr.resume()
    const said = await text(this.#master.stdout).catch(() => '')
    this.#isOpen = false
    // It would wait for the other sessions.
    await this.#control('exit')
    await this.#master.exit
    await rm(folder, { recursive: true })
    return said
  }

  #control(verb: 'check' | 'exit'): Promise<number | undefined> {
    const session = new Session([...this.#args, '-O', verb, '--', this.destination], { hasStdin: false })
    session.stdout.resume()
    session.stderr.resume()
    return session.exit
  }
}

interface Parts {
  readonly folder: string
  readonly args: readonly string[]
  readonly master: Session
}

/** What is the same for all: no terminal, no forwarding, and a connection that is cut is found in less than a minute. */
const settings = [
  ...['-T', '-a', '-x', '-o', 'BatchMode=yes', '-o', 'ClearAllForwardings=yes', '-o', 'ControlPersist=no'],
  ...['-o', 'ConnectTimeout=30', '-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'],
]

const begins = 'begins\n'

/** What ssh ends with when the fault is its own; a program may do so as well. */
const sshFault = 255

/** A released session counts on the server until its program ends. A busy server closes sessions without a message. */
function mayPass(error: unknown, attempt: number): boolean {
  if (!(error instanceof NotBegunError) || error.exitCode !== sshFault) return false
  return error.message.includes('Session open refused') || attempt < 5
}

/** A child `ssh`. */
export class Session extends ChildBackendProcess {
  readonly #isOpen: () => Promise<boolean>

  /** @param isOpen - whether the connection is there still. */
  constructor(args: readonly string[], { hasStdin }: { hasStdin: boolean }, isOpen = async () => true) {
    // A separate session receives no signals from the terminal of this process.
    super(spawn('ssh', args, { stdio: [hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'], detached: true }))
    this.#isOpen = isOpen
  }

  override async poll(): Promise<number | undefined> {
    const code = await super.poll()
    return code === sshFault && !(await this.#isOpen()) ? undefined : code
  }

  async begun(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.destroy()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      let said: Buffer | null = null
      while (said === null && !this.stdout.destroyed) {
        await new Promise<void>((resolve) => this.stdout.once('readable', resolve).once('close', resolve))
        said = this.stdout.read(begins.length)
      }
      signal.throwIfAborted()
      if (said?.toString() === begins) return
      const words = said === null ? await text(this.stderr) : `the shell there prints ${said} of its own`
      if (said !== null) this.destroy()
      throw new NotBegunError(await this.exit, words)
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (signal.aborted) this.destroy()
    }
  }
}
