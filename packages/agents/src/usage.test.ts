import { describe, expect, it } from 'vitest'
import { UsageMeter, usageOfCall } from './usage.ts'

const prices = {
  dear: { inputPerMillion: 10, outputPerMillion: 30 },
  free: { inputPerMillion: 0, outputPerMillion: 0 },
}

describe('the usage of a call', () => {
  it.each([
    [
      'is what was told',
      { inputTokens: 3, outputTokens: 4, totalTokens: 9 },
      { inputTokens: 3, outputTokens: 4, totalTokens: 9 },
    ],
    [
      'has the total where that is missing',
      { inputTokens: 3, outputTokens: 4 },
      { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    ],
    ['has 0 for what is missing', { outputTokens: 4 }, { inputTokens: 0, outputTokens: 4, totalTokens: 4 }],
    ['has 0 for everything', {}, { inputTokens: 0, outputTokens: 0, totalTokens: 0 }],
    [
      'has 0 for what is no count',
      { inputTokens: Number.NaN, outputTokens: -1 },
      { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    ],
  ])('%s', (_, told, usage) => {
    expect(
      usageOfCall({ inputTokens: undefined, outputTokens: undefined, totalTokens: undefined, ...told }, 'm'),
    ).toEqual(usage)
  })

  it.each([
    ['dear', 100_000, 10_000, 1.3],
    ['free', 100_000, 10_000, 0],
    ['unknown', 100_000, 10_000, undefined],
    ['unknown', 0, 0, 0],
    ['constructor', 1, 1, undefined],
  ])('of %s with %i and %i tokens costs as the table says', (modelId, inputTokens, outputTokens, cost) => {
    const usage = usageOfCall({ inputTokens, outputTokens, totalTokens: undefined }, modelId, prices)
    if (cost === undefined) expect(usage).not.toHaveProperty('cost')
    else expect(usage.cost).toBeCloseTo(cost, 10)
  })

  it.each([
    ['cached', { cacheReadTokens: 80, cacheWriteTokens: 15 }, 80 * 1 + 15 * 12 + 5 * 10],
    ['dear', { cacheReadTokens: 80, cacheWriteTokens: 15 }, 100 * 10],
    ['cached', { cacheReadTokens: 1_000, cacheWriteTokens: 1_000 }, 100 * 1],
    ['cached', { cacheReadTokens: undefined, cacheWriteTokens: undefined }, 100 * 10],
  ])('costs less for what was in a cache, where its price is known: %s, %j', (modelId, cached, cost) => {
    const table = { ...prices, cached: { ...prices.dear, cacheReadPerMillion: 1, cacheWritePerMillion: 12 } }
    const usage = {
      inputTokens: 100,
      outputTokens: 0,
      totalTokens: 100,
      inputTokenDetails: { noCacheTokens: undefined, ...cached },
    }
    expect(usageOfCall(usage, modelId, table).cost).toBeCloseTo(cost / 1_000_000, 12)
  })
})

describe('a meter', () => {
  const usage = (inputTokens: number, outputTokens: number, cost?: number) => ({
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(cost === undefined ? {} : { cost }),
  })

  it('adds up by model and in all', () => {
    const meter = new UsageMeter()
    meter.add('a', usage(1, 2, 0.5))
    meter.add('b', usage(10, 20, 1))
    meter.add('a', usage(100, 200, 0.25))
    expect(meter.summary()).toEqual({
      ...usage(111, 222, 1.75),
      byModel: { a: usage(101, 202, 0.75), b: usage(10, 20, 1) },
    })
  })

  it('adds up what was cached and what was thought, which costs what output costs', () => {
    const meter = new UsageMeter()
    const call = (cacheReadTokens: number, reasoningTokens: number) =>
      usageOfCall(
        {
          inputTokens: 100,
          outputTokens: 50,
          totalTokens: 150,
          inputTokenDetails: { noCacheTokens: 100 - cacheReadTokens, cacheReadTokens, cacheWriteTokens: 0 },
          outputTokenDetails: { textTokens: 50 - reasoningTokens, reasoningTokens },
        },
        'a',
        { a: { inputPerMillion: 0, outputPerMillion: 1_000_000 } },
      )
    meter.add('a', call(80, 30))
    meter.add('a', call(0, 10))
    meter.add('a', call(7, 0))
    expect(meter.summary()).toMatchObject({ cachedInputTokens: 87, reasoningTokens: 40, cost: 150 })
    expect(call(0, 0)).not.toHaveProperty('cachedInputTokens')
    expect(call(0, 0)).not.toHaveProperty('reasoningTokens')
  })

  it('has no cost once one is unknown, but keeps those of the other models', () => {
    const meter = new UsageMeter()
    meter.add('a', usage(1, 2, 0.5))
    meter.add('b', usage(10, 20))
    meter.add('b', usage(1, 1, 3))
    expect(meter.summary()).toEqual({ ...usage(12, 23), byModel: { a: usage(1, 2, 0.5), b: usage(11, 21) } })
  })

  it('needs no price for no tokens', () => {
    const meter = new UsageMeter()
    meter.add('a', usage(0, 0))
    meter.add('b', usage(1, 1, 2))
    expect(meter.summary()).toEqual({ ...usage(1, 1, 2), byModel: { a: usage(0, 0), b: usage(1, 1, 2) } })
  })

  it('gives nothing as nothing, and what it gave does not change any more', () => {
    const meter = new UsageMeter()
    const before = meter.summary()
    expect(before).toEqual({ ...usage(0, 0), byModel: {} })
    meter.add('a', usage(1, 1))
    expect(before.byModel).toEqual({})
    meter.clear()
    expect(meter.summary()).toEqual(before)
  })

  it('adds what another one counted, whatever a model is called', () => {
    const meter = new UsageMeter()
    meter.add('__proto__', usage(1, 1))
    const other = new UsageMeter()
    other.addSummary(meter.summary())
    other.addSummary(meter.summary())
    expect(Object.entries(other.summary().byModel)).toEqual([['__proto__', usage(2, 2)]])
  })
})
