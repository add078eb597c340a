import type { LanguageModelUsage } from 'ai'
import type { Price, PriceTable, Usage } from './usage.ts'

type TokenCounts = Pick<LanguageModelUsage, 'inputTokens' | 'outputTokens' | 'totalTokens'> &
  Partial<Pick<LanguageModelUsage, 'inputTokenDetails'>>

/** What one call has used, and its cost where `prices` tells it. A count that the provider did not tell is 0. */
export function usageOfCall(
  { inputTokens, outputTokens, totalTokens, inputTokenDetails }: TokenCounts,
  modelId: string,
  prices?: PriceTable,
): Usage {
  const usage = {
    inputTokens: countOf(inputTokens),
    outputTokens: countOf(outputTokens),
    totalTokens: countOf(totalTokens) || countOf(inputTokens) + countOf(outputTokens),
  }
  const cost = prices && costOf(usage, inputTokenDetails, priceOf(modelId, prices))
  return cost === undefined ? usage : { ...usage, cost }
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
