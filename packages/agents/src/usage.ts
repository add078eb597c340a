import type { LanguageModelUsage } from 'ai'

/** Tokens that a model read and wrote, and their cost. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  /** Input tokens that the provider read from its cache. Absent if there were none. */
  cachedInputTokens?: number
  /** Output tokens used for reasoning, which are billed as output. Absent if there were none. */
  reasoningTokens?: number
  /** Cost in the currency of the price table. Absent if the table has no price for one of the models. */
  cost?: number
}

/** Usage of each model, keyed by its id, and in total. */
export interface UsageSummary extends Usage {
  byModel: Readonly<Record<string, Usage>>
}

/** Price of a model per million tokens, in any currency. */
interface Price {
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  /** Price of input tokens read from the provider's cache. @default `inputPerMillion` */
  readonly cacheReadPerMillion?: number | undefined
  /** Price of input tokens written to the provider's cache. @default `inputPerMillion` */
  readonly cacheWritePerMillion?: number | undefined
}

/** Prices, keyed by model id. */
export type PriceTable = Readonly<Record<string, Price>>

const nothing: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** Adds up what calls have used, by model and in all. */
export class UsageMeter {
  readonly #byModel = new Map<string, Usage>()

  add(modelId: string, usage: Usage): void {
    this.#byModel.set(modelId, sum(this.#byModel.get(modelId) ?? nothing, usage))
  }

  /** Adds usage that was counted elsewhere. */
  addSummary({ byModel }: UsageSummary): void {
    for (const [modelId, usage] of Object.entries(byModel)) this.add(modelId, usage)
  }

  /** A copy of the usage so far. The cost is absent once it is unknown for tokens of one model. */
  summary(): UsageSummary {
    const byModel = [...this.#byModel].map(([modelId, usage]) => [modelId, { ...usage }] as const)
    const total = byModel.reduce((before, [, usage]) => sum(before, usage), nothing)
    return { ...total, byModel: Object.fromEntries(byModel) }
  }

  clear(): void {
    this.#byModel.clear()
  }
}

function sum(one: Usage, other: Usage): Usage {
  const usage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    ...counted('cachedInputTokens', (one.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0)),
    ...counted('reasoningTokens', (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0)),
  }
  const costs = [one, other].filter(({ cost, totalTokens }) => cost !== undefined || totalTokens > 0)
  if (costs.length === 0 || costs.some(({ cost }) => cost === undefined)) return usage
  return { ...usage, cost: costs.reduce((before, { cost = 0 }) => before + cost, 0) }
}

type TokenCounts = Pick<LanguageModelUsage, 'inputTokens' | 'outputTokens' | 'totalTokens'> &
  Partial<Pick<LanguageModelUsage, 'inputTokenDetails' | 'outputTokenDetails'>>

/** Usage of one call, with its cost if `prices` has the model. Counts that the provider leaves out are 0. */
export function usageOfCall(
  { inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails }: TokenCounts,
  modelId: string,
  prices?: PriceTable,
): Usage {
  const usage: Usage = {
    inputTokens: countOf(inputTokens),
    outputTokens: countOf(outputTokens),
    totalTokens: countOf(totalTokens) || countOf(inputTokens) + countOf(outputTokens),
    ...counted(
      'cachedInputTokens',
      Math.min(countOf(inputTokenDetails?.cacheReadTokens), countOf(inputTokens)),
    ),
    ...counted(
      'reasoningTokens',
      Math.min(countOf(outputTokenDetails?.reasoningTokens), countOf(outputTokens)),
    ),
  }
  const cost = prices && costOf(usage, inputTokenDetails, priceOf(modelId, prices))
  return cost === undefined ? usage : { ...usage, cost }
}

function counted(name: 'cachedInputTokens' | 'reasoningTokens', count: number): Partial<Usage> {
  return count === 0 ? {} : { [name]: count }
}

function priceOf(modelId: string, prices: PriceTable): Price | undefined {
  return Object.hasOwn(prices, modelId) ? prices[modelId] : undefined
}

function costOf(
  usage: Usage,
  details: TokenCounts['inputTokenDetails'],
  price: Price | undefined,
): number | undefined {
  if (usage.totalTokens === 0) return 0
  if (price === undefined) return undefined
  const { inputPerMillion, outputPerMillion } = price
  const { cacheReadPerMillion = inputPerMillion, cacheWritePerMillion = inputPerMillion } = price
  const read = Math.min(countOf(details?.cacheReadTokens), usage.inputTokens)
  const written = Math.min(countOf(details?.cacheWriteTokens), usage.inputTokens - read)
  const input =
    (usage.inputTokens - read - written) * inputPerMillion +
    read * cacheReadPerMillion +
    written * cacheWritePerMillion
  return (input + usage.outputTokens * outputPerMillion) / 1_000_000
}

function countOf(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}
