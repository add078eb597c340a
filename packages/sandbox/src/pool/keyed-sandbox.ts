import type { Notice } from '@fenced/core'
import { SharedStart } from '@fenced/core/internal'
import { untilAborted } from '@fenced/shared'
import type { IdleSet } from './idle-set.ts'
import type { Member } from './member.ts'
import { type EndReason, sandboxReplaced, stoppedError } from './pool-errors.ts'
import type { IdleSetOptions, Poolable } from './pool-options.ts'
import type { WorkPlace } from './work-place.ts'

interface KeyedSandboxParts<Kept extends Poolable> {
  readonly user: string | undefined
  readonly idle: IdleSet<Kept>
  readonly options: IdleSetOptions<Kept>
  /** Called when no caller needs its sandbox any longer. */
  readonly onRest: () => void
}

/** What a key hands out. */
interface HeldMember<Kept extends Poolable> {
  readonly member: Member<Kept>
  readonly isFirst: boolean
  readonly notice: Notice | undefined
}

/** A key under which callers share a sandbox. It can have several, one after another, and keeps its files where it can. */
export class KeyedSandbox<Kept extends Poolable> {
  readonly user: string | undefined
  readonly #parts: KeyedSandboxParts<Kept>
  readonly #life: SharedStart<Member<Kept>>
  /** How many callers hold its sandbox or wait for it. */
  #callers = 0
  /** How many callers hold its sandbox. */
  #leases = 0
  /** How many times its present sandbox was handed out. */
  #uses = 0
  /** Its present sandbox, or the last one. */
  #member: Member<Kept> | undefined
  /** The working directory of its sandbox, and of the next one if it has files. */
  #place: WorkPlace | undefined
  /** Whether its present sandbox began with the files of the one before. */
  #hasOldFiles = false
  /** Why its last sandbox was stopped, until a lease has reported it. */
  #ended: EndReason | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: KeyedSandboxParts<Kept>) {
    this.#parts = parts
    this.user = parts.user
    this.#life = new SharedStart<Member<Kept>>({
      start: ({ signal }) => this.#start(signal),
      stop: (member) => parts.idle.end(member),
      isAlive: ({ isOver }) => !isOver,
      stoppedError,
    })
  }

  /** Whether it never had a sandbox, and no caller waits for one. */
  get isUnused(): boolean {
    return this.#callers === 0 && this.#member === undefined
  }

  /** Whether it has no sandbox, and no caller waits for one. It may have files. */
  get isIdle(): boolean {
    return this.#callers === 0 && !this.#hasMember
  }

  /** Whether only its name is left. */
  get isOver(): boolean {
    return this.isIdle && this.#place?.hasFiles !== true
  }

  /**
   * Its sandbox, until {@link release}.
   *
   * @throws what its start rejects with, and the reason of the signal.
   */
  async get(signal: AbortSignal): Promise<HeldMember<Kept>> {
    clearTimeout(this.#timer)
    this.#callers++
    if (this.#member !== undefined) this.#member.idle = undefined
    if (this.#member?.isOver === true) this.#ended ??= 'lifetime'
    try {
      const member = await this.#usableMember(signal)
      signal.throwIfAborted()
      this.#leases++
      const isFirst = this.#uses++ === 0
      return { member, isFirst, notice: this.#report() }
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  /** Gives its sandbox back. */
  release(): void {
    this.#leases--
    this.#leave()
  }

  /** Stops its sandbox and removes its files. No call of it may follow but {@link release}. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#stopAndRemove()
  }

  get #hasMember(): boolean {
    return this.#member?.isOver === false
  }

  #report(): Notice | undefined {
    const reason = this.#ended
    this.#ended = undefined
    return reason && sandboxReplaced(reason, this.#hasOldFiles ? 'kept' : 'lost')
  }

  async #usableMember(signal: AbortSignal): Promise<Member<Kept>> {
    for (;;) {
      const member = await untilAborted(this.#life.get({ signal }), signal)
      // A check beside a program of another lease says nothing about the sandbox that the program does not.
      if (this.#leases > 0 || (await this.#parts.idle.isUsable(member, signal))) return member
      signal.throwIfAborted()
      this.#ended = 'unusable'
      this.#life.markBroken()
    }
  }

  async #start(signal: AbortSignal): Promise<Member<Kept>> {
    const place = this.#place?.hasFiles === true ? this.#place : undefined
    const member = await this.#parts.idle.take({ user: this.user, signal, place })
    this.#hasOldFiles = place !== undefined
    this.#member = member
    this.#uses = 0
    this.#place = member.place
    this.#place.isKept = !this.#isClosed
    return member
  }

  #leave(): void {
    this.#callers--
    if (this.#callers > 0 || this.#isClosed) return
    const { idleTimeoutMs, maxUses } = this.#parts.options
    if (this.#hasMember && this.#uses >= maxUses) this.#end('uses')
    else if (this.#member !== undefined) {
      if (idleTimeoutMs !== Number.POSITIVE_INFINITY)
        this.#timer = setTimeout(() => this.#end('idle'), idleTimeoutMs).unref()
      this.#rest(this.#member)
    }
    this.#parts.onRest()
  }

  /** Lets the pool stop its sandbox when a caller needs its place. The files stay. */
  #rest(member: Member<Kept>): void {
    if (member.isOver) return
    member.see()
    const stop = () => {
      this.#ended = 'needed'
      return this.#life.stop()
    }
    member.idle = { since: performance.now(), stop }
    this.#parts.idle.serve()
  }

  #end(reason: EndReason): void {
    this.#ended = reason
    if (this.#member !== undefined) this.#member.idle = undefined
    this.#stopAndRemove()
      .catch(() => {})
      .finally(this.#parts.onRest)
  }

  async #stopAndRemove(): Promise<void> {
    const place = this.#place
    this.#place = undefined
    if (place !== undefined) place.isKept = false
    await this.#life.stop()
    await place?.remove()
  }
}
