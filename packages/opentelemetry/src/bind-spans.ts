import { AsyncLocalStorage } from 'node:async_hooks'
import type { TracingChannel } from 'node:diagnostics_channel'
import { type Context, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import { kindOf } from './attributes.ts'

/** How an operation becomes a span. */
interface SpanOf<Trace> {
  /** @param parent - what the span belongs to. */
  begin(trace: Trace, parent: Context): Span
  /** Called at its end, also when it failed. */
  end(span: Span, trace: Trace): void
}

/** The span in which something is done. */
const current = new AsyncLocalStorage<Span>()

/**
 * Makes a span of each operation that a channel publishes. Spans of what is done in it belong to it.
 *
 * @returns what ends that.
 */
export function bindSpans<Trace extends object>(
  channel: TracingChannel<unknown, object>,
  { begin, end }: SpanOf<Trace>,
): () => void {
  const spans = new WeakMap<object, Span>()
  channel.start.bindStore(current, (message) => {
    const outer = current.getStore()
    const active = context.active()
    const span = begin(message as Trace, outer === undefined ? active : trace.setSpan(active, outer))
    spans.set(message as Trace, span)
    return span
  })
  const subscribers = {
    asyncEnd(message: object) {
      const span = spans.get(message)
      if (span === undefined) return
      end(span, message as Trace)
      span.end()
    },
    error(message: object) {
      const { error } = message as { error: unknown }
      const span = spans.get(message)
      if (isSuspension(error)) {
        span?.setAttribute('fenced.status', 'waiting')
        return
      }
      const code = kindOf(error)
      span?.recordException({ code })
      span?.setStatus({ code: SpanStatusCode.ERROR, message: code })
    },
  }
  channel.asyncEnd.subscribe(subscribers.asyncEnd as never)
  channel.error.subscribe(subscribers.error as never)
  return () => {
    channel.start.unbindStore(current)
    channel.asyncEnd.unsubscribe(subscribers.asyncEnd as never)
    channel.error.unsubscribe(subscribers.error as never)
  }
}

/** Whether an agent left an operation before a question that waits for its answer. */
function isSuspension(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.name === 'Suspension') return true
  return false
}
