import { knownOptions } from '@fenced/core/internal'
import { type MeterProvider, metrics, type ObservableResult } from '@opentelemetry/api'

/** A `SandboxPool` from `@fenced/sandbox`. */
export interface ObservedPool {
  readonly state: {
    readonly ready: number
    readonly starting: number
    readonly inUse: number
    readonly keys: number
    readonly waiting: number
    readonly started: number
    readonly failed: number
    readonly stopped: number
  }
}

/** Options of {@link observePool}. */
export interface ObservePoolOptions {
  /**
   * Name of the pool, reported as the attribute `fenced.pool`. It distinguishes several pools in one process.
   *
   * @default 'default'
   */
  readonly name?: string | undefined
  /**
   * Meter provider that creates the instruments.
   *
   * @default the global one
   */
  readonly meterProvider?: MeterProvider | undefined
}

/**
 * Reports metrics for a pool whenever they are collected, until the returned value is disposed: `fenced.pool.size`, broken down
 * by `fenced.state`; `fenced.pool.keys`; `fenced.pool.waiting`; `fenced.pool.starts`, broken down by `fenced.outcome`; and
 * `fenced.pool.stops`.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function observePool(pool: ObservedPool, options: ObservePoolOptions = {}): Disposable {
  const { name = 'default', meterProvider } = knownOptions(
    options,
    { name: true, meterProvider: true },
    'observePool()',
  )
  const meter = (meterProvider ?? metrics).getMeter('@fenced/opentelemetry')
  const of = { 'fenced.pool': name }
  const size = meter.createObservableGauge('fenced.pool.size', {
    description: 'Sandboxes of a pool: ready, starting and in use.',
    unit: '{sandbox}',
  })
  const keys = meter.createObservableGauge('fenced.pool.keys', {
    description: 'Keys that have a sandbox, or files for their next one.',
    unit: '{key}',
  })
  const waiting = meter.createObservableGauge('fenced.pool.waiting', {
    description: 'Callers that wait for a sandbox.',
    unit: '{caller}',
  })
  const starts = meter.createObservableCounter('fenced.pool.starts', {
    description: 'Sandboxes that were started, or could not be.',
    unit: '{sandbox}',
  })
  const stops = meter.createObservableCounter('fenced.pool.stops', {
    description: 'Sandboxes that were stopped.',
    unit: '{sandbox}',
  })
  const reports: [typeof size, (result: ObservableResult) => void][] = [
    [
      size,
      (result) => {
        const { ready, starting, inUse } = pool.state
        result.observe(ready, { ...of, 'fenced.state': 'ready' })
        result.observe(starting, { ...of, 'fenced.state': 'starting' })
        result.observe(inUse, { ...of, 'fenced.state': 'in-use' })
      },
    ],
    [keys, (result) => result.observe(pool.state.keys, of)],
    [waiting, (result) => result.observe(pool.state.waiting, of)],
    [
      starts,
      (result) => {
        result.observe(pool.state.started, { ...of, 'fenced.outcome': 'ok' })
        result.observe(pool.state.failed, { ...of, 'fenced.outcome': 'failed' })
      },
    ],
    [stops, (result) => result.observe(pool.state.stopped, of)],
  ]
  for (const [instrument, report] of reports) instrument.addCallback(report)
  return {
    [Symbol.dispose]() {
      for (const [instrument, report] of reports) instrument.removeCallback(report)
    },
  }
}
