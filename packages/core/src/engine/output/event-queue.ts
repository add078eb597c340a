import { setTimeout as pause, setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { anySignal } from '@fenced/shared'
import type { ShowApproval } from '../../approval/approval-event.ts'
import type { ExecutionEvent } from '../../execution.ts'
import { EventBuffer } from '../../running/event-buffer.ts'
import { joinedOutput, type OutputEvent, outputEvent } from '../../running/exact-output.ts'
import { sizeOfData } from '../../running/size-of-data.ts'
import type { StreamName } from '../../sandbox/sandbox-process.ts'
import type { Notice } from '../../vocabulary/code-result.ts'
import { lengthOfNotice } from './block-notices.ts'

/** Limits for events that wait for their reader: output in UTF-16 code units, results in bytes. Each event has a minimum weight. */
const capacities = { output: 1024 * 1024, results: 16 * 1024 * 1024, notices: 1024 * 1024 }
const eventWeight = 64
/** Part of a capacity that a writer may be ahead of its reader: V8 collects text that waited for long late. */
const lead = 1 / 8

/** The longest wait for a reader of an event, in milliseconds. */
const longestShowMs = 1_000

interface DroppedOutput {
  readonly notice: Notice
  byteCount: number
}

/**
 * The events of one run on their way to the reader. Without a reader, it keeps as many events as it has room for;
 * with a reader, it applies back pressure to the writer and drops nothing.
 */
export class EventQueue extends EventBuffer<ExecutionEvent> {
  /** The waiting amount of each kind. */
  readonly #waiting = { output: 0, results: 0, notices: 0 }
  #resumeWriter = Promise.withResolvers<void>()
  #caughtUp = Promise.withResolvers<void>()
  #dropped: DroppedOutput | undefined

  /**
   * Rich results, that they are cleared, and notices are left out when too much of their kind waits already. The promise for a
   * result is that of {@link pushOutput}.
   */
  push(event: ExecutionEvent): void | Promise<void> {
    const kind = kindOf(event)
    const weight = weightOf(event)
    if (kind !== undefined && !this.#hasRoom(kind)) this.#drop(indexOf(event), weight)
    else {
      if (kind !== undefined) this.#waiting[kind] += weight
      this.add(event)
    }
    if (kind === 'results') return this.#room()
  }

  /**
   * Live output: whole characters in UTF-8, turned into text only where there is room for it. A promise is returned
   * when the reader is behind; it resolves when it has caught up.
   */
  pushOutput(type: StreamName, index: number, bytes: Uint8Array): void | Promise<void> {
    if (!this.#hasRoom('output')) this.#drop(index, bytes.length)
    else this.#pushText(outputEvent(type, index, bytes))
    return this.#room()
  }

  /**
   * Adds an event about a question. The reader handles a question before anybody is asked: it resolves when the reader waits for the next
   * event, or leaves. Without a reader, and after a second, nothing is waited for: a reader may never read further.
   */
  readonly showApproval: ShowApproval = async (event, signal) => {
    if (event.type !== 'approval-requested') return void this.push(event)
    // A loop over the execution begins directly after the call of `execute`. Nobody sees the question before: an answer that comes with the
    // next turn finds it asked.
    await turnOfEventLoop()
    this.push(event)
    if (!this.mayHoldBack || this.isCaughtUp) return
    const limit = new AbortController()
    const either = anySignal([signal, limit.signal])
    const late = pause(longestShowMs, undefined, { signal: either }).catch(() => {})
    await Promise.race([this.#caughtUp.promise, late])
    limit.abort()
  }

  /** Whether the writer is held back. */
  get isBehind(): boolean {
    return this.#isAhead(lead / 2) && this.mayHoldBack
  }

  override release(): void {
    super.release()
    this.#resumeWriter.resolve()
    this.#caughtUp.resolve()
  }

  protected override onCaughtUp(): void {
    this.#caughtUp.resolve()
    this.#caughtUp = Promise.withResolvers<void>()
  }

  protected override onRead(event: ExecutionEvent): void {
    const kind = kindOf(event)
    if (event.type === 'notice' && event.notice === this.#dropped?.notice) this.#endGap(this.#dropped)
    else if (isText(event)) this.#waiting.output -= event.text.length + eventWeight
    else if (kind !== undefined) this.#waiting[kind] -= weightOf(event)
    if (this.mayHoldBack && !this.#isAhead(lead / 2)) {
      this.#resumeWriter.resolve()
      this.#resumeWriter = Promise.withResolvers<void>()
    }
  }

  /** A single event of any size has room: a reader that keeps up misses nothing. */
  #hasRoom(kind: keyof typeof capacities): boolean {
    return this.#waiting[kind] <= (this.hasReader && kind !== 'notices' ? 2 : 1) * capacities[kind]
  }

  #room(): Promise<void> | undefined {
    return this.#isAhead(lead) && this.mayHoldBack ? this.#resumeWriter.promise : undefined
  }

  #isAhead(part: number): boolean {
    const { output, results } = this.#waiting
    return output > part * capacities.output || results > part * capacities.results
  }

  #pushText(event: OutputEvent): void {
    this.#waiting.output += event.text.length
    const { last } = this
    // One event for what came while the reader was busy, instead of one for each small write.
    if (last?.type === event.type && last.index === event.index && last.text.length < 65_536) {
      this.replaceLast(joinedOutput(last, event))
    } else {
      this.#waiting.output += eventWeight
      this.add(event)
    }
  }

  #drop(index: number | undefined, byteCount: number): void {
    if (this.#dropped === undefined) {
      this.#dropped = { notice: { code: 'live-output-dropped', message: '' }, byteCount: 0 }
      this.add({ type: 'notice', ...(index === undefined ? {} : { index }), notice: this.#dropped.notice })
    }
    this.#dropped.byteCount += byteCount
  }

  /** The gap ends where its notice is read. Events that are dropped later form a new gap. */
  #endGap({ notice, byteCount }: DroppedOutput): void {
    notice.message = `${byteCount} bytes of live output were left out because its reader was too far behind. The result has a separate limit.`
    notice.data = { bytes: `${byteCount}` }
    this.#dropped = undefined
  }
}

function kindOf({ type }: ExecutionEvent): 'results' | 'notices' | undefined {
  if (type === 'notice' || type === 'approval-requested') return 'notices'
  return type === 'result' || type === 'clear' ? 'results' : undefined
}

function indexOf(event: ExecutionEvent): number | undefined {
  return 'index' in event ? event.index : undefined
}

function weightOf(event: ExecutionEvent): number {
  if (event.type === 'result') {
    return eventWeight + sizeOfData([event.result, event.metadata]) + (event.displayId?.length ?? 0)
  }
  if (event.type === 'approval-requested') return eventWeight + sizeOfData(event.request)
  return eventWeight + (event.type === 'notice' ? lengthOfNotice(event.notice) : 0)
}

function isText(event: ExecutionEvent): event is OutputEvent {
  return event.type === 'stdout' || event.type === 'stderr'
}
