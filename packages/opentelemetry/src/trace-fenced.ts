import { tracingChannel } from 'node:diagnostics_channel'
import type { BlockTrace, ExecutionTrace, ProcessTrace, QuestionTrace, StartTrace } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import {
  type Attributes,
  type Context,
  type Meter,
  type MeterProvider,
  metrics,
  type Span,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { bindAgentSpans } from './agent-spans.ts'
import { nameOf, programOf } from './attributes.ts'
import { bindSpans } from './bind-spans.ts'

/** Options of {@link traceFenced}. */
export interface TraceFencedOptions {
  /**
   * Tracer provider that creates the spans.
   *
   * @default the global one
   */
  readonly tracerProvider?: TracerProvider | undefined
  /**
   * Meter provider that creates the instruments.
   *
   * @default the global one
   */
  readonly meterProvider?: MeterProvider | undefined
}

/**
 * Records spans and metrics for all executors and sandboxes of Fenced packages in this process, until the returned value is
 * disposed. Without an OpenTelemetry SDK, nothing is exported.
 *
 * The spans are `fenced.start`, `fenced.execute` with a `fenced.block` for each block, `fenced.process`, and `fenced.question` for
 * the time in which an approver decides. Agents add `agent.run`, `agent.turn`, `chat` and `execute_tool`, with the attributes of the
 * GenAI semantic conventions. They contain no code, output, prompts, arguments or answers. Each span is a child of the caller's active
 * span.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * ```ts
 * import { traceFenced } from '@fenced/opentelemetry'
 *
 * traceFenced()
 * ```
 */
export function traceFenced(options: TraceFencedOptions = {}): Disposable {
  const { tracerProvider, meterProvider } = knownOptions(
    options,
    { tracerProvider: true, meterProvider: true },
    'traceFenced()',
  )
  const tracer = (tracerProvider ?? trace).getTracer('@fenced/opentelemetry')
  const measure = measurements((meterProvider ?? metrics).getMeter('@fenced/opentelemetry'))
  const begin = (name: string, parent: Context, attributes: Attributes): Span =>
    tracer.startSpan(name, { attributes }, parent)
  const bound = [
    ...bindAgentSpans(tracer),
    bindSpans<StartTrace>(tracingChannel('fenced:start'), {
      begin: ({ kind, name }, parent) =>
        begin('fenced.start', parent, { 'fenced.kind': kind, 'fenced.name': nameOf(name) }),
      end: () => {},
    }),
    bindSpans<ExecutionTrace>(tracingChannel('fenced:execution'), {
      begin({ executor, isolation, blockCount }, parent) {
        const of = { 'fenced.executor': nameOf(executor) }
        measure.running.add(1, of)
        const attributes = { ...of, 'fenced.isolation': isolation }
        return begin('fenced.execute', parent, { ...attributes, 'fenced.block_count': blockCount })
      },
      end(span, { executor, result }) {
        const of = { 'fenced.executor': nameOf(executor) }
        measure.running.add(-1, of)
        if (result === undefined) return
        const { status, exitCode, queuedMs } = result
        measure.queued.record(queuedMs / 1_000, of)
        span.setAttributes({ 'fenced.status': status, 'fenced.exit_code': exitCode })
        span.setAttribute('fenced.queued_ms', queuedMs)
        if (status !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR, message: status })
      },
    }),
    bindSpans<BlockTrace>(tracingChannel('fenced:block'), {
      begin: ({ index, language }, parent) =>
        begin('fenced.block', parent, {
          'fenced.block_index': index,
          'fenced.language': nameOf(language ?? ''),
        }),
      end(span, { executor, language = '', blockResult }) {
        if (blockResult === undefined) return
        const { status, exitCode, durationMs } = blockResult
        const attributes = {
          'fenced.executor': nameOf(executor),
          'fenced.language': nameOf(language),
          'fenced.status': status,
        }
        measure.duration.record(durationMs / 1_000, attributes)
        span.setAttributes({ 'fenced.status': status, 'fenced.exit_code': exitCode })
        const { cpuMs, peakMemoryBytes } = blockResult.usage ?? {}
        if (cpuMs !== undefined) span.setAttribute('fenced.cpu_ms', cpuMs)
        if (peakMemoryBytes !== undefined) span.setAttribute('fenced.peak_memory_bytes', peakMemoryBytes)
        if (blockResult.error !== undefined)
          span.setAttribute('exception.type', nameOf(blockResult.error.name))
        if (status !== 'ok' && status !== 'skipped')
          span.setStatus({ code: SpanStatusCode.ERROR, message: status })
      },
    }),
    bindSpans<QuestionTrace>(tracingChannel('fenced:question'), {
      begin: ({ kind }, parent) => begin('fenced.question', parent, { 'fenced.kind': kind }),
      end(span, { decision }) {
        if (decision !== undefined) span.setAttribute('fenced.decision', decision)
      },
    }),
    bindSpans<ProcessTrace>(tracingChannel('fenced:process'), {
      begin: ({ sandbox, program }, parent) =>
        begin('fenced.process', parent, {
          'fenced.sandbox': nameOf(sandbox),
          'fenced.program': programOf(program),
        }),
      end(span, { result }) {
        if (result === undefined) return
        span.setAttribute('fenced.end', result.kind)
        if (result.exitCode !== undefined) span.setAttribute('fenced.exit_code', result.exitCode)
        if (result.kind !== 'exited') span.setStatus({ code: SpanStatusCode.ERROR, message: result.kind })
      },
    }),
  ]
  return {
    [Symbol.dispose]() {
      for (const unbind of bound) unbind()
    },
  }
}

function measurements(meter: Meter) {
  return {
    running: meter.createUpDownCounter('fenced.execution.running', {
      description: 'Calls of execute that run.',
      unit: '{call}',
    }),
    queued: meter.createHistogram('fenced.execution.queued', {
      description: 'How long calls of execute waited for earlier ones and for the start.',
      unit: 's',
    }),
    duration: meter.createHistogram('fenced.block.duration', {
      description: 'How long blocks ran.',
      unit: 's',
    }),
  }
}
