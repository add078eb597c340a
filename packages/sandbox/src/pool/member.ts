import type { Sandbox } from '@fenced/core/sandbox'
import { afterGrace, raceAbort } from '@fenced/shared'
import type { Poolable } from './pool-options.ts'
import type { WorkPlace } from './work-place.ts'

/** How long a sandbox may take to answer, in milliseconds. */
const limitMs = 10_000

/** A keyed sandbox that no lease holds. */
export interface IdleSandbox {
  /** On the clock of `performance.now`. */
  readonly since: number
  /** Stops the sandbox because a caller waits for its place. */
  readonly stop: () => Promise<void>
}

/** How long a sandbox is trusted after it was last known to work, in milliseconds. */
const trustedMs = 5_000

/** One sandbox or executor of a pool, from its creation until it has stopped. */
export class Member<Kept extends Poolable> {
  readonly kept: Kept
  readonly place: WorkPlace
  user: string | undefined
  /** Set while it belongs to a key without a lease. */
  idle: IdleSandbox | undefined
  /** Whether its start succeeded. */
  hasStarted = false
  /** Whether it is to be stopped, is being stopped or has stopped. It is not handed out again. */
  isOver = false
  /** Whether its stop failed or takes long, so that no caller counts on its place. */
  isStuck = false
  ending: Promise<void> | undefined
  /** Ends its life, or repeats its stop. */
  timer: NodeJS.Timeout | undefined
  #starting: Promise<unknown> = Promise.resolve()
  #seenAt = 0

  /** @param place - its working directory. */
  constructor(create: (place: WorkPlace) => Kept, place: WorkPlace) {
    this.kept = create(place)
    this.place = place
  }

  /** @throws what its start rejects with, and the reason of the signal. */
  async start(signal: AbortSignal): Promise<void> {
    const starting = this.kept.start({ signal })
    this.#starting = starting.catch(() => {})
    await starting
    signal.throwIfAborted()
    this.hasStarted = true
    this.see()
  }

  /** Stops it, also in the middle of its start, and removes its working directory unless a key keeps that. */
  async stop(): Promise<void> {
    // A stop beside a start could leave what the start makes.
    await this.#starting
    await this.kept.stop()
    if (!this.place.isKept) await this.place.remove()
  }

  /** It is known to work now. */
  see(): void {
    this.#seenAt = performance.now()
  }

  /**
   * Whether it still works. A member that was checked recently is not checked again.
   *
   * @param isUsable - the check.
   * @returns `false` also when the signal is aborted before that is known.
   */
  async works(signal: AbortSignal, isUsable: (kept: Kept) => Promise<boolean> = answers): Promise<boolean> {
    if (signal.aborted) return false
    if (performance.now() - this.#seenAt < trustedMs) return true
    const check = (async () => isUsable(this.kept))().catch(() => false)
    const works = (await raceAbort(check, signal)) === true
    if (works) this.see()
    return works
  }
}

/** Members of keys without a lease, those that were idle longest first. */
export function idleOf<Kept extends Poolable>(members: Iterable<Member<Kept>>): Member<Kept>[] {
  const idle = [...members].filter((member) => member.idle !== undefined && !member.isOver)
  return idle.sort((one, other) => (one.idle?.since ?? 0) - (other.idle?.since ?? 0))
}

/** Whether a sandbox, or that of an executor, still starts programs. What has none is taken for usable. */
async function answers(kept: Poolable & Partial<Sandbox> & { sandbox?: Partial<Sandbox> | undefined }) {
  const { sandbox } = kept
  // A key may keep its sandbox paused.
  if (kept.isPaused ?? sandbox?.isPaused) return true
  const spawn = kept.spawn?.bind(kept) ?? sandbox?.spawn
  if (spawn === undefined) return true
  const controller = new AbortController()
  const { signal } = controller
  using _ = afterGrace(limitMs, () => controller.abort())
  // A check must not be a question to an approver.
  if (sandbox?.capabilities?.asks === true) return (await sandbox.which?.(['sh'], { signal })) !== undefined
  const { ended } = await spawn(['/bin/sh', '-c', ':'], { output: () => {}, signal })
  const { kind } = await ended
  return !signal.aborted && (kind === 'exited' || kind === 'not-started')
}
