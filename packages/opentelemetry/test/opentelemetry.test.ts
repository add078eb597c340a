import { tracingChannel } from 'node:diagnostics_channel'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { SandboxPool } from '@fenced/sandbox'
import { LocalSandbox } from '@fenced/sandbox-local'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { observePool, traceFenced } from '../src/index.ts'

const spans = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
const meterProvider = new MeterProvider({ readers: [reader] })
const secret = 'not-for-a-trace'

describe('what is traced', () => {
  let tracing: Disposable

  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    tracing = traceFenced({ tracerProvider, meterProvider })
  })

  afterAll(async () => {
    tracing[Symbol.dispose]()
    context.disable()
    await meterProvider.shutdown()
  })

  it('is a call with its blocks, in the span of its caller, and nothing that the code says', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    await executor.start()
    spans.reset()
    const request = tracerProvider.getTracer('test').startSpan('request')
    await context.with(trace.setSpan(context.active(), request), () =>
      executor.execute([
        { language: 'sh', code: `echo ${secret}` },
        { language: 'sh', code: 'exit 3' },
        { language: 'sh', code: 'echo never' },
      ]),
    )
    const [call] = named('fenced.execute')
    expect(call?.parentSpanContext?.spanId).toBe(request.spanContext().spanId)
    expect(call?.attributes).toMatchObject({
      'fenced.executor': 'local',
      'fenced.isolation': 'none',
      'fenced.block_count': 3,
      'fenced.status': 'error',
      'fenced.exit_code': 3,
    })
    expect(call?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'error' })
    const blocks = named('fenced.block')
    expect(blocks.map(({ attributes }) => attributes['fenced.exit_code'])).toEqual([0, 3])
    expect(blocks[0]?.attributes['fenced.cpu_ms']).toBeGreaterThan(0)
    expect(blocks[0]?.attributes['fenced.peak_memory_bytes']).toBeGreaterThan(0)
    expect(blocks.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      call?.spanContext().spanId,
      call?.spanContext().spanId,
    ])
    expect(everythingTold()).not.toContain(secret)
  })

  it('is the start of a sandbox and its processes, also when they fail', async () => {
    spans.reset()
    await using sandbox = new LocalSandbox()
    await sandbox.start()
    const { ended } = await sandbox.spawn(['sh', '-c', `exit 4 # ${secret}`], { output: () => {} })
    await ended
    const missing = await sandbox.spawn(['fenced-no-such-program'], { output: () => {} })
    await missing.ended
    await expect.poll(() => named('fenced.process')).toHaveLength(2)
    expect(named('fenced.start').map(({ attributes }) => attributes)).toEqual([
      { 'fenced.kind': 'sandbox', 'fenced.name': 'local' },
    ])
    const [program, none] = named('fenced.process')
    expect(program?.attributes).toEqual({
      'fenced.sandbox': 'local',
      'fenced.program': 'sh',
      'fenced.end': 'exited',
      'fenced.exit_code': 4,
    })
    expect(none?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'not-started' })
    expect(everythingTold()).not.toContain(secret)
  })

  it('is the time in which an approver decides, without the question and the answer', async () => {
    spans.reset()
    await using executor = new LocalCommandLineCodeExecutor()
    const blocks = [{ language: 'sh', code: `echo ${secret}` }]
    await executor.execute(blocks, { ask: () => ({ decision: 'deny', reason: secret }) })
    await expect(executor.execute(blocks, { ask: () => Promise.reject(new Error(secret)) })).rejects.toThrow()
    const [denied, failed] = named('fenced.question')
    expect(denied?.attributes).toEqual({ 'fenced.kind': 'code', 'fenced.decision': 'deny' })
    expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'APPROVAL_UNAVAILABLE' })
    expect(everythingTold()).not.toContain(secret)
  })

  it('is a start that failed, with the code of its error and without its words', async () => {
    spans.reset()
    const executor = new LocalCommandLineCodeExecutor({ workDir: `/dev/null/${secret}` })
    await expect(executor.start()).rejects.toMatchObject({ code: 'WORK_DIR_UNUSABLE' })
    const [start] = named('fenced.start')
    expect(start?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'WORK_DIR_UNUSABLE' })
    expect(start?.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'WORK_DIR_UNUSABLE' } },
    ])
    expect(everythingTold()).not.toContain(secret)
  })

  it('has short names of programs and errors, whatever was started and thrown', async () => {
    spans.reset()
    await using sandbox = new LocalSandbox()
    await sandbox.start()
    const programs = ['/bin/sh', `./${'x'.repeat(100_000)}`, `./a ${secret}`, `/${secret}/true`]
    for (const program of programs) await (await sandbox.spawn([program], { output: () => {} })).ended
    await expect.poll(() => named('fenced.process')).toHaveLength(programs.length)
    expect(named('fenced.process').map(({ attributes }) => attributes['fenced.program'])).toEqual([
      'sh',
      'other',
      'other',
      'true',
    ])
    const faults = [{ name: secret }, { name: 'x'.repeat(100_000) }, { name: Symbol('a') }, secret, undefined]
    const channel = tracingChannel<unknown, object>('fenced:start')
    for (const fault of faults)
      await expect(
        channel.tracePromise(() => Promise.reject(fault), { kind: 'executor', name: 'x'.repeat(100_000) }),
      ).rejects.toBe(fault)
    const failed = named('fenced.start').slice(1)
    expect(failed.map(({ status }) => status.message)).toEqual(faults.map(() => 'Error'))
    expect(failed.map(({ attributes }) => attributes['fenced.name'])).toEqual(faults.map(() => 'other'))
    expect(everythingTold()).not.toContain(secret)
  })

  it('is measured: blocks by language and status, and what runs', async () => {
    const measured = await collected()
    const durations = measured.get('fenced.block.duration')
    expect(durations?.map(({ attributes }) => attributes)).toEqual([
      { 'fenced.executor': 'local', 'fenced.language': 'sh', 'fenced.status': 'ok' },
      { 'fenced.executor': 'local', 'fenced.language': 'sh', 'fenced.status': 'error' },
    ])
    expect(measured.get('fenced.execution.running')?.map(({ value }) => value)).toEqual([0])
  })

  it('has languages that the executor knows, and no label that a model has made up', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    spans.reset()
    const labels = ['Shell', 'tool.sh', 'sh\u200B', secret, secret.repeat(100_000)]
    const made = Array.from({ length: 300 }, (_, index) => `${secret}-${index}`)
    for (const language of [...labels, ...made]) await executor.execute([{ language, code: '' }])
    const languages = named('fenced.block').map(({ attributes }) => attributes['fenced.language'])
    expect(languages.slice(0, 3)).toEqual(['sh', 'sh', 'sh'])
    expect(new Set(languages.slice(3))).toEqual(new Set(['other']))
    const series = (await collected()).get('fenced.block.duration')
    expect(new Set(series?.map(({ attributes }) => attributes['fenced.language']))).toEqual(
      new Set(['sh', 'other']),
    )
    expect(everythingTold()).not.toContain(secret)
  })

  it('is the class of the error that ended a program, without its message', async () => {
    spans.reset()
    await using executor = new LocalCommandLineCodeExecutor()
    await executor.execute([{ language: 'javascript', code: `throw new RangeError('${secret}')` }])
    expect(named('fenced.block')[0]?.attributes['exception.type']).toBe('RangeError')
    expect(everythingTold()).not.toContain(secret)
  })

  it('has no long name in a span or a metric, whatever an executor or a block is called', async () => {
    spans.reset()
    const long = 'x'.repeat(65)
    const names = { executor: long, language: long, sandbox: long, program: 'sh' }
    const blockResult = { status: 'ok', exitCode: 0, durationMs: 1 }
    const result = { status: 'ok', exitCode: 0, queuedMs: 1, kind: 'exited' }
    for (const what of ['execution', 'block', 'process'])
      await tracingChannel<unknown, object>(`fenced:${what}`).tracePromise(async () => {}, {
        ...names,
        ...{ isolation: 'none', blockCount: 1, index: 0, blockResult, result },
      })
    expect(spans.getFinishedSpans()).toHaveLength(3)
    expect(everythingTold()).not.toContain(long)
    const told = [...(await collected()).values()].flat().map(({ attributes }) => attributes)
    expect(told).toContainEqual({
      'fenced.executor': 'other',
      'fenced.language': 'other',
      'fenced.status': 'ok',
    })
    expect(JSON.stringify(told)).not.toContain(long)
  })

  it('has the counts of a pool until it is not observed any more', async () => {
    await using pool = new SandboxPool({ create: () => new LocalSandbox(), size: 1 })
    const observing = observePool(pool, { name: 'local', meterProvider })
    await pool.start()
    await pool.get('conversation')
    await expect.poll(() => pool.state.ready).toBe(1)
    const measured = await collected()
    const sizes = measured.get('fenced.pool.size')?.map(({ attributes, value }) => [attributes, value])
    expect(sizes).toEqual([
      [{ 'fenced.pool': 'local', 'fenced.state': 'ready' }, 1],
      [{ 'fenced.pool': 'local', 'fenced.state': 'starting' }, 0],
      [{ 'fenced.pool': 'local', 'fenced.state': 'in-use' }, 1],
    ])
    expect(measured.get('fenced.pool.starts')?.map(({ value }) => value)).toEqual([2, 0])
    observing[Symbol.dispose]()
    await pool.stop()
    const last = (await collected()).get('fenced.pool.size')?.map(({ value }) => value)
    expect(last).toEqual(sizes?.map(([, value]) => value))
  })

  it('is nothing after the end', async () => {
    tracing[Symbol.dispose]()
    spans.reset()
    await using executor = new LocalCommandLineCodeExecutor()
    await executor.execute([{ language: 'sh', code: 'echo untraced' }])
    expect(spans.getFinishedSpans()).toEqual([])
  })
})

/** All that the spans tell: their names, attributes, events, links and status. */
function everythingTold(): string {
  return JSON.stringify(
    spans
      .getFinishedSpans()
      .map(({ name, attributes, events, links, status }) => ({ name, attributes, events, links, status })),
  )
}

function named(name: string): ReadableSpan[] {
  return spans.getFinishedSpans().filter((span) => span.name === name)
}

/** What was measured, by names. */
async function collected() {
  exporter.reset()
  await reader.forceFlush()
  const all = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  return new Map(all.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]))
}
