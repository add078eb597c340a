import type { Usage, UsageSummary } from './usage.ts'

const nothing: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** Adds up what calls have used, by model and in all. */
export class UsageMeter {
  readonly #byModel = new Map<string, Usage>()

  add(modelId: string, usage: Usage): void {
    this.#byModel.set(modelId, sum(this.#byModel.get(modelId) ?? nothing, usage))
  }

  /** Adds what somebody else has counted. */
  addSummary({ byModel }: UsageSummary): void {
    for (const [modelId, usage] of Object.entries(byModel)) this.add(modelId, usage)
  }

  /** What was added so far, as data of its own. The cost is absent as soon as it is unknown for tokens of one model. */
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
  }
  const costs = [one, other].filter(({ cost, totalTokens }) => cost !== undefined || totalTokens > 0)
  if (costs.length === 0 || costs.some(({ cost }) => cost === undefined)) return usage
  return { ...usage, cost: costs.reduce((before, { cost = 0 }) => before + cost, 0) }
}
