import type { LanguageModelUsage } from 'ai'
import type { PriceTable, Usage } from './usage.ts'

/** What one call has used, and its cost where `prices` tells it. A count that the provider did not tell is 0. */
export function usageOfCall(
  {
    inputTokens,
    outputTokens,
    totalTokens,
  }: Pick<LanguageModelUsage, 'inputTokens' | 'outputTokens' | 'totalTokens'>,
  modelId: string,
  prices?: PriceTable,
): Usage {
  const usage = {
    inputTokens: countOf(inputTokens),
    outputTokens: countOf(outputTokens),
    totalTokens: countOf(totalTokens) || countOf(inputTokens) + countOf(outputTokens),
  }
  const cost = prices && costOf(usage, modelId, prices)
  return cost === undefined ? usage : { ...usage, cost }
}

function costOf(usage: Usage, modelId: string, prices: PriceTable): number | undefined {
  if (usage.totalTokens === 0) return 0
  const price = Object.hasOwn(prices, modelId) ? prices[modelId] : undefined
  if (price === undefined) return undefined
  return (usage.inputTokens * price.inputPerMillion + usage.outputTokens * price.outputPerMillion) / 1_000_000
}

function countOf(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}
