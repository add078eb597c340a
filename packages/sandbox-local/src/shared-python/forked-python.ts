import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { Readable } from 'node:stream'
import { asksToEnd } from '@fenced/core/internal'
import type { ProcessEnd } from '@fenced/core/sandbox'
import { endAtExit } from '@fenced/host'
import type { ResidentPythonProcess } from '@fenced/sandbox/driver'
import { raceGrace } from '@fenced/shared'

/** What a resident Python needs of the Python that it is a fork of. */
export interface ForkedServerParent {
  /** Whether this process is to wait for the end of the resident Python. */
  setRef(keeps: boolean): void
  /** Continues it when it was stopped. */
  resume(): void
  /** Whether a new one would have another user, umask, limit or the like. */
  isOutdated(): boolean
}

/** Time limit for a killed resident Python and its processes to end, in milliseconds. */
const killedMs = 5_000

/**
 * A resident Python that a shared Python has forked: its stdin and stdout are a connection to it. Its parent ends what it leaves, and
 * reports its end when that is done.
 */
export class ForkedPython implements ResidentPythonProcess {
  readonly processId: number
  readonly stdin: Socket
  readonly stdout: Socket
  /** Its errors are in the stderr of its parent. */
  readonly stderr = Readable.from([])
  readonly exited: Promise<void>
  readonly ended: Promise<ProcessEnd>
  readonly #parent: ForkedServerParent
  readonly #atExit: Disposable
  readonly #end = Promise.withResolvers<ProcessEnd>()
  #hasEnded = false
  #wasAsked = false
  #isOrphan = false

  constructor(processId: number, socket: Socket, parent: ForkedServerParent) {
    this.processId = processId
    this.#parent = parent
    this.#atExit = endAtExit({ processId, end: () => socket.destroy() })
    this.stdin = socket
    this.stdout = socket
    // `ended` reports it.
    socket.on('error', () => {}).once('close', () => this.#closed())
    this.ended = this.#end.promise
    this.exited = this.ended.then(() => {})
  }

  async isOutdated(): Promise<boolean> {
    return this.#parent.isOutdated()
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    this.#wasAsked ||= asksToEnd(name)
    if (name === 'SIGCONT') this.#parent.resume()
    this.#signal(name)
  }

  async kill(): Promise<'ended' | 'stuck'> {
    if (this.#hasEnded) return 'ended'
    this.#wasAsked = true
    this.ref()
    this.#signal('SIGKILL')
    this.#parent.resume()
    if (this.#isOrphan) this.stdin.destroy()
    return (await raceGrace(this.ended, killedMs)) === 'late' ? 'stuck' : 'ended'
  }

  ref(): void {
    if (this.#hasEnded) return
    this.stdin.ref()
    this.#parent.setRef(true)
  }

  unref(): void {
    this.stdin.unref()
    this.#parent.setRef(false)
  }

  /** Called by its parent. @param status - its exit code, or minus the signal that ended it. */
  endedWith(status: number): void {
    const signal = signalNames.get(-status)
    this.#settle({
      kind: 'exited',
      exitCode: status < 0 ? 128 - status : status,
      ...(signal === undefined ? {} : { signal }),
      wasStopped: this.#wasAsked,
    })
  }

  /** Called when its parent has ended. The resident Python continues, but its end is no longer reported. */
  parentHasEnded(): void {
    this.#isOrphan = true
    if (this.stdin.closed) this.#closed()
  }

  #closed(): void {
    if (!this.#isOrphan) return
    const message =
      'The resident Python has ended. How it ended is unknown, because its parent had ended too.'
    this.#settle({ kind: 'lost', what: 'sandbox', message })
  }

  #settle(end: ProcessEnd): void {
    this.#hasEnded = true
    this.#atExit[Symbol.dispose]()
    this.unref()
    this.stdin.destroySoon()
    this.#end.resolve(end)
  }

  /** Signals the process group, unless the connection shows that it has ended. The number may then belong to another process. */
  #signal(name: NodeJS.Signals): void {
    if (this.#hasEnded || this.stdin.closed) return
    try {
      process.kill(-this.processId, name)
    } catch {
      // ESRCH: it has ended.
    }
  }
}

const signalNames = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
)
